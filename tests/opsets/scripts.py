"""Scripts that are run with OpenVINO and with ir_plugin in its place: both print the same, and refuse the same."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import openvino

import ir_plugin


class Library:
    """One of both libraries under OpenVINO's names, and what a script prints with it."""

    def __init__(self, name: str, folder: Path) -> None:
        self.ov: Any = {"openvino": openvino, "ir_plugin": ir_plugin}[name]
        self.op: Any = importlib.import_module(f"{name}.op")
        self.util: Any = importlib.import_module(f"{name}.op.util")
        self.opset = SimpleNamespace(
            **{f"o{number}": importlib.import_module(f"{name}.opset{number}") for number in (3, 5, 6, 8, 13)}
        )
        self.ops: Any = self.opset.o13
        self.folder = folder
        self.printed: list[str] = []
        self.models: list[Any] = []

    def show(self, *values: Any) -> None:
        """Print values, without the numbers that names of layers end with."""
        text = " ".join(map(_plain, values))
        self.printed.append(re.sub(r"(?<=[A-Za-z])_?\d+(?=['\s]|$)", "", text))

    def refuses(self, call: Callable[..., Any], *arguments: Any) -> None:
        """Print whether a call raises an error of the library, or a TypeError."""
        try:
            call(*arguments)
        except (RuntimeError, TypeError, ValueError, AttributeError, IndexError):
            self.printed.append("refused")
        else:
            self.printed.append("accepted")

    def run(self, model: Any, *inputs: Any) -> None:
        """Print the shapes of a model, and what it computes, as it is, cloned and read again."""
        self.models.append(model)
        path = self.folder / f"{self.ov.__name__}.xml"
        self.ov.save_model(model, path, compress_to_fp16=False)
        for variant in (model, model.clone(), self.ov.Core().read_model(path)):
            self.show([port.partial_shape for port in variant.outputs], [port.element_type for port in variant.outputs])
            compiled = self.ov.Core().compile_model(variant, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
            self.show(*[np.round(value, 4).tolist() for value in compiled(list(inputs)).values()])


def _plain(value: Any) -> str:
    return "[" + ", ".join(map(_plain, value)) + "]" if isinstance(value, (list, tuple)) else str(value)


def printed_by_both(script: Callable[[Library], None], folder: Path) -> tuple[list[str], list[str]]:
    """Return what a script prints with OpenVINO and with ir_plugin; OpenVINO reads what ir_plugin writes."""
    libraries = [Library(name, folder) for name in ("openvino", "ir_plugin")]
    for library in libraries:
        script(library)
    for number, model in enumerate(libraries[1].models):
        path = folder / f"{number}.xml"
        ir_plugin.save_model(model, path, compress_to_fp16=False)
        shapes = [str(port.partial_shape) for port in openvino.Core().read_model(path).outputs]
        assert shapes == [str(port.partial_shape) for port in model.outputs]
        assert ir_plugin.validate(path).ok
    return libraries[0].printed, libraries[1].printed
