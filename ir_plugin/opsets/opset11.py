"""The functions of opset 11, which build nodes."""

from ir_plugin.opsets import module

__getattr__, __dir__ = module(11)
