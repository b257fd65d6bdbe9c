"""The functions of opset 2, which build nodes."""

from ir_plugin.model import Node
from ir_plugin.model.bodies import tensor_iterator as tensor_iterator
from ir_plugin.opset1 import (
    abs as abs,
    absolute as absolute,
    acos as acos,
    add as add,
    asin as asin,
    atan as atan,
    avg_pool as avg_pool,
    batch_norm_inference as batch_norm_inference,
    binary_convolution as binary_convolution,
    broadcast as broadcast,
    ceil as ceil,
    ceiling as ceiling,
    clamp as clamp,
    concat as concat,
    convert as convert,
    convert_like as convert_like,
    convolution as convolution,
    convolution_backprop_data as convolution_backprop_data,
    cos as cos,
    cosh as cosh,
    ctc_greedy_decoder as ctc_greedy_decoder,
    deformable_convolution as deformable_convolution,
    deformable_psroi_pooling as deformable_psroi_pooling,
    depth_to_space as depth_to_space,
    detection_output as detection_output,
    divide as divide,
    elu as elu,
    equal as equal,
    erf as erf,
    exp as exp,
    fake_quantize as fake_quantize,
    floor as floor,
    floor_mod as floor_mod,
    gather as gather,
    gather_tree as gather_tree,
    greater as greater,
    greater_equal as greater_equal,
    grn as grn,
    group_convolution as group_convolution,
    group_convolution_backprop_data as group_convolution_backprop_data,
    hard_sigmoid as hard_sigmoid,
    interpolate as interpolate,
    less as less,
    less_equal as less_equal,
    log as log,
    logical_and as logical_and,
    logical_not as logical_not,
    logical_or as logical_or,
    logical_xor as logical_xor,
    lrn as lrn,
    lstm_cell as lstm_cell,
    matmul as matmul,
    max_pool as max_pool,
    maximum as maximum,
    minimum as minimum,
    mod as mod,
    multiply as multiply,
    negative as negative,
    non_max_suppression as non_max_suppression,
    normalize_l2 as normalize_l2,
    not_equal as not_equal,
    one_hot as one_hot,
    pad as pad,
    power as power,
    prelu as prelu,
    prior_box as prior_box,
    prior_box_clustered as prior_box_clustered,
    proposal as proposal,
    psroi_pooling as psroi_pooling,
    range as range,
    reduce_logical_and as reduce_logical_and,
    reduce_logical_or as reduce_logical_or,
    reduce_max as reduce_max,
    reduce_mean as reduce_mean,
    reduce_min as reduce_min,
    reduce_prod as reduce_prod,
    reduce_sum as reduce_sum,
    region_yolo as region_yolo,
    relu as relu,
    reshape as reshape,
    reverse_sequence as reverse_sequence,
    select as select,
    selu as selu,
    shape_of as shape_of,
    sigmoid as sigmoid,
    sign as sign,
    sin as sin,
    sinh as sinh,
    softmax as softmax,
    space_to_depth as space_to_depth,
    split as split,
    sqrt as sqrt,
    squared_difference as squared_difference,
    squeeze as squeeze,
    strided_slice as strided_slice,
    subtract as subtract,
    tan as tan,
    tanh as tanh,
    tile as tile,
    topk as topk,
    transpose as transpose,
    unsqueeze as unsqueeze,
    variadic_split as variadic_split,
)
from ir_plugin.opsets.basic import parameter as parameter, result as result
from ir_plugin.opsets.constant_function import constant as constant
from ir_plugin.opsets.typing import Ints, NodeInput

def batch_to_space(
    data: NodeInput, block_shape: NodeInput, crops_begin: NodeInput, crops_end: NodeInput, name: str | None = None
) -> Node:
    """Rearrange `data` [batch, D1 …] as [batch / prod(block_shape), D1 * block_shape[1] - crops …]."""

def gelu(node: NodeInput, name: str | None = None) -> Node:
    """As Gelu-7, but always the exact function."""

def mvn(
    data: NodeInput,
    across_channels: bool = False,
    normalize_variance: bool = False,
    eps: float = 1e-09,
    name: str | None = None,
) -> Node:
    """As MVN-6 with `eps` under the root, but the axes are attributes: `reduction_axes`, or the spatial axes."""

def reorg_yolo(input: NodeInput, stride: int, name: str | None = None) -> Node:
    """[N, C, H, W] as [N, C·s², H/s, W/s] for a `stride` s, in the order of Darknet."""

def roi_pooling(
    input: NodeInput,
    coords: NodeInput,
    output_roi: Ints | None = None,
    spatial_scale: float | None = None,
    method: str = "max",
    output_size: Ints | None = None,
    name: str | None = None,
) -> Node:
    """Boxes of feature maps [N, C, H, W], pooled to [rois, C, pooled_h, pooled_w]."""

def space_to_batch(
    data: NodeInput, block_shape: NodeInput, pads_begin: NodeInput, pads_end: NodeInput, name: str | None = None
) -> Node:
    """Rearrange zero-padded `data` [batch, D1 …] as [batch * prod(block_shape), (D1 + pads) / block_shape[1] …]."""
