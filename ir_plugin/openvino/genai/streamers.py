"""Streamers, which receive tokens while text is generated, and may stop it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from typing import Any

from ir_plugin.errors import require, wrong_type
from ir_plugin.openvino.genai.tokenizer import Tokenizer

_DELAY = 3
"""How many tokens may still change the text before them."""

_INCOMPLETE, _UNKNOWN = -1, -2


class StreamingStatus(IntEnum):
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
        self._tokenizer = tokenizer
        self._callback = callback
        self._options = dict(detokenization_params or {})
        self._forget()

    def _forget(self) -> None:
        self._tokens: list[int] = []
        self._lengths: list[int] = []
        self._printed = 0

    def write(self, token: int | Sequence[int]) -> StreamingStatus:
        """Receive tokens, and pass the text on that is certain."""
        tokens = list(token) if isinstance(token, Sequence) else [token]
        if not tokens:
            return StreamingStatus.RUNNING
        self._tokens += tokens
        text = self._text(len(self._tokens))
        self._lengths += [*[_UNKNOWN] * (len(tokens) - 1), _complete_length(text)]
        if text.endswith("\n") and len(text) > self._printed:
            piece = text[self._printed :]
            self._forget()
            return self._call(piece)
        if self._lengths[-1] == _INCOMPLETE or len(self._lengths) < _DELAY:
            return StreamingStatus.RUNNING
        length = self._length_at(len(self._lengths) - _DELAY)
        piece, self._printed = text[self._printed : max(length, self._printed)], max(length, self._printed)
        return self._call(piece)

    def end(self) -> None:
        """Pass on the text that was not certain yet."""
        text = self._text(len(self._tokens))
        piece = text[self._printed :]
        self._forget()
        if piece:
            self._callback(piece)

    def _text(self, count: int) -> str:
        return str(self._tokenizer.decode(self._tokens[:count], **self._options))

    def _length_at(self, position: int) -> int:
        """Return the length of the text up to a token, -1 where its last character is incomplete."""
        if self._lengths[position] == _UNKNOWN:
            self._lengths[position] = _complete_length(self._text(position + 1))
        return self._lengths[position]

    def _call(self, piece: str) -> StreamingStatus:
        return status_of(self._callback(piece)) if piece else StreamingStatus.RUNNING


def _complete_length(text: str) -> int:
    return _INCOMPLETE if text.endswith("\ufffd") else len(text)


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
