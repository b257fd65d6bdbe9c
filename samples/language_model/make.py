"""Makes this folder, as optimum-intel writes it: a decoder with random weights, and a tokenizer.

It needs openvino, openvino-tokenizers, tokenizers and transformers.
"""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import openvino
from openvino import opset13 as ops

FOLDER = Path(__file__).parent
TEXT = Path(__file__).parents[2] / "LICENSE"
VOCABULARY, WIDTH, HEADS, POSITIONS = 384, 32, 2, 256
SPECIAL = ("<pad>", "<s>", "</s>")
TEMPLATE = (
    "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}assistant: {% endif %}"
)


def tokenizer() -> Any:
    """Return a byte-level BPE tokenizer, trained on the licence, that begins rows with <s>."""
    tokenizers, transformers = import_module("tokenizers"), import_module("transformers")
    trained = tokenizers.Tokenizer(tokenizers.models.BPE())
    trained.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    trained.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=list(SPECIAL),
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    trained.train_from_iterator(TEXT.read_text("utf-8").splitlines(), trainer)
    trained.post_processor = tokenizers.processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=trained,
        pad_token="<pad>",
        bos_token="<s>",
        eos_token="</s>",
        padding_side="left",
        model_max_length=64,
    )


def weights(random: np.random.Generator, *shape: int, scale: float) -> Any:
    """Return a constant of random numbers."""
    return ops.constant((random.standard_normal(shape) * scale).astype(np.float32))


def cached(name: str, value: Any, row: Any) -> tuple[Any, Any]:
    """Return keys or values with those of the tokens before, and the layer that keeps them."""
    shape = openvino.PartialShape([-1, HEADS, -1, WIDTH // HEADS])
    info = openvino.op.util.VariableInfo()
    info.data_shape, info.data_type, info.variable_id = shape, openvino.Type.f32, name
    variable = openvino.op.util.Variable(info)
    batch = ops.gather(ops.shape_of(row), ops.constant([0]), ops.constant(0))
    empty = ops.concat([batch, ops.constant([HEADS, 0, WIDTH // HEADS])], 0)
    past = openvino.op.read_value(ops.broadcast(ops.constant(np.float32(0)), empty), variable)
    whole = ops.concat([ops.gather(past, row, ops.constant(0)), value], 2)
    return whole, openvino.op.assign(whole, variable)


def normalized(x: Any) -> Any:
    """Return vectors of length one."""
    square = ops.reduce_mean(ops.multiply(x, x), ops.constant([-1]), keep_dims=True)
    return ops.divide(x, ops.sqrt(ops.add(square, ops.constant(np.float32(1e-5)))))


def decoder() -> openvino.Model:
    """Return a decoder of one layer, whose keys and values are its state."""
    random = np.random.default_rng(39)
    names = ("input_ids", "attention_mask", "position_ids")
    ids, mask, positions = (ops.parameter([-1, -1], np.int64, name) for name in names)
    row = ops.parameter([-1], np.int32, "beam_idx")
    for parameter, name in zip((ids, mask, positions, row), (*names, "beam_idx"), strict=True):
        parameter.output(0).set_names({name})
    axis, table = ops.constant(0), weights(random, VOCABULARY, WIDTH, scale=1)
    x = ops.add(
        ops.gather(table, ids, axis),
        ops.gather(weights(random, POSITIONS, WIDTH, scale=0.7), positions, axis),
    )
    normal = normalized(x)
    heads = [
        ops.transpose(
            ops.reshape(
                ops.matmul(normal, weights(random, WIDTH, WIDTH, scale=0.3), False, False),
                ops.constant([0, 0, HEADS, WIDTH // HEADS]),
                True,
            ),
            ops.constant([0, 2, 1, 3]),
        )
        for _ in range(3)
    ]
    (keys, keep_keys), (values, keep_values) = cached("past_key", heads[1], row), cached("past_value", heads[2], row)
    total, new = (ops.gather(ops.shape_of(part), ops.constant(1), ops.constant(0)) for part in (mask, ids))
    stored = ops.range(ops.constant(0), total, ops.constant(1), "i64")
    asked = ops.unsqueeze(ops.range(ops.subtract(total, new), total, ops.constant(1), "i64"), ops.constant([0, 1, 3]))
    seen = ops.less_equal(ops.unsqueeze(stored, ops.constant([0, 1, 2])), asked)
    seen = ops.logical_and(seen, ops.convert(ops.unsqueeze(mask, ops.constant([1, 2])), "boolean"))
    attended = ops.scaled_dot_product_attention(heads[0], keys, values, seen, None, False)
    joined = ops.reshape(ops.transpose(attended, ops.constant([0, 2, 1, 3])), ops.constant([0, 0, WIDTH]), True)
    x = ops.add(x, ops.matmul(joined, weights(random, WIDTH, WIDTH, scale=0.5), False, False))
    hidden = ops.gelu(ops.matmul(normalized(x), weights(random, WIDTH, 2 * WIDTH, scale=0.3), False, False), "erf")
    x = ops.add(x, ops.matmul(hidden, weights(random, 2 * WIDTH, WIDTH, scale=0.3), False, False))
    logits = ops.matmul(normalized(x), weights(random, VOCABULARY, WIDTH, scale=0.6), False, True)
    result = ops.result(logits, "logits")
    result.output(0).set_names({"logits"})
    return openvino.Model([result], [keep_keys, keep_values], [ids, mask, positions, row], "tiny")


def main() -> None:
    """Write the folder."""
    openvino.save_model(decoder(), FOLDER / "openvino_model.xml", compress_to_fp16=True)
    convert = import_module("openvino_tokenizers").convert_tokenizer
    for model, name in zip(convert(tokenizer(), with_detokenizer=True), ("tokenizer", "detokenizer"), strict=True):
        openvino.save_model(model, FOLDER / f"openvino_{name}.xml")
    ids = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
    files = {
        "config": ids | {"model_type": "llama"},
        "generation_config": ids | {"max_new_tokens": 20},
        "tokenizer_config": {"chat_template": TEMPLATE, "bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>"},
    }
    for name, content in files.items():
        (FOLDER / f"{name}.json").write_text(json.dumps(content, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
