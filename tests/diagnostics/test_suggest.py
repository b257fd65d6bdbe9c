from __future__ import annotations

import pytest

from ir_plugin.diagnostics.suggest import close_matches, did_you_mean

ATTRIBUTES = ["strides", "dilations", "pads_begin", "pads_end", "auto_pad", "exclude-pad"]


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("stride", "strides"),
        ("STRIDES", "strides"),
        ("pad_begin", "pads_begin"),
        ("pads_ends", "pads_end"),
        ("exclude_pad", "exclude-pad"),
        ("autopad", "auto_pad"),
    ],
)
def test_the_nearest_word_is_suggested(word: str, meant: str) -> None:
    assert did_you_mean(word, ATTRIBUTES) == f'did you mean "{meant}"?'


@pytest.mark.parametrize("word", ["frobnicate", "", "strides", "s" * 1000, "\x00"])
def test_nothing_is_suggested_where_nothing_is_near(word: str) -> None:
    assert did_you_mean(word, ATTRIBUTES) == ""


def test_a_part_of_a_word_is_suggested_if_nothing_is_near() -> None:
    names = ["OPTIMIZE", "AUTO_INFERENCE_NUM_THREADS", "INFERENCE_NUM_THREADS", "NUM_STREAMS"]
    assert did_you_mean("THREADS", names) == 'did you mean "INFERENCE_NUM_THREADS"?'
    assert did_you_mean("HREADS", names) == ""


def test_nothing_is_known() -> None:
    assert did_you_mean("axis", []) == ""


def test_several_words_come_nearest_first() -> None:
    assert close_matches("softmax", ["Softplus", "SoftMax2", "LogSoftmax", "Abs"]) == ["SoftMax2", "LogSoftmax"]


def test_a_suggestion_is_safe_to_show() -> None:
    assert did_you_mean("axi", ["axi\x1bs"]) == r'did you mean "axi\x1bs"?'


def test_the_work_is_bounded() -> None:
    words = iter(range(10**7))
    close_matches("a" * 63 + "b", ("a" * (1 + number % 64) for number in words))
    assert next(words) == 2000
    assert close_matches("ab" * 32, ["ba" * 10**6, "ab" * 10**6]) == []
