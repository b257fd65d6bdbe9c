"""The ends of a graph, constants, control flow and state."""
