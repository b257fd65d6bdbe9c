"""The Open Inference Protocol, spoken by Triton's client and by hand."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import threading
import zlib
from typing import Any

import numpy as np
import pytest
from uvicorn.protocols.http.h11_impl import H11Protocol

import ir_plugin as ov
from ir_plugin.serving import Limits, application
from tests.serving.conftest import Run
from tests.serving.models import gather, identity, linear, two_inputs

triton = pytest.importorskip("tritonclient.http")

ROWS = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)
REQUEST: dict[str, Any] = {
    "inputs": [{"name": "x", "datatype": "FP32", "shape": [3, 4], "data": ROWS.ravel().tolist()}]
}


def test_metadata(run: Run) -> None:
    served = run(application(two_inputs()))
    client = triton.InferenceServerClient(served.address)
    assert client.is_server_live()
    assert client.is_server_ready()
    assert client.is_model_ready("m")
    assert client.is_model_ready("m", "1")
    assert client.get_server_metadata() == {
        "name": "ir_plugin", "version": ov.__version__, "extensions": ["binary_tensor_data"],
    }  # fmt: skip
    entry = {"datatype": "FP32", "shape": [-1, 2]}
    assert client.get_model_metadata("m") == {
        "name": "m",
        "versions": ["1"],
        "platform": "openvino_ir",
        "inputs": [{"name": "a", **entry}, {"name": "b", **entry}],
        "outputs": [{"name": "sum", **entry}, {"name": "rest", **entry}],
    }


@pytest.mark.parametrize("compression", [None, "gzip", "deflate"])
@pytest.mark.parametrize("is_binary_in", [False, True])
@pytest.mark.parametrize("is_binary_out", [False, True])
def test_inference(run: Run, is_binary_in: bool, is_binary_out: bool, compression: str | None) -> None:
    served = run(application(linear()))
    client = triton.InferenceServerClient(served.address)
    tensor = triton.InferInput("x", ROWS.shape, "FP32")
    tensor.set_data_from_numpy(ROWS, binary_data=is_binary_in)
    outputs = [triton.InferRequestedOutput("y", binary_data=is_binary_out)]
    result = client.infer("m", [tensor], outputs=outputs, request_id="7", request_compression_algorithm=compression)
    assert result.get_response()["id"] == "7"
    expected = ov.compile_model(linear())(ROWS)[0]
    np.testing.assert_allclose(result.as_numpy("y"), expected, rtol=1e-6)


TYPES: dict[str, Any] = {
    "BOOL": [[True, False]], "UINT8": [[0, 255]], "UINT16": [[0, 65535]], "UINT32": [[0, 2**32 - 1]],
    "UINT64": [[1, 2**64 - 1]], "INT8": [[-128, 127]], "INT16": [[-(2**15), 2**15 - 1]], "INT32": [[-(2**31), 5]],
    "INT64": [[-(2**63), 2**63 - 1]], "FP16": [[1.5, -2]], "BF16": [[1.5, -2]], "FP32": [[0.25, 2.0**100]],
    "FP64": [[0.1, 1e308]], "BYTES": [["", "naïve\x00\n"]],
}  # fmt: skip
ELEMENTS = {
    "BOOL": "boolean", "UINT8": "u8", "UINT16": "u16", "UINT32": "u32", "UINT64": "u64", "INT8": "i8", "INT16": "i16",
    "INT32": "i32", "INT64": "i64", "FP16": "f16", "BF16": "bf16", "FP32": "f32", "FP64": "f64", "BYTES": "string",
}  # fmt: skip


@pytest.mark.parametrize("datatype", TYPES)
def test_types_in_json_and_binary(run: Run, datatype: str) -> None:
    values = TYPES[datatype]
    served = run(application(identity(ov.Type(ELEMENTS[datatype])), limits=Limits(max_batch=1)))
    entry = {"name": "x", "datatype": datatype, "shape": [1, 2], "data": values}
    status, document = served.post({"inputs": [entry]})
    assert status == 200, document
    name = document["outputs"][0]["name"]
    assert document["outputs"] == [{"name": name, "datatype": datatype, "shape": [1, 2], "data": values[0]}]
    client = triton.InferenceServerClient(served.address)
    tensor = triton.InferInput("x", [1, 2], datatype)
    dtype = triton.triton_to_np_dtype(datatype)
    array = np.array([[text.encode() for text in values[0]]] if datatype == "BYTES" else values, dtype)
    tensor.set_data_from_numpy(array)
    result = client.infer("m", [tensor]).as_numpy(name)
    np.testing.assert_array_equal(result, array)


def test_small_floats_beyond_their_type_are_refused(run: Run) -> None:
    served = run(application(identity(ov.Type.bf16)))
    entry = {"name": "x", "datatype": "BF16", "shape": [1, 2], "data": [1e39, 0]}
    assert served.post({"inputs": [entry]}) == (400, {"error": "data of 'x' has values beyond BF16"})


def test_a_type_without_a_name_in_the_protocol_is_refused() -> None:
    with pytest.raises(ov.Error, match="x has the type u4, for which the Open Inference Protocol has no name"):
        application(identity(ov.Type.u4))


CHANGES: dict[str, tuple[Any, str]] = {
    "no inputs": ({"inputs": []}, "inputs is a JSON list"),
    "no object": ([], "the request is a JSON object, not list"),
    "an id": ({"id": 7}, "id is a string"),
    "an unknown input": ({"name": "z"}, "no input 'z'"),
    "another type": ({"datatype": "FP64"}, "input 'x' is FP32, not FP64"),
    "another shape": ({"shape": [3, 5]}, "input 'x' has the shape"),
    "a negative length": ({"shape": [-3, 4]}, "shape of 'x' is a list of lengths"),
    "too few elements": ({"data": [1.0]}, "its shape says"),
    "ragged lists": ({"data": [[1.0], [1.0, 2.0]]}, "neither flat nor nested"),
    "text": ({"data": ["a"] * 12}, "no FP32 values"),
    "null": ({"data": [None] * 12}, "no FP32 values"),
    "too large": ({"data": [1e300] * 12}, "beyond FP32"),
    "binary size without bytes": ({"parameters": {"binary_data_size": 48}}, "both data and binary_data_size"),
    "an unknown output": ({"outputs": [{"name": "z"}]}, "no output 'z'"),
    "a class": ({"outputs": [{"name": "y", "parameters": {"classification": 3}}]}, "no labels"),
    "a sequence": ({"parameters": {"sequence_id": 5}}, "keeps no state"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_requests_that_do_not_fit_are_refused(run: Run, change: str) -> None:
    fields, message = CHANGES[change]
    document: Any = json.loads(json.dumps(REQUEST))
    if isinstance(fields, list):
        document = fields
    else:
        of_input = not {"inputs", "id", "outputs"} & set(fields) and change != "a sequence"
        (document["inputs"][0] if of_input else document).update(fields)
    status, answer = run(application(linear())).post(document)
    assert (status, list(answer)) == (400, ["error"])
    assert message in answer["error"]


def test_addresses_and_methods(run: Run) -> None:
    served = run(application(linear()))
    cases = {
        ("GET", "/v2/models/z"): 404, ("GET", "/v2/models/m/versions/2"): 404, ("GET", "/v3"): 404,
        ("GET", "/v2/models/m/infer"): 405, ("POST", "/v2/models/z/infer"): 404, ("GET", "/v2/models/m/ready"): 200,
        ("POST", "/v2"): 405,
    }  # fmt: skip
    for (method, path), expected in cases.items():
        status, headers, text = served.send(method, path)
        assert status == expected, path
        if status != 200:
            assert headers["content-type"] == "application/json"
            assert isinstance(json.loads(text)["error"], str)


def test_bodies_beyond_the_limit(run: Run) -> None:
    served = run(application(linear(), limits=Limits(body_bytes=1000)))
    assert served.post(REQUEST)[0] == 200
    error = (413, {"error": "the body is longer than 1000 bytes"})
    assert served.post(b" " * 1001) == error
    assert served.post(gzip.compress(b" " * 1_000_000), headers={"Content-Encoding": "gzip"}) == error
    assert served.post(REQUEST, headers={"Content-Encoding": "br"})[0] == 415
    assert served.post(b"not gzip", headers={"Content-Encoding": "gzip"})[0] == 400
    for length in ("-1", "1001", "x", "9" * 20):
        assert served.post(REQUEST, headers={"Inference-Header-Content-Length": length})[0] == 400


def test_bodies_are_decompressed_beside_the_loop(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some bytes that become many hold up no other client."""
    names: list[str] = []
    decompressobj = zlib.decompressobj

    class Noting:
        def __init__(self, bits: int) -> None:
            self.stream, self.unconsumed_tail = decompressobj(bits), b""

        def decompress(self, data: bytes, most: int) -> bytes:
            names.append(threading.current_thread().name)
            return self.stream.decompress(data, most)

    monkeypatch.setattr("ir_plugin.serving.bodies.zlib.decompressobj", Noting)
    served = run(application(linear()))
    body = gzip.compress(json.dumps(REQUEST).encode())
    assert served.post(body, headers={"Content-Encoding": "gzip"})[0] == 200
    assert {name.rsplit("-", 1)[0] for name in names} == {"ir-plugin-parse"}


def test_a_layer_that_cannot_be_computed_is_the_clients_fault(run: Run) -> None:
    served = run(application(gather()))
    entry = {"name": "x", "datatype": "INT64", "shape": [2], "data": [1, 5]}
    assert served.post({"inputs": [entry]})[0] == 200
    status, answer = served.post({"inputs": [entry | {"data": [2, 5]}]})
    assert (status, list(answer)) == (400, ["error"])


def test_metrics(run: Run) -> None:
    served = run(application(linear()))
    served.post(REQUEST)
    served.post({})
    status, headers, text = served.send("GET", "/metrics")
    assert status == 200
    assert headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = text.decode().splitlines()
    for line in (
        'ir_plugin_requests_total{model="m",status="200"} 1.0', 'ir_plugin_requests_total{model="m",status="400"} 1.0',
        'ir_plugin_batch_rows_sum{model="m"} 3.0', 'ir_plugin_pending_requests{model="m"} 0.0',
        'ir_plugin_request_seconds_count{model="m"} 2.0',
    ):  # fmt: skip
        assert line in lines


def test_answers_are_not_delayed(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    """Without TCP_NODELAY an answer of two packets waits for the client's delayed acknowledgement, 40 ms on Linux."""
    delays: list[int] = []
    made = H11Protocol.connection_made

    def note(self: H11Protocol, transport: asyncio.Transport) -> None:
        connection = transport.get_extra_info("socket")
        delays.append(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        made(self, transport)

    monkeypatch.setattr(H11Protocol, "connection_made", note)
    assert run(application(linear())).post(REQUEST)[0] == 200
    assert len(delays) == 1
    assert delays[0]
