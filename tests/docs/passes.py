"""Write docs/passes.md: `python -m tests.docs.passes`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import openvino as ov
from openvino import opset13 as ops

from ir_plugin.compiler.passes import PASSES, summary
from tests.support.passes import constant, convolution, data, integers, model_of, number, rewrite

PAGE = Path(__file__).parents[2] / "docs" / "passes.md"

_HEAD = """# Passes

Written by `python -m tests.docs.passes` from the docstrings of the passes and from small models. The compiler runs the
{count} passes in this order. Each has one name: `DISABLED_PASSES` switches it off by that name, `--dump-passes` writes
the graph that it leaves to a file of that name:

```python
import ir_plugin as ov

ov.compile_model("samples/digits/digits.xml", config={{"DISABLED_PASSES": ["epilogue_fusion", "scale_folding"]}})
```

```sh
ir-plugin profile samples/digits/digits.xml --dump-passes passes
```

| pass | what it does |
|---|---|
{rows}

A line of a graph is one op: the values it produces with their types and shapes, its type, the values it reads, after
`+` the ops of its epilogue, and after `#` the layers it computes. Small constants are written out.
"""


def _quantize_dequantize_fusion() -> ov.Model:
    levels = ops.fake_quantize(data(1, 8), number(-1), number(1.55), number(0), number(255), 256)
    numbers = ops.convert(ops.convert(levels, np.uint8), np.float32)
    rounded = ops.multiply(ops.subtract(numbers, number(100)), number(0.01))
    return model_of(ops.relu(rounded), [levels.input_value(0).get_node()])


def _quantized_convolution(x: ov.Node) -> ov.Node:
    levels = ops.fake_quantize(x, number(-1.28), number(1.27), number(-1.28), number(1.27), 256)
    filters = ops.multiply(ops.convert(ops.constant(np.ones((4, 4, 3, 3), np.int8)), np.float32), number(0.5))
    return ops.convolution(levels, filters, [1, 1], [1, 1], [1, 1], [1, 1])


def _low_precision() -> ov.Model:
    x = data(1, 4, 5, 5)
    return model_of(ops.relu(_quantized_convolution(x)), [x])


def _levels_fusion() -> ov.Model:
    x = data(1, 4, 5, 5)
    convolution = _quantized_convolution(x)
    return model_of(ops.add(convolution, convolution.input_value(0)), [x])


def _weight_decompression() -> ov.Model:
    x, codes = data(2, 80), ops.constant(np.ones((60, 80), np.uint8))
    centred = ops.subtract(ops.convert(codes, np.float32), number(128))
    return model_of(ops.matmul(x, ops.multiply(centred, constant(60, 1)), False, True), [x])


def _known_value_folding() -> ov.Model:
    x, y = data(2, 3, 4), data(6, 4)
    return model_of(ops.reshape(y, ops.shape_of(x), False), [x, y])


def _einsum_decomposition() -> ov.Model:
    query, key = data(1, 2, 3, 8), data(1, 2, 5, 8)
    return model_of(ops.einsum([query, key], "bhqd,bhkd->bhqk"), [query, key])


def _constant_folding() -> ov.Model:
    x, weights = data(9, 80), ops.constant(np.ones((80, 60), np.float16))
    return model_of(ops.matmul(x, ops.convert(weights, np.float32), False, False), [x])


def _identity_elimination() -> ov.Model:
    x = data(2, 3)
    return model_of(ops.relu(ops.reshape(x, integers(2, 3), False)), [x])


def _pad_fusion() -> ov.Model:
    x = data(1, 3, 6, 6)
    return model_of(convolution(ops.pad(x, [0, 0, 1, 1], [0, 0, 1, 1], "constant", number(0))), [x])


def _kernel_trimming() -> ov.Model:
    x = data(1, 3, 6, 6)
    return model_of(ops.convolution(x, constant(4, 3, 3, 3), [1, 1], [8, 8], [8, 8], [8, 8]), [x])


def _slice_scatter_fusion() -> ov.Model:
    x, updates = data(2, 4), data(2, 1)
    shape, column = integers(2, 4), [integers(1), integers(2), integers(1), integers(1)]
    start, stop, step = (ops.constant(np.int64(number)) for number in (0, 8, 1))
    positions = ops.reshape(ops.range(start, stop, step, "i64"), shape, False)
    indices = ops.reshape(ops.slice(positions, *column), integers(-1, 1), False)
    flat, flat_updates = (ops.reshape(value, integers(-1), False) for value in (x, updates))
    return model_of(ops.reshape(ops.scatter_nd_update(flat, indices, flat_updates), shape, False), [x, updates])


def _batch_norm_decomposition() -> ov.Model:
    x = data(1, 4, 6, 6)
    variance = ops.constant(np.ones(4, np.float32))
    return model_of(ops.batch_norm_inference(x, constant(4), constant(4), constant(4), variance, 1e-3), [x])


def _scale_folding() -> ov.Model:
    x = data(1, 3, 6, 6)
    return model_of(ops.multiply(convolution(x), constant(1, 4, 1, 1)), [x])


def _activation_fusion() -> ov.Model:
    x = data(2, 3)
    return model_of(ops.multiply(x, ops.sigmoid(x)), [x])


def _normalization_fusion() -> ov.Model:
    x = data(2, 8)
    centred = ops.subtract(x, ops.reduce_mean(x, integers(-1), True))
    variance = ops.reduce_mean(ops.power(centred, number(2)), integers(-1), True)
    return model_of(ops.divide(centred, ops.sqrt(ops.add(variance, number(0.5**10)))), [x])


def _routed_experts() -> ov.Model:
    x, best = data(3, 2, 4), ops.parameter([2, 1], np.int64)
    one, zeros = ops.constant(np.ones((2, 1), np.float32)), ops.constant(np.zeros((2, 3), np.float32))
    weights = ops.transpose(ops.scatter_elements_update(zeros, best, one, integers(1)), integers(1, 0))
    experts = ops.constant((np.arange(3 * 4 * 4) % 5 / 4).astype(np.float32).reshape(3, 4, 4))
    products = ops.multiply(ops.matmul(x, experts, False, True), ops.unsqueeze(weights, integers(2)))
    return model_of(ops.reduce_sum(products, integers(0), False), [x, best])


def _rms_norm_fusion() -> ov.Model:
    x = data(2, 8)
    mean = ops.reduce_mean(ops.power(x, number(2)), integers(-1), True)
    return model_of(ops.divide(x, ops.sqrt(ops.add(mean, number(0.5**10)))), [x])


def _power_to_multiply() -> ov.Model:
    x = data(2, 3)
    return model_of(ops.power(x, number(2)), [x])


def _prelu_layout() -> ov.Model:
    x = data(1, 4, 6, 6)
    return model_of(ops.prelu(x, constant(4)), [x])


def _attention_fusion() -> ov.Model:
    query, key, value, mask = data(1, 2, 3, 8), data(1, 2, 5, 8), data(1, 2, 5, 8), data(3, 5)
    scores = ops.multiply(ops.matmul(query, key, False, True), number(0.5))
    shares = ops.softmax(ops.add(scores, mask), -1)
    return model_of(ops.matmul(shares, value, False, False), [query, key, value, mask])


def _qkv_fusion() -> ov.Model:
    x = data(1, 5, 8)
    parts = [ops.add(ops.matmul(x, constant(8, 8), False, False), constant(8)) for _ in range(3)]
    return model_of(ops.scaled_dot_product_attention(*parts), [x])


def _grouped_query_attention() -> ov.Model:
    query, key, value = data(1, 4, 3, 8), data(1, 2, 5, 8), data(1, 2, 5, 8)
    shared = [
        ops.reshape(
            ops.broadcast(ops.unsqueeze(part, integers(2)), integers(1, 2, 2, 5, 8), "BIDIRECTIONAL"),
            integers(1, 4, 5, 8),
            False,
        )
        for part in (key, value)
    ]
    return model_of(ops.scaled_dot_product_attention(query, *shared), [query, key, value])


def _kv_cache() -> ov.Model:
    x, start = data(1, 2, 1, 8), ops.constant(np.zeros((1, 2, 0, 8), np.float32))
    past = ops.read_value(start, "keys", np.float32, ov.PartialShape([1, 2, -1, 8]))
    whole = ops.concat([past, x], 2)
    return model_of(ops.relu(whole), [x], [ops.assign(whole, "keys")])


def _kv_cache_quantization() -> ov.Model:
    query, sinks, parts = data(1, 2, 1, 8), [], []
    for name in ("keys", "values"):
        x, start = data(1, 2, 1, 8), ops.constant(np.zeros((1, 2, 0, 8), np.float32))
        past = ops.read_value(start, name, np.float32, ov.PartialShape([1, 2, -1, 8]))
        parts.append((x, ops.concat([past, x], 2)))
        sinks.append(ops.assign(parts[-1][1], name))
    attention = ops.scaled_dot_product_attention(query, *(whole for _, whole in parts))
    return model_of(attention, [query, *(x for x, _ in parts)], sinks)


def _epilogue_fusion() -> ov.Model:
    x = data(1, 3, 6, 6)
    return model_of(ops.relu(ops.add(convolution(x), constant(1, 4, 1, 1))), [x])


def _dead_code() -> ov.Model:
    x, y = data(2, 3), data(6)
    return model_of(ops.reshape(y, ops.shape_of(ops.relu(x)), False), [x, y])


EXAMPLES: dict[str, Callable[[], ov.Model]] = {name: globals()[f"_{name}"] for name in PASSES}
"""A model for each pass, of which the pass changes the graph."""


CONFIGURATIONS: dict[str, dict[str, object]] = {"kv_cache_quantization": {"KV_CACHE_PRECISION": "u8"}}
"""The properties without which a pass does not run."""


def text() -> str:
    """Return the page of all passes: a table, then the graph of an example before and after each of them."""
    rows = "\n".join(f"| [`{name}`](#{name}) | {summary(name)} |" for name in PASSES)
    return "\n".join([_HEAD.format(count=len(PASSES), rows=rows), *map(_section, PASSES)])


def _section(name: str) -> str:
    change = rewrite(name, EXAMPLES[name](), (), **CONFIGURATIONS.get(name, {}))
    return (
        f"## `{name}` {{#{name}}}\n\n{summary(name)}\n\n"
        f"```text\n{change.before}```\n\nbecomes\n\n```text\n{change.after}```\n"
    )


if __name__ == "__main__":
    PAGE.write_text(text(), "utf-8")
