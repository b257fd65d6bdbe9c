"""A `.bin` that another program cuts short while it is in use is an error, never a signal."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from ir_plugin import Core, Error, Operation
from ir_plugin.tensors import Array, Tensor
from tests.support.ir import build
from tests.support.sample import const, param


@pytest.mark.parametrize("optimize", [True, False])
def test_weights_cut_after_compiling_are_an_error(tmp_path: Path, optimize: bool) -> None:
    ones = np.ones(1 << 16, np.float32)
    ir = build("Add", 1, [param(ones), const(ones)], {"auto_broadcast": "numpy"}, 1)
    path = tmp_path / "model.xml"
    path.write_bytes(ir.xml)
    path.with_suffix(".bin").write_bytes(ir.weights)
    model = Core().read_model(path)
    compiled = Core().compile_model(model, config={"OPTIMIZE": optimize})
    assert compiled([ones])[0][0] == 2
    with path.with_suffix(".bin").open("r+b") as file:
        file.truncate(16)
    with pytest.raises(Error, match="was cut from 262144 to 16 bytes"):
        compiled([ones])
    with pytest.raises(Error, match="was cut from 262144 to 16 bytes"):
        Core().compile_model(model.clone(), config={"OPTIMIZE": optimize})([ones])


class Two(Operation, version="custom"):
    """Says one output, and gives what `given` says."""

    given: ClassVar[Any] = None

    def infer(self, data: Tensor) -> Tensor:
        return data

    def evaluate(self, data: Array) -> Any:
        return type(self).given(data)


@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize(
    ("given", "says"),
    [
        (lambda x: (x, x), "evaluate returned 2 outputs; infer says 1"),
        (lambda _: (), "evaluate returned 0 outputs; infer says 1"),
        (lambda x: x[:1], r"evaluate returned \[1\] for output 0; infer says \[3\]"),
    ],
)
def test_a_custom_operation_that_breaks_its_word_is_named(given: Any, says: str, optimize: bool) -> None:
    core = Core()
    core.add_extension(Two)
    Two.given = staticmethod(given)
    compiled = core.compile_model(XML, weights=b"", config={"OPTIMIZE": optimize})
    with pytest.raises(Error, match=f'layer "layer" .*{says}'):
        compiled([np.ones(3, np.float32)])


XML = build("Two", "custom", [param([1.0, 2.0, 3.0])], {}, 1).xml
