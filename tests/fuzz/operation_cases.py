"""Random layers: samples of the operations with other attributes, shapes, types and values."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from ir_plugin.operations.registry import Registry
from ir_plugin.schema.catalogue import Catalogue
from ir_plugin.schema.interface import AttributeSpec, Interface
from ir_plugin.tensors import Array, ElementType
from tests.support.collect import samples
from tests.support.ir import BuiltIR, build
from tests.support.sample import In, Sample

LENGTHS = (0, 1, 1, 2, 2, 3, 3, 4, 5, 7, 8)
FLOATS = (0.0, -0.0, 0.5, 1.0, -1.0, 2.0, 0.25, -0.5, 1e-5, 1e5, 3.7)
SPECIAL = (np.nan, np.inf, -np.inf, -0.0, 0.0, 1e-40, 3e38, 0.5, -0.5, 1.5, 2.5, -2.5)
FLOAT_TYPES = ("f32", "f32", "f16", "bf16", "f64", "f8e4m3", "f8e5m2")
WHOLE_TYPES = ("i8", "u8", "i16", "u16", "i32", "i32", "i64", "i64", "u32", "u64", "boolean", "i4", "u4")
TYPES = (*FLOAT_TYPES, *WHOLE_TYPES, "string")
LARGEST = 4096


@dataclass(frozen=True)
class Case:
    """A layer, and the partial shapes of its parameters by position."""

    sample: Sample
    shapes: Mapping[int, str]
    variant: str

    def build(self) -> BuiltIR:
        """Return the layer as an IR."""
        sample = self.sample
        return build(sample.type, sample.version, sample.inputs, sample.attributes, sample.outputs, self.shapes)


@cache
def samples_by_definition() -> dict[str, list[Sample]]:
    """Return the samples of every definition, by `Type-opset`."""
    table: dict[str, list[Sample]] = {}
    for _, sample in samples():
        if np.sum([np.size(item.value) for item in sample.inputs if item is not None]) <= LARGEST:
            table.setdefault(f"{sample.type}-{sample.version}", []).append(sample)
    return table


def random_case(definition: str, seed: int) -> Case:
    """Return a random layer of a definition; the same seed gives the same layer."""
    chance = random.Random(f"{definition}:{seed}")
    sample = chance.choice(samples_by_definition()[definition])
    for _ in range(chance.choice((0, 1, 1, 2, 2, 3))):
        sample = chance.choice(MUTATIONS)(sample, chance)
    return Case(sample, *_variant(sample, chance))


def _variant(sample: Sample, chance: random.Random) -> tuple[dict[int, str], str]:
    free = [(at, item.value.shape) for at, item in enumerate(sample.inputs) if item is not None and not item.constant]
    variant = chance.choice(("static", "static", "dynamic", "intervals", "mixed"))
    if variant == "static":
        return {}, variant
    if variant == "dynamic":
        return {at: ",".join(["?"] * len(shape)) for at, shape in free}, variant
    if variant == "intervals":
        return {at: ",".join(f"{max(n - 1, 0)}..{n + 2}" for n in shape) for at, shape in free}, variant
    return {at: ",".join(chance.choice(("?", str(n))) for n in shape) for at, shape in free}, variant


@cache
def interface(type: str, version: int | str) -> Interface:
    """Return the attributes and ports that the schema of a definition allows."""
    definition = Registry().resolve(type, f"opset{version}" if str(version).isdigit() else str(version))
    assert definition is not None
    return Catalogue().interface(definition)


def attribute_specs(sample: Sample) -> list[AttributeSpec]:
    """Return the attributes that the schema of a sample's definition knows."""
    attributes = interface(sample.type, sample.version).attributes
    return [spec for spec in attributes.values() if spec.type != "extra"]


def change_attribute(sample: Sample, chance: random.Random) -> Sample:
    """Return the sample with another value of one of its attributes."""
    specs = attribute_specs(sample)
    if not specs:
        return change_values(sample, chance)
    spec = chance.choice(specs)
    attributes = dict(sample.attributes)
    if spec.name in attributes and not spec.required and chance.random() < 0.15:
        del attributes[spec.name]
    else:
        attributes[spec.name] = _attribute_value(spec, attributes.get(spec.name), chance)
    return replace(sample, attributes=attributes)


def _attribute_value(spec: AttributeSpec, old: Any, chance: random.Random) -> Any:
    if spec.type in ("element_type", "index_type") or (spec.words and "f32" in spec.words):
        return chance.choice(("i32", "i64")) if spec.type == "index_type" else chance.choice(TYPES)
    if spec.words:
        return chance.choice(spec.spellings)
    if spec.type == "boolean":
        return chance.choice(("true", "false"))
    if spec.type in ("int", "unsigned"):
        return _whole(old, chance, 0 if spec.type == "unsigned" else -3)
    if spec.type == "float":
        return chance.choice((*FLOATS, float(old) * 2 if isinstance(old, (int, float)) else 0.1))
    if spec.type in ("ints", "shape", "floats") and isinstance(old, (list, tuple)) and old:
        values = list(old)
        at = chance.randrange(len(values))
        values[at] = chance.choice(FLOATS) if spec.type == "floats" else _whole(values[at], chance, 0)
        return chance.choice((values, values, values[1:], [*values, values[0]], values[::-1]))
    if spec.type in ("ints", "shape"):
        return [chance.choice((0, 1, 1, 2, 3)) for _ in range(chance.randrange(4))]
    return old if old is not None else ""


def _whole(old: Any, chance: random.Random, least: int) -> int:
    near = [int(old) - 1, int(old) + 1, 2 * int(old)] if isinstance(old, (int, float)) else []
    return max(chance.choice([-1, 0, 1, 2, 3, 4, -2, *near, *near]), least)


def _length(sample: Sample, chance: random.Random) -> Sample:
    """Give every dimension of one length, or a single dimension, another length."""
    inputs = list(sample.inputs)
    dims = [(at, axis, n) for at, item in enumerate(inputs) if item for axis, n in enumerate(item.value.shape)]
    if not dims:
        return sample
    at, axis, length = chance.choice(dims)
    target = chance.choice(LENGTHS)
    chosen = [dim for dim in dims if dim[2] == length] if chance.random() < 0.6 else [(at, axis, length)]
    for position, dimension, _ in chosen:
        item = inputs[position]
        if item is not None:
            inputs[position] = replace(item, value=resized(item.value, dimension, target))
    if sum(np.size(item.value) for item in inputs if item) > LARGEST:
        return sample
    return replace(sample, inputs=inputs)


def resized(array: Array, axis: int, length: int) -> Array:
    """Return an array of another length along an axis, with its elements repeated or cut."""
    if array.shape[axis]:
        taken: Array = np.take(array, np.arange(length) % array.shape[axis], axis)
        return taken
    shape = list(array.shape)
    shape[axis] = length
    return np.full(shape, "", object) if array.dtype == object else np.zeros(shape, array.dtype)


def _pick(sample: Sample, chance: random.Random) -> tuple[int, In] | None:
    choices = [(at, item) for at, item in enumerate(sample.inputs) if item is not None]
    return chance.choice(choices) if choices else None


def change_values(sample: Sample, chance: random.Random) -> Sample:
    """Return the sample with other values of one of its inputs."""
    picked = _pick(sample, chance)
    if picked is None or not picked[1].value.size:
        return sample
    at, item = picked
    inputs = list(sample.inputs)
    inputs[at] = replace(item, value=_new_values(item, chance))
    return replace(sample, inputs=inputs)


def _new_values(item: In, chance: random.Random) -> Array:
    values = _drawn(item, chance)
    if item.type.bitwidth < 8 and values.dtype.kind in "iu":
        count = 2**item.type.bitwidth
        least = -count // 2 if item.type.has_sign else 0
        return np.asarray((values.astype(np.int64) - least) % count + least).astype(values.dtype)
    return values


def _drawn(item: In, chance: random.Random) -> Array:
    draw = np.random.default_rng(chance.randrange(2**32))
    shape, dtype = item.value.shape, item.value.dtype
    if dtype.kind == "O":
        return draw.choice(np.array(["", "a", "é", "xyz"], object), shape)
    if dtype.kind == "b":
        return np.asarray(draw.integers(0, 2, shape).astype(bool))
    if item.type.is_floating:
        kind = chance.choice(("normal", "ties", "special", "poke", "large"))
        if kind == "normal":
            return np.asarray(draw.standard_normal(shape)).astype(dtype)
        if kind == "ties":
            return np.asarray(draw.integers(-2, 3, shape) / 2).astype(dtype)
        if kind == "large":
            return np.asarray(draw.standard_normal(shape) * 300).astype(dtype)
        many = draw.random(shape) < (0.3 if kind == "special" else 1.5 / item.value.size)
        with np.errstate(all="ignore"):
            return np.where(many, draw.choice(SPECIAL, shape), item.value.astype(np.float64)).astype(dtype)
    return _new_integers(item, draw, chance)


def _new_integers(item: In, draw: np.random.Generator, chance: random.Random) -> Array:
    array, dtype = item.value, item.value.dtype
    kind = chance.choice(("shift", "poke", "poke", "small", "small", "negative", "extreme"))
    signed = not item.type.name.startswith("u")
    if kind == "shift":
        return (array.astype(np.int64) + chance.choice((-1, 1) if signed else (1,))).astype(dtype)
    if kind == "small":
        return np.asarray(draw.integers(0, 4, array.shape)).astype(dtype)
    if kind == "negative":
        return np.asarray(draw.integers(-4 if signed else 0, 4, array.shape)).astype(dtype)
    flat = array.astype(np.int64).reshape(-1).copy()
    at = chance.randrange(len(flat))
    bits = item.type.bitwidth
    extremes = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    flat[at] = chance.choice((-1, 0, 1, 2, 5, -2, 100)) if kind == "poke" else np.int64(chance.choice(extremes) % 2**63)
    if not signed:
        flat[at] = abs(flat[at])
    return np.asarray(flat.reshape(array.shape), dtype)


def _type(sample: Sample, chance: random.Random) -> Sample:
    """Give all inputs of one element type, or a single input, another element type."""
    picked = _pick(sample, chance)
    if picked is None or picked[1].type.name == "string":
        return sample
    old, new = picked[1].type, ElementType(chance.choice(TYPES[:-1]))
    inputs = list(sample.inputs)
    everywhere = chance.random() < 0.8
    for at, item in enumerate(inputs):
        if item is not None and (at == picked[0] or (everywhere and item.type is old)):
            inputs[at] = replace(item, value=_converted(item.value, old, new), type=new)
    return replace(sample, inputs=inputs)


def _converted(array: Array, old: ElementType, new: ElementType) -> Array:
    with np.errstate(all="ignore"):
        if new.is_floating:
            return array.astype(np.float64).astype(new.dtype)
        if new.name == "boolean":
            return np.asarray(array.astype(np.float64) > 0)
        low = 0 if new.name.startswith("u") else -(2 ** (new.bitwidth - 1))
        high = 2 ** (new.bitwidth - (0 if new.name.startswith("u") else 1)) - 1
        if old.is_floating:
            array = np.nan_to_num(array.astype(np.float64), nan=0, posinf=100, neginf=-100)
        limited = [min(max(int(value), low), high) for value in np.asarray(array).reshape(-1).tolist()]
        return np.array(limited, new.dtype).reshape(array.shape)


def _source(sample: Sample, chance: random.Random) -> Sample:
    """Make a parameter of a constant, or a constant of a parameter."""
    picked = _pick(sample, chance)
    if picked is None:
        return sample
    inputs = list(sample.inputs)
    inputs[picked[0]] = replace(picked[1], constant=not picked[1].constant)
    return replace(sample, inputs=inputs)


def _absent(sample: Sample, chance: random.Random) -> Sample:
    """Leave out the last input, where the schema allows fewer."""
    if len(sample.inputs) <= interface(sample.type, sample.version).inputs.least or chance.random() < 0.5:
        return change_values(sample, chance)
    return replace(sample, inputs=list(sample.inputs)[:-1])


MUTATIONS = (
    change_attribute, change_attribute, _length, _length, change_values, change_values, _type, _source, _absent
)  # fmt: skip
