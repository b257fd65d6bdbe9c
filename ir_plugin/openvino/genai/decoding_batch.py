"""Prompts whose tokens are computed together: a row of one state for each, which joins and leaves between steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ir_plugin.errors import Error
from ir_plugin.openvino.api import Tensor
from ir_plugin.openvino.genai.language_model import LanguageModel, StateAxes
from ir_plugin.tensors import Array

_PROBED_TOKENS = 7
_TOLERANCE = 1e-2
"""The greatest difference of logits, of their range, that is rounding: a token of a short prompt weighs more."""


@dataclass(eq=False)
class Row:
    """A prompt with the tokens after it: its row of the state, and how many of its tokens the state has."""

    index: int = -1
    length: int = 0


class DecodingBatch:
    """Rows of one state; each ends at the state's last position, and a mask hides the positions before its own.

    The state has a power of two of rows, so that the model is compiled for few; rows without a prompt compute
    nothing that is read, until another prompt overwrites them.
    """

    def __init__(self, model: LanguageModel, max_rows: int) -> None:
        self._model, self._max_rows = model, max_rows
        self._request = model.new_request()
        self._states = self._request.query_state()
        self.clear()

    def clear(self) -> None:
        """Forget all rows."""
        self._request.reset_state()
        self.rows: list[Row] = []
        self._size = self._length = 0

    def prefill(self, prompt: Sequence[int], begin: int, end: int) -> Array:
        """Return the logits after some tokens of a prompt, of which the first ones were computed by the last call.

        The prompt is computed alone, as without a batch.
        """
        if not begin:
            self._model.forget()
        logits: Array = self._model.prefill(prompt[:end])[0]
        return logits

    def join(self, prompt: Sequence[int], following: Sequence[int] = ()) -> Row:
        """Return a new row for the prompt that was computed; prompts of the lengths `following` join next.

        Where its state cannot join, the batch has lost its rows.
        """
        try:
            return self._joined(prompt, following)
        except BaseException:
            self.clear()
            raise
        finally:
            self._model.forget()

    def _joined(self, prompt: Sequence[int], following: Sequence[int]) -> Row:
        """Return a new row with the state of the model, after a prompt."""
        states = {state.name: state.state for state in self._model.states}
        if not self.rows and not following:
            self._size, self._length = 1, len(prompt)
            for state in self._states:
                state.state = states[state.name]
            self.rows = [Row(0, len(prompt))]
            return self.rows[0]
        lengths = [len(prompt), *following, *[row.length for row in self.rows]]
        size, length = padded_rows(len(lengths), self._max_rows), max(lengths)
        if size > self._size or length > self._length:
            self._arrange(max(size, self._size), max(length, self._length), states)
        free = set(range(self._size)) - {row.index for row in self.rows}
        row = Row(min(free), len(prompt))
        self._write(row, states)
        self.rows.append(row)
        return row

    def leave(self, row: Row) -> None:
        """Free a row."""
        self.rows.remove(row)

    def step(self, tokens: Mapping[Row, int]) -> dict[Row, Array]:
        """Return the logits of each row after one more token."""
        size, longest = padded_rows(len(self.rows), self._max_rows), max(row.length for row in self.rows)
        if size < self._size or 2 * longest < self._length:
            self._arrange(size, longest, {state.name: state.state for state in self._states})
        ids, lengths = np.zeros((self._size, 1), np.int64), np.zeros((self._size, 1), np.int64)
        for row in self.rows:
            ids[row.index], lengths[row.index] = tokens[row], row.length
        mask = (np.arange(self._length + 1) >= self._length - lengths).astype(np.int64)
        logits = self._model.compute(self._request, ids, mask, lengths, np.arange(self._size))
        self._length += 1
        for row in self.rows:
            row.length += 1
        return {row: logits[row.index] for row in self.rows}

    def _arrange(self, size: int, length: int, shapes: Mapping[str, Tensor]) -> None:
        """Give the state this number of rows and positions; `shapes` are arrays with its other lengths."""
        indices = [row.index for row in self.rows]
        for state in self._states:
            axes, shape = self._model.axes[state.name], list(shapes[state.name].shape)
            shape[axes.batch] = size
            if axes.length is not None:
                shape[axes.length] = length
            values = np.zeros(shape, shapes[state.name].data.dtype)
            if indices:
                moved, count = np.take(state.state.data, indices, axes.batch), min(length, self._length)
                values[_part(axes, range(len(indices)), length, count)] = moved[
                    _part(axes, range(len(indices)), self._length, count)
                ]
            state.state = Tensor(values)
        for index, row in enumerate(self.rows):
            row.index = index
        self._size, self._length = size, length

    def _write(self, row: Row, states: Mapping[str, Tensor]) -> None:
        """Fill a row of the state with the state of a prompt, and what is before it with zeros."""
        rows = range(row.index, row.index + 1)
        for state in self._states:
            axes, values = self._model.axes[state.name], state.state.data
            values[_part(axes, rows, self._length, self._length)] = 0
            values[_part(axes, rows, self._length, row.length)] = states[state.name].data
            if not np.may_share_memory(values, state.state.data):
                state.state = Tensor(values)


def batching_obstacle(model: LanguageModel, vocabulary_size: int) -> str:
    """Return why prompts of different lengths cannot be the rows of one state; empty where they can.

    Two prompts are computed alone and together: their logits differ where a model reads what a mask hides, or counts
    positions from the beginning of the state.
    """
    unordered = next((name for name, axes in model.axes.items() if not axes.is_selected), None)
    if unordered is not None:
        return f"beam_idx does not select rows of the state {unordered}"
    ids: list[int] = np.linspace(0, vocabulary_size - 1, _PROBED_TOKENS, dtype=np.int64).tolist()
    prompts = ids[:2], ids[2:]
    try:
        alone, together = [_alone(model, prompt) for prompt in prompts], _together(model, prompts)
    except Error as fault:
        return str(fault)
    differences = [np.abs(row - apart).max() / np.ptp(apart) for apart, row in zip(alone, together, strict=True)]
    is_rounding = all(difference <= _TOLERANCE for difference in differences)
    return "" if is_rounding else "the logits of a prompt change with the length of another"


def _alone(model: LanguageModel, prompt: Sequence[int]) -> Array:
    """Return the logits after a prompt and one more token."""
    model.forget()
    model.prefill(prompt)
    logits: Array = model.step(prompt[:1], [0])[0]
    model.forget()
    return logits


def _together(model: LanguageModel, prompts: Sequence[Sequence[int]]) -> list[Array]:
    """Return the logits after each prompt and one more token, computed in a batch."""
    batch, lengths = DecodingBatch(model, len(prompts)), [len(prompt) for prompt in prompts]
    rows = [_joined_in_parts(batch, prompt, lengths[at:]) for at, prompt in enumerate(prompts, 1)]
    logits = batch.step({row: prompt[0] for row, prompt in zip(rows, prompts, strict=True)})
    return [logits[row] for row in rows]


def _joined_in_parts(batch: DecodingBatch, prompt: Sequence[int], following: Sequence[int]) -> Row:
    """Return the row of a prompt whose last token is computed by itself."""
    for begin, end in ((0, len(prompt) - 1), (len(prompt) - 1, len(prompt))):
        batch.prefill(prompt, begin, end)
    return batch.join(prompt, following)


def padded_rows(count: int, most: int) -> int:
    """Return the next power of two, so that a model has few plans; at most the maximum, unless there are more rows."""
    return max(count, min(1 << (count - 1).bit_length(), most))


def _part(axes: StateAxes, rows: range, end: int, count: int) -> tuple[slice, ...]:
    """Return the index of some rows of a state, at the last positions before an end."""
    index = [slice(None)] * (1 + max(axes.batch, axes.length or 0))
    index[axes.batch] = slice(rows.start, rows.stop)
    if axes.length is not None:
        index[axes.length] = slice(end - count, end)
    return tuple(index)
