"""Saving models: `save_model`, `save_onnx` and `serialize`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TypeAlias

from ir_plugin.errors import InputError, wrong_type
from ir_plugin.model.type_info import RTMap, plain_info
from ir_plugin.openvino.api.model import Model
from ir_plugin.writer import compress, write_ir

PathLike: TypeAlias = "str | os.PathLike[str]"

_VERSIONS = {"UNSPECIFIED": 11, "IR_V10": 10, "IR_V11": 11, "10": 10, "11": 11}


def serialize(
    model: Model, xml_path: PathLike, bin_path: PathLike | None = None, version: str | int = "UNSPECIFIED"
) -> None:
    """Write a model unchanged to `xml_path`, which ends in `.xml`, and `bin_path`, by default beside it.

    Missing folders are created. `version` is 11 by default; 10 raises with all faults if such a file would have
    another meaning.
    """
    ir_version = _VERSIONS.get(str(version).upper())
    if ir_version is None:
        raise InputError(f"there is no IR version {version!r} to write; write one of {', '.join(_VERSIONS)}")
    _write(model, xml_path, bin_path, ir_version)


def save_model(model: Model, output_model: PathLike, compress_to_fp16: bool = True) -> None:
    """Write a model, by default with f32 and f64 constants compressed to f16.

    Constants that would lose most of their values in f16 stay unchanged, as does the model itself.
    """
    from ir_plugin.version import __version__

    _require_model(model)
    compressed = compress(model) if compress_to_fp16 else model
    stamped = Model(compressed) if compressed is not model else model.clone()
    stamped.rt_info = RTMap({"ir_plugin": __version__} | plain_info(stamped.rt_info))
    _write(stamped, output_model, None, 11)


def save_onnx(model: Model, path: PathLike, opset: int | None = None, external_data: bool | None = None) -> None:
    """Write a model as ONNX to `path`, which ends in `.onnx`; `pip install onnx` is needed.

    `opset` is 21 by default. The weights are inside the file, or in `path` with `.data` after it where `external_data`
    is true, or where it is None and the file would reach 2 GiB. Raises with all layers that ONNX cannot say; an error
    leaves the files as they were.
    """
    from ir_plugin.frontends.onnx_writer.writing import DEFAULT_OPSET, require_onnx_path, write_onnx

    _require_model(model)
    target = require_onnx_path(path)
    _make_folder(target)
    write_onnx(model, target, DEFAULT_OPSET if opset is None else opset, external_data)


def _require_model(model: object) -> None:
    if not isinstance(model, Model):
        raise wrong_type("model", "a model that was read", model)


def _write(model: Model, xml_path: PathLike, bin_path: PathLike | None, version: int) -> None:
    _require_model(model)
    if not isinstance(xml_path, (str, os.PathLike)):
        raise wrong_type("xml_path", "a path", xml_path)
    xml = Path(os.fspath(xml_path))
    if xml.suffix != ".xml":
        raise InputError(f"the path {str(xml)!r} does not end in .xml")
    weights = Path(os.fspath(bin_path)) if bin_path else xml.with_suffix(".bin")
    if os.path.realpath(xml) == os.path.realpath(weights):
        raise InputError(f"{xml} cannot hold both the XML and the weights; give them two paths")
    _make_folder(xml)
    _make_folder(weights)
    write_ir(model, xml, weights, version)


def _make_folder(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise InputError(f"the folder of {path} cannot be made: {fault.strerror}") from None
