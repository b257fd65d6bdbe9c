"""The count of changes of edges: models look for nodes that became part of them when it has grown."""

from __future__ import annotations


class ChangeCount:
    """A number that grows with each change of an edge."""

    def __init__(self) -> None:
        self.number = 0

    def advance(self) -> None:
        """Count a change."""
        self.number += 1


EDGE_CHANGES = ChangeCount()
"""The changes in this process: an edge does not know the models that its nodes are part of."""
