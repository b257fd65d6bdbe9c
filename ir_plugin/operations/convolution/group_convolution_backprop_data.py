"""GroupConvolutionBackpropData: transposed convolutions of groups of channels.

Specification: convolution/GroupConvolutionBackpropData-1.
"""

from __future__ import annotations

from ir_plugin.operations.convolution.convolution_backprop_data import ConvolutionBackpropData


class GroupConvolutionBackpropData(ConvolutionBackpropData, version=1):
    """As ConvolutionBackpropData-1, for each group alone: `filters` [G, I, O, …], `data` [N, G*I, …], out [N, G*O, …].

    The number of groups is the first dimension of `filters`.
    """

    grouped = True
