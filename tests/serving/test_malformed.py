"""Malformed bodies: every one gets a status of the client's fault and an error as JSON, and the server goes on."""

from __future__ import annotations

import json
import struct
import tracemalloc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ir_plugin as ov
from ir_plugin.serving import Limits, application, datatypes, messages
from ir_plugin.serving.messages import parse
from ir_plugin.serving.request_error import RequestError
from ir_plugin.serving.served_model import ServedModel
from tests.serving.conftest import Served, running
from tests.serving.models import identity, linear

GOOD: dict[str, Any] = {
    "id": "1",
    "inputs": [{"name": "x", "datatype": "FP32", "shape": [1, 4], "data": [1, 2, 3, 4]}],
    "outputs": [{"name": "y", "parameters": {"binary_data": False}}],
    "parameters": {"timeout": 5_000_000},
}
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
JSON = st.recursive(
    SCALARS, lambda items: st.lists(items, max_size=4) | st.dictionaries(st.text(max_size=6), items, max_size=4)
)
FIELDS = ["id", "inputs", "outputs", "parameters", "name", "datatype", "shape", "data"]


def changed(value: Any, path: list[int], replacement: Any) -> Any:
    """Return a document with the value at a path of positions replaced."""
    if not path or not isinstance(value, (dict, list)) or not value:
        return replacement
    at = path[0] % len(value)
    if isinstance(value, list):
        return [changed(item, path[1:], replacement) if index == at else item for index, item in enumerate(value)]
    return {
        key: changed(item, path[1:], replacement) if index == at else item
        for index, (key, item) in enumerate(value.items())
    }


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with running(application(linear(), limits=Limits(body_bytes=1 << 22))) as server:
        yield server


@pytest.fixture(scope="module")
def direct() -> ServedModel:
    return ServedModel(ov.compile_model(linear()), "m")


def handled(direct: ServedModel, body: bytes, header: str | None) -> None:
    """Parse and bind a body as the server does; nothing but `RequestError` may be raised."""
    try:
        arrays = direct.bind(parse(body, header))
    except RequestError:
        return
    assert [array.dtype for array in arrays] == [facts.element_type.dtype for facts in direct.inputs]


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(path=st.lists(st.integers(0, 7), max_size=5), replacement=JSON)
def test_changed_documents(direct: ServedModel, path: list[int], replacement: Any) -> None:
    handled(direct, json.dumps(changed(GOOD, path, replacement)).encode(), None)


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(body=st.binary(max_size=80), header=st.none() | st.integers(-2, 90).map(str) | st.text(max_size=4))
def test_arbitrary_bytes(direct: ServedModel, body: bytes, header: str | None) -> None:
    handled(direct, body, header)


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.binary(max_size=40), size=st.integers(-1, 50), length=st.integers(0, 4))
def test_arbitrary_strings(data: bytes, size: int, length: int) -> None:
    entry = {"name": "x", "datatype": "BYTES", "shape": [length, 2], "parameters": {"binary_data_size": size}}
    text = json.dumps({"inputs": [entry]}).encode()
    handled(STRINGS, text + data, str(len(text)))


STRINGS = ServedModel(ov.compile_model(identity(ov.Type.string)), "m")

BODIES = {
    "empty": b"",
    "nul": b"\0",
    "deep": b"[" * 100_000,
    "deep data": b'{"inputs": [{"name": "x", "datatype": "FP32", "shape": [1, 4], "data": '
    + b"[" * 70 + b"1" + b"]" * 70 + b"}]}",
    "a long number": b'{"inputs": [{"name": "x", "datatype": "FP32", "shape": [1, 4], "data": ['
    + b"1" * 5000 + b"]}]}",
    "a vast shape": json.dumps({"inputs": [{**GOOD["inputs"][0], "shape": [2**61, 4]}]}).encode(),
    "a vast empty shape": json.dumps(
        {"inputs": [{"name": "x", "datatype": "FP32", "shape": [0, 4, 2**61, 2**61], "data": []}]}
    ).encode(),
    "a surrogate": b'{"inputs": [{"name": "\\ud800", "datatype": "FP32", "shape": [1, 4], "data": []}]}',
    "utf-16": json.dumps({"inputs": 1}).encode("utf-16"),
    "duplicate inputs": json.dumps({"inputs": GOOD["inputs"] * 2}).encode(),
}  # fmt: skip


def tensor(**fields: Any) -> bytes:
    return json.dumps({**GOOD, "inputs": [{**GOOD["inputs"][0], **fields}]}).encode()


HOSTILE = {
    "a shape of many long dimensions": (tensor(shape=[2**61] * 80_000), "80000 dimensions"),
    "many inputs": (
        json.dumps({"inputs": [{"name": str(i), "datatype": "FP32", "shape": [1], "data": [1]} for i in range(10**4)]})
        .encode(), "10000 inputs are more",
    ),
    "many outputs": (json.dumps({**GOOD, "outputs": [{"name": "y"}] * 10**5}).encode(), "100000 outputs are more"),
    "a long name": (tensor(name="x" * 10**5), "100000 characters"),
    "a long datatype": (tensor(datatype="FP" * 10**5), "200000 characters"),
    "a text among numbers": (tensor(data=[1, 2, 3, "4" * 10**5]), "no FP32 values"),
    "an object among numbers": (tensor(data=[1, 2, 3, {}]), "no FP32 values"),
    "true among numbers": (tensor(data=[1, 2, 3, True]), "no FP32 values"),
    "a number beyond floats": (tensor(data=[1, 2, 3, 10**4000]), "beyond FP32"),
    "a NaN in a shape": (tensor(shape=[1, float("nan")]), "list of lengths, not"),
    "an infinite time-out": (json.dumps({**GOOD, "parameters": {"timeout": float("inf")}}).encode(), "not inf"),
    "a deep time-out": (
        json.dumps({**GOOD, "parameters": {"timeout": 7}}).encode().replace(b"7}", b"[" * 900 + b"]" * 900 + b"}"),
        "",
    ),
    "deep lists of the right number": (
        tensor(data=7).replace(b"7}", b"[" * 60 + b"1, 2, 3, 4" + b"]" * 60 + b"}"), "neither flat nor nested",
    ),
    "lists of another nesting": (tensor(data=[[1, 2], [3, 4]]), "neither flat nor nested"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_json_is_refused_in_few_words(served: Served, name: str) -> None:
    body, message = HOSTILE[name]
    status, answer = served.post(body)
    assert (status, list(answer)) == (400, ["error"])
    assert message in answer["error"]
    assert len(answer["error"]) < 500


def test_a_text_among_numbers_makes_no_wide_array(direct: ServedModel) -> None:
    text = "4" * 1_000_000
    parsed = parse(tensor(shape=[250, 4], data=[text, *[1] * 999]), None)
    tracemalloc.start()
    with pytest.raises(RequestError, match="no FP32 values"):
        direct.bind(parsed)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100 * len(text)


def test_a_vast_shape_is_multiplied_by_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (datatypes, messages):
        monkeypatch.setattr(module, "prod", lambda shape: pytest.fail(f"{len(shape)} factors"), raising=False)
    with pytest.raises(RequestError, match="65 dimensions"):
        parse(tensor(shape=[2**61] * 65), None)


@pytest.mark.parametrize("name", BODIES)
def test_bodies_get_an_error_and_the_server_goes_on(served: Served, name: str) -> None:
    status, answer = served.post(BODIES[name])
    assert (status, list(answer)) == (400, ["error"])
    assert served.post(GOOD)[0] == 200


def test_an_odd_id_comes_back(served: Served) -> None:
    status, answer = served.post({**GOOD, "id": "\ud800<script>"})
    assert (status, answer["id"]) == (200, "\ud800<script>")


def test_cut_binary_tensors(served: Served) -> None:
    entry = {"name": "x", "datatype": "FP32", "shape": [1, 4], "parameters": {"binary_data_size": 16}}
    text = json.dumps({"inputs": [entry]}).encode()
    raw = struct.pack("<4f", *np.arange(4))
    header = {"Inference-Header-Content-Length": str(len(text))}
    assert served.post(text + raw, headers=header)[0] == 200
    for body in (text, text + raw[:-1], text + raw + b"\0", text[:-1] + raw):
        status, answer = served.post(body, headers=header)
        assert (status, list(answer)) == (400, ["error"])
