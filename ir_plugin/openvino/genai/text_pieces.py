"""The pieces of a text whose tokens come one after another."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from ir_plugin.openvino.genai.tokenizer import Tokenizer

_DELAY = 3
"""How many tokens may still change the text before them."""

_CONTEXT = 8
"""How many tokens whose text was passed on are decoded again with the next ones."""

_LONGEST_WINDOW = 24
"""How many tokens are decoded at a time, before the first ones are left out."""

_INCOMPLETE, _UNKNOWN = -1, -2
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


class TextPieces:
    """Tells the next piece of a text as soon as later tokens cannot change it.

    The tokens of a piece are decoded with a few before them. Their text tells where a text begins, of which some
    detokenizers strip a space, and belongs to no piece. The caller decodes them, as it may have several texts.
    """

    def __init__(self, tokenizer: Tokenizer, skip_special_tokens: bool = True) -> None:
        self._tokenizer, self._skips = tokenizer, skip_special_tokens
        self._is_textless = tokenizer.textless(skip_special_tokens=skip_special_tokens)
        self._tokens: list[int] = []
        self._text = ""
        self._printed = 0
        self._pending: deque[tuple[int, int]] = deque(maxlen=_DELAY)
        self._lengths: dict[int, int] = {}

    def append(self, tokens: Sequence[int]) -> list[int]:
        """Take the next tokens, and return the tokens whose text `piece` needs; none if the text does not change.

        A token without text is only decoded where it may end a character: after bytes that are none.
        """
        self._lengths, is_open = {len(self._tokens): _complete_length(self._text)}, self._text.endswith(_REPLACEMENT)
        for token in tokens:
            if not self._is_textless(token) or (is_open and not self._is_textless(self._tokens[-1])):
                self._tokens.append(token)
                is_open = True
            self._pending.append((len(self._tokens), _UNKNOWN))
        return list(self._tokens) if len(self._tokens) not in self._lengths else []

    def piece(self, text: str | None) -> str:
        """Return the text that is certain since the last piece; `text` belongs to the tokens from `append`, if any."""
        lengths, self._text = self._lengths, self._text if text is None else text
        lengths[len(self._tokens)] = _complete_length(self._text)
        self._pending = deque(((count, lengths.get(count, length)) for count, length in self._pending), _DELAY)
        if self._text.endswith("\n") and len(self._text) > self._printed:
            self._pending.clear()
            length = len(self._text)
        elif self._pending[-1][1] == _INCOMPLETE or len(self._pending) < _DELAY:
            return ""
        else:
            length = max(self._printed, self._next_length())
        piece, self._printed = self._text[self._printed : length], length
        if len(self._tokens) > _LONGEST_WINDOW:
            self._shorten()
        return piece

    def rest(self) -> str:
        """Return the text that was not certain yet."""
        return self._text[self._printed :]

    def _next_length(self) -> int:
        """Return how long the text is after the oldest token that may still be changed by later ones."""
        count, length = self._pending[0]
        return _complete_length(self.decoded(self._tokens[:count])) if length == _UNKNOWN else length

    def _shorten(self) -> None:
        """Keep a few of the tokens whose text is passed on, if the text after them stays the same without others.

        It does not where the first one kept is in the midst of a character, which has up to four bytes.
        """
        settled = self._pending[0][0] if self._pending else len(self._tokens)
        for first in range(settled - _CONTEXT, settled - _CONTEXT - 4, -1):
            text = self.decoded(self._tokens[first:])
            dropped = len(self._text) - len(text)
            if self._text.endswith(text) and dropped < self._printed:
                break
        else:
            return
        self._tokens, self._text, self._printed = self._tokens[first:], text, self._printed - dropped
        moved = [(count - first, length if length < 0 else max(0, length - dropped)) for count, length in self._pending]
        self._pending = deque(moved, _DELAY)

    def decoded(self, tokens: Sequence[int]) -> str:
        """Return the text of tokens."""
        return str(self._tokenizer.decode(tokens, skip_special_tokens=self._skips))


def _complete_length(text: str) -> int:
    """Return how long the part of a text is that further bytes cannot change, -1 where they may end its last character.

    A character has up to three bytes before its last one.
    """
    if not text.endswith(_REPLACEMENT):
        return len(text)
    return len(text) - 3 if text.endswith(4 * _REPLACEMENT) else _INCOMPLETE
