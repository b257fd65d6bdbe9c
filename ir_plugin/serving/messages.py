"""Requests and responses of the protocol: JSON, and the extension for binary tensors."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from ir_plugin import Type
from ir_plugin.serving.datatypes import from_bytes, from_json, to_bytes, to_json
from ir_plugin.serving.request_error import RequestError

HEADER_LENGTH = "Inference-Header-Content-Length"
"""The header with the length of the JSON before binary tensors."""
MAX_TENSORS = 4096
"""Inputs or outputs of a request."""
MAX_RANK = 64
"""Dimensions of a tensor, which are as many as NumPy's arrays have."""
MAX_NAME = 1024
"""Characters of a name or type."""
_STATEFUL = ("sequence_id", "sequence_start", "sequence_end")


@dataclass(frozen=True)
class InputTensor:
    """A tensor of a request before its data is read; `binary` holds raw bytes, `data` a JSON list."""

    name: str
    datatype: str
    shape: tuple[int, ...]
    data: Any = None
    binary: memoryview | None = None

    def array(self, element_type: Type) -> NDArray[Any]:
        """Return the array of an element type."""
        if self.binary is not None:
            return from_bytes(self.name, self.binary, element_type, self.shape)
        return from_json(self.name, self.data, element_type, self.shape)


@dataclass(frozen=True)
class InferenceRequest:
    """A parsed request; `outputs` maps the requested names to whether their data are requested as binary."""

    id: str | None
    inputs: tuple[InputTensor, ...]
    outputs: Mapping[str, bool] = field(default_factory=dict)
    is_binary: bool = False
    timeout: float | None = None


def parse(body: bytes, header_length: str | None) -> InferenceRequest:
    """Return the request of a body; `header_length` is the text of the header `HEADER_LENGTH`."""
    length = _length_of(header_length, len(body))
    document = _object(_decoded(body[:length]), "the request")
    parameters = _parameters(document, "the request")
    stateful = [key for key in _STATEFUL if parameters.get(key)]
    if stateful:
        raise RequestError(f"the server keeps no state between requests, so there is no {stateful[0]}")
    identifier = document.get("id")
    if identifier is not None and not isinstance(identifier, str):
        raise RequestError(f"id is a string, not {type(identifier).__name__}")
    is_binary = _flag(parameters, "binary_data_output", "the request") or False
    inputs = _inputs(document, memoryview(body)[length:])
    return InferenceRequest(identifier, inputs, _outputs(document, is_binary), is_binary, _timeout(parameters))


def _length_of(text: str | None, most: int) -> int:
    if text is None:
        return most
    if not text.isascii() or not text.isdecimal() or len(text) > 18 or int(text) > most:
        raise RequestError(f"{HEADER_LENGTH} is a number up to the body's {most} bytes, not {text!r:.60}")
    return int(text)


def _decoded(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise RequestError(f"the request is not JSON: {fault}") from fault


def _object(value: Any, subject: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise RequestError(f"{subject} is a JSON object, not {type(value).__name__}")
    return value


def _parameters(document: dict[str, Any], subject: str) -> dict[str, Any]:
    value = document.get("parameters")
    return {} if value is None else _object(value, f"parameters of {subject}")


def _brief(value: Any) -> str:
    """Return a short text for an unexpected JSON value, which may be vast or deeply nested."""
    return f"a JSON {type(value).__name__}" if isinstance(value, (dict, list)) else f"{value!r:.60}"


def _flag(parameters: Mapping[str, Any], key: str, subject: str) -> bool | None:
    value = parameters.get(key)
    if value is not None and not isinstance(value, bool):
        raise RequestError(f"{key} of {subject} is true or false, not {_brief(value)}")
    return value


def _timeout(parameters: Mapping[str, Any]) -> float | None:
    """Return the time-out in seconds, which the request has in microseconds."""
    value = parameters.get("timeout")
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**63:
        raise RequestError(f"timeout is a number of microseconds, not {_brief(value)}")
    return value / 1e6 or None


def _list(document: Mapping[str, Any], key: str) -> list[Any]:
    value = document.get(key)
    if not isinstance(value, list) or not value:
        raise RequestError(f"{key} is a JSON list with a tensor for each of them")
    if len(value) > MAX_TENSORS:
        raise RequestError(f"{len(value)} {key} are more than the {MAX_TENSORS} that a request may have")
    return value


def _inputs(document: Mapping[str, Any], binary: memoryview) -> tuple[InputTensor, ...]:
    tensors: dict[str, InputTensor] = {}
    at = 0
    for item in _list(document, "inputs"):
        entry = _object(item, "an input")
        name = _text(entry, "name", "an input")
        size = _size(entry, name)
        if size is not None and at + size > len(binary):
            raise RequestError(f"{name!r} has {size} bytes, {len(binary) - at} are left in the body")
        if name in tensors:
            raise RequestError(f"the input {name!r} appears twice")
        part = None if size is None else binary[at : at + size]
        tensors[name] = InputTensor(name, _text(entry, "datatype", name), _shape(entry, name), entry.get("data"), part)
        at += size or 0
    if at != len(binary):
        raise RequestError(f"{len(binary) - at} bytes of the body belong to no input")
    return tuple(tensors.values())


def _size(entry: dict[str, Any], name: str) -> int | None:
    size = _parameters(entry, repr(name)).get("binary_data_size")
    if size is None:
        if "data" not in entry:
            raise RequestError(f"{name!r} has neither data nor binary_data_size")
        return None
    if not isinstance(size, int) or isinstance(size, bool) or size < 0:
        raise RequestError(f"binary_data_size of {name!r} is a number of bytes, not {_brief(size)}")
    if "data" in entry:
        raise RequestError(f"{name!r} has both data and binary_data_size")
    return size


def _text(entry: Mapping[str, Any], key: str, subject: str) -> str:
    value = entry.get(key)
    if not isinstance(value, str):
        raise RequestError(f"{key} of {subject} is a string, not {type(value).__name__}")
    if len(value) > MAX_NAME:
        raise RequestError(f"{key} of {subject} has {len(value)} characters, more than {MAX_NAME}")
    return value


def _shape(entry: Mapping[str, Any], name: str) -> tuple[int, ...]:
    shape = entry.get("shape")
    if isinstance(shape, list) and len(shape) > MAX_RANK:
        raise RequestError(f"shape of {name!r} has {len(shape)} dimensions, more than {MAX_RANK}")
    is_length = isinstance(shape, list) and all(
        isinstance(length, int) and not isinstance(length, bool) and 0 <= length < 2**62 for length in shape
    )
    if not isinstance(shape, list) or not is_length:
        raise RequestError(f"shape of {name!r} is a list of lengths, not {_brief(shape)}")
    return tuple(shape)


def _outputs(document: Mapping[str, Any], is_binary: bool) -> dict[str, bool]:
    if document.get("outputs") is None:
        return {}
    outputs: dict[str, bool] = {}
    for item in _list(document, "outputs"):
        entry = _object(item, "an output")
        name = _text(entry, "name", "an output")
        parameters = _parameters(entry, repr(name))
        if parameters.get("classification"):
            raise RequestError(f"classification of {name!r}: the server has no labels")
        if name in outputs:
            raise RequestError(f"the output {name!r} is requested twice")
        flag = _flag(parameters, "binary_data", repr(name))
        outputs[name] = is_binary if flag is None else flag
    return outputs


@dataclass(frozen=True)
class OutputTensor:
    """An output of the model with its name in the protocol."""

    name: str
    datatype: str
    element_type: Type
    array: NDArray[Any]


def encode(
    head: Mapping[str, Any], request: InferenceRequest, tensors: Sequence[OutputTensor]
) -> tuple[bytes, int | None]:
    """Return the body of a response, and the length of its JSON where binary tensors follow it."""
    entries: list[dict[str, Any]] = []
    parts: list[bytes] = []
    for tensor in tensors:
        entry: dict[str, Any] = {
            "name": tensor.name, "datatype": tensor.datatype, "shape": list(tensor.array.shape),
        }  # fmt: skip
        if request.outputs.get(tensor.name, request.is_binary):
            parts.append(to_bytes(tensor.array, tensor.element_type))
            entry["parameters"] = {"binary_data_size": len(parts[-1])}
        else:
            entry["data"] = to_json(tensor.array, tensor.element_type)
        entries.append(entry)
    document = dict(head) | ({} if request.id is None else {"id": request.id}) | {"outputs": entries}
    text = json.dumps(document, separators=(",", ":")).encode()
    return b"".join([text, *parts]), len(text) if parts else None
