"""Streamers, which receive tokens while text is generated, and may stop it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ir_plugin.errors import require, wrong_type
from ir_plugin.openvino.genai.enumeration import Enumeration
from ir_plugin.openvino.genai.tokenizer import Tokenizer

_DELAY = 3
"""How many tokens may still change the text before them."""

_CONTEXT = 8
"""How many tokens whose text was passed on are decoded again with the next ones."""

_LONGEST_WINDOW = 24
"""How many tokens are decoded at a time, before the first ones are left out."""

_INCOMPLETE, _UNKNOWN = -1, -2
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


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
    """Calls a function with each new piece of text, as soon as later tokens cannot change it.

    The tokens of a piece are decoded with a few before them. Their text tells where a text begins, of which some
    detokenizers strip a space, and belongs to no piece.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        callback: Callable[[str], Any],
        detokenization_params: Mapping[str, Any] | None = None,
    ) -> None:
        require(tokenizer, Tokenizer, "a Tokenizer", "tokenizer")
        if not callable(callback):
            raise wrong_type("callback", "a function", callback)
        self._tokenizer = tokenizer
        self._callback = callback
        self._options = dict(detokenization_params or {})
        self._is_textless = tokenizer.textless(**self._options)
        self._forget()

    def _forget(self) -> None:
        self._tokens: list[int] = []
        self._text = ""
        self._printed = 0
        self._pending: deque[tuple[int, int]] = deque(maxlen=_DELAY)

    def write(self, token: int | Sequence[int]) -> StreamingStatus:
        """Receive tokens, and pass the text on that is certain."""
        tokens = list(token) if isinstance(token, Sequence) else [token]
        if not tokens:
            return StreamingStatus.RUNNING
        self._append(tokens)
        is_line = self._text.endswith("\n") and len(self._text) > self._printed
        if is_line:
            self._pending.clear()
            length = len(self._text)
        elif self._pending[-1][1] == _INCOMPLETE or len(self._pending) < _DELAY:
            return StreamingStatus.RUNNING
        else:
            length = max(self._printed, self._next_length())
        piece, self._printed = self._text[self._printed : length], length
        if len(self._tokens) > _LONGEST_WINDOW:
            self._shorten()
        return status_of(self._callback(piece)) if piece else StreamingStatus.RUNNING

    def end(self) -> None:
        """Pass on the text that was not certain yet."""
        piece = self._text[self._printed :]
        self._forget()
        if piece:
            self._callback(piece)

    def _append(self, tokens: Sequence[int]) -> None:
        """Decode tokens, and note how long the text is after each, where that is known without more decoding.

        One without text is only decoded where it may end a character: after bytes that are none.
        """
        lengths, is_open = {len(self._tokens): _complete_length(self._text)}, self._text.endswith(_REPLACEMENT)
        for token in tokens:
            if not self._is_textless(token) or (is_open and not self._is_textless(self._tokens[-1])):
                self._tokens.append(token)
                is_open = True
            self._pending.append((len(self._tokens), _UNKNOWN))
        if len(self._tokens) not in lengths:
            self._text = self._decoded(self._tokens)
        lengths[len(self._tokens)] = _complete_length(self._text)
        self._pending = deque(((count, lengths.get(count, length)) for count, length in self._pending), _DELAY)

    def _next_length(self) -> int:
        """Return how long the text is after the oldest token that may still be changed by later ones."""
        count, length = self._pending[0]
        return _complete_length(self._decoded(self._tokens[:count])) if length == _UNKNOWN else length

    def _shorten(self) -> None:
        """Keep a few of the tokens whose text is passed on, if the text after them stays the same without others.

        It does not where the first one kept is in the midst of a character, which has up to four bytes.
        """
        settled = self._pending[0][0] if self._pending else len(self._tokens)
        for first in range(settled - _CONTEXT, settled - _CONTEXT - 4, -1):
            text = self._decoded(self._tokens[first:])
            dropped = len(self._text) - len(text)
            if self._text.endswith(text) and dropped < self._printed:
                break
        else:
            return
        self._tokens, self._text, self._printed = self._tokens[first:], text, self._printed - dropped
        moved = [(count - first, length if length < 0 else max(0, length - dropped)) for count, length in self._pending]
        self._pending = deque(moved, _DELAY)

    def _decoded(self, tokens: Sequence[int]) -> str:
        return str(self._tokenizer.decode(tokens, **self._options))


def _complete_length(text: str) -> int:
    """Return how long the part of a text is that further bytes cannot change, -1 where they may end its last character.

    A character has up to three bytes before its last one.
    """
    if not text.endswith(_REPLACEMENT):
        return len(text)
    return len(text) - 3 if text.endswith(4 * _REPLACEMENT) else _INCOMPLETE


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
