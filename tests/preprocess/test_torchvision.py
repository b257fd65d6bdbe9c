"""Pipelines of torchvision: OpenVINO's converter and ours read the same, and build the same.

Torch is too large to be installed for this; small classes with torchvision's attributes stand for its transforms.
"""

from __future__ import annotations

import enum
import sys
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from ir_plugin.errors import Error
from tests.preprocess.recipes import OURS, THEIRS, kinds_of, outputs_of, ports_of


class Transform:
    """A transform: a name and attributes."""


class InterpolationMode(enum.Enum):
    NEAREST = "nearest"
    NEAREST_EXACT = "nearest-exact"
    BILINEAR = "bilinear"
    BICUBIC = "bicubic"


NAMES = ("Normalize", "ConvertImageDtype", "Grayscale", "Pad", "ToTensor", "CenterCrop", "Resize", "Compose", "Lambda")
KINDS: dict[str, Any] = {name: type(name, (Transform,), {}) for name in NAMES}
DTYPES = ("float16", "float32", "float64", "uint8", "int8", "int32", "int64", "bool")


class Dtype:
    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"


def modules() -> dict[str, ModuleType]:
    """Return what both converters import of torch, torchvision and PIL."""
    built = {name: ModuleType(name) for name in ("torch", "torchvision", "torchvision.transforms", "PIL", "PIL.Image")}
    torch, transforms = built["torch"], built["torchvision.transforms"]
    for name in ("Tensor", "DoubleTensor", "FloatTensor", "IntTensor", "LongTensor", "BoolTensor"):
        setattr(torch, name, type(name, (), {}))
    for name in DTYPES:
        setattr(torch, name, Dtype(name))
    vars(torch)["nn"] = ModuleType("torch.nn")
    vars(torch)["nn"].Sequential = type("Sequential", (list,), {})
    vars(transforms).update(KINDS, InterpolationMode=InterpolationMode)
    vars(built["torchvision"])["transforms"] = transforms
    vars(built["PIL.Image"])["Image"] = type("Image", (), {})
    vars(built["PIL"])["Image"] = built["PIL.Image"]
    return built


@pytest.fixture(autouse=True)
def packages(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, ModuleType]]:
    built = modules()
    for name, module in built.items():
        monkeypatch.setitem(sys.modules, name, module)
    yield built
    for name in [name for name in sys.modules if name.startswith("openvino.preprocess.torchvision")]:
        del sys.modules[name]


def step(name: str, **attributes: Any) -> Any:
    transform = KINDS[name]()
    vars(transform).update(attributes)
    return transform


def resize(size: Any, mode: str = "BILINEAR") -> Any:
    return step("Resize", size=size, interpolation=InterpolationMode[mode], max_size=None)


def normalize() -> Any:
    return step("Normalize", mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225], inplace=False)


def pad(padding: Any, mode: str = "constant", fill: Any = 3) -> Any:
    return step("Pad", padding=padding, padding_mode=mode, fill=fill)


PIPELINES: dict[str, tuple[list[int], list[Any]]] = {
    "tensor": ([1, 3, 10, 12], [step("ToTensor"), normalize()]),
    "resize": ([1, 3, 8, 8], [resize((8, 8)), step("ToTensor"), normalize()]),
    "resize short edge": ([1, 3, 8, 9], [resize(8, "NEAREST"), step("ToTensor")]),
    "crop": ([1, 3, 4, 5], [step("CenterCrop", size=(4, 5)), step("ToTensor")]),
    "pad": ([1, 3, 14, 16], [pad((2, 3, 2, 1)), step("ToTensor")]),
    "pad two": ([1, 3, 16, 16], [pad((2, 3)), step("ToTensor")]),
    "pad edge": ([1, 3, 12, 14], [pad(1, "edge"), step("ToTensor")]),
    "type": ([1, 3, 10, 12], [step("ToTensor"), step("ConvertImageDtype", dtype="float16"), normalize()]),
}


def converted(library: Any, shape: list[int], steps: list[Any], example: Any, **named: Any) -> Any:
    module = import_module(f"{library.name}.preprocess.torchvision")
    pipeline = step("Compose", transforms=steps)
    model = library.network("relu", shape)
    return module.PreprocessConverter.from_torchvision(model, pipeline, example, **named)


def example_and_steps(name: str, packages: dict[str, ModuleType]) -> tuple[Any, list[Any]]:
    """Return an image, and the steps of a pipeline with the types of torch."""
    steps = PIPELINES[name][1]
    for transform in steps:
        if isinstance(getattr(transform, "dtype", None), str):
            transform.dtype = getattr(packages["torch"], transform.dtype)
    return np.random.default_rng(0).integers(0, 256, (10, 12, 3)).astype(np.uint8), steps


@pytest.mark.parametrize("library", [THEIRS, OURS], ids=lambda library: library.name)
@pytest.mark.parametrize("name", ["tensor", "resize short edge", "pad"])
def test_images_of_another_size_than_the_models_are_refused(
    name: str, library: Any, packages: dict[str, ModuleType]
) -> None:
    example, steps = example_and_steps(name, packages)
    with pytest.raises(RuntimeError):
        converted(library, [1, 3, 8, 10], steps, example)


@pytest.mark.parametrize("name", PIPELINES)
def test_a_pipeline_is_converted_alike(name: str, packages: dict[str, ModuleType]) -> None:
    example, steps = example_and_steps(name, packages)
    theirs, ours = (converted(library, PIPELINES[name][0], steps, example) for library in (THEIRS, OURS))
    assert ports_of(ours) == ports_of(theirs)
    assert kinds_of(ours) == kinds_of(theirs)
    image = example[None] if ports_of(theirs)[0][3] == "[N,H,W,C]" else example[None].transpose(0, 3, 1, 2)
    expected = outputs_of(THEIRS, theirs, [image])
    bit = 1 / 255 / 0.224  # a resize of bytes may round halves otherwise
    np.testing.assert_allclose(outputs_of(OURS, ours, [image])[0], expected[0], rtol=1e-2, atol=bit + 1e-2)


@pytest.mark.parametrize(
    ("transform", "kind"),
    [
        (step("Lambda"), ValueError),
        (step("Normalize", mean=[0], std=[1], inplace=True), ValueError),
        (pad(1, fill=(1, 2, 3)), ValueError),
        (step("Resize", size=3, interpolation=InterpolationMode.BILINEAR, max_size=9), ValueError),
        (resize(3, "NEAREST_EXACT"), ValueError),
        (step("CenterCrop", size=None), ValueError),
        (step("CenterCrop", size=(1, 2, 3)), ValueError),
    ],
)
def test_what_cannot_be_converted_is_refused_alike(transform: Any, kind: type[Exception]) -> None:
    for library in (THEIRS, OURS):
        with pytest.raises(kind):
            converted(library, [1, 3, 8, 8], [transform], np.zeros((8, 8, 3), np.uint8))


def test_wrong_examples_and_names_are_refused() -> None:
    for example, named in (([1], {}), (np.zeros(3), {}), (np.zeros((8, 8, 3)), {"input_name": "nothing"})):
        with pytest.raises((TypeError, ValueError)):
            converted(THEIRS, [1, 3, 8, 8], [step("ToTensor")], example, **named)
        with pytest.raises(Error):
            converted(OURS, [1, 3, 8, 8], [step("ToTensor")], example, **named)


def test_without_torchvision_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torchvision.transforms", None)
    with pytest.raises(ImportError, match="install torch, torchvision and pillow") as caught:
        converted(OURS, [1, 3, 8, 8], [step("ToTensor")], np.zeros((8, 8, 3)))
    assert isinstance(caught.value, Error)
