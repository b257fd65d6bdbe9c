"""Which known word was probably meant by an unknown one."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches
from functools import lru_cache
from heapq import nlargest
from itertools import islice

from ir_plugin.diagnostics.escape import safe

_LONGEST = 64
_MOST = 2000
_COMPARED = 20


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `did you mean "strides"?` for the known word that is nearest, or nothing where none is near."""
    nearest = close_matches(word, known, 1)
    return f'did you mean "{safe(nearest[0])}"?' if nearest else ""


def close_matches(word: str, known: Iterable[str], count: int = 3) -> list[str]:
    """Return up to `count` known words that resemble `word` whatever the letter case, the nearest first.

    Nothing resembles a word that is itself known or longer than 64 letters; of the known words the first 2,000 count.
    """
    if not 0 < len(word) <= _LONGEST:
        return []
    return list(_close_matches(word, tuple(islice(known, _MOST)), count))


@lru_cache(256)
def _close_matches(word: str, known: tuple[str, ...], count: int) -> tuple[str, ...]:
    choices = [choice for choice in known if 0 < len(choice) <= _LONGEST]
    if word in choices:
        return ()
    folded: dict[str, str] = {}
    for choice in choices:
        folded.setdefault(choice.casefold(), choice)
    wanted = word.casefold()
    if wanted in folded:
        return (folded[wanted],)
    matcher = SequenceMatcher(b=wanted, autojunk=False)

    def resemblance(choice: str) -> float:
        matcher.set_seq1(choice)
        return matcher.quick_ratio()

    likely = nlargest(_COMPARED, folded, key=resemblance)
    return tuple(folded[near] for near in get_close_matches(wanted, likely, n=count, cutoff=0.6))
