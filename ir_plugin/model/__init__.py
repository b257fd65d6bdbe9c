"""The graph: models, nodes, ports and edges, without a file format and without kernels."""

from ir_plugin.model.graph import Model, SubGraph, SubGraphInput, SubGraphOutput
from ir_plugin.model.node import Node, Origin, TypeInfo
from ir_plugin.model.ports import ConstOutput, Declared, DescriptorTensor, Input, Output, Ports

__all__ = [
    "ConstOutput",
    "Declared",
    "DescriptorTensor",
    "Input",
    "Model",
    "Node",
    "Origin",
    "Output",
    "Ports",
    "SubGraph",
    "SubGraphInput",
    "SubGraphOutput",
    "TypeInfo",
]
