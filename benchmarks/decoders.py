"""Stateful decoders of seeded random weights, with the layers that optimum-intel writes, and how they are measured.

`python -m benchmarks.decoders --tokens N` generates N tokens behind a prompt with this library and with OpenVINO in
one process, in turn, and prints the time of the prompt, the time of a token, and their ratios as a Markdown table. A
model is one of this module or the path of an IR, such as `benchmarks.exported_decoders` writes.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
FOLDER = Path(__file__).parents[1] / ".benchmarks"
VOCABULARY = 1000
PROMPT = 7
_CODES = {"int4": "i4", "int8": "i8", "f16": "f16"}
"""Element types of the weights of compressed families."""
EXACT = {
    "INFERENCE_PRECISION_HINT": "f32",
    "KV_CACHE_PRECISION": "f32",
    "DYNAMIC_QUANTIZATION_GROUP_SIZE": "0",
    "PERFORMANCE_HINT": "LATENCY",
}


@dataclass(frozen=True)
class Decoder:
    """The sizes of a decoder; `family` is that of its layers."""

    name: str
    family: str
    layers: int = 6
    width: int = 384
    heads: int = 6
    shared: int = 6
    """Heads of the keys and values."""

    @property
    def head(self) -> int:
        """The width of a head."""
        return self.width // self.heads


DECODERS = (
    Decoder("gpt2_tiny", "gpt2", layers=2, width=64, heads=4, shared=4),
    Decoder("llama_tiny", "llama", layers=2, width=64, heads=4, shared=2),
    Decoder("gpt2", "gpt2"),
    Decoder("gpt_neox", "neox"),
    Decoder("llama", "llama"),
    Decoder("llama_gqa", "llama", heads=8, width=512, shared=2),
    Decoder("qwen2", "qwen", heads=8, width=256, shared=4, layers=8),
    Decoder("llama_int8", "llama_int8", heads=8, width=512, shared=2),
)
LARGE = tuple(
    Decoder(f"llama_150m_{kind}", f"llama_{kind}", layers=24, width=768, heads=12, shared=4)
    for kind in ("int4", "int8", "f16")
)
"""Decoders of 150 million weights, which are measured by name only."""


class Builder:
    """Builds the layers of one decoder with the functions of an opset."""

    def __init__(self, sizes: Decoder, ops: Any) -> None:
        self.sizes = sizes
        self.ops = ops
        self.random = np.random.default_rng(17)
        self.sinks: list[Any] = []
        self.input_ids, self.attention_mask, self.position_ids = (
            self._parameter([-1, -1], np.int64, name) for name in ("input_ids", "attention_mask", "position_ids")
        )
        self.beam_idx = self._parameter([-1], np.int32, "beam_idx")
        self.parameters = [self.input_ids, self.attention_mask, self.position_ids, self.beam_idx]

    def _parameter(self, shape: list[int], dtype: Any, name: str) -> Any:
        parameter = self.ops.parameter(shape, dtype, name=name)
        parameter.output(0).set_names({name})
        return parameter

    def integers(self, *values: int) -> Any:
        """Return a vector of integers."""
        return self.ops.constant(np.array(values, np.int64))

    def scalar(self, value: int) -> Any:
        """Return an integer."""
        return self.ops.constant(np.int64(value))

    def number(self, *values: float) -> Any:
        """Return a float tensor of rank 3."""
        return self.ops.constant(np.array(values, np.float32).reshape(1, 1, -1))

    def weights(self, *shape: int, spread: float = 0.05, base: float = 0.0) -> Any:
        """Return random weights; those of compressed families are compressed per row, int4 in groups of 64."""
        values = (self.random.standard_normal(shape) * spread + base).astype(np.float32)
        kind = self.sizes.family.rpartition("_")[2]
        if kind not in _CODES or len(shape) != 2 or VOCABULARY in shape:
            return self.ops.constant(values)
        if kind == "f16":
            return self.ops.convert(self.ops.constant(values.astype(np.float16)), np.float32)
        grouped = values.reshape(shape[0], -1, 64) if kind == "int4" else values
        most = 7 if kind == "int4" else 127
        scale = np.abs(grouped).max(-1, keepdims=True) / most
        stored = self.ops.constant(np.round(grouped / scale).astype(np.int8), self._type(_CODES[kind]))
        half = self.ops.convert(stored, np.float16)
        product = self.ops.multiply(half, self.ops.constant(scale.astype(np.float16)))
        if kind == "int4":
            product = self.ops.reshape(product, self.integers(*shape), special_zero=False)
        return self.ops.convert(product, np.float32)

    def _type(self, name: str) -> Any:
        """Return an element type of the opset's library."""
        return getattr(type(self.scalar(0).get_element_type()), name)

    def linear(self, x: Any, inputs: int, outputs: int, bias: bool = False) -> Any:
        """Return a product with transposed weights, as of torch's Linear."""
        y = self.ops.matmul(x, self.weights(outputs, inputs), False, True)
        return self.ops.add(y, self.weights(1, 1, outputs)) if bias else y

    def length(self, x: Any, axis: int) -> Any:
        """Return the length along an axis as a vector of one element, as a traced `size` is written."""
        return self.ops.gather(self.ops.shape_of(x, "i64"), self.integers(axis), self.scalar(0))

    def layer_norm(self, x: Any) -> Any:
        """Return a normalization by mean and variance."""
        normal = self.ops.mvn(x, self.integers(-1), True, 1e-5, "inside_sqrt")
        width = self.sizes.width
        return self.ops.add(self.ops.multiply(normal, self.weights(1, 1, width, base=1.0)), self.weights(1, 1, width))

    def rms_norm(self, x: Any) -> Any:
        """Return a normalization by the root of the mean square."""
        ops = self.ops
        mean = ops.reduce_mean(ops.power(x, self.number(2)), self.integers(-1), True)
        inverse = ops.divide(self.number(1), ops.sqrt(ops.add(mean, self.number(1e-5))))
        return ops.multiply(self.weights(1, 1, self.sizes.width, base=1.0), ops.multiply(x, inverse))

    def heads(self, x: Any, count: int) -> Any:
        """Return [N, L, count * E] as [N, count, L, E]."""
        split = self.ops.reshape(x, self.integers(0, 0, count, self.sizes.head), True)
        return self.ops.transpose(split, self.integers(0, 2, 1, 3))

    def cached(self, name: str, x: Any) -> Any:
        """Return keys or values behind those of a variable, to which they are assigned."""
        import openvino as ov

        ops, shared, head = self.ops, self.sizes.shared, self.sizes.head
        target = ops.concat([self.length(self.input_ids, 0), self.integers(shared, 0, head)], 0)
        start = ops.broadcast(ops.constant(np.float32(0)), target)
        past = ops.read_value(start, name, np.float32, ov.PartialShape([-1, shared, -1, head]))
        whole = ops.concat([ops.gather(past, self.beam_idx, self.scalar(0)), x], -2)
        self.sinks.append(ops.assign(whole, name))
        return whole

    def repeated(self, x: Any) -> Any:
        """Return [N, shared, S, E] with its heads repeated for those of the query."""
        sizes, ops = self.sizes, self.ops
        count = sizes.heads // sizes.shared
        if count == 1:
            return x
        shape = ops.shape_of(x, "i64")
        batch, length = (ops.gather(shape, self.integers(axis), self.scalar(0)) for axis in (0, 2))
        target = ops.concat([batch, self.integers(sizes.shared, count), length, self.integers(sizes.head)], 0)
        wide = ops.broadcast(ops.unsqueeze(x, self.scalar(2)), target, "bidirectional")
        return ops.reshape(
            wide, ops.concat([batch, self.integers(sizes.heads), length, self.integers(sizes.head)], 0), False
        )

    def mask(self) -> Any:
        """Return the causal mask of the new tokens joined with the mask of padded ones, as transformers computes it."""
        ops = self.ops
        count, total = self.length(self.input_ids, 1), self.length(self.attention_mask, 1)
        zero, one = self.scalar(0), self.scalar(1)
        past = ops.subtract(total, count)
        begin, length, end = (ops.squeeze(value, self.scalar(0)) for value in (past, count, total))
        rows = ops.range(begin, ops.add(begin, length), one, "i64")
        columns = ops.range(zero, end, one, "i64")
        shape = ops.concat([count, total], 0)
        lowest = ops.constant(np.float32(np.finfo(np.float32).min))
        above = ops.greater(columns, ops.reshape(rows, self.integers(-1, 1), False))
        full = ops.broadcast(lowest, shape)
        causal = ops.multiply(full, ops.convert(above, np.float32))
        batch = self.length(self.input_ids, 0)
        four = ops.concat([batch, self.integers(1), count, total], 0)
        wide = ops.broadcast(ops.unsqueeze(causal, self.integers(0, 1)), four, "bidirectional")
        kept = ops.convert(ops.unsqueeze(self.attention_mask, self.integers(1, 2)), np.float32)
        padded = ops.equal(ops.add(wide, kept), ops.constant(np.float32(0)))
        head = ops.select(padded, lowest, wide)
        return ops.slice(head, self.integers(0), total, self.integers(1), self.integers(3))

    def rotation(self) -> tuple[Any, Any]:
        """Return the cosines and sines of rotary position embeddings."""
        ops, half = self.ops, self.sizes.head // 2
        inverse = (1.0 / 10000 ** (np.arange(half, dtype=np.float32) / half)).reshape(1, half, 1)
        batch = self.length(self.position_ids, 0)
        target = ops.concat([batch, self.integers(half, 1)], 0)
        wide = ops.broadcast(ops.constant(inverse), target, "bidirectional")
        positions = ops.convert(ops.unsqueeze(self.position_ids, self.integers(1)), np.float32)
        angles = ops.transpose(ops.matmul(wide, positions, False, False), self.integers(0, 2, 1))
        both = ops.concat([angles, angles], -1)
        return ops.unsqueeze(ops.cos(both), self.integers(1)), ops.unsqueeze(ops.sin(both), self.integers(1))

    def rotated(self, x: Any, rotation: tuple[Any, Any]) -> Any:
        """Return queries or keys turned by their positions."""
        ops, half = self.ops, self.sizes.head // 2
        last, step = self.integers(3), self.integers(1)
        high = ops.slice(x, self.integers(half), self.integers(2**63 - 1), step, last)
        low = ops.slice(x, self.integers(0), self.integers(half), step, last)
        turned = ops.concat([ops.multiply(high, ops.constant(np.full((1, 1, 1, 1), -1, np.float32))), low], -1)
        return ops.add(ops.multiply(x, rotation[0]), ops.multiply(turned, rotation[1]))

    def joined(self, mixed: Any) -> Any:
        """Return the heads [N, H, L, E] as rows [N, L, H * E]."""
        return self.ops.reshape(
            self.ops.transpose(mixed, self.integers(0, 2, 1, 3)), self.integers(0, 0, self.sizes.width), True
        )

    def llama_attention(self, x: Any, number: int, mask: Any, rotation: tuple[Any, Any], bias: bool) -> Any:
        """Return the attention of LLaMA and Qwen."""
        sizes, ops = self.sizes, self.ops
        kv = sizes.shared * sizes.head
        query = self.rotated(self.heads(self.linear(x, sizes.width, sizes.width, bias), sizes.heads), rotation)
        key = self.rotated(self.heads(self.linear(x, sizes.width, kv, bias), sizes.shared), rotation)
        value = self.heads(self.linear(x, sizes.width, kv, bias), sizes.shared)
        keys, values = self.cached(f"past.{number}.key", key), self.cached(f"past.{number}.value", value)
        mixed = ops.scaled_dot_product_attention(query, self.repeated(keys), self.repeated(values), mask)
        return self.linear(self.joined(mixed), sizes.width, sizes.width)

    def split_attention(self, x: Any, number: int, mask: Any, rotation: tuple[Any, Any] | None) -> Any:
        """Return the attention of GPT-2, or of GPT-NeoX with a rotation: query, key and value are one product."""
        sizes, ops = self.sizes, self.ops
        joint = self.linear(x, sizes.width, 3 * sizes.width, True)
        parts = ops.variadic_split(joint, self.scalar(2), self.integers(*[sizes.width] * 3))
        query, key, value = (self.heads(part, sizes.heads) for part in parts.outputs())
        if rotation is not None:
            query, key = self.rotated(query, rotation), self.rotated(key, rotation)
        keys, values = self.cached(f"past.{number}.key", key), self.cached(f"past.{number}.value", value)
        mixed = ops.scaled_dot_product_attention(query, keys, values, mask)
        return self.linear(self.joined(mixed), sizes.width, sizes.width, True)

    def gated(self, x: Any) -> Any:
        """Return the feed-forward layer of LLaMA."""
        width, inner = self.sizes.width, self.sizes.width * 8 // 3
        gate = self.ops.swish(self.linear(x, width, inner))
        return self.linear(self.ops.multiply(gate, self.linear(x, width, inner)), inner, width)

    def wide(self, x: Any) -> Any:
        """Return the feed-forward layer of GPT-2."""
        width = self.sizes.width
        return self.linear(self.ops.gelu(self.linear(x, width, 4 * width, True), "tanh"), 4 * width, width, True)

    def model(self) -> Any:
        """Return the model."""
        import openvino as ov

        ops, sizes = self.ops, self.sizes
        x = ops.gather(
            self.weights(VOCABULARY, sizes.width, spread=1.0), ops.convert(self.input_ids, "i32"), self.scalar(0)
        )
        rotation = None if sizes.family == "gpt2" else self.rotation()
        if rotation is None:
            positions = self.weights(1024, sizes.width)
            x = ops.add(x, ops.gather(positions, ops.convert(self.position_ids, "i32"), self.scalar(0)))
        mask = self.mask()
        is_llama = rotation is not None and sizes.family != "neox"
        norm = self.rms_norm if is_llama else self.layer_norm
        for number in range(sizes.layers):
            if rotation is not None and is_llama:
                x = ops.add(x, self.llama_attention(norm(x), number, mask, rotation, sizes.family == "qwen"))
                x = ops.add(x, self.gated(norm(x)))
            else:
                x = ops.add(x, self.split_attention(norm(x), number, mask, rotation))
                x = ops.add(x, self.wide(norm(x)))
        logits = self.linear(norm(x), sizes.width, VOCABULARY)
        return ov.Model([ops.result(logits)], self.sinks, self.parameters, sizes.name)


def write(sizes: Decoder, folder: Path) -> Path:
    """Return the IR of a decoder, written if it is not there."""
    import openvino as ov
    from openvino import opset13

    target = folder / f"decoder_{sizes.name}.xml"
    if not target.exists():
        folder.mkdir(exist_ok=True)
        ov.save_model(Builder(sizes, opset13).model(), target, compress_to_fp16=False)
    return target


def step(first: int, count: int, batch: int = 1) -> dict[str, Array]:
    """Return the inputs for `count` tokens from position `first` on."""
    tokens = np.arange(first, first + count) * 37 % VOCABULARY
    return {
        "input_ids": np.tile(tokens, (batch, 1)),
        "attention_mask": np.ones((batch, first + count), np.int64),
        "position_ids": np.tile(np.arange(first, first + count), (batch, 1)),
        "beam_idx": np.arange(batch, dtype=np.int32),
    }


def generate(request: Any, tokens: int, prompt: int, batch: int) -> tuple[float, list[float], list[Array]]:
    """Return the milliseconds of a prompt, of each token behind it, and the logits."""
    request.reset_state()
    ports = {name: port for port in request.get_compiled_model().inputs for name in port.names}
    times, logits = [], []
    for number in range(tokens + 1):
        inputs = step(prompt + number - 1, 1, batch) if number else step(0, prompt, batch)
        inputs = {
            name: array.astype(ports[name].element_type.to_dtype()) for name, array in inputs.items() if name in ports
        }
        start = time.perf_counter()
        output = request.infer(inputs)[0]
        times.append((time.perf_counter() - start) * 1e3)
        logits.append(output[:, -1].copy())
    return times[0], times[1:], logits


def row(path: Path, arguments: argparse.Namespace, compiled: Callable[[str, Path], Any]) -> str:
    """Return one line of the table."""
    requests = {name: compiled(name, path).create_infer_request() for name in ("openvino", "ir_plugin")}
    prompts: dict[str, list[float]] = {name: [] for name in requests}
    singles: dict[str, list[float]] = {name: [] for name in requests}
    last: dict[str, list[Array]] = {}
    for number in range(arguments.runs + 2):
        for name in list(requests)[:: 1 if number % 2 else -1]:
            first, following, last[name] = generate(requests[name], arguments.tokens, arguments.prompt, arguments.batch)
            if number > 1:
                prompts[name].append(first)
                singles[name] += following
    medians = [statistics.median(times[name]) for times in (prompts, singles) for name in ("openvino", "ir_plugin")]
    largest = max(float(np.abs(array).max()) for array in last["openvino"])
    pairs = zip(last["openvino"], last["ir_plugin"], strict=True)
    error = max(float(np.abs(expected - actual).max()) for expected, actual in pairs) / largest
    first_ratio, next_ratio = medians[1] / medians[0], medians[3] / medians[2]
    cells = [f"{medians[0]:.3g}", f"{medians[1]:.3g}", f"**{first_ratio:.2f}**"]
    cells += [f"{medians[2]:.3g}", f"{medians[3]:.3g}", f"**{next_ratio:.2f}**", f"{error:.0e}"]
    return f"| {path.stem.removeprefix('decoder_')} | {' | '.join(cells)} |"


def main() -> None:
    """Parse the arguments, measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("models", nargs="*", default=[sizes.name for sizes in DECODERS])
    parser.add_argument("--tokens", type=int, default=20, help="tokens behind the prompt")
    parser.add_argument("--prompt", type=int, default=PROMPT, help="tokens of the prompt")
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--provider", choices=("numba", "auto", "numpy"), default="numba", help="whose kernels we use")
    arguments = parser.parse_args()

    def compiled(name: str, path: Path) -> Any:
        import openvino as ov

        import ir_plugin

        threads = {"INFERENCE_NUM_THREADS": arguments.threads}
        if name == "openvino":
            return ov.Core().compile_model(path, "CPU", EXACT | threads)
        return ir_plugin.Core().compile_model(path, config=threads | {"PROVIDER": arguments.provider})

    print("| model | prompt: OpenVINO ms | ir_plugin ms | ratio | token: OpenVINO ms | ir_plugin ms | ratio | error |")
    print("|---|---|---|---|---|---|---|---|")
    named = {sizes.name: sizes for sizes in (*DECODERS, *LARGE)}
    for model in arguments.models:
        path = write(named[model], FOLDER) if model in named else Path(model)
        print(row(path, arguments, compiled), flush=True)


if __name__ == "__main__":
    main()
