"""Streamers, which receive tokens while text is generated, and may stop it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ir_plugin.errors import require, wrong_type
from ir_plugin.openvino.genai.enumeration import Enumeration
from ir_plugin.openvino.genai.text_pieces import TextPieces
from ir_plugin.openvino.genai.tokenizer import Tokenizer


class StreamingStatus(Enumeration):
    """What a streamer answers: go on, stop, stop and forget the turn of the chat, or stop for a call of a tool."""

    RUNNING = 0
    STOP = 1
    CANCEL = 2
    TOOL_CALL_STOP = 3


class StreamerBase:
    """The base of streamers: `write` receives new tokens, `end` is called after the last ones."""

    def write(self, token: int | Sequence[int]) -> StreamingStatus | bool | None:
        """Receive a token or a list of tokens, and return whether to go on."""
        raise NotImplementedError(f"{type(self).__name__} does not define write")

    def end(self) -> None:
        """Receive the end of generation."""
        raise NotImplementedError(f"{type(self).__name__} does not define end")


class TextStreamer(StreamerBase):
    """Calls a function with each new piece of text, as soon as later tokens cannot change it."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        callback: Callable[[str], Any],
        detokenization_params: Mapping[str, Any] | None = None,
    ) -> None:
        require(tokenizer, Tokenizer, "a Tokenizer", "tokenizer")
        if not callable(callback):
            raise wrong_type("callback", "a function", callback)
        self._new_pieces = partial(TextPieces, tokenizer, **dict(detokenization_params or {}))
        self._callback = callback
        self._pieces = self._new_pieces()

    def write(self, token: int | Sequence[int]) -> StreamingStatus:
        """Receive tokens, and pass the text on that is certain."""
        tokens = list(token) if isinstance(token, Sequence) else [token]
        if not tokens:
            return StreamingStatus.RUNNING
        window = self._pieces.append(tokens)
        piece = self._pieces.piece(self._pieces.decoded(window) if window else None)
        return status_of(self._callback(piece)) if piece else StreamingStatus.RUNNING

    def end(self) -> None:
        """Pass on the text that was not certain yet."""
        piece, self._pieces = self._pieces.rest(), self._new_pieces()
        if piece:
            self._callback(piece)


def status_of(answer: Any) -> StreamingStatus:
    """Return the status that an answer means: None goes on, True stops."""
    if answer is None:
        return StreamingStatus.RUNNING
    require(answer, (bool, int), "a StreamingStatus, True, False or None", "answer of the streamer")
    matched = [status for status in StreamingStatus if status == answer]
    return matched[0] if matched else StreamingStatus.STOP


def as_streamer(streamer: Any, tokenizer: Tokenizer) -> StreamerBase | None:
    """Return a streamer, or one that calls a function with pieces of text."""
    if streamer is None or isinstance(streamer, StreamerBase):
        return streamer
    if not callable(streamer):
        raise wrong_type("streamer", "a function or a StreamerBase", streamer)
    return TextStreamer(tokenizer, streamer)
