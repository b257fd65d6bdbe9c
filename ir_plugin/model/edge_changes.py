"""Changes of edges: models look for nodes that became part of them after one."""

from __future__ import annotations


class EdgeChanges:
    """What tells whether an edge has changed: a token, which is a new object after each change.

    Unlike a count, it cannot come back to an earlier value where two threads change edges at once.
    """

    def __init__(self) -> None:
        self.token = object()

    def advance(self) -> None:
        """Note a change."""
        self.token = object()


EDGE_CHANGES = EdgeChanges()
"""The changes in this process: an edge does not know the models that its nodes are part of."""
