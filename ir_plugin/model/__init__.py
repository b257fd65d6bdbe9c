"""The graph: models, nodes, ports and edges, without a file format and without kernels."""

from ir_plugin.model.graph import Model, SubGraph, SubGraphInput, SubGraphOutput
from ir_plugin.model.node import Declared, Input, Node, Origin, Output

__all__ = [
    "Declared",
    "Input",
    "Model",
    "Node",
    "Origin",
    "Output",
    "SubGraph",
    "SubGraphInput",
    "SubGraphOutput",
]
