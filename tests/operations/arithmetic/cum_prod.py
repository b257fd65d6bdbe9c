"""Samples of CumProd of version extension."""

from tests.support.sample import ErrorSample, Sample, const, param

OURS = "OpenVINO has no CumProd"


def product(data: list[float], expected: list[float], type: str = "f32", **attributes: str) -> Sample:
    flags = {"exclusive": "false", "reverse": "false"} | attributes
    return Sample(
        "CumProd", "extension", [param(data, type), const(0)], flags, expected, openvino=OURS, openvino_shapes=OURS
    )


SAMPLES = [
    product([1, 2, 3, 4], [1, 2, 6, 24]),
    product([1, 2, 3, 4], [1, 1, 2, 6], exclusive="true"),
    product([1, 2, 3, 4], [24, 24, 12, 4], reverse="true"),
    product([1, 2, 3, 4], [24, 12, 4, 1], reverse="true", exclusive="true"),
    product([100, 100], [100, 16], "u8"),
]

ERRORS = [
    ErrorSample("CumProd", "extension", ["f32[2]", const(1)], part="axis", says="axis"),
    ErrorSample("CumProd", "extension", ["boolean[2]", const(0)], part="data", says="boolean"),
]
