"""Samples of BitCast of version extension."""

from tests.support.sample import ErrorSample, In, Sample, param

OURS = "OpenVINO has no BitCast"


def bits(type: str, data: In, expected: object) -> Sample:
    attributes = {"destination_type": type}
    return Sample("BitCast", "extension", [data], attributes, expected, openvino=OURS, openvino_shapes=OURS)


SAMPLES = [
    bits("i32", param([1.0, -2.0], "f32"), [0x3F800000, -0x40000000]),
    bits("f32", param([0x3F800000], "i32"), [1.0]),
    bits("i8", param([[255, 127]], "u8"), [[-1, 127]]),
    bits("u64", param(-1, "i64"), 2**64 - 1),
    bits("i4", param([15, 7, 8], "u4"), [-1, 7, -8]),
    bits("u16", param([1.0], "bf16"), [0x3F80]),
]

ERRORS = [
    ErrorSample("BitCast", "extension", ["f32[2]"], {"destination_type": "i64"}, part="destination_type", says="64"),
    ErrorSample(
        "BitCast", "extension", ["string[2]"], {"destination_type": "i64"}, part="destination_type", says="string"
    ),
]
