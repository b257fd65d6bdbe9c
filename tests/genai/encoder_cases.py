"""What a module with openvino_genai's names says of models of embeddings and ranks, as JSON.

`python encoder_cases.py openvino_genai FOLDER`, where `write` wrote the folders.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

SAMPLE = Path(__file__).parents[2] / "samples" / "story"
VOCABULARY = 768
TEXTS = ["Once upon", "the wolf thought to himself", "a", "said the king's daughter to the frog"]
EXACT = {"INFERENCE_PRECISION_HINT": "f32"}
CASES: dict[str, Callable[[Any, Path], Any]] = {}


def case(function: Callable[[Any, Path], Any]) -> Callable[[Any, Path], Any]:
    CASES[function.__name__] = function
    return function


def _embeddings(genai: Any, folder: Path, **options: Any) -> Any:
    pipeline = genai.TextEmbeddingPipeline(folder / "embedding", "CPU", **options, **EXACT)
    return [pipeline.embed_documents(TEXTS), pipeline.embed_query(TEXTS[1]), pipeline.embed(TEXTS[:2], "query: ")]


@case
def embeddings(genai: Any, folder: Path) -> Any:
    kinds = genai.TextEmbeddingPipeline.PoolingType
    options: tuple[dict[str, Any], ...] = (
        {},
        {"pooling_type": kinds.MEAN},
        {"pooling_type": kinds.MEAN, "normalize": False, "padding_side": "right"},
        {"pooling_type": kinds.LAST_TOKEN, "padding_side": "left"},
        {"pooling_type": kinds.LAST_TOKEN, "padding_side": "right", "max_length": 5},
        {"padding_side": "right", "embed_instruction": "text: ", "query_instruction": "question: "},
        {"pooling_type": kinds.MEAN, "max_length": 12, "pad_to_max_length": True},
    )
    return [_embeddings(genai, folder, **item) for item in options]


@case
def configurations(genai: Any, folder: Path) -> Any:
    config = genai.TextEmbeddingPipeline.Config(normalize=False)
    config.pooling_type = genai.TextEmbeddingPipeline.PoolingType.MEAN
    pipeline = genai.TextEmbeddingPipeline(folder / "embedding", "CPU", config, **EXACT)
    pipeline.start_embed_documents_async(TEXTS)
    documents = pipeline.wait_embed_documents()
    pipeline.start_embed_query_async(TEXTS[0])
    ranks = genai.TextRerankPipeline.Config(top_n=1)
    rerank = genai.TextRerankPipeline(folder / "pairs", "CPU", ranks, **EXACT)
    rerank.start_rerank_async(TEXTS[0], TEXTS)
    return [documents, pipeline.wait_embed_query(), rerank.wait_rerank(), ranks.top_n, config.normalize]


@case
def ranks(genai: Any, folder: Path) -> Any:
    answers = []
    for name in ("pairs", "classes", "qwen3"):
        for top_n in (2, 9):
            pipeline = genai.TextRerankPipeline(folder / name, "CPU", top_n=top_n, **EXACT)
            answers += [pipeline.rerank(query, TEXTS) for query in TEXTS[:2]]
    return answers


def write(folder: Path) -> None:
    """Write the folders: an embedding table, ranks by the lengths of two texts, and the answers yes and no."""
    import numpy as np

    import ir_plugin as ov
    from ir_plugin import opset15 as ops

    random = np.random.default_rng(5)

    def saved(name: str, file: str, output: Any, output_name: str, *inputs: Any) -> None:
        result = ops.result(output)
        result.output(0).set_names({output_name})
        for parameter in inputs:
            parameter.output(0).set_names({parameter.friendly_name})
        (folder / name).mkdir(exist_ok=True)
        ov.save_model(ov.Model([result], list(inputs), name), folder / name / f"{file}.xml", compress_to_fp16=False)

    def table(width: int) -> tuple[Any, Any, Any]:
        ids = ops.parameter([-1, -1], np.int64, name="input_ids")
        mask = ops.parameter([-1, -1], np.int64, name="attention_mask")
        rows = ops.gather(random.standard_normal((VOCABULARY, width)).astype(np.float32), ids, np.int64(0))
        counted = ops.convert(ops.unsqueeze(ops.cum_sum(mask, np.int64(1)), np.array([2])), "f32")
        return ops.add(rows, ops.multiply(counted, np.float32(0.1))), ids, mask

    saved("embedding", "openvino_model", *_named(table(8), "last_hidden_state"))
    states, ids, mask = table(VOCABULARY)
    saved("qwen3", "openvino_model", states, "logits", ids, mask)
    for name, width in (("pairs", 1), ("classes", 2)):
        states, ids, mask = table(width)
        saved(name, "openvino_model", ops.reduce_mean(states, np.array([1])), "logits", ids, mask)
        _write_pairs(folder / name / "openvino_tokenizer.xml")
    for name in ("embedding", "qwen3"):
        for path in (*SAMPLE.glob("openvino_*tokenizer.*"), SAMPLE / "tokenizer_config.json"):
            shutil.copy(path, folder / name)
    _write_answers(folder / "qwen3" / "openvino_detokenizer.xml")
    (folder / "qwen3" / "config.json").write_text('{"model_type": "qwen3"}')


def _named(values: tuple[Any, Any, Any], name: str) -> tuple[Any, ...]:
    return values[0], name, *values[1:]


def _write_answers(path: Path) -> None:
    """Write a detokenizer whose vocabulary has `yes` and `no` in the place of other tokens."""
    import numpy as np

    import ir_plugin as ov
    from ir_plugin import opset15 as ops

    model = ov.Core().read_model(SAMPLE / path.name)
    decoder = next(node for node in model.get_ordered_ops() if node.get_type_name() == "VocabDecoder")
    begins, ends, chars = (np.array(decoder.input_value(at).node.data) for at in (1, 2, 3))
    for word in (b"yes", b"no"):
        token = np.flatnonzero(ends - begins == len(word))[-1]
        chars[begins[token] : ends[token]] = np.frombuffer(word, np.uint8)
    decoder.input(3).replace_source_output(ops.constant(chars).output(0))
    ov.save_model(model, path, compress_to_fp16=False)


def _write_pairs(path: Path) -> None:
    """Write a tokenizer of pairs: the tokens are the lengths of the two texts."""
    import numpy as np

    import ir_plugin as ov
    from ir_plugin import opset15 as ops

    texts = [ops.parameter([-1], ov.Type.string, name=name) for name in ("first", "second")]
    parts = [ops.string_tensor_unpack(text) for text in texts]
    lengths = [ops.convert(ops.subtract(part.output(1), part.output(0)), "i64") for part in parts]
    zeros = ops.multiply(ops.add(lengths[0], lengths[1]), np.int64(0))
    rows = ops.concat([ops.unsqueeze(ops.add(length, zeros), np.array([1])) for length in lengths], 1)
    outputs = [ops.result(rows), ops.result(ops.add(ops.multiply(rows, np.int64(0)), np.int64(1)))]
    for output, name in zip(outputs, ("input_ids", "attention_mask"), strict=True):
        output.output(0).set_names({name})
    ov.save_model(ov.Model(outputs, texts, "pairs"), path, compress_to_fp16=False)


if __name__ == "__main__":
    module = import_module(sys.argv[1])
    sys.stdout.write(json.dumps({name: function(module, Path(sys.argv[2])) for name, function in CASES.items()}))
