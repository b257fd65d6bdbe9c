"""DynamicQuantizeLSTM: an LSTM of quantized weights, which quantizes its input and its hidden state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ir_plugin.frontends.onnx.common import i64, output, rank_of
from ir_plugin.frontends.onnx.microsoft.domain import microsoft
from ir_plugin.frontends.onnx.microsoft.integers import rounded
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.quantization.scales import centered
from ir_plugin.frontends.onnx.recurrent import cells
from ir_plugin.frontends.onnx.recurrent.networks import LSTM, network_of, outputs_of
from ir_plugin.frontends.onnx.registry import Translated
from ir_plugin.model import Output
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import ElementType


def _step(cell: cells.Cell, projected: Output, states: Sequence[Output], fixed: Sequence[Output]) -> list[Output]:
    """Return the next states of an LSTM whose product reads the quantized hidden state."""
    return cells.lstm(cell, projected, [_requantized(states[0]), states[1]], fixed)


_QUANTIZED = replace(LSTM, step=_step, is_sequence=False)


@microsoft("DynamicQuantizeLSTM")
def dynamic_quantize_lstm(node: OnnxNode) -> Translated:
    """Return a TensorIterator that quantizes the input and, in each step, the hidden state to their ranges."""
    inputs = [_requantized(node.input(0)), _weights(node, 1, 8), _weights(node, 2, 10)]
    inner = OnnxNode(node.scope, node.proto, node.version, node.schema, [*inputs, *node.inputs[3:8]])
    return outputs_of(network_of(inner, _QUANTIZED))


def _requantized(data: Output) -> Output:
    """Return data with the values that u8 over their range can hold."""
    numbers, scale = rounded(data)
    return output(ops.multiply(numbers, scale))


def _weights(node: OnnxNode, index: int, scale_index: int) -> Output:
    """Return weights [directions, inputs, gates] as numbers [directions, gates, inputs]."""
    scale, zero = (_by_direction(node.input(scale_index + offset)) for offset in (0, 1))
    numbers = centered(node.input(index), zero, ElementType.f32)
    return output(ops.transpose(ops.multiply(numbers, scale), i64([0, 2, 1])))


def _by_direction(parameter: Output) -> Output:
    """Return parameters [directions] or [directions, gates] with axes that fit the weights."""
    axes = [1, 2] if rank_of(parameter) == 1 else [1]
    return output(ops.unsqueeze(parameter, i64(axes)))
