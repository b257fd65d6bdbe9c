"""The functions of opset 5, which build nodes."""

from ir_plugin.opsets import module

__getattr__, __dir__ = module(5)
