"""Regular expressions of PCRE2 with the options UTF and UCP, translated for the package `regex`."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ir_plugin.errors import EvaluationError, UnsupportedError

SPACES = r"\t-\r\x85\p{Z}\u180e"
DIGITS = r"\p{Nd}"
WORDS = r"\p{L}\p{N}\p{Mn}\p{Pc}"
_CLASSES = {"s": SPACES, "d": DIGITS, "w": WORDS, "h": r"\t\p{Zs}\u180e", "v": r"\n-\r\x85\u2028\u2029"}
_BOUNDARY = f"(?:(?<=[{WORDS}])(?![{WORDS}])|(?<![{WORDS}])(?=[{WORDS}]))"
_OUTSIDE = {
    "z": r"\Z", "Z": r"(?=\n?\Z)", "b": _BOUNDARY, "B": f"(?!{_BOUNDARY})", "e": r"\x1b", "N": r"[^\n]",
    "R": r"(?>\r\n|[\n-\r\x85\u2028\u2029])",
}  # fmt: skip
_IN_SETS = {"b": r"\x08", "e": r"\x1b"}


def compiled(pattern: str) -> Any:
    """Return a pattern compiled; raises where it is none, or the package is missing."""
    try:
        import regex
    except ImportError as fault:
        raise UnsupportedError(
            f"regular expressions need the package regex, which cannot be imported ({fault}); pip install regex"
        ) from None
    try:
        return regex.compile(translated(pattern))
    except regex.error as fault:
        raise EvaluationError(f"the regular expression {pattern!r} cannot be compiled: {fault}") from None


@lru_cache(maxsize=64)
def translated(pattern: str) -> str:
    """Return a pattern with the classes of PCRE2 written out."""
    output, position = [], 0
    while position < len(pattern):
        character = pattern[position]
        if character == "\\":
            text, position = _escape(pattern, position)
        elif character == "[":
            text, position = _set(pattern, position)
        else:
            text, position = character, position + 1
        output.append(text)
    return "".join(output)


def _escape(pattern: str, start: int) -> tuple[str, int]:
    """Return an escape outside of sets, and the position after it."""
    letter, after = pattern[start + 1 : start + 2], start + 2
    if letter == "Q":
        end = pattern.find(r"\E", after)
        end = len(pattern) if end < 0 else end
        return "".join(map(_literal, pattern[after:end])), end + 2
    if letter == "x":
        return _code_point(pattern, after)
    if letter.lower() in _CLASSES and letter:
        return f"[{'^' * letter.isupper()}{_CLASSES[letter.lower()]}]", after
    return _OUTSIDE.get(letter, "\\" + letter), after


def _literal(character: str) -> str:
    return f"\\U{ord(character):08x}"


def _code_point(pattern: str, start: int) -> tuple[str, int]:
    """Return the character of a code such as x41 or x{1F600}, and the position after it."""
    if pattern[start : start + 1] == "{":
        end = pattern.find("}", start)
        digits, after = pattern[start + 1 : end], end + 1
    else:
        length = 0
        while length < 2 and pattern[start + length : start + length + 1] in set("0123456789abcdefABCDEF"):
            length += 1
        digits, after = pattern[start : start + length] or "0", start + length
    try:
        return _literal(chr(int(digits, 16))), after
    except (ValueError, OverflowError):
        raise EvaluationError(f"the regular expression {pattern!r} has no character of code {digits}") from None


def _set(pattern: str, start: int) -> tuple[str, int]:
    """Return a set, and the position after it.

    One that holds the complement of a class becomes an alternative of sets.
    """
    position = start + 1
    is_negated = pattern[position : position + 1] == "^"
    position += is_negated
    members: list[str] = []
    complements: list[str] = []
    first = position
    while position < len(pattern) and (pattern[position] != "]" or position == first):
        text, position = _member(pattern, position, complements)
        members.append(text)
    sets = [f"[{''.join(members)}]"] if "".join(members) else []
    sets += [f"[^{text}]" for text in complements]
    if not complements:
        return f"[{'^' * is_negated}{''.join(members)}]", position + 1
    joined = "|".join(sets)
    return f"(?:(?!{joined})(?s:.))" if is_negated else f"(?:{joined})", position + 1


def _member(pattern: str, position: int, complements: list[str]) -> tuple[str, int]:
    """Return a member of a set, and the position after it; the complement of a class is appended to a list."""
    character = pattern[position]
    if pattern.startswith("[:", position) and ":]" in pattern[position:]:
        end = pattern.index(":]", position) + 2
        return pattern[position:end], end
    if character != "\\":
        return ("\\" + character if character in "[]&|~" else character), position + 1
    letter, after = pattern[position + 1 : position + 2], position + 2
    if letter == "x":
        return _code_point(pattern, after)
    if letter and letter.lower() in _CLASSES:
        if letter.islower():
            return _CLASSES[letter], after
        complements.append(_CLASSES[letter.lower()])
        return "", after
    return _IN_SETS.get(letter, "\\" + letter), after
