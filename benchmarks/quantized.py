"""Vision networks quantized by NNCF to int8, and how they are measured against OpenVINO's int8 in one process.

`python -m benchmarks.quantized --make` writes the IRs; it needs torch, timm and nncf, which nothing else here uses.
`python -m benchmarks.quantized` runs both engines in turn on each IR, and prints as a Markdown table the medians of the
times, their ratios, and how far each int8 result lies from the same model with FakeQuantize computed in f32.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
FOLDER = Path(__file__).parents[1] / ".benchmarks" / "int8"
SEED = 5
NETWORKS = {
    "resnet": "resnet18",
    "resnet50": "resnet50",
    "mobilenet_v2": "mobilenetv2_100",
    "mobilenet_v3": "mobilenetv3_large_100",
    "efficientnet": "efficientnet_b0",
    "regnet": "regnety_004",
    "convnext": "convnext_atto",
    "deit": "deit_tiny_patch16_224",
}
"""The networks by the name of the IR, as timm calls them."""
TRANSFORMERS = ("deit",)


def images(count: int, seed: int = SEED) -> Array:
    """Return seeded images [N, 3, 224, 224]: noise of several scales, with mean 0 and deviation 1."""
    rng = np.random.default_rng(seed)
    total = np.zeros((count, 3, 224, 224), np.float32)
    for size in (1, 2, 4, 8, 16, 32):
        noise = rng.standard_normal((count, 3, 224 // size, 224 // size)).astype(np.float32)
        total += noise.repeat(size, 2).repeat(size, 3)
    normalized: Array = (total - total.mean()) / total.std()
    return normalized


def make(name: str, folder: Path) -> None:
    """Write the IR of a network with seeded random weights, quantized with seeded images."""
    import nncf
    import openvino as ov
    import timm
    import torch

    torch.manual_seed(SEED)
    network = timm.create_model(NETWORKS[name], pretrained=False, num_classes=1000)
    _settle_statistics(network, torch)
    data = images(16)
    model = ov.convert_model(network.eval(), example_input=torch.from_numpy(data[:1]), input=[1, 3, 224, 224])
    kind = nncf.ModelType.TRANSFORMER if name in TRANSFORMERS else None
    quantized = nncf.quantize(model, nncf.Dataset([item[None] for item in data]), subset_size=16, model_type=kind)
    ov.save_model(quantized, folder / f"{name}.xml")


def _settle_statistics(network: Any, torch: Any) -> None:
    """Give batch norms the statistics of seeded images, layer scales a size that shows, and weights a spread."""
    with torch.no_grad():
        for module in network.modules():
            if isinstance(module, torch.nn.BatchNorm2d):
                module.momentum = None
                module.reset_running_stats()
                module.weight.uniform_(0.6, 1.4)
                module.bias.uniform_(-0.3, 0.3)
            if hasattr(module, "gamma") and isinstance(module.gamma, torch.nn.Parameter):
                module.gamma.fill_(0.5)
        network.train()
        for seed in range(2):
            network(torch.from_numpy(images(16, SEED + 1 + seed)))


def compiled_by(library: Any, path: Path, **config: object) -> Callable[[Array], Array]:
    """Return a model as compiled by a library, as a function of its image."""
    core = library.Core()
    compiled = core.compile_model(core.read_model(path), "CPU", {"INFERENCE_NUM_THREADS": 2, **config})
    request = compiled.create_infer_request()

    def run(image: Array) -> Array:
        request.infer([image])
        return np.array(request.get_output_tensor(0).data)

    return run


def times(runs: Sequence[Callable[[Array], Array]], image: Array, seconds: float) -> list[float]:
    """Return the median time of each function, called in turn."""
    samples: list[list[float]] = [[] for _ in runs]
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(samples[0]) < 5:
        for run, sample in zip(runs, samples, strict=True):
            for _ in range(3):
                start = time.perf_counter()
                run(image)
                sample.append(time.perf_counter() - start)
    return [statistics.median(sample) for sample in samples]


def distance(result: Array, reference: Array) -> float:
    """Return the root mean square of a difference, as a part of that of the reference."""
    return float(np.sqrt(np.square(result - reference).mean() / np.square(reference).mean()))


def rows(folder: Path, names: Sequence[str], seconds: float) -> Iterator[tuple[str, list[float], list[float]]]:
    """Yield the name, the times (ours, OpenVINO's) and the distances from float simulation (ours, OpenVINO's)."""
    import openvino as ov

    import ir_plugin

    image = images(1, SEED + 9)
    for name in names:
        path = folder / f"{name}.xml"
        runs = [
            compiled_by(ir_plugin, path),
            compiled_by(ov, path, INFERENCE_PRECISION_HINT="f32", PERFORMANCE_HINT="LATENCY"),
        ]
        simulated = compiled_by(ir_plugin, path, LP_TRANSFORMS_MODE=False)(image)
        apart = [distance(run(image), simulated) for run in runs]
        yield name, times(runs, image, seconds), apart


def main() -> None:
    """Make the IRs, or measure those that are there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(NETWORKS))
    parser.add_argument("--make", action="store_true")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--seconds", type=float, default=4)
    arguments = parser.parse_args()
    if arguments.make:
        arguments.folder.mkdir(parents=True, exist_ok=True)
        for name in arguments.names:
            make(name, arguments.folder)
        return
    print("| network | ours, ms | OpenVINO, ms | ratio | ours from float | OpenVINO from float |")
    print("|---|--:|--:|--:|--:|--:|")
    ratios = []
    for name, (ours, theirs), (near, far) in rows(arguments.folder, arguments.names, arguments.seconds):
        ratios.append(ours / theirs)
        print(f"| {name} | {1e3 * ours:.2f} | {1e3 * theirs:.2f} | {ours / theirs:.2f} | {near:.4f} | {far:.4f} |")
    print(f"\ngeometric mean of the ratios: {math.exp(statistics.mean(map(math.log, ratios))):.2f}")


if __name__ == "__main__":
    main()
