"""The sets of characters that patterns of RE2 name."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache

Ranges = tuple[tuple[str, str], ...]


class PatternError(ValueError):
    """A pattern that RE2 refuses."""


@dataclass(frozen=True)
class Characters:
    """A set of characters by ranges, categories of Unicode and other sets, or the characters outside of it."""

    ranges: Ranges = ()
    categories: tuple[str, ...] = ()
    parts: tuple[Characters, ...] = field(default=())
    is_negated: bool = False

    def contains(self, variants: tuple[str, ...]) -> bool:
        """Return whether a character, or one that differs from it in case only, belongs to the set."""
        is_member = (
            any(first <= variant <= last for first, last in self.ranges for variant in variants)
            or any(unicodedata.category(variant).startswith(self.categories) for variant in variants)
            or any(part.contains(variants) for part in self.parts)
        )
        return is_member != self.is_negated

    def negated(self) -> Characters:
        """Return the set of all other characters."""
        return Characters(parts=(self,), is_negated=True)


_DIGITS: Ranges = (("0", "9"),)
_SPACES: Ranges = (("\t", "\n"), ("\f", "\r"), (" ", " "))
_WORDS: Ranges = (*_DIGITS, ("A", "Z"), ("_", "_"), ("a", "z"))
PERL = {"d": Characters(_DIGITS), "s": Characters(_SPACES), "w": Characters(_WORDS)}
POSIX = {
    "alnum": Characters((*_DIGITS, ("A", "Z"), ("a", "z"))),
    "alpha": Characters((("A", "Z"), ("a", "z"))),
    "ascii": Characters((("\0", "\x7f"),)),
    "blank": Characters((("\t", "\t"), (" ", " "))),
    "cntrl": Characters((("\0", "\x1f"), ("\x7f", "\x7f"))),
    "digit": Characters(_DIGITS),
    "graph": Characters((("!", "~"),)),
    "lower": Characters((("a", "z"),)),
    "print": Characters(((" ", "~"),)),
    "punct": Characters((("!", "/"), (":", "@"), ("[", "`"), ("{", "~"))),
    "space": Characters((("\t", "\r"), (" ", " "))),
    "upper": Characters((("A", "Z"),)),
    "word": Characters(_WORDS),
    "xdigit": Characters((*_DIGITS, ("A", "F"), ("a", "f"))),
}
ANY = Characters((("\0", "\U0010ffff"),))
ANY_BUT_NEWLINE = Characters((("\n", "\n"),)).negated()

_CATEGORIES = frozenset(
    group + member
    for group, members in {
        "C": "cfos",
        "L": "lmotu",
        "M": "cen",
        "N": "dlo",
        "P": "cdefios",
        "S": "ckmo",
        "Z": "lps",
    }.items()
    for member in ("", *members)
)


def of_category(name: str) -> Characters:
    """Return the characters of a category of Unicode such as Lu; scripts are refused."""
    if name.startswith("^"):
        return of_category(name[1:]).negated()
    if name == "Any":
        return ANY
    if name not in _CATEGORIES:
        raise PatternError(f"{name!r} is not a category of Unicode, such as L or Lu")
    return Characters(categories=(name,))


def is_word(character: str) -> bool:
    """Return whether a character is a letter or digit of ASCII, or `_`; `""` is none."""
    return character != "" and PERL["w"].contains((character,))


@lru_cache(maxsize=4096)
def fold(character: str) -> tuple[str, ...]:
    """Return a character and those that differ from it in case only."""
    lower, upper = character.lower(), character.upper()
    variants = {character, lower, upper, lower.upper(), upper.lower(), *_ODD_CASES.get(lower, "")}
    return tuple(sorted(variant for variant in variants if len(variant) == 1))


_ODD_CASES = {"k": "\u212a", "s": "\u017f", "\u00e5": "\u212b"}
"""Characters of which the lower or upper case is an ordinary letter."""
