"""Sequences of random 32-bit words that seeds determine, and fresh ones."""

from __future__ import annotations

import secrets

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint32]

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_WORD = 2**64 - 1
_MULTIPLIERS = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_RAISES = 0x9E3779B9, 0xBB67AE85


def fresh_seeds() -> tuple[int, int]:
    """Return two random seeds."""
    return secrets.randbits(64), secrets.randbits(64)


class Philox:
    """The words of Philox 4x32-10: four for each of the numbers 0, 1, … beside the counter."""

    def __init__(self, key: int, counter: int) -> None:
        self._key, self._counter, self._next = key & _WORD, counter & _WORD, 0

    def take(self, count: int) -> Words:
        """Return the next words; the rest of the last four is dropped."""
        first, self._next = self._next, self._next + -(-count // 4)
        n = np.arange(first, self._next, dtype=np.uint64)
        words = [n & _LOW, n >> _HALF, np.uint64(self._counter) & _LOW, np.uint64(self._counter) >> _HALF]
        low, high = self._key & 0xFFFFFFFF, self._key >> 32
        for _ in range(10):
            words = _round(words, np.uint64(low), np.uint64(high))
            low, high = (low + _RAISES[0]) & 0xFFFFFFFF, (high + _RAISES[1]) & 0xFFFFFFFF
        return np.stack(words, -1).astype(np.uint32).reshape(-1)[:count]


def _round(words: list[npt.NDArray[np.uint64]], low: np.uint64, high: np.uint64) -> list[npt.NDArray[np.uint64]]:
    first, second = words[0] * _MULTIPLIERS[0], words[2] * _MULTIPLIERS[1]
    return [(second >> _HALF) ^ words[1] ^ low, second & _LOW, (first >> _HALF) ^ words[3] ^ high, first & _LOW]


class MersenneTwister:
    """The words of MT19937."""

    def __init__(self, state: np.random.RandomState) -> None:
        self._state = state

    @staticmethod
    def of_seed(seed: int) -> MersenneTwister:
        """Return the sequence that PyTorch generates from the low 32 bits of a seed."""
        return MersenneTwister(np.random.RandomState(seed & 0xFFFFFFFF))

    @staticmethod
    def of_sequence(*seeds: int) -> MersenneTwister:
        """Return the sequence seeded by C++'s `std::seed_seq` with the low 32 bits of the seeds."""
        words = np.array(_seed_sequence([seed & 0xFFFFFFFF for seed in seeds], 624), np.uint32)
        state = np.random.RandomState()
        state.set_state(("MT19937", words, 624, 0, 0.0))
        return MersenneTwister(state)

    def take(self, count: int) -> Words:
        """Return the next words."""
        return np.frombuffer(self._state.bytes(4 * count), "<u4").astype(np.uint32, copy=False)


def _seed_sequence(seeds: list[int], count: int) -> list[int]:
    """Return `count` words mixed from the seeds, as the C++ standard describes for 623 words or more."""
    words = [0x8B8B8B8B] * count
    near = (count - 11) // 2
    far = near + 11
    for k in range(count):
        mixed = 1664525 * _folded(words[k] ^ words[(k + near) % count] ^ words[k - 1]) & 0xFFFFFFFF
        added = len(seeds) if k == 0 else k + seeds[k - 1] if k <= len(seeds) else k
        words[(k + near) % count] = (words[(k + near) % count] + mixed) & 0xFFFFFFFF
        words[k] = (mixed + added) & 0xFFFFFFFF
        words[(k + far) % count] = (words[(k + far) % count] + words[k]) & 0xFFFFFFFF
    for k in range(count):
        total = (words[k] + words[(k + near) % count] + words[k - 1]) & 0xFFFFFFFF
        mixed = 1566083941 * _folded(total) & 0xFFFFFFFF
        words[(k + near) % count] ^= mixed
        words[k] = (mixed - k) & 0xFFFFFFFF
        words[(k + far) % count] ^= words[k]
    return words


def _folded(word: int) -> int:
    return word ^ (word >> 27)
