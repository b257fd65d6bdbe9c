"""Valid IRs: random graphs of 3 to 25 layers."""

from __future__ import annotations

import random

from hypothesis import strategies as st

from tests.fuzz.bodies import BODIES
from tests.fuzz.graph import Graph, ValidIR
from tests.fuzz.layers import LAYERS
from tests.fuzz.moves import MOVES

TYPES = ("f32", "f32", "f32", "i32", "i64", "u8", "boolean", "f16", "bf16")


def grown(chance: random.Random) -> ValidIR:
    """Return a random valid IR."""
    graph = Graph(chance)
    graph.parameter("f32", tuple(graph.number(1, 6) for _ in range(graph.number(2, 4))))
    for _ in range(graph.number(0, 2)):
        graph.parameter(chance.choice(TYPES), tuple(graph.number(1, 5) for _ in range(graph.number(1, 4))))
    wanted = graph.number(3, 25)
    tries = 0
    while len(graph.types) < wanted and tries < 4 * wanted:
        chance.choice(LAYERS + MOVES + BODIES)(graph)
        tries += 1
    return graph.finish()


def valid_irs() -> st.SearchStrategy[ValidIR]:
    """Return the strategy of valid IRs; each is grown from a seed, so that a failing one is told by a number."""
    return st.integers(0, 2**32).map(random.Random).map(grown)
