"""`PreprocessConverter`: a pipeline of torchvision becomes part of a model."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from ir_plugin.errors import ArgumentTypeError, ArgumentValueError, UnsupportedError, require
from ir_plugin.openvino.api.model import Model
from ir_plugin.openvino.preprocess.processor import PrePostProcessor
from ir_plugin.openvino.preprocess.torchvision.conversions import State, convert
from ir_plugin.tensors import Layout


class MissingPackageError(UnsupportedError, ImportError):
    """A package that a call needs and that is not installed."""


class PreprocessConverter:
    """Converts pipelines of torchvision for a model."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @staticmethod
    def from_torchvision(model: Model, transform: Any, input_example: Any, input_name: str | None = None) -> Model:
        """Add the transforms of a pipeline to an input of a model, and return the model.

        `input_example` is a tensor, an array or an image as the pipeline takes it; `input_name` is the name of the
        input's layer, which a model with one input does not need.
        """
        torch, image = _packages()
        require(model, Model, "a Model", "model")
        index = _input_index(model, input_name)
        shape, layout = _shape_and_layout(input_example, torch, image)
        processor = PrePostProcessor(model)
        processor.input(index).tensor().set_layout(layout).set_shape(shape)
        state = State(processor.input(index), shape, layout)
        for step in _listed(transform, torch):
            convert(step, state)
        return processor.build()


def _packages() -> tuple[Any, Any]:
    """Return `torch` and `PIL.Image`; raises unless they and torchvision are installed."""
    try:
        import_module("torchvision.transforms")
        return import_module("torch"), import_module("PIL.Image")
    except ImportError as fault:
        raise MissingPackageError(f"Please install torch, torchvision and pillow packages: {fault}") from None


def _input_index(model: Model, name: str | None) -> int:
    names = [node.name for node in model.parameters]
    if name is None:
        if len(names) != 1:
            raise ArgumentValueError(
                "Model contains multiple inputs. Please specify the name of the input to which preprocessing is added; "
                f"there are {', '.join(names)}"
            )
        return 0
    if name not in names:
        raise ArgumentValueError(f"Input with name {name} is not found; there are {', '.join(names)}")
    return names.index(name)


def _shape_and_layout(example: Any, torch: Any, image: Any) -> tuple[list[int], Layout]:
    if not isinstance(example, (torch.Tensor, np.ndarray, image.Image)):
        raise ArgumentTypeError(f"Unsupported input type: {type(example)}")
    shape = [int(length) for length in np.asarray(example).shape]
    if len(shape) not in (3, 4):
        raise ArgumentValueError(f"Unsupported number of input dimensions: {len(shape)}")
    layout = Layout("NCHW") if isinstance(example, torch.Tensor) else Layout("NHWC")
    return [1] * (4 - len(shape)) + shape, layout


def _listed(transform: Any, torch: Any) -> list[Any]:
    if isinstance(transform, torch.nn.Sequential):
        return list(transform)
    if type(transform).__name__ != "Compose":
        raise ArgumentTypeError(f"Unsupported transform type: {type(transform)}")
    return list(transform.transforms)
