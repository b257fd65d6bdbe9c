"""Names shortened so that different ones stay different."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def shortened(text: str, room: int) -> str:
    """Return a text of at most `room` characters, with `…` for its middle."""
    if len(text) <= room:
        return text
    tail = room - 1 - room // 2
    return f"{text[: room // 2]}…{text[len(text) - tail :]}"


def shortened_apart(texts: Iterable[str], room: int) -> dict[str, str]:
    """Return texts shortened to `room` characters: by their middle, or by what those that would look alike share."""
    short = {text: shortened(text, room) for text in texts}
    for group in _alike(short):
        begin = _common(group)
        end = _common([text[begin:][::-1] for text in group])
        short |= {text: _window(text, begin, len(text) - end, room) for text in group}
    for group in _alike(short):
        for number, text in enumerate(group, 1):
            mark = f"~{number}"
            short[text] = f"{short[text][: max(room - len(mark), 0)]}{mark}"
    return short


def _alike(short: dict[str, str]) -> list[list[str]]:
    groups: dict[str, list[str]] = {}
    for text, name in short.items():
        groups.setdefault(name, []).append(text)
    return [group for group in groups.values() if len(group) > 1]


def _common(texts: Sequence[str]) -> int:
    """Return the length of the prefix that all texts have."""
    columns = enumerate(zip(*texts, strict=False))
    return next((at for at, letters in columns if len(set(letters)) > 1), min(map(len, texts)))


def _window(text: str, begin: int, end: int, room: int) -> str:
    """Return the part of a text from `begin` to `end` with some of what is around it, in `room` characters."""
    inner = max(room - 2, 1)
    if end - begin > inner:
        return f"…{shortened(text[begin:end], room - 1)}"
    first = max(min(begin - (inner - (end - begin)) // 2, len(text) - inner), 0)
    last = first + inner
    return f"{'…' if first else ''}{text[first:last]}{'…' if last < len(text) else ''}"
