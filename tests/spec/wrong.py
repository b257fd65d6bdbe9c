"""Examples of the specification's pages that are wrong, with the reason."""

from __future__ import annotations

_ELIDED = "the page leaves the ports out"
_DIRECTION = "the page leaves out `direction`, which its own text requires"

WRONG: dict[str, str] = {
    "activation/SoftMax_1#0": _ELIDED,
    "detection/Proposal_1#0": _ELIDED,
    "detection/ROIPooling_1#0": _ELIDED,
    "detection/ExperimentalDetectronDetectionOutput_6#0": "four outputs are drawn; the text and OpenVINO have three",
    "infrastructure/TensorIterator_1#8": "an LSTMCell of version 7 IRs, without the input R",
    "matrix/Einsum_7#1": "the first subscript has two labels for data of rank 3",
    "movement/Roll_7#1": "a shift said to be a scalar is drawn as a list of one, which the text wants as long as axes",
    "movement/StridedSlice_1#0": "begin, end and stride are drawn with two elements for masks of three",
    "movement/Tile_1#1": "a closing tag is broken, so that the first dimension is lost",
    "pooling/AvgPool_1#0": "same_upper with a stride of 2 gives half as many outputs as inputs",
    "pooling/AvgPool_1#1": "same_upper with a stride of 2 gives half as many outputs as inputs",
    "pooling/MaxPool_1#0": "same_upper with a stride of 2 gives half as many outputs as inputs",
    "sequence/GRUCell_3#0": "the bias has six times hidden_size elements; the text says four for linear_before_reset",
    "sequence/GRUSequence_5#0": _DIRECTION,
    "sequence/LSTMSequence_1#0": _DIRECTION,
    "sequence/RNNSequence_5#0": _DIRECTION,
    "sort/MatrixNMS_8#0": "the type is written MatrixNonMaxSuppression; the operation is MatrixNms",
    "sort/MulticlassNMS_8#0": "the type is written MulticlassNonMaxSuppression; the operation is MulticlassNms",
    "sparse/EmbeddingSegmentsSum_3#0": "three inputs are drawn; the text requires four",
}
