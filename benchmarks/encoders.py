"""Encoders with compressed weights, beside OpenVINO in f32: the processor time of an inference in one thread.

`python -m benchmarks.encoders FOLDER/*.xml` prints a line a model and the geometric mean of the ratios.
`python -m benchmarks.encoders --write FOLDER` writes BERT- and ViT-like encoders with seeded weights, which nncf
compresses to int8, int4 and nf4, where torch, transformers, nncf and OpenVINO are installed.
"""

from __future__ import annotations

import argparse
import statistics
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

SMALL = {"hidden_size": 384, "intermediate_size": 1536}
ENCODERS: dict[str, tuple[str, dict[str, Any]]] = {
    "bert_base": ("Bert", {}),
    "minilm": ("Bert", SMALL | {"num_hidden_layers": 6, "num_attention_heads": 12}),
    "vit_small": ("ViT", SMALL | {"num_attention_heads": 6}),
    "deit_tiny": ("ViT", {"hidden_size": 192, "intermediate_size": 768, "num_attention_heads": 3}),
}
"""The class of transformers, and its sizes where they are not the default."""
SHAPES = {"i64": (1, 128), "f32": (1, 3, 224, 224)}
"""The shape of ids, and that of an image."""


def write(folder: Path) -> None:
    """Write each encoder with each kind of weights."""
    torch, transformers, ov, nncf = (import_module(name) for name in ("torch", "transformers", "openvino", "nncf"))
    mode, folder = nncf.CompressWeightsMode, folder.resolve()
    grouped = {"group_size": 64, "ratio": 1.0, "all_layers": True}
    kinds = {"int8": {"mode": mode.INT8_ASYM}, "int4": {"mode": mode.INT4_ASYM} | grouped}
    kinds["nf4"] = {"mode": mode.NF4} | grouped
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(17)
    for name, (kind, sizes) in ENCODERS.items():
        encoder = getattr(transformers, f"{kind}Model")(getattr(transformers, f"{kind}Config")(**sizes)).eval()
        shape = SHAPES["i64" if kind == "Bert" else "f32"]
        example = torch.ones(shape, dtype=torch.long if kind == "Bert" else torch.float32)
        model = ov.convert_model(torch.export.export(encoder, (example,)))
        ov.save_model(model, folder / f"{name}.xml", compress_to_fp16=False)
        for compressed, settings in kinds.items():
            weights = nncf.compress_weights(ov.Core().read_model(folder / f"{name}.xml"), **settings)
            ov.save_model(weights, folder / f"{name}_{compressed}.xml", compress_to_fp16=False)
        (folder / f"{name}.xml").unlink()
        (folder / f"{name}.bin").unlink()


def measure(path: Path, runs: int) -> tuple[float, float, float]:
    """Return the least milliseconds of OpenVINO and of this library, which take turns, and the relative error."""
    import openvino as ov

    import ir_plugin

    config = {"INFERENCE_NUM_THREADS": 1}
    exact = config | {"INFERENCE_PRECISION_HINT": "f32", "DYNAMIC_QUANTIZATION_GROUP_SIZE": "0"}
    compiled: list[Any] = [
        ov.Core().compile_model(path, "CPU", exact | {"PERFORMANCE_HINT": "LATENCY"}),
        ir_plugin.Core().compile_model(path, config=config),
    ]
    shape, random = SHAPES[compiled[1].inputs[0].element_type.get_type_name()], np.random.default_rng(1)
    data = random.integers(1, 1000, shape) if len(shape) == 2 else random.standard_normal(shape).astype(np.float32)
    times: list[list[float]] = [[], []]
    results = [np.empty(0)] * 2
    for _ in range(runs + 1):
        for number, model in enumerate(compiled):
            start = time.process_time()
            results[number] = np.array(model([data])[0])
            times[number].append((time.process_time() - start) * 1e3)
    error = np.abs(results[0] - results[1]).max() / np.abs(results[0]).max()
    return min(times[0][1:]), min(times[1][1:]), float(error)


def main() -> None:
    """Parse the arguments; write the models, or measure some."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("models", nargs="*", type=Path)
    parser.add_argument("--write", type=Path, metavar="FOLDER")
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    if arguments.write is not None:
        write(arguments.write)
        return
    ratios = []
    print("| model | OpenVINO ms | ir_plugin ms | ratio | error |\n|---|---|---|---|---|")
    for path in arguments.models:
        theirs, ours, error = measure(path, arguments.runs)
        ratios.append(ours / theirs)
        print(f"| {path.stem} | {theirs:.1f} | {ours:.1f} | **{ratios[-1]:.2f}** | {error:.0e} |", flush=True)
    print(f"\nGeometric mean: {statistics.geometric_mean(ratios):.2f}.")


if __name__ == "__main__":
    main()
