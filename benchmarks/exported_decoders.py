"""Tiny decoders of transformers with seeded random weights, converted from torch with states as optimum-intel does.

`python -m benchmarks.exported_decoders FOLDER [FAMILY …]` writes an IR a family where torch, OpenVINO and transformers
from 5.6 on are installed; `python -m benchmarks.decoders FOLDER/*.xml` measures them.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

_TOKENS = {"vocab_size": 1000, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
_USUAL = {
    "hidden_size": 256, "intermediate_size": 688, "num_hidden_layers": 4, "num_attention_heads": 8,
    "max_position_embeddings": 512,
}  # fmt: skip
_GPT2 = {"n_embd": 256, "n_layer": 4, "n_head": 8, "n_positions": 512}
_SHARED = _USUAL | {"num_key_value_heads": 2}
_WINDOWED = _SHARED | {"head_dim": 32, "sliding_window": 8}

FAMILIES: dict[str, tuple[str, dict[str, Any]]] = {
    "bloom": ("bloom", {"hidden_size": 256, "n_layer": 4, "n_head": 8}),
    "falcon": (
        "falcon",
        {
            "hidden_size": 256, "num_hidden_layers": 4, "num_attention_heads": 8, "multi_query": True,
            "new_decoder_architecture": False, "parallel_attn": True, "alibi": False,
        },
    ),
    "gemma": ("gemma", _SHARED | {"head_dim": 32}),
    "gemma2": ("gemma2", _WINDOWED),
    "gemma3": ("gemma3_text", _WINDOWED),
    "gpt2": ("gpt2", _GPT2),
    "gpt_neox": ("gpt_neox", _USUAL),
    "gptj": ("gptj", _GPT2 | {"rotary_dim": 16}),
    "llama": ("llama", _SHARED),
    "mistral": ("mistral", _SHARED | {"sliding_window": 8}),
    "opt": (
        "opt",
        {
            "hidden_size": 256, "ffn_dim": 1024, "num_hidden_layers": 4, "num_attention_heads": 8,
            "max_position_embeddings": 512, "word_embed_proj_dim": 256,
        },
    ),
    "phi": ("phi", _USUAL),
    "phi3": ("phi3", _USUAL | {"num_key_value_heads": 4}),
    "qwen2": ("qwen2", _USUAL | {"num_key_value_heads": 4}),
    "qwen3": ("qwen3", _USUAL | {"num_key_value_heads": 4, "head_dim": 32}),
}  # fmt: skip
"""The type of configuration of each family, and its sizes."""

_WITHOUT_POSITIONS = ("opt", "bloom")


def _with_caches(model: Any, layers: int) -> Any:
    """Return a module of ids, mask, positions, order of beams and caches, which returns logits and caches."""
    torch: Any = import_module("torch")
    cache_utils: Any = import_module("transformers.cache_utils")

    class Stateless(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids: Any, attention_mask: Any, position_ids: Any, beam_idx: Any, *past: Any) -> Any:
            cache = cache_utils.DynamicCache()
            for number in range(layers):
                key, value = (torch.index_select(part, 0, beam_idx) for part in past[2 * number : 2 * number + 2])
                layer = cache_utils.DynamicLayer()
                layer.lazy_initialization(key, value)
                layer.keys, layer.values = key, value
                cache.layers.append(layer)
            is_counted = self.model.config.model_type in _WITHOUT_POSITIONS
            positions = {} if is_counted else {"position_ids": position_ids}
            output = self.model(
                input_ids=input_ids, attention_mask=attention_mask, past_key_values=cache, use_cache=True, **positions
            )
            caches = [part for layer in output.past_key_values.layers for part in (layer.keys, layer.values)]
            return (output.logits, *caches)

    return Stateless().eval()


def _examples(shape: Sequence[int], layers: int) -> tuple[Any, ...]:
    """Return the inputs with which a decoder is traced: two samples of four tokens behind five."""
    torch: Any = import_module("torch")
    positions = torch.arange(5, 9)[None].repeat(2, 1)
    caches = [torch.randn(2, shape[1], 5, shape[3]) for _ in range(2 * layers)]
    mask = torch.ones(2, 9, dtype=torch.long)
    return (torch.randint(3, 900, (2, 4)), mask, positions, torch.arange(2), *caches)


def _random(name: str, attention: str) -> Any:
    """Return the model of torch of a family."""
    torch, transformers = import_module("torch"), import_module("transformers")
    torch.manual_seed(17)
    type, sizes = FAMILIES[name]
    config = transformers.AutoConfig.for_model(type, **_TOKENS, **sizes)
    return transformers.AutoModelForCausalLM.from_config(config, attn_implementation=attention).float()


def _converted(model: Any) -> tuple[Any, tuple[int, ...]]:
    """Return the model of OpenVINO with its caches as inputs and outputs, and the shape of a cache."""
    torch, ov = import_module("torch"), import_module("openvino")
    layers = model.config.num_hidden_layers
    with torch.no_grad():
        caches = model(input_ids=torch.ones(2, 3, dtype=torch.long), use_cache=True).past_key_values
        shape = tuple(caches.layers[0].keys.shape)
        examples = _examples(shape, layers)
        traced = torch.jit.trace(_with_caches(model, layers), examples, check_trace=False, strict=False)
    return ov.convert_model(traced, example_input=examples), shape


def exported(torch_model: Any) -> Any:
    """Return the model of OpenVINO of one of torch, whose caches are variables that begin empty."""
    ov: Any = import_module("openvino")
    transformations: Any = import_module("openvino._offline_transformations")
    model, shape = _converted(torch_model.eval())
    caches = [f"{number}.{part}" for number in range((len(model.outputs) - 1) // 2) for part in ("key", "value")]
    inputs = ["input_ids", "attention_mask", "position_ids", "beam_idx", *[f"past.{cache}" for cache in caches]]
    if len(model.inputs) < len(inputs):
        inputs.remove("position_ids")
    for port, input in zip(model.inputs, inputs, strict=True):
        port.get_tensor().set_names({input})
        lengths = [-1] if input == "beam_idx" else [-1, -1]
        if input.startswith("past"):
            lengths = [-1, shape[1], -1, shape[3]]
        port.get_node().set_partial_shape(ov.PartialShape(lengths))
    outputs = ["logits", *[f"present.{cache}" for cache in caches]]
    for port, output in zip(model.outputs, outputs, strict=True):
        port.get_tensor().set_names({output})
    model.validate_nodes_and_infer_types()
    states = {f"past.{cache}": f"present.{cache}" for cache in caches}
    transformations.apply_make_stateful_transformation(model, states)
    _begin_empty(model, shape)
    return model


def _begin_empty(model: Any, shape: tuple[int, ...]) -> None:
    """Let variables begin with no positions, for as many samples as there are ids."""
    ops: Any = import_module("openvino.opset13")
    (ids,) = [port for port in model.inputs if "input_ids" in port.names]
    batch = ops.gather(ops.shape_of(ids, "i64"), ops.constant(np.array([0])), ops.constant(np.int64(0)))
    target = ops.concat([batch, ops.constant(np.array([shape[1], 0, shape[3]]))], 0)
    for op in model.get_ordered_ops():
        if op.get_type_name() == "ReadValue" and op.get_input_size() == 0:
            op.set_arguments([ops.broadcast(ops.constant(np.float32(0)), target).output(0)])
    model.validate_nodes_and_infer_types()


def main() -> None:
    """Parse the arguments, and write the models."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("families", nargs="*", default=sorted(FAMILIES))
    parser.add_argument("--attention", choices=("sdpa", "eager"), default="sdpa")
    arguments = parser.parse_args()
    ov: Any = import_module("openvino")
    arguments.folder.mkdir(exist_ok=True, parents=True)
    for name in arguments.families:
        path = arguments.folder / f"{name}_{arguments.attention}.xml"
        ov.save_model(exported(_random(name, arguments.attention)), path, compress_to_fp16=False)
        print(path, flush=True)


if __name__ == "__main__":
    main()
