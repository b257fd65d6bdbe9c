"""How often graphs were rewired: models look for nodes that became part of them when the number has changed."""

from __future__ import annotations


class Revision:
    """A number that grows with each change of an edge."""

    def __init__(self) -> None:
        self.number = 0

    def advance(self) -> None:
        """Count a change."""
        self.number += 1


REVISION = Revision()
"""The one of this process."""
