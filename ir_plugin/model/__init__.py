"""The graph: models, nodes, ports and edges, without a file format and without kernels."""

from ir_plugin.model import bodies, kinds
from ir_plugin.model.descriptor_tensor import DescriptorTensor
from ir_plugin.model.graph import MAX_BODIES, Model, SubGraph, SubGraphInput, SubGraphOutput
from ir_plugin.model.node import ConstOutput, Input, Node, Output
from ir_plugin.model.ports import Declared, Ports
from ir_plugin.model.python_origin import Origin
from ir_plugin.model.type_info import DiscreteTypeInfo, RTMap

CLASSES = (bodies, kinds)
"""The modules that define node classes of certain types."""

__all__ = [
    "MAX_BODIES",
    "ConstOutput",
    "Declared",
    "DescriptorTensor",
    "DiscreteTypeInfo",
    "Input",
    "Model",
    "Node",
    "Origin",
    "Output",
    "Ports",
    "RTMap",
    "SubGraph",
    "SubGraphInput",
    "SubGraphOutput",
]
