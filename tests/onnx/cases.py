"""ONNX's backend tests: node, simple and PyTorch models with inputs and the outputs that ONNX expects."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tests.support.stored import stored

KINDS = ("node", "simple", "pytorch-converted", "pytorch-operator")
UNLIKE = Path(__file__).with_name("unlike.tsv")
"""The cases without ONNX's result, each with its reason."""


@dataclass(frozen=True)
class Case:
    """One of ONNX's cases and the kind of suite it is from."""

    kind: str
    test: Any

    @property
    def name(self) -> str:
        """The name, unique among all kinds."""
        return str(self.test.name)

    def model(self) -> Any:
        """Return the `ModelProto`, or the path of the model."""
        return self.test.model if self.test.model is not None else Path(self.test.model_dir) / "model.onnx"

    def data(self) -> list[tuple[list[Any], list[Any]]]:
        """Return inputs and outputs of each data set, as arrays and lists of arrays."""
        import onnx

        if self.test.data_sets is not None:
            return [([plain(v) for v in ins], [plain(v) for v in outs]) for ins, outs in self.test.data_sets]
        proto = onnx.load(self.model())
        ends = (("input", proto.graph.input), ("output", proto.graph.output))
        return [
            tuple(_values(folder, word, values) for word, values in ends)  # type: ignore[misc]
            for folder in sorted(Path(self.test.model_dir).glob("test_data_set*"))
        ]


def _values(folder: Path, word: str, values: Any) -> list[Any]:
    paths = sorted(folder.glob(f"{word}_*.pb"), key=lambda path: int(path.stem.rpartition("_")[2]))
    return [_read(path.read_bytes(), value.type) for path, value in zip(paths, values, strict=False)]


def _read(data: bytes, type: Any) -> Any:
    import onnx

    kinds: dict[Any, Any] = {"sequence_type": onnx.SequenceProto, "optional_type": onnx.OptionalProto}
    return plain(kinds.get(type.WhichOneof("value"), onnx.TensorProto).FromString(data))


def plain(value: Any) -> Any:
    """Return a value of a data set: an array, or a list of arrays for a sequence."""
    import onnx

    if isinstance(value, onnx.TensorProto):
        return onnx.numpy_helper.to_array(value)
    if isinstance(value, onnx.SequenceProto):
        return onnx.numpy_helper.to_list(value)
    if isinstance(value, onnx.OptionalProto):
        return onnx.numpy_helper.to_optional(value)
    return value


@cache
def cases() -> dict[str, Case]:
    """Return all cases by name."""
    return {str(test.name): Case(kind, test) for kind, tests in _suites().items() for test in tests}


@cache
def _suites() -> dict[str, list[Any]]:
    """Return the tests of each kind of suite, whose data onnx computes for 6 seconds where they are not stored."""
    return stored("cases", ("onnx", "numpy"), _computed)


def _computed() -> dict[str, list[Any]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from onnx.backend.test.loader import load_model_tests

        return {kind: [*load_model_tests(kind=kind)] for kind in KINDS}


def unlike() -> dict[str, str]:
    """Return the reason of each case without ONNX's result."""
    rows = (line.partition("\t") for line in UNLIKE.read_text("utf-8").splitlines()[1:])
    return {name: reason for name, _, reason in rows}


def assert_like(ours: Any, expected: Any, rtol: float, atol: float) -> None:
    """Hold an output against the expected one as ONNX's runner does."""
    if isinstance(expected, (list, tuple)):
        assert isinstance(ours, (list, tuple))
        assert len(ours) == len(expected)
        for item, reference in zip(ours, expected, strict=True):
            assert_like(item, reference, rtol, atol)
        return
    if expected is None:
        assert ours is None
        return
    expected = np.asarray(expected)
    assert ours.shape == expected.shape
    if expected.dtype == object:
        np.testing.assert_array_equal(ours, expected)
        return
    assert ours.dtype == expected.dtype
    if ours.dtype.name == "bfloat16":
        rtol, ours, expected = max(rtol, 2**-6), ours.astype(np.float32), expected.astype(np.float32)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(ours, expected, rtol=rtol, atol=atol)
