"""Regular expressions of RE2, matched in time linear in the text by the states that a program may be in."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

from ir_plugin.operations.strings.characters import fold, is_word
from ir_plugin.operations.strings.pattern_parser import Code, parsed

MAX_CACHED_COUNTERS = 2**18
"""The most program counters in the cached steps of an automaton; further steps are not cached."""

States: TypeAlias = frozenset[int]


class Automaton:
    """A program of a pattern, which runs at several counters at once, and its steps so far."""

    def __init__(self, code: Code) -> None:
        self._code = code
        self._steps: dict[tuple[States, str, str], States] = {}
        self._cached = 0

    def matches(self, text: str) -> bool:
        """Return whether the pattern matches the whole text."""
        states, before = frozenset([0]), ""
        for character in text:
            states = self._step(states, before, character)
            if not states:
                return False
            before = character
        return len(self._code) in self._reached(states, before, "")

    def _step(self, states: States, before: str, character: str) -> States:
        """Return the program counters after a character that follows another one."""
        key = (states, _kind(before), character)
        following = self._steps.get(key)
        if following is None:
            counters = [counter for counter in self._reached(states, before, character) if counter < len(self._code)]
            following = frozenset(counter + 1 for counter in counters if self._takes(counter, character))
            if self._cached > MAX_CACHED_COUNTERS:
                self._steps, self._cached = {}, 0
            self._steps[key] = following
            self._cached += len(states) + len(following) + 1
        return following

    def _takes(self, counter: int, character: str) -> bool:
        instruction = self._code[counter]
        if instruction.operation != "character":
            return False
        return instruction.characters.contains(fold(character) if instruction.ignores_case else (character,))

    def _reached(self, states: States, before: str, after: str) -> set[int]:
        """Return the program counters that are reached between two characters, `""` at an end of the text."""
        reached: set[int] = set()
        pending = list(states)
        while pending:
            counter = pending.pop()
            if counter in reached:
                continue
            reached.add(counter)
            if counter == len(self._code):
                continue
            instruction = self._code[counter]
            if instruction.operation == "branch":
                pending += [counter + offset for offset in instruction.offsets]
            elif instruction.operation != "character" and _holds(instruction.operation, before, after):
                pending.append(counter + 1)
        return reached


def _kind(character: str) -> str:
    """Return the class of a character that assertions test."""
    return character if character in ("", "\n") else "word" if is_word(character) else "other"


def _holds(assertion: str, before: str, after: str) -> bool:
    """Return whether an assertion holds between two characters."""
    if assertion in ("boundary", "no boundary"):
        return (is_word(before) != is_word(after)) == (assertion == "boundary")
    character = before if assertion.startswith("begin") else after
    return character == "" or (assertion.endswith("of line") and character == "\n")


@lru_cache(maxsize=64)
def automaton_of(pattern: str) -> Automaton:
    """Return the automaton of a pattern; raises `PatternError` for what RE2 refuses."""
    return Automaton(parsed(pattern))
