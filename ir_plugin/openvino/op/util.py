"""Variables, descriptions of port maps, and kinds of operations."""

from ir_plugin.model.descriptions import (
    BodyOutputDescription,
    ConcatOutputDescription,
    InvariantInputDescription,
    MergedInputDescription,
    SliceInputDescription,
)
from ir_plugin.model.operation_kinds import (
    ArithmeticReduction,
    BinaryElementwiseArithmetic,
    BinaryElementwiseComparison,
    BinaryElementwiseLogical,
    IndexReduction,
    UnaryElementwiseArithmetic,
)
from ir_plugin.model.variables import Variable, VariableInfo

__all__ = [
    "ArithmeticReduction",
    "BinaryElementwiseArithmetic",
    "BinaryElementwiseComparison",
    "BinaryElementwiseLogical",
    "BodyOutputDescription",
    "ConcatOutputDescription",
    "IndexReduction",
    "InvariantInputDescription",
    "MergedInputDescription",
    "SliceInputDescription",
    "UnaryElementwiseArithmetic",
    "Variable",
    "VariableInfo",
]
