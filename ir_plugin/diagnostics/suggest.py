"""Suggestions of known words for an unknown one."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches
from functools import lru_cache
from heapq import nlargest
from itertools import islice

from ir_plugin.diagnostics.escape import safe

_LONGEST = 64
_MAX_PAIRS = 2000
_COMPARED = 20


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """Return `did you mean "strides"?` for the most similar word, or an empty string if none is similar."""
    nearest = close_matches(word, words, 1)
    return f'did you mean "{safe(nearest[0])}"?' if nearest else ""


def close_matches(word: str, words: Iterable[str], count: int = 3) -> list[str]:
    """Return up to `count` words that resemble `word` in any letter case, the most similar first.

    If none does, return words of which `word` is a part, as THREADS is of INFERENCE_NUM_THREADS, the shortest first.
    There are none for a word among `words` or longer than 64 letters; only the first 2,000 of `words` count.
    """
    if not 0 < len(word) <= _LONGEST:
        return []
    return list(_close_matches(word, tuple(islice(words, _MAX_PAIRS)), count))


@lru_cache(256)
def _close_matches(word: str, words: tuple[str, ...], count: int) -> tuple[str, ...]:
    choices = [choice for choice in words if 0 < len(choice) <= _LONGEST]
    if word in choices:
        return ()
    folded: dict[str, str] = {}
    for choice in choices:
        folded.setdefault(choice.casefold(), choice)
    target = word.casefold()
    if target in folded:
        return (folded[target],)
    matcher = SequenceMatcher(b=target, autojunk=False)

    def resemblance(choice: str) -> float:
        matcher.set_seq1(choice)
        return matcher.quick_ratio()

    likely = nlargest(_COMPARED, folded, key=resemblance)
    nearest = get_close_matches(target, likely, n=count, cutoff=0.6) or _containing(target, folded)[:count]
    return tuple(folded[match] for match in nearest)


def _containing(word: str, words: Iterable[str]) -> list[str]:
    """Return the words that have `word` between hyphens or underscores, the fewest parts first."""
    parts = {choice: choice.replace("-", "_").split("_") for choice in words}
    return sorted((choice for choice in parts if word in parts[choice]), key=lambda choice: len(parts[choice]))
