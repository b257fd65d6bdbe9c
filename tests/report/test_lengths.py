"""Random inputs for layers of which no dimension is known: lengths are chosen that the layer accepts."""

from __future__ import annotations

import warnings

import pytest

from ir_plugin import Core, Error
from ir_plugin.openvino.api import CompiledModel
from ir_plugin.report.inputs import complete
from tests.fuzz.operation_cases import Case, samples_by_definition
from tests.support.sample import Sample

SAMPLES = samples_by_definition()
MOST = 2
"""How many samples of a definition are tried."""

ORDERED = (
    "BPETokenizer", "ByteFallback", "BytesToChars", "CaseFold", "CharsMapNormalization", "CharsToBytes",
    "CombineSegments", "ContribStringJoin", "ContribStringSplit", "EqualStr", "FuzeRagged", "NormalizeUnicode",
    "RaggedToDense", "RaggedToSparse", "SentencepieceTokenizer", "StringTensorPack", "StringToHashBucket",
    "TrieTokenizer", "UTF8Validate", "UnigramTokenizer", "VocabEncoder", "WordpieceTokenizer",
)  # fmt: skip
VALUES = {
    **{f"{type}-extension": "ends beyond the begins" for type in ORDERED},
    "StringTensorUnpack-extension": "bytes that are packed strings",
    "Cast-extension": "texts that are numbers",
    "TreeEnsemble-extension": "the features that the trees name",
    "BatchToSpace-2": "random crops",
    "Broadcast-1": "random axes",
    "Broadcast-3": "random axes",
    "CTCLoss-4": "labels that are not the blank",
    "GRUSequence-5": "constant lengths of sequences beyond the shortest input",
    "GroupedMatMul-17": "offsets in ascending order that end at the number of rows",
    "LSTMSequence-5": "constant lengths of sequences beyond the shortest input",
    "MulticlassNms-9": "numbers of boxes that add up",
    "Multinomial-13": "weights that are not negative",
    "RNNSequence-5": "constant lengths of sequences beyond the shortest input",
    "RandomUniform-8": "a least value below the greatest",
    "Reshape-1": "a length of 0",
    "ReverseSequence-1": "constant lengths of sequences beyond the shortest input",
    "SparseFillEmptyRows-16": "indices below the values of another input",
    "StringTensorPack-15": "ends behind the begins",
}
"""Definitions whose layers refuse some random values or lengths: what shape inference does not see."""


def unknown(sample: Sample) -> CompiledModel | None:
    """Return the layer with parameters of which only the ranks are known, or None where it cannot be read so."""
    shapes = {
        at: ",".join("?" * item.value.ndim)
        for at, item in enumerate(sample.inputs)
        if item is not None and not item.constant
    }
    ir = Case(sample, shapes, "").build()
    try:
        return Core().compile_model(ir.xml, weights=ir.weights, config={"OPTIMIZE": False})
    except Error:
        return None


def outcome(compiled: CompiledModel) -> str:
    """Return the error of a run on random inputs; empty where it runs."""
    try:
        compiled(complete(compiled))
    except Error as fault:
        return str(fault)
    return ""


@pytest.mark.parametrize("definition", sorted(SAMPLES))
def test_layers_run_though_no_dimension_is_known(definition: str) -> None:
    for sample in SAMPLES[definition][:MOST]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compiled = unknown(sample)
            if compiled is None:
                continue
            message = outcome(compiled)
            assert not message or (definition in VALUES and 'layer "layer"' in message), message


@pytest.mark.parametrize("definition", ["LSTMCell-4", "GRUCell-3", "RNNCell-1", "GroupConvolution-1", "Convolution-1",
                                        "GroupConvolutionBackpropData-1", "DetectionOutput-8"])  # fmt: skip
def test_weights_may_be_of_unknown_shape(definition: str) -> None:
    """Every sample, also where weights are Parameters, gets lengths with which it runs."""
    for sample in SAMPLES[definition][:8]:
        compiled = unknown(sample)
        if compiled is not None:
            assert compiled(complete(compiled))
