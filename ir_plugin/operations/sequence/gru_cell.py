"""GRUCell: one step of gated recurrent units. Specification: sequence/GRUCell-3."""

from __future__ import annotations

from ir_plugin.operations.sequence.recurrent import GRU, HiddenCell


class GRUCell(GRU, HiddenCell, version=3):
    """Return the hidden state H after one input X of each batch; gate order zrh.

    H = (1 - z) · h + z · H, where z and r are `activations[0]` and h is `activations[1]` of the gates. The hidden gate
    is X·Wᵀ + (r · H)·Rᵀ + B, with `linear_before_reset` X·Wᵀ + B + r · (H·Rᵀ + B'), B' being a fourth block of biases.

    Differs from the page: all inputs may be whole numbers; gates and results are rounded then.
    Example: A gate of 0.5 is 0, one of 0.73 is 1.
    """
