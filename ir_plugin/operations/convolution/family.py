"""The operations that convolve data with the filters of input 1."""

from __future__ import annotations

from ir_plugin.operations.convolution.convolution import Convolution
from ir_plugin.operations.convolution.convolution_backprop_data import ConvolutionBackpropData
from ir_plugin.operations.convolution.group_convolution import GroupConvolution
from ir_plugin.operations.convolution.group_convolution_backprop_data import GroupConvolutionBackpropData

CONVOLUTIONS = (Convolution, GroupConvolution, ConvolutionBackpropData, GroupConvolutionBackpropData)
"""Convolutions and their transposes, with groups and without."""
