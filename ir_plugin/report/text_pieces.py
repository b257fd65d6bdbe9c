"""The pieces into which a tokenizer splits a text, and where they stand in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ir_plugin.openvino.genai import Tokenizer, token_ids

_SPACE = "▁".encode()
"""How vocabularies of SentencePiece write a space."""


@dataclass(frozen=True)
class Piece:
    """A token: its id and text, the positions of its first character and after its last, and whether it is special.

    `offset` is None for a token that the tokenizer adds, and after a piece that differs from the text.
    """

    id: int
    text: str
    offset: tuple[int, int] | None
    is_special: bool


def pieces(tokenizer: Tokenizer, text: str, *, add_special_tokens: bool = True) -> list[Piece]:
    """Return the pieces of a text."""
    ids = token_ids(tokenizer, text, add_special_tokens=add_special_tokens)
    inner = token_ids(tokenizer, text, add_special_tokens=False)
    special = {id for id in set(ids) if not tokenizer.decode([id])}
    vocabulary = {id: content for content, id in tokenizer.get_vocab().items()}
    contents = [vocabulary.get(id, b"") for id in ids]
    first = next((at for at in range(len(ids)) if ids[at : at + len(inner)] == inner), 0)
    offsets = [None] * first + _offsets(contents[first : first + len(inner)], text.encode("utf-8", "replace"))
    offsets += [None] * (len(ids) - len(offsets))
    characters = _character_positions(text)
    return [
        Piece(
            id,
            content.decode("utf-8", "replace"),
            None if offset is None else (characters[offset[0]], characters[offset[1] - 1] + 1),
            id in special and bool(content),
        )
        for id, content, offset in zip(ids, contents, offsets, strict=True)
    ]


def _offsets(contents: Sequence[bytes], text: bytes) -> list[tuple[int, int] | None]:
    """Return the first byte of each piece in a text and that after its last, None from the first that differs."""
    offsets: list[tuple[int, int] | None] = []
    lowered, position = text.lower(), 0
    for content in contents:
        offset = _offset(content.replace(_SPACE, b" ").lower(), lowered, position)
        if offset is None:
            break
        offsets.append(offset)
        position = offset[1]
    return offsets + [None] * (len(contents) - len(offsets))


def _offset(content: bytes, text: bytes, position: int) -> tuple[int, int] | None:
    """Return the bytes of a piece that begins at a position or after spaces there.

    A piece may begin with a space that the tokenizer adds, or with the ## of WordPiece.
    """
    spaces = len(text) - position - len(text[position:].lstrip())
    for begin in (position, position + spaces):
        for candidate in (content, content.removeprefix(b" "), content.removeprefix(b"##")):
            if candidate and text.startswith(candidate, begin):
                return begin, begin + len(candidate)
    return None


def _character_positions(text: str) -> list[int]:
    """Return the position of the character of each byte in UTF-8."""
    return [
        position for position, character in enumerate(text) for _ in range(len(character.encode("utf-8", "replace")))
    ]
