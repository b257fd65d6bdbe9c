"""The logarithms of probabilities of an answer's tokens, as OpenAI's protocol writes them."""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ir_plugin import genai

_LEAST = -9999.0
"""What is written for a token without probability, as JSON has no infinity."""
_BYTE = re.compile(rb"<0x([0-9A-F]{2})>")
"""How vocabularies name a token of one byte."""


@dataclass(frozen=True)
class ScoredToken:
    """A token with the logarithm of its probability; `bytes` is None where a part of a character is not known.

    `offset` is where its text begins in the answer's text; `highest` are the most probable tokens at its place.
    """

    text: str
    bytes: bytes | None
    log_prob: float
    offset: int = 0
    highest: Sequence[ScoredToken] = field(default_factory=list)


class TokenTexts:
    """The texts and bytes of single tokens. A detokenizer decodes each after another one, or as the first one."""

    def __init__(self, tokenizer: genai.Tokenizer) -> None:
        self._tokenizer = tokenizer
        self.textless = tokenizer.textless()
        self._texts = dict[tuple[int, bool], str]()

    def scored(self, token: int, log_prob: float, *, is_first: bool) -> ScoredToken:
        """Return a token of which `load` was told."""
        text = self._texts[token, is_first]
        return ScoredToken(text, self._bytes(token, text), max(log_prob, _LEAST))

    def load(self, tokens: Sequence[int], *, is_first: bool) -> None:
        """Decode tokens that were not decoded before."""
        missing = [token for token in dict.fromkeys(tokens) if (token, is_first) not in self._texts]
        if not missing:
            return
        before = [] if is_first else self._anchor[:1]
        texts = self._tokenizer.decode([[*before, token] for token in missing], skip_special_tokens=False)
        skipped = 0 if is_first else len(self._tokenizer.decode(before))
        self._texts |= {(token, is_first): text[skipped:] for token, text in zip(missing, texts, strict=True)}

    @cached_property
    def _anchor(self) -> list[int]:
        """The token of a letter, after which the text of others is not the begin of a text."""
        return genai.token_ids(self._tokenizer, "a", add_special_tokens=False)[-1:]

    @cached_property
    def _vocabulary(self) -> dict[int, bytes]:
        return {token: text for text, token in self._tokenizer.get_vocab().items()}

    def _bytes(self, token: int, text: str) -> bytes | None:
        """Return the bytes of a token, which may be a part of a character."""
        if "\N{REPLACEMENT CHARACTER}" not in text:
            return text.encode()
        entry = self._vocabulary.get(token, b"")
        byte = _BYTE.fullmatch(entry)
        if byte is not None:
            return bytes.fromhex(byte[1].decode())
        return entry if "\N{REPLACEMENT CHARACTER}" in entry.decode("utf-8", "replace") else None


class AnswerTokens:
    """The tokens of an answer that were not yet written, with `count` of the most probable tokens at each place."""

    def __init__(self, texts: TokenTexts, count: int) -> None:
        self._texts, self._count, self._written, self._offset = texts, count, 0, 0
        self._decoder = getincrementaldecoder("utf-8")("replace")

    def until(self, sequence: genai.Sequence, end: int) -> list[ScoredToken]:
        """Return the next tokens of a sequence up to an end."""
        scored = []
        for at in range(self._written, end):
            id, candidates, is_first = sequence.tokens[at], sequence.alternatives[at][: self._count], at == 0
            self._texts.load([id, *(other for other, _ in candidates)], is_first=is_first)
            others = [self._texts.scored(*candidate, is_first=is_first) for candidate in candidates]
            token = self._texts.scored(id, sequence.log_probs[at], is_first=is_first)
            scored.append(replace(token, offset=self._offset, highest=others))
            if not self._texts.textless(id):
                self._offset += len(self._decoder.decode(token.text.encode() if token.bytes is None else token.bytes))
        self._written = max(self._written, end)
        return scored


def completion_log_probs(tokens: Sequence[ScoredToken]) -> dict[str, Any]:
    """Return the logarithms of probabilities as a choice of /v1/completions has them."""
    highest = [{other.text: other.log_prob for other in reversed([*token.highest, token])} for token in tokens]
    return {
        "tokens": [token.text for token in tokens],
        "token_logprobs": [token.log_prob for token in tokens],
        "top_logprobs": highest if any(token.highest for token in tokens) else None,
        "text_offset": [token.offset for token in tokens],
    }


def chat_log_probs(tokens: Sequence[ScoredToken]) -> dict[str, Any]:
    """Return the logarithms of probabilities as a choice of /v1/chat/completions has them."""
    return {
        "content": [_entry(token) | {"top_logprobs": [_entry(other) for other in token.highest]} for token in tokens],
        "refusal": None,
    }


def _entry(token: ScoredToken) -> dict[str, Any]:
    data = None if token.bytes is None else list(token.bytes)
    return {"token": token.text, "logprob": token.log_prob, "bytes": data}
