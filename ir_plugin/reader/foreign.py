"""Files that people hand over instead of an IR: what each is by its first bytes, and the way to a model."""

from __future__ import annotations

import io
import json
import re
import zipfile
from typing import NamedTuple


class Foreign(NamedTuple):
    """What a file is, and the way to a model."""

    name: str
    help: str
    is_stand_in: bool = False
    """Whether it stands for another file, or holds it."""
    may_be_onnx: bool = False
    """Whether an ONNX model that is damaged may look like it."""


MODEL_FILE = "openvino_model.xml"
"""The name of the model in a folder of Hugging Face, beside its tokenizer and configurations."""
TOKENIZER_FILE, DETOKENIZER_FILE = "openvino_tokenizer.xml", "openvino_detokenizer.xml"
"""The names of the models of the tokenizer there: from texts to tokens, and back."""

_CONVERT = "convert the model it comes from: `ovc` and `ir-plugin convert` take ONNX"
HUB = "`optimum-cli export openvino --model …` makes an IR of a model of Hugging Face"
_IN_PYTHON = "convert the model in Python: openvino.convert_model"
_KERAS = "export it from Keras as a SavedModel, and convert that by `ovc`"
_PICKLE = "a pickled Python object, such as a PyTorch checkpoint"
NO_MODEL = "a model is the .xml of an IR, with its weights in the .bin beside it, or an .onnx"
_INPUT = "a model is the .xml of an IR, or an .onnx; `ir-plugin run --input` takes arrays and images"
_BESIDE = f"give the .xml beside it; {MODEL_FILE} in folders of Hugging Face"
_PULL = "fetch the file itself: `git lfs pull`, after `git lfs install`"
_UNPACK = "unpack it, and give what is inside"
_SAVED_PAGE = "download the file itself: on GitHub and Hugging Face by its link 'raw' or 'download'"

_SIGNATURES = (
    (0, b"\x1f\x8b", "a gzip archive", _UNPACK),
    (0, b"\xfd7zXZ\0", "an xz archive", _UNPACK),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive", _UNPACK),
    (0, b"BZh", "a bzip2 archive", _UNPACK),
    (0, b"\x28\xb5\x2f\xfd", "a Zstandard archive", _UNPACK),
    (0, b"Rar!", "a RAR archive", _UNPACK),
    (257, b"ustar", "a tar archive", _UNPACK),
    (4, b"ORTM", "an ONNX Runtime model (.ort)", "give the .onnx that it was made from"),
    (4, b"ET12", "an ExecuTorch program (.pte)", _IN_PYTHON),
    (4, b"TFL3", "a TensorFlow Lite model", "`ovc model.tflite` of OpenVINO makes an IR of it"),
    (0, b"GGUF", "a GGUF model", HUB),
    (0, b"\x89HDF\r\n\x1a\n", "an HDF5 file, such as a Keras model", _KERAS),
    (0, b"\x93NUMPY", "a NumPy array", _INPUT),
    *((0, bytes([0x80, protocol]), _PICKLE, _IN_PYTHON) for protocol in range(2, 6)),
    (0, b"\x89PNG", "a PNG image", _INPUT),
    (0, b"\xff\xd8\xff", "a JPEG image", _INPUT),
    (0, b"PAR1", "a Parquet table", _INPUT),
    (0, b"Salted__", "an encrypted file of OpenSSL", "decrypt it, and give the model inside"),
    (0, b"\0asm", "a WebAssembly module", NO_MODEL),
    (0, b"%PDF", "a PDF document", NO_MODEL),
    (0, b"\x7fELF", "a compiled program or library", NO_MODEL),
    (0, b"MZ", "a compiled program or library of Windows", NO_MODEL),
    (0, b"7767517", "an ncnn model", _CONVERT),
)  # fmt: skip
"""Offsets of signatures, what the files are, and what helps."""

_POINTER = b"version https://git-lfs.github.com/spec/"
_BEFORE_ROOT = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s|<\?.*?\?>|<!--.*?-->)*", re.DOTALL)
_HTML = re.compile(rb"<!doctype\s+html|<html[\s>]", re.IGNORECASE)
_PROTOTXT = re.compile(rb"\s*(?:#[^\n]*\n\s*)*(?:name\s*:\s*\"|(?:layers?|node)\s*\{|input\s*:\s*\")")
_ONNX = re.compile(rb"\x08[\x01-\x14][\x12\x1a\x22\x2a\x32\x3a\x42]")
_IN_MESSAGE = re.compile(rb"\x08([\x01-\x14])\x12[\x80-\xff]{0,4}[\x00-\x7f]\x0a")
"""How a TensorFlow SavedModel of version 1 and a Core ML model of a later one begin; in ONNX a text stands there."""
_ESCAPED = re.compile(rb"\s*&lt;[?/a-zA-Z]")
_FENCED = re.compile(rb"\s*```\w*\s*<")
_HEADER = 8
"""The bytes of the length before the header of a safetensors file."""


_ROOTS = {
    "Error": "a storage server answered with an error: check the address and the access, and get the file again",
    "html": _SAVED_PAGE,
    "layer": "write it inside a <net>: `ir-plugin check` checks the layer, and shows the net to run it",
    "layers": 'write it inside <net version="11">, with <edges> after it',
    "edges": 'write it inside <net version="11">, with <layers> before it',
    "mapping": "this file maps names of layers; the model is the other .xml beside it",
}


def other_root(name: str) -> str:
    """Return the way to a model from XML with another root element."""
    return _ROOTS.get(name, "a model is the .xml that OpenVINO writes; its root is <net>")


def foreign(data: bytes) -> Foreign | None:
    """Return what a file is that is no XML of a model; None for one that may be, or that is not recognized."""
    for offset, signature, name, help in _SIGNATURES:
        if data[offset : offset + len(signature)] == signature:
            return Foreign(name, help, is_stand_in=help is _UNPACK)
    if data.startswith(_POINTER):
        size = re.search(rb"\nsize (\d+)", data)
        of = f" that stands for a file of {int(size[1]):,} bytes" if size else ""
        return Foreign(f"a Git LFS pointer{of}", _PULL, is_stand_in=True)
    if data.startswith(b"PK\x03\x04"):
        return _zip(data)
    return _text(data) or _binary(data)


def _text(data: bytes) -> Foreign | None:
    start = data[:65536]
    before = _BEFORE_ROOT.match(start)
    if before is not None and _HTML.match(start, before.end()):
        return Foreign("an HTML page", _SAVED_PAGE, is_stand_in=True)
    if _ESCAPED.match(start):
        return Foreign("XML whose tags are escaped as text", "write < for &lt;, > for &gt; and, last, & for &amp;")
    if _FENCED.match(start):
        return Foreign("XML between lines of ```", "remove these lines")
    if _PROTOTXT.match(start):
        return Foreign("text of a Caffe or TensorFlow model", _CONVERT)
    return _json(data) if start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")) else None


def _binary(data: bytes) -> Foreign | None:
    if int.from_bytes(data[:_HEADER], "little") < len(data) and data[_HEADER : _HEADER + 1] == b"{":
        return Foreign("a safetensors file, which holds weights without a graph", HUB)
    if _ONNX.match(data):
        help = "rename it to .onnx; it is then checked as ONNX"
        return _in_message(data) or Foreign("an ONNX model under another name", help, may_be_onnx=True)
    if data and not data.strip(b"\0"):
        return Foreign(f"{len(data):,} zero bytes", "the copy or download broke off: get the file again")
    is_xml = data.lstrip(b"\xef\xbb\xbf \t\r\n\0").startswith((b"<", b"\xff\xfe", b"\xfe\xff"))
    if is_xml or not any(byte < 9 for byte in data[:4096]):
        return None
    help = "give the .xml; its weights are the .bin beside it"
    return Foreign("binary data, such as the weights of an IR", help, may_be_onnx=True)


def _in_message(data: bytes) -> Foreign | None:
    """Return what a file of protobuf is whose second field is a message, where an ONNX model has a text."""
    matched = _IN_MESSAGE.match(data)
    if matched is None:
        return None
    if matched[1] == b"\x01":
        return Foreign("a TensorFlow SavedModel", "`ovc FOLDER` of OpenVINO makes an IR of the folder around it")
    return Foreign("a Core ML model", _CONVERT)


def _zip(data: bytes) -> Foreign:
    """Return what a zip archive is by the names inside."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return Foreign("a damaged zip archive", f"get it again, {_UNPACK}")
    if any(name.endswith("archive_format") for name in names):
        return Foreign("a program of torch.export (.pt2)", _IN_PYTHON)
    if any(name.endswith("data.pkl") for name in names):
        return Foreign("a PyTorch checkpoint (a zip archive)", _IN_PYTHON)
    if names and all(name.endswith(".npy") for name in names):
        return Foreign("NumPy arrays (.npz)", _INPUT)
    models = [name for name in names if name.endswith((".xml", ".onnx"))]
    if "config.json" in names and not models:
        return Foreign("a zip archive, such as a Keras model", _CONVERT)
    inside = f" with {models[0]}" if models else ""
    return Foreign(f"a zip archive{inside}", f"{_UNPACK}; the .bin of an IR belongs beside its .xml")


def _json(data: bytes) -> Foreign:
    try:
        value = json.loads(data[: 1 << 20])
    except (ValueError, RecursionError):
        return Foreign("JSON, or text like it", NO_MODEL)
    if isinstance(value, dict) and ("error" in value or "message" in value):
        said = str(value.get("error") or value.get("message"))[:80]
        return Foreign(f"the answer of a server: {said}", _SAVED_PAGE, is_stand_in=True)
    return Foreign("JSON, such as a configuration", _BESIDE)
