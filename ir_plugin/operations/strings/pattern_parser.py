"""The syntax of RE2's regular expressions, as a program whose branches are relative: lists join without changes."""

from __future__ import annotations

import re
from typing import NamedTuple, TypeAlias

from ir_plugin.operations.strings.characters import (
    ANY,
    ANY_BUT_NEWLINE,
    PERL,
    POSIX,
    Characters,
    PatternError,
    of_category,
)

MAX_REPEATS = 1000
"""Repetitions, also of nested ones together, as in RE2."""
MAX_INSTRUCTIONS = 2**18
"""Steps of a part that is repeated a number of times."""
MAX_DEPTH = 1000
"""Groups in groups, as in RE2."""


class Instruction(NamedTuple):
    """A step of the program: take a character, branch to others, or go on where an assertion holds."""

    operation: str
    characters: Characters = ANY
    ignores_case: bool = False
    offsets: tuple[int, ...] = ()


Code: TypeAlias = "list[Instruction]"


class _Piece(NamedTuple):
    """The program of a part of a pattern, and how often its innermost part is repeated."""

    code: Code
    repeats: int = 1
    may_repeat: bool = True


class _Group:
    """An open group: its alternatives so far, the pieces of the last one, and the flags outside."""

    def __init__(self, flags: frozenset[str]) -> None:
        self.flags = flags
        self.alternatives: list[_Piece] = []
        self.pieces: list[_Piece] = []

    def end_alternative(self) -> None:
        """Join the pieces of the last alternative."""
        code = [instruction for piece in self.pieces for instruction in piece.code]
        self.alternatives.append(_Piece(code, max((piece.repeats for piece in self.pieces), default=1)))
        self.pieces = []

    def closed(self) -> _Piece:
        """Return the program of all alternatives."""
        self.end_alternative()
        code = self.alternatives[-1].code
        for piece in reversed(self.alternatives[:-1]):
            code = [_branch(1, len(piece.code) + 2), *piece.code, _branch(len(code) + 1), *code]
        return _Piece(code, max(piece.repeats for piece in self.alternatives))


def _branch(*offsets: int) -> Instruction:
    return Instruction("branch", offsets=offsets)


def parsed(pattern: str) -> Code:
    """Return the program of a pattern; raises `PatternError` for what RE2 refuses."""
    return _Parser(pattern).parse()


_REPEAT = re.compile(r"([*+?]|\{(\d+)(,?)(\d*)\})\??")
_OPENING = re.compile(r"\?(?:P?<(\w+)>|([imsU]*(?:-[imsU]+)?)([:)]))")
_ESCAPES = {"a": "\a", "f": "\f", "t": "\t", "n": "\n", "r": "\r", "v": "\v"}
_ASSERTIONS = {"A": "begin of text", "z": "end of text", "b": "boundary", "B": "no boundary"}
_NUMBER = re.compile(r"x([0-9A-Fa-f]{2})|x\{([0-9A-Fa-f]+)\}|([1-7][0-7]{1,2}|0[0-7]{0,2})")
_CATEGORY = re.compile(r"[pP](?:\{(\^?\w+)\}|(\w))")
_POSIX = re.compile(r"\[:(\^?)(\w+):\]")


class _Parser:
    """A position in a pattern, the flags there, and the groups that are open."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._flags: frozenset[str] = frozenset()
        self._groups = [_Group(self._flags)]

    def parse(self) -> Code:
        """Return the program of the pattern."""
        while self._at < len(self._pattern):
            character = self._pattern[self._at]
            repeat = _REPEAT.match(self._pattern, self._at)
            if repeat is not None:
                self._repeat(repeat)
            elif character == "(":
                self._open()
            elif character == ")":
                self._close()
            elif character == "|":
                self._groups[-1].end_alternative()
                self._at += 1
            else:
                self._atom(character)
        if len(self._groups) > 1:
            raise PatternError("a ) is missing")
        return self._groups[0].closed().code

    def _add(self, instruction: Instruction) -> None:
        self._groups[-1].pieces.append(_Piece([instruction]))

    def _take(self, characters: Characters) -> None:
        self._add(Instruction("character", characters, "i" in self._flags))

    def _atom(self, character: str) -> None:
        """Read an assertion, a class, an escape, or a character that means itself."""
        self._at += 1
        if character in "^$":
            side = "begin" if character == "^" else "end"
            self._add(Instruction(f"{side} of {'line' if 'm' in self._flags else 'text'}"))
        elif character == ".":
            self._add(Instruction("character", ANY if "s" in self._flags else ANY_BUT_NEWLINE))
        elif character == "[":
            self._take(self._class())
        elif character != "\\":
            self._take(Characters(((character, character),)))
        elif self._pattern.startswith("Q", self._at):
            self._quoted()
        elif self._pattern[self._at : self._at + 1] in _ASSERTIONS:
            self._add(Instruction(_ASSERTIONS[self._pattern[self._at]]))
            self._at += 1
        else:
            self._take(self._escape())

    def _quoted(self) -> None:
        """Read characters that mean themselves up to the escape E."""
        text = self._pattern[self._at + 1 :].split("\\E", 1)[0]
        self._at = min(self._at + 3 + len(text), len(self._pattern))
        for character in text:
            self._take(Characters(((character, character),)))

    def _repeat(self, match: re.Match[str]) -> None:
        """Repeat the last piece."""
        operator, pieces = match.group(), self._groups[-1].pieces
        if not pieces:
            raise PatternError(f"{operator} repeats nothing")
        piece = pieces.pop()
        if not piece.may_repeat:
            raise PatternError(f"{operator} follows a repetition")
        least, most = _bounds(match)
        if max(least, most or 0) > MAX_REPEATS or (most is not None and least > most):
            raise PatternError(f"{operator} must have limits in order, up to {MAX_REPEATS}")
        counted = max(least, most or 0, 1) * piece.repeats if match.group(2) else piece.repeats
        if counted > MAX_REPEATS:
            raise PatternError(f"{operator} repeats a part more than {MAX_REPEATS} times in all")
        if len(piece.code) * max(least, most or 0) > MAX_INSTRUCTIONS:
            raise PatternError(f"it has more than {MAX_INSTRUCTIONS} steps")
        code = _repeated(piece.code, least, most)
        pieces.append(_Piece(code, counted, may_repeat=False))
        self._at = match.end()

    def _open(self) -> None:
        """Open a group, or set flags."""
        self._at += 1
        outside = self._flags
        if self._pattern.startswith("?", self._at):
            match = _OPENING.match(self._pattern, self._at)
            if match is None or match.group() == "?)":
                raise PatternError(f"({self._pattern[self._at : self._at + 2]} is no group of RE2")
            self._at = match.end()
            added, _, removed = (match.group(2) or "").partition("-")
            self._flags = (outside | frozenset(added)) - frozenset(removed)
            if match.group(3) == ")":
                self._groups[-1].pieces[-1:] = [
                    piece._replace(may_repeat=True) for piece in self._groups[-1].pieces[-1:]
                ]
                return
        if len(self._groups) > MAX_DEPTH:
            raise PatternError(f"groups are nested more than {MAX_DEPTH} deep")
        self._groups.append(_Group(outside))

    def _close(self) -> None:
        if len(self._groups) == 1:
            raise PatternError("a ) has no (")
        group = self._groups.pop()
        self._flags = group.flags
        self._groups[-1].pieces.append(group.closed())
        self._at += 1

    def _escape(self) -> Characters:
        """Read what follows a backslash: a class, a number, or a character."""
        category, number = _CATEGORY.match(self._pattern, self._at), _NUMBER.match(self._pattern, self._at)
        if category is not None:
            self._at = category.end()
            characters = of_category(category.group(1) or category.group(2))
            return characters.negated() if category.group().startswith("P") else characters
        if number is not None:
            self._at = number.end()
            code = int(number.group(1) or number.group(2) or number.group(3), 8 if number.group(3) else 16)
            if code > 0x10FFFF:
                raise PatternError(f"\\{number.group()} is not a character")
            return Characters(((chr(code), chr(code)),))
        name = self._pattern[self._at : self._at + 1]
        self._at += 1
        if name.lower() in PERL:
            return PERL[name] if name in PERL else PERL[name.lower()].negated()
        if name == "" or (name.isascii() and name.isalnum() and name not in _ESCAPES) or not name.isascii():
            raise PatternError(f"\\{name} is no escape of RE2")
        character = _ESCAPES.get(name, name)
        return Characters(((character, character),))

    def _class(self) -> Characters:
        """Read a class after its `[`."""
        is_negated = self._pattern.startswith("^", self._at)
        self._at += is_negated
        parts: list[Characters] = []
        while not parts or not self._pattern.startswith("]", self._at):
            posix = _POSIX.match(self._pattern, self._at)
            if posix is not None:
                self._at = posix.end()
                if posix.group(2) not in POSIX:
                    raise PatternError(f"{posix.group()} is no class of RE2")
                parts.append(POSIX[posix.group(2)].negated() if posix.group(1) else POSIX[posix.group(2)])
            else:
                parts.append(self._range())
        self._at += 1
        return Characters(parts=tuple(parts), is_negated=is_negated)

    def _range(self) -> Characters:
        """Read a character of a class, or two and what lies between them."""
        first = self._member()
        is_range = self._pattern.startswith("-", self._at) and not self._pattern.startswith("-]", self._at)
        if not is_range or not _is_single(first):
            return first
        start = self._at
        self._at += 1
        last = self._member()
        if not _is_single(last) or first.ranges[0][0] > last.ranges[0][0]:
            raise PatternError(f"{self._pattern[start - 1 : self._at]} is no range")
        return Characters(((first.ranges[0][0], last.ranges[0][1]),))

    def _member(self) -> Characters:
        character = self._pattern[self._at : self._at + 1]
        if not character:
            raise PatternError("a ] is missing")
        self._at += 1
        return self._escape() if character == "\\" else Characters(((character, character),))


def _repeated(code: Code, least: int, most: int | None) -> Code:
    """Return the program that matches `code` from `least` to `most` times; None sets no upper limit."""
    length, repeated = len(code), code * least
    if most is None:
        return [*repeated, _branch(-length, 1)] if least else [_branch(1, length + 2), *code, _branch(-length - 1)]
    for left in range(most - least, 0, -1):
        repeated += [_branch(1, left * (length + 1)), *code]
    return repeated


def _is_single(characters: Characters) -> bool:
    return len(characters.ranges) == 1 and len(set(characters.ranges[0])) == 1


def _bounds(match: re.Match[str]) -> tuple[int, int | None]:
    """Return the least and the largest number of repetitions, None for any."""
    operator = match.group()[0]
    if operator != "{":
        return int(operator == "+"), 1 if operator == "?" else None
    least = int(match.group(2)[:6])
    if not match.group(3):
        return least, least
    return least, int(match.group(4)[:6]) if match.group(4) else None
