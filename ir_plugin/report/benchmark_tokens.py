"""The first and the next tokens of a decoder, with the inputs that exporters of language models write."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ir_plugin.errors import InputError
from ir_plugin.openvino.api import CompiledModel, InferRequest
from ir_plugin.openvino.api.lookup import names_of
from ir_plugin.report.inputs import Random, complete
from ir_plugin.tensors import Array

PROMPT = 8
"""Tokens of the prompt where no input says how many."""
_IDS = "input_ids"
_KNOWN = (_IDS, "attention_mask", "position_ids", "token_type_ids", "beam_idx")


@dataclass(frozen=True)
class Tokens:
    """The times of generating tokens, in milliseconds."""

    prompt: int
    """Tokens of the prompt."""
    count: int
    """Tokens that were generated, with the first."""
    first: float
    """From the prompt to the first token."""
    next: float | None
    """The median of all further tokens, None if there are none."""
    slowest: float | None
    rate: float | None
    """Further tokens a second, of all sequences of the batch."""


def measure_tokens(
    compiled: CompiledModel, count: int, inputs: Any = None, seed: int = 0, listener: Callable[[], None] | None = None
) -> Tokens:
    """Time the generation of `count` tokens after a prompt; a stateless model reads the whole sequence each time."""
    ids = _prompt(compiled, inputs, seed)
    decoder = _Decoder(compiled, ids, seed)
    decoder.generate(min(count, 3), None)
    times = decoder.generate(count, listener)
    further = np.array(times[1:])
    if not len(further):
        return Tokens(ids.shape[1], count, times[0], None, None, None)
    rate = len(further) * len(ids) / float(further.sum()) * 1e3
    return Tokens(ids.shape[1], count, times[0], float(np.median(further)), float(further.max()), rate)


def _names(compiled: CompiledModel) -> dict[str, Any]:
    """Return the inputs by the names that decoders have for them."""
    return {
        next((name for name in names_of(port) if name in _KNOWN), names_of(port)[0]): port for port in compiled.inputs
    }


def _prompt(compiled: CompiledModel, inputs: Any, seed: int) -> Array:
    """Return the tokens of the prompt [batch, length]: `input_ids` if given, else random ones."""
    names = _names(compiled)
    unknown = [name for name in names if name not in _KNOWN]
    if _IDS not in names or unknown:
        reason = f"it has an input {unknown[0]!r}" if unknown else f"it has no input {_IDS!r}"
        raise InputError(f"tokens are measured of decoders with state, whose inputs are {', '.join(_KNOWN)}; {reason}")
    provided = dict(inputs or {})
    chosen: Any = provided.get(_IDS, provided.get(None, Random((1, PROMPT))))
    shape = chosen.shape if isinstance(chosen, Random) else np.shape(chosen)
    if len(shape) != 2 or 0 in shape:
        raise InputError(f"{_IDS} have a batch and a length, such as 1x{PROMPT}; they are {list(shape)}")
    fitting = {name: Random(_shape(name, shape, shape[1])) for name in names} | {_IDS: chosen}
    return complete(compiled, fitting, seed)[list(names).index(_IDS)]


def _shape(name: str, ids: tuple[int, ...], total: int) -> tuple[int, ...]:
    batch, length = ids
    return (batch,) if name == "beam_idx" else (batch, total if name == "attention_mask" else length)


class _Decoder:
    """A request that generates tokens; which ones does not matter for the time."""

    def __init__(self, compiled: CompiledModel, ids: Array, seed: int) -> None:
        self._ports, self._prompt = _names(compiled), ids
        self._request: InferRequest = compiled.create_infer_request()
        self._has_state = bool(self._request.query_state())
        self._rng = np.random.default_rng(seed)

    def generate(self, count: int, listener: Callable[[], None] | None) -> list[float]:
        """Return the milliseconds of each token."""
        self._request.reset_state()
        times, ids, total = [], self._prompt, 0
        for _ in range(count):
            total = total + ids.shape[1] if self._has_state else ids.shape[1]
            feed = {port: self._input(name, ids, total) for name, port in self._ports.items()}
            start = time.perf_counter()
            self._request.infer(feed, share_inputs=True)
            times.append((time.perf_counter() - start) * 1e3)
            token = self._rng.choice(self._prompt.reshape(-1), (len(ids), 1)).astype(ids.dtype)
            ids = token if self._has_state else np.concatenate([ids, token], axis=1)
            if listener is not None:
                listener()
        return times

    def _input(self, name: str, ids: Array, total: int) -> Array:
        dtype = self._ports[name].element_type.dtype
        shape = _shape(name, ids.shape, total)
        if name == _IDS:
            return ids
        if name == "beam_idx":
            beams: Array = np.arange(len(ids), dtype=dtype)
            return beams
        if name == "position_ids":
            return np.tile(np.arange(total - ids.shape[1], total, dtype=dtype), (len(ids), 1))
        values: Array = np.full(shape, name == "attention_mask", dtype)
        return values
