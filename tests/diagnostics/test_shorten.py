from __future__ import annotations

import pytest

from ir_plugin.diagnostics.shorten import shortened, shortened_apart

PARTS = ("self_attn/q_proj", "self_attn/k_proj", "mlp/up_proj", "mlp/down_proj")
NAMES = [f"/model/model.layers.{layer}/{part}/MatMul/WithoutBiases" for layer in range(12) for part in PARTS]


@pytest.mark.parametrize("room", [12, 16, 20, 30])
def test_different_names_stay_different(room: int) -> None:
    short = shortened_apart(NAMES, room)
    assert len(set(short.values())) == len(NAMES)
    assert max(map(len, short.values())) <= room


def test_what_distinguishes_is_kept() -> None:
    names = [f"/model/layers.{layer}/self_attn/q_proj/MatMul/WithoutBiases" for layer in range(10)]
    assert all(f"layers.{layer}/" in short for layer, short in enumerate(shortened_apart(names, 20).values()))


def test_names_that_fit_or_differ_at_their_ends_are_shortened_by_their_middle() -> None:
    names = ["a/b", "first" + "x" * 40 + "last", "other" + "x" * 40 + "end"]
    assert shortened_apart(names, 12) == {name: shortened(name, 12) for name in names}
    assert shortened("a/b", 12) == "a/b"
    assert shortened("abcdefghij", 5) == "ab…ij"
