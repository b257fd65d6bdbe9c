"""StringConcat, StringSplit, RegexFullMatch, StringNormalizer and TfIdfVectorizer."""

from __future__ import annotations

import numpy as np

from ir_plugin.frontends.onnx.common import extension
from ir_plugin.frontends.onnx.constants import constant_of
from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Node
from ir_plugin.tensors import ElementType
from ir_plugin.tensors.strings import string_array


@translates("StringConcat", 20)
def string_concat(node: OnnxNode) -> Node:
    """Return StringConcat of the extension."""
    return extension("StringConcat", [node.input(0), node.input(1)])


@translates("StringSplit", 20)
def string_split(node: OnnxNode) -> Node:
    """Return StringSplit of the extension."""
    attributes = node.attributes
    return extension(
        "StringSplit",
        [node.input(0)],
        delimiter=attributes.text("delimiter", ""),
        maxsplit=attributes.int("maxsplit", -1),
    )


@translates("RegexFullMatch", 20)
def regex_full_match(node: OnnxNode) -> Node:
    """Return RegexFullMatch of the extension."""
    return extension("RegexFullMatch", [node.input(0)], pattern=node.attributes.text("pattern"))


@translates("StringNormalizer", 10)
def string_normalizer(node: OnnxNode) -> Node:
    """Return StringNormalizer of the extension; case follows Unicode, whatever `locale` says."""
    attributes = node.attributes
    action = attributes.text("case_change_action")
    if action not in ("NONE", "LOWER", "UPPER"):
        raise OnnxReadError(f"the attribute 'case_change_action' is {action!r}; it must be NONE, LOWER or UPPER")
    words = attributes.texts("stopwords", None) or []
    return extension(
        "StringNormalizer",
        [node.input(0), constant_of(string_array(words, (len(words),)))],
        case_change_action=action.lower(),
        is_case_sensitive=attributes.flag("is_case_sensitive"),
    )


@translates("TfIdfVectorizer", 9)
def tf_idf_vectorizer(node: OnnxNode) -> Node:
    """Return TfIdfVectorizer of the extension."""
    attributes = node.attributes
    mode = attributes.text("mode")
    if mode not in ("TF", "IDF", "TFIDF"):
        raise OnnxReadError(f"the attribute 'mode' is {mode!r}; it must be TF, IDF or TFIDF")
    pool = [constant_of(np.array(attributes.ints("ngram_indexes"), np.int64))]
    if "weights" in attributes:
        pool.append(constant_of(np.array(attributes.floats("weights"), np.float32)))
    names = ("min_gram_length", "max_gram_length", "max_skip_count")
    return extension(
        "TfIdfVectorizer",
        [node.input(0), _pool(node), *pool],
        mode=mode.lower(),
        ngram_counts=attributes.ints("ngram_counts"),
        **{name: attributes.int(name) for name in names},
    )


def _pool(node: OnnxNode) -> Node:
    """Return the n-grams in the type of the input."""
    if node.type_of(0) is ElementType.string:
        texts = node.attributes.texts("pool_strings")
        return constant_of(string_array(texts, (len(texts),)))
    return constant_of(np.array(node.attributes.ints("pool_int64s"), node.type_of(0).dtype))
