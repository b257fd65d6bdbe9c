"""The model that `ir-plugin benchmark` runs, as the options of benchmark_app change it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ir_plugin.cli.console import working
from ir_plugin.errors import InputError

if TYPE_CHECKING:
    from ir_plugin.openvino.api import CompiledModel, Model
    from ir_plugin.tensors import PartialShape


def compiled_for(
    path: Path, device: str, batch: int | None, shape: str, config: Mapping[str, Any], *, validate: bool
) -> CompiledModel:
    """Return the compiled model of a file, its inputs reshaped and its batch set first."""
    from ir_plugin.openvino.api import Core

    core = Core()
    with working("reading and compiling"):
        if batch is None and not shape and validate:
            return core.compile_model(path, device, dict(config))
        model = core.read_model(path, validate=validate)
        if shape:
            model.reshape(partial_shapes(shape))
        if batch is not None:
            _set_batch(model, batch)
        return core.compile_model(model, device, dict(config))


def partial_shapes(text: str) -> dict[Any, PartialShape] | PartialShape:
    """Return the shapes of `-shape` by the names of inputs, or the shape of the only input."""
    from ir_plugin.tensors import PartialShape

    fault = f"-shape {text!r} is not a shape; write it as [1,3,224,224] or ids[1,?],mask[1,1..512]"
    shapes = {name: PartialShape(shape) for name, shape in split_inputs(text, r"\[[^\[\]]*\]", fault)}
    return shapes[""] if list(shapes) == [""] else shapes


def split_inputs(text: str, pattern: str, fault: str) -> Iterator[tuple[str, str]]:
    """Yield the name of each input in `ids[1,8],mask[1,8]` and its text in brackets, which matches a pattern.

    The name may be empty. Raises `InputError` with the message `fault` where the text is not of this form.
    """
    part = re.compile(rf"\s*([^\[\],]*?)\s*({pattern})\s*(?:,|$)")
    position = 0
    while position < len(text):
        match = part.match(text, position)
        if match is None:
            raise InputError(fault)
        yield match[1], match[2]
        position = match.end()


def _set_batch(model: Model, batch: int) -> None:
    """Set the dimension N of every input, which is the first where no layout says so, as benchmark_app guesses."""
    from ir_plugin.openvino.api.batch import set_batch
    from ir_plugin.tensors import Layout

    for node in model.parameters:
        rank = node.get_partial_shape().ndim
        if node.layout.empty and rank is not None and rank > 1:
            node.layout = Layout("N...")
    set_batch(model, batch)
