"""Operators on texts, and the numbers of n-grams."""

from __future__ import annotations

from ir_plugin.frontends.onnx_writer.faults import NotExpressibleError
from ir_plugin.frontends.onnx_writer.layer import Layer, f32
from ir_plugin.frontends.onnx_writer.registry import writes
from ir_plugin.operations.strings import texts
from ir_plugin.operations.strings.tf_idf_vectorizer import TfIdfVectorizer
from ir_plugin.tensors import ElementType

_MOST_SKIPS = 10_000
"""The most skipped items in rows of an open length: runtimes try them one by one."""


@writes(texts.StringConcat)
def string_concat(layer: Layer) -> str:
    """Return StringConcat."""
    return layer.emit("StringConcat", *layer.inputs)


@writes(texts.StringSplit)
def string_split(layer: Layer) -> list[str]:
    """Return StringSplit; an attribute that is absent splits at white space, or at every place."""
    operation = layer.operation
    maxsplit = None if operation.maxsplit < 0 else operation.maxsplit
    return layer.emit_all(
        "StringSplit", layer.inputs[0], count=2, delimiter=operation.delimiter or None, maxsplit=maxsplit
    )


@writes(texts.RegexFullMatch)
def regex_full_match(layer: Layer) -> str:
    """Return RegexFullMatch."""
    return layer.emit("RegexFullMatch", layer.inputs[0], pattern=layer.operation.pattern)


@writes(texts.StringNormalizer)
def string_normalizer(layer: Layer) -> str:
    """Return StringNormalizer."""
    operation = layer.operation
    words = layer.constant_values(1).reshape(-1).tolist()
    action = operation.case_change_action.upper()
    return layer.emit(
        "StringNormalizer",
        layer.inputs[0],
        case_change_action=action if action in ("LOWER", "UPPER") else "NONE",
        is_case_sensitive=int(operation.is_case_sensitive),
        stopwords=words or None,
    )


@writes(TfIdfVectorizer)
def tf_idf_vectorizer(layer: Layer) -> str:
    """Return TfIdfVectorizer, whose n-grams are attributes."""
    operation = layer.operation
    pool = layer.constant_values(1).reshape(-1).tolist()
    is_text = layer.info().element_type is ElementType.string
    return layer.emit(
        "TfIdfVectorizer",
        layer.inputs[0],
        result=f32,
        mode=operation.mode.upper(),
        min_gram_length=operation.min_gram_length,
        max_gram_length=operation.max_gram_length,
        max_skip_count=_skips(layer),
        ngram_counts=list(operation.ngram_counts),
        ngram_indexes=layer.integers(2),
        weights=[float(weight) for weight in layer.constant_values(3).reshape(-1)] if layer.has(3) else None,
        **{"pool_strings" if is_text else "pool_int64s": pool},
    )


def _skips(layer: Layer) -> int:
    """Return how many items are skipped at most, no more than a row has."""
    skips = int(layer.operation.max_skip_count)
    length = layer.shape()[-1]
    if length.is_static:
        return min(skips, length.get_length())
    if skips > _MOST_SKIPS:
        raise NotExpressibleError(f"up to {skips} items are skipped, which ONNX's runtimes try one by one")
    return skips
