"""Files that people hand to `ir-plugin check` and that are no IR, by name; `python -m tests.reader.odd_files` writes
what is said of each to `odd_files.txt`.
"""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import ir_plugin as ov
from ir_plugin.diagnostics import Finding

GOLDEN = Path(__file__).with_name("odd_files.txt")
IR = b"""<?xml version="1.0"?>
<net name="m" version="11">
  <layers>
    <layer id="0" name="x" type="Parameter" version="opset1">
      <data shape="2" element_type="f32"/>
      <output><port id="0" precision="FP32"><dim>2</dim></port></output>
    </layer>
    <layer id="1" name="y" type="Result" version="opset1">
      <input><port id="0" precision="FP32"><dim>2</dim></port></input>
    </layer>
  </layers>
  <edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/></edges>
</net>
"""


def _zip(*names: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name), "content")
    return file.getvalue()


def _safetensors() -> bytes:
    header = json.dumps({"weight": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}).encode()
    return len(header).to_bytes(8, "little") + header + bytes(8)


def _changed(old: str, new: str) -> bytes:
    assert old.encode() in IR, old
    return IR.replace(old.encode(), new.encode(), 1)


FOREIGN = {
    "a Git LFS pointer": b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 123456789\n",
    "a web page": b"<!DOCTYPE html>\n<html><head><title>model.xml</title></head></html>",
    "a web page without a document type": b"\n<html lang='en'><body>Sign in</body></html>",
    "a web page after comments": b"<!-- saved -->" * 3 + b"<!doctype html><html></html>",
    "a web page of XHTML": b'<?xml version="1.0"?><!DOCTYPE html><html/>',
    "an ONNX model": b"\x08\x08\x12\x07pytorch\x1a\x03" + b"2.1:\x10",
    "a TensorFlow Lite model": b"\x1c\x00\x00\x00TFL3\x14\x00",
    "a safetensors file": _safetensors(),
    "an ONNX Runtime model": b"\x18\x00\x00\x00ORTM\x00",
    "an ExecuTorch program": b"\x1c\x00\x00\x00ET12\x00",
    "a TensorFlow SavedModel": b"\x08\x01\x12\x96\x84\x02\x0a\x10",
    "a Core ML model": b"\x08\x07\x12\x85\x01\x0a\x10",
    "a GGUF model": b"GGUF\x03\x00\x00\x00",
    "an HDF5 file": b"\x89HDF\r\n\x1a\n\x00",
    "a NumPy array": b"\x93NUMPY\x01\x00v\x00",
    "NumPy arrays": _zip("a.npy", "b.npy"),
    "a pickle": b"\x80\x02}q\x00.",
    "a pickle of protocol 5": b"\x80\x05}.",
    "a pickle of protocol 4": b"\x80\x04}.",
    "a PyTorch checkpoint": _zip("archive/data.pkl", "archive/data/0"),
    "a program of torch.export": _zip("m/archive_format", "m/models/model.json", "m/data/weights/w0"),
    "a Keras model": _zip("config.json", "model.weights.h5"),
    "a zip archive with a model": _zip("model.xml", "model.bin"),
    "a zip archive of a folder": _zip("config.json", "openvino_model.xml"),
    "a zip archive without one": _zip("readme.txt"),
    "a damaged zip archive": b"PK\x03\x04" + bytes(20),
    "a gzip archive": b"\x1f\x8b\x08\x00",
    "an xz archive": b"\xfd7zXZ\x00\x00",
    "a 7z archive": b"7z\xbc\xaf\x27\x1c\x00",
    "a bzip2 archive": b"BZh91AY",
    "a Zstandard archive": b"\x28\xb5\x2f\xfd\x00",
    "a RAR archive": b"Rar!\x1a\x07",
    "a tar archive": b"model.xml".ljust(257, b"\x00") + b"ustar\x0000",
    "a PNG image": b"\x89PNG\r\n\x1a\n",
    "a JPEG image": b"\xff\xd8\xff\xe0\x00\x10JFIF",
    "a Parquet table": b"PAR1\x15\x00",
    "an encrypted file": b"Salted__\x01\x02",
    "a WebAssembly module": b"\x00asm\x01\x00\x00\x00",
    "a PDF document": b"%PDF-1.7\n",
    "a library of Linux": b"\x7fELF\x02\x01",
    "a library of Windows": b"MZ\x90\x00\x03",
    "an ncnn model": b"7767517\n3 3\n",
    "a Caffe model": b'name: "LeNet"\nlayer {\n  name: "data"\n}\n',
    "a TensorFlow graph as text": b'node {\n  name: "x"\n}\n',
    "XML with escaped tags": IR.replace(b"<", b"&lt;").replace(b">", b"&gt;"),
    "XML in a page of Markdown": b"```xml\n" + IR + b"```\n",
    "weights": b"\x00\x00\x80?\x00\x00\x00@\x01\x02",
    "zeros": bytes(64),
    "nothing": b"",
    "a configuration": b'{"model_type": "bert", "hidden_size": 768}',
    "the answer of a server": b'{"error": "Repository not found"}',
    "text in brackets": b"[section]\nkey = value\n",
    "text": b"Please see the attached model.\n",
}
XML = {
    "the answer of a storage server": b"<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>",
    "another root": b"<project><modules/></project>",
    "an ampersand": _changed('name="x"', 'name="conv & relu"'),
    "an ampersand before a word": _changed('name="x"', 'name="conv &relu"'),
    "an entity of HTML": _changed('name="x"', 'name="conv&nbsp;relu"'),
    "a number that is no character": _changed('name="x"', 'name="&#0;"'),
    "an unfinished character reference": _changed('name="x"', 'name="&#x"'),
    "no quotes": _changed('id="0"', "id=0"),
    "a lost quote at the end": _changed('id="0"', 'id="0'),
    "a lost quote at the beginning": _changed('id="0"', 'id=0"'),
    "quotes of a word processor": _changed('id="0"', "id=“0”"),
    "an attribute without a value": _changed('id="0"', "id"),
    "an attribute twice": _changed('id="0"', 'id="0" id="1"'),
    "no space between attributes": _changed('id="0" ', 'id="0"'),
    "dots for attributes": _changed('id="0"', "..."),
    "a less-than sign in a name": _changed('name="x"', 'name="a<b"'),
    "a less-than sign in text": _changed("<layers>", "<layers> 3 < 4"),
    "a start tag without its end": _changed('element_type="f32"/>', 'element_type="f32"'),
    "an end tag lost": _changed("</layers>", ""),
    "an end tag for another": _changed("</layers>", "</layer>"),
    "cut in a name": IR[:80],
    "cut between tags": IR[:270],
    "cut in an end tag": IR[:-4],
    "cut before the last tag": IR[:-8],
    "two roots": IR + IR.split(b"?>", 1)[1],
    "text after the root": IR + b"done",
    "a control character": _changed("<layers>", "<layers>\x01"),
    "a zero byte in a name": _changed('name="x"', 'name="\x00"'),
    "a merge conflict": _changed("  <layers>", "<<<<<<< HEAD\n  <layers>"),
    "Latin-1 without a declaration": IR.replace(b'name="x"', b'name="caf\xe9"', 1),
    "an unknown encoding": _changed('version="1.0"', 'version="1.0" encoding="klingon"'),
    "a blank line first": b"\n" + IR,
    "a declaration without quotes": _changed('version="1.0"', "version=1.0"),
    "an open comment": _changed("<layers>", "<layers><!-- note"),
    "a comment with hyphens": _changed("<layers>", "<layers><!-- a -- b -->"),
    "an open CDATA": _changed("<layers>", "<layers><![CDATA[ x"),
    "an open instruction": _changed("<layers>", "<layers><?x "),
    "a prefix": _changed("<layers>", "<layers><a:b/>"),
    "a prefix of an attribute": _changed('id="0"', 'a:id="0"'),
}


def findings_of(data: bytes) -> list[Finding]:
    """Return the findings of a file `model.xml` with these bytes."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "model.xml")
        path.write_bytes(data)
        return list(ov.Core().validate(path).findings)


def said_of(data: bytes) -> str:
    """Return the findings of a file as text."""
    findings = findings_of(data)
    lines = [f"{item.code} {item.span.line}:{item.span.column} {item.message}\n    {item.help}" for item in findings]
    return "\n".join(lines)


def text() -> str:
    """Return what is said of all files."""
    return "".join(f"{name}\n  {said_of(data)}\n" for name, data in (FOREIGN | XML).items())


if __name__ == "__main__":
    GOLDEN.write_text(text(), "utf-8")
