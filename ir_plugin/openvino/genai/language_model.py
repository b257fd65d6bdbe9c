"""A decoder whose keys and values are its state: tokens in, logits of the next token out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ir_plugin.errors import InputError, UnsupportedError
from ir_plugin.model import Input, Node
from ir_plugin.openvino.api import Core, InferRequest, Model, Tensor
from ir_plugin.operations.arithmetic.binary import Add, Multiply
from ir_plugin.operations.arithmetic.division import Divide
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.infrastructure.read_value import ReadValue
from ir_plugin.operations.matrix.matmul import MatMul
from ir_plugin.operations.movement.gather import Gather
from ir_plugin.operations.shape.shape_of import ShapeOf
from ir_plugin.operations.type.convert import Convert
from ir_plugin.opsets import opset13
from ir_plugin.tensors import Array

_INPUTS = {"input_ids", "attention_mask", "position_ids", "beam_idx"}

_EXPORT = "optimum-cli export openvino --task text-generation-with-past gives a decoder its state"
_EMBEDS = "it has no logits: TextEmbeddingPipeline and `ir-plugin serve` take models of embeddings"


class StateAxes(NamedTuple):
    """The axes of a state: of its rows, and the one that grows with each token.

    `is_selected` says whether beam_idx selects the rows, as it does in states of several prompts.
    """

    batch: int
    length: int | None
    is_selected: bool


class LanguageModel:
    """Computes logits token by token; `cached` are the tokens whose keys and values are the state of its only row."""

    def __init__(self, model: Model, device: str, properties: Mapping[str, Any]) -> None:
        self._names = {port.any_name for port in model.inputs}
        missing, unknown = _INPUTS - {"position_ids"} - self._names, self._names - _INPUTS
        if missing or unknown:
            problem = f"has no {', '.join(sorted(missing))}" if missing else f"also has {', '.join(sorted(unknown))}"
            has_logits = any("logits" in port.names for port in model.outputs)
            raise UnsupportedError(
                f"a language model has the inputs {', '.join(sorted(_INPUTS))}; this one {problem}; "
                + (_EXPORT if has_logits else _EMBEDS)
            )
        _keep_last_position(model)
        self._tokens = _token_count(model)
        self.axes = {str(node.operation.variable_id): _axes(node) for node in _states(model)}
        self._compiled = Core().compile_model(model, device, dict(properties))
        self._request = self._compiled.create_infer_request()
        self.states = self._request.query_state()
        """The state after the cached tokens."""
        self._length = 0
        self.cached: list[int] = []

    def new_request(self) -> InferRequest:
        """Return a request with its own state."""
        return self._compiled.create_infer_request()

    def forget(self) -> None:
        """Return to the state before any token."""
        self._request.reset_state()
        self.cached = []

    def prefill(self, prompt: Sequence[int]) -> Array:
        """Return the logits after a prompt, of which only what follows the cached tokens is computed."""
        if self._tokens is not None and max(prompt, default=0) >= self._tokens:
            raise InputError(
                f"the prompt has the token {max(prompt)}, the model the tokens 0 to {self._tokens - 1}: "
                "its tokenizer is that of another model"
            )
        shared = 0
        for cached, token in zip(self.cached, prompt[:-1], strict=False):
            if cached != token:
                break
            shared += 1
        if not shared or not self._trim(shared):
            self.forget()
            shared = 0
        self._length = shared
        return self._logits(np.array([prompt[shared:]], np.int64), [0], list(prompt[:shared]))

    def step(self, tokens: Sequence[int], rows: Sequence[int]) -> Array:
        """Return the logits after one more token for each row; rows of the state may be repeated or dropped."""
        return self._logits(np.array(tokens, np.int64)[:, None], rows, self.cached)

    def _logits(self, ids: Array, rows: Sequence[int], past: list[int]) -> Array:
        count, length = ids.shape
        positions = np.broadcast_to(np.arange(self._length, self._length + length), ids.shape)
        self._length += length
        self.cached = []  # until the state holds these tokens
        logits = self.compute(self._request, ids, np.ones((count, self._length), np.int64), positions, rows)
        if count == 1 and len(past) + length == self._length:
            self.cached = [*past, *ids[0].tolist()]
        return logits

    def compute(
        self, request: InferRequest, ids: Array, mask: Array, positions: Array, rows: Array | Sequence[int]
    ) -> Array:
        """Return the logits of the last tokens; `rows` are the rows of the request's state that tokens continue."""
        feeds = {
            "input_ids": ids,
            "attention_mask": mask,
            "position_ids": np.ascontiguousarray(positions),
            "beam_idx": np.array(rows, np.int32),
        }
        results = request.infer({name: feeds[name] for name in self._names})
        logits: Array = np.asarray(results[0], np.float32)[:, -1]
        return logits

    def _trim(self, length: int) -> bool:
        """Keep the first tokens of the state, and return whether that is possible."""
        if length == len(self.cached):
            return True
        if any(axes.length is None for axes in self.axes.values()):
            return False
        for state in self.states:
            axis, values = self.axes[state.name].length, state.state.data
            values = np.ascontiguousarray(np.take(values, np.arange(length), axis))
            state.state = Tensor(values)
        return True


def _token_count(model: Model) -> int | None:
    """Return how many tokens have a row in the table that input_ids selects from, None where the graph has no such."""
    ports = [port for port in model.inputs if "input_ids" in port.names]
    while ports:
        readers = [reader for port in ports for reader in port.target_inputs]
        tables = [reader.node.input_value(0) for reader in readers if reader.node.is_a(Gather) and reader.index == 1]
        for dims in (table.partial_shape.dims for table in tables):
            if dims and dims[0].is_static:
                return dims[0].get_length()
        ports = [reader.node.outputs[0] for reader in readers if reader.node.is_a(Convert)]
    return None


def _states(model: Model) -> list[Node]:
    return [node for node in model.get_ordered_ops() if node.is_a(ReadValue)]


def _axes(node: Node) -> StateAxes:
    """Return the axis of a state whose rows beam_idx selects, and the one that grows: of no elements at first."""
    dims = node.input_value(0).partial_shape.dims if node.inputs else None
    empty = [axis for axis, dim in enumerate(dims or ()) if dim.is_static and dim.get_length() == 0]
    selected = [_selected_axis(port) for port in node.outputs[0].target_inputs if not port.node.is_a(ShapeOf)]
    batch = selected[0] if len(set(selected)) == 1 else None
    return StateAxes(batch or 0, empty[0] if len(empty) == 1 else None, batch is not None)


def _selected_axis(port: Input) -> int | None:
    """Return the axis along which beam_idx selects what a port reads."""
    node = port.node
    if not node.is_a(Gather) or port.index != 0 or "beam_idx" not in node.input_value(1).names:
        return None
    axis, rank = node.input_value(2).node.operation, node.input_value(0).partial_shape.rank
    return int(axis.evaluate()) % rank.get_length() if isinstance(axis, Const) and rank.is_static else None


def _keep_last_position(model: Model) -> None:
    """Let the last matrix product of a model compute the logits of the last position only."""
    node = model.results[0].input_value(0).node
    while node.is_a(Add, Multiply, Divide) or len(node.inputs) == 1:
        node = node.input_value(0).node
    if not node.is_a(MatMul) or len(node.input_value(0).partial_shape.dims or ()) != 3:
        return
    hidden = node.input_value(0)
    last = opset13.slice(hidden, np.array([-1]), np.array([2**31 - 1]), np.array([1]), np.array([1]))
    node.input(0).replace_source_output(last.output(0))
    model.validate_nodes_and_infer_types()
