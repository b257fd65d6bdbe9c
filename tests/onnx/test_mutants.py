"""Mutated ONNX files end in a model or in one of our errors."""

from __future__ import annotations

import contextlib
import random

import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")

import ir_plugin as ov
from tests.onnx.cases import cases

LARGEST = 4000


def mutated(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        position = chance.randrange(len(changed))
        kind = chance.random()
        if kind < 0.6:
            changed[position] = chance.randrange(256)
        elif kind < 0.8:
            del changed[position : position + chance.randint(1, 4)]
        else:
            changed[position:position] = bytes(chance.randrange(256) for _ in range(chance.randint(1, 3)))
    return bytes(changed)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(4))
def test_mutants_are_read_or_refused(seed: int) -> None:
    chance = random.Random(seed)
    models = [case.test.model for case in cases().values() if case.test.model is not None]
    sources = [data for model in chance.sample(models, 100) if len(data := model.SerializeToString()) < LARGEST]
    for _ in range(1000):
        data = mutated(chance.choice(sources), chance)
        with contextlib.suppress(ov.Error):
            ov.Core().read_model(b"\x08" + data[1:])


@pytest.mark.parametrize("field", ["op_type", "name"])
def test_texts_that_are_not_utf_8_are_refused(field: str) -> None:
    proto = cases()["test_relu"].test.model
    data = proto.SerializeToString().replace(b"Relu", b"Re\xff\xfe") if field == "op_type" else None
    data = data or proto.SerializeToString().replace(b"\x01x", b"\x01\xff")
    with pytest.raises(ov.ReadError, match="not UTF-8"):
        ov.Core().read_model(data)


@pytest.mark.parametrize("version", [0, -1, 2**31, 2**62])
def test_impossible_opsets_are_refused(version: int) -> None:
    from onnx import ModelProto

    proto = ModelProto.FromString(cases()["test_relu"].test.model.SerializeToString())
    proto.opset_import[0].version = version
    with pytest.raises(ov.ReadError, match="version"):
        ov.Core().read_model(proto)
