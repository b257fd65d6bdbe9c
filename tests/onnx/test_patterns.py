"""Patterns of RE2, held against onnxruntime, which uses it."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

import ir_plugin as ov
from ir_plugin.operations.strings.automaton import automaton_of
from ir_plugin.operations.strings.characters import PatternError
from tests.onnx.runtime import runs, single

PARTS = [
    *("a", "b", "c", ".", r"\d", r"\w", r"\s", r"\D", r"\W", r"\S", "[ab]", "[^a]", "[a-c]", "[[:alpha:]]"),
    *("[[:^digit:]]", r"\pL", r"\p{Lu}", r"\PN", "^", "$", r"\b", r"\B", r"\A", r"\z", "é", r"\x41", r"\x{e9}"),
    *(r"\n", r"\Q.*\E", "[]a]", "[^]a]", "[a-]", r"[\d-x]", r"\.", "1", "_", "K", "(?i)", "(?s)", "(?m)"),
    *("(?i:k)", "(?-s:.)", "()", "(?P<n>a)", "(?<m>b)", r"[\w.]", "]", "}", "{", "-", r"\07", r"\12", r"\0"),
    *("(?U)", r"\_", r"\-", "(?i)é", "[a-a-c]", "[--a]", r"[\n]", r"[^\n]", r"[\D]", r"[\pL]", "(?im-s:A.)"),
    *("(?:)", "(?i)ſ", "(?i)[^k]", r"(?i)\W", r"[^\W]"),
]
REFUSED = [
    *("(?=a)", "(?!a)", "(?<=a)", "(?#x)", "(?x)", r"\1", r"\Z", r"\G", "[b-a]", "[[:foo:]]", "[a", "\\"),
    *(r"\e", r"\8", r"[a-\d]", "(?P=n)", "(?>a)", r"\h", r"\N", r"\R", r"\X", r"[\b]", "(?i-:a)", "(?-:a)"),
    *("(a", "a)", "a**", "a++", "a{2,1}", "a{1001}", "(a{10}){101}", "*", "(?i)*", "(|*)", r"\p{Foo}", r"\xZ"),
]
QUANTIFIERS = ["*", "+", "?", "{2}", "{1,}", "{0,2}", "{,2}", "*?", "+?", "??", "{2}?", "{0}", "{"]
TEXTS = [
    *(
        "",
        "a",
        "b",
        "ab",
        "aab",
        "abc",
        "A",
        "é",
        "É",
        "1",
        "12",
        "a1",
        "_",
        " ",
        "a b",
        "\n",
        "a\nb",
        "K",
        "k",
        "\u212a",
    ),
    *(
        "]",
        "}",
        "{",
        "-",
        "aaaa",
        "ba",
        "bb",
        ".*",
        "aé",
        "\t",
        "\x0b",
        "a\n",
        "ſ",
        "S",
        "s",
        "Ab",
        "cab",
        "a{",
        "x",
        "-a",
    ),
]


def drawn(random: Random, depth: int = 0) -> str:
    """Return a pattern of parts, groups and repetitions."""
    parts = []
    for _ in range(random.choice([1, 2, 2, 3])):
        part = random.choice(PARTS)
        if depth < 2 and random.random() < 0.3:
            part = random.choice(["({})", "(?:{})", "({}|a)", "(?i:{})"]).replace("{}", drawn(random, depth + 1))
        parts.append(part + (random.choice(QUANTIFIERS) if random.random() < 0.35 else ""))
    return "".join(parts) + random.choice(["", "", "", "|a", "|", "|b*"])


def by_onnxruntime(pattern: str) -> list[bool] | None:
    """Return which texts onnxruntime matches; None where it refuses the pattern."""
    proto, feeds = single("RegexFullMatch", {"x": np.array(TEXTS, object)}, 1, (), "", 20, pattern=pattern)
    runtime = pytest.importorskip("onnxruntime", reason="the oracle onnxruntime")
    try:
        matches: list[bool] = runs(proto, feeds)[0].tolist()
    except runtime.capi.onnxruntime_pybind11_state.Fail:
        return None
    return matches


def matched(pattern: str) -> list[bool] | None:
    try:
        automaton = automaton_of(pattern)
    except PatternError:
        return None
    return [automaton.matches(text) for text in TEXTS]


@pytest.mark.parametrize("seed", range(8))
def test_drawn_patterns(seed: int) -> None:
    random = Random(seed)
    patterns = [drawn(random) for _ in range(40)]
    assert {pattern: matched(pattern) for pattern in patterns} == {
        pattern: by_onnxruntime(pattern) for pattern in patterns
    }


@pytest.mark.parametrize(
    "pattern", [*PARTS, *(f"a{part}|b" for part in PARTS), *(f"(ab){sign}" for sign in QUANTIFIERS)]
)
def test_parts(pattern: str) -> None:
    assert matched(pattern) == by_onnxruntime(pattern)


@pytest.mark.parametrize("pattern", REFUSED)
def test_what_re2_refuses(pattern: str) -> None:
    assert by_onnxruntime(pattern) is None
    with pytest.raises(PatternError):
        automaton_of(pattern)
    proto, _ = single("RegexFullMatch", {"x": np.array(["a"], object)}, 1, (), "", 20, pattern=pattern)
    with pytest.raises(ov.Error, match="is not a regular expression of RE2"):
        ov.Core().read_model(proto)


@pytest.mark.parametrize("pattern", ["(.*)*b", "(a*)*b", "(a|aa)+b", "((a?){30}){30}b", "(a+)+(a+)+(a+)+b", "(x*a*)*b"])
def test_texts_that_backtracking_never_ends_on(pattern: str) -> None:
    automaton, text = automaton_of(pattern), "a" * 5000
    assert not automaton.matches(text)
    assert automaton.matches("aaab")


def test_deep_and_long_patterns_end() -> None:
    assert automaton_of("(" * 900 + "a" + ")" * 900).matches("a")
    assert automaton_of("(" * 500 + "a" + ")+" * 500).matches("aaa")
    for pattern in (
        "(" * 5000 + "a" + ")" * 5000,
        "((a{100}){100}){100}",
        f"({'a' * 3000}){{500}}",
        "a{" + "9" * 5000 + "}",
    ):
        with pytest.raises(PatternError):
            automaton_of(pattern)
