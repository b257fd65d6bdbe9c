"""The functions of opset 1, which build nodes."""

from ir_plugin.opsets import module

__getattr__, __dir__ = module(1)
