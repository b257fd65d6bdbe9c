"""The functions of opset 4, which build nodes."""

from ir_plugin.model import Node
from ir_plugin.model.bodies import tensor_iterator as tensor_iterator
from ir_plugin.opset3 import (
    abs as abs,
    absolute as absolute,
    acos as acos,
    add as add,
    asin as asin,
    assign as assign,
    atan as atan,
    avg_pool as avg_pool,
    batch_norm_inference as batch_norm_inference,
    batch_to_space as batch_to_space,
    binary_convolution as binary_convolution,
    broadcast as broadcast,
    bucketize as bucketize,
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
    cum_sum as cum_sum,
    cumsum as cumsum,
    deformable_convolution as deformable_convolution,
    deformable_psroi_pooling as deformable_psroi_pooling,
    depth_to_space as depth_to_space,
    detection_output as detection_output,
    divide as divide,
    elu as elu,
    embedding_bag_offsets_sum as embedding_bag_offsets_sum,
    embedding_bag_packed_sum as embedding_bag_packed_sum,
    embedding_segments_sum as embedding_segments_sum,
    equal as equal,
    erf as erf,
    exp as exp,
    extract_image_patches as extract_image_patches,
    fake_quantize as fake_quantize,
    floor as floor,
    floor_mod as floor_mod,
    gather as gather,
    gather_tree as gather_tree,
    gelu as gelu,
    greater as greater,
    greater_equal as greater_equal,
    grn as grn,
    group_convolution as group_convolution,
    group_convolution_backprop_data as group_convolution_backprop_data,
    gru_cell as gru_cell,
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
    matmul as matmul,
    max_pool as max_pool,
    maximum as maximum,
    minimum as minimum,
    mod as mod,
    multiply as multiply,
    mvn as mvn,
    negative as negative,
    non_zero as non_zero,
    normalize_l2 as normalize_l2,
    not_equal as not_equal,
    one_hot as one_hot,
    pad as pad,
    power as power,
    prelu as prelu,
    prior_box as prior_box,
    prior_box_clustered as prior_box_clustered,
    psroi_pooling as psroi_pooling,
    range as range,
    read_value as read_value,
    reduce_logical_and as reduce_logical_and,
    reduce_logical_or as reduce_logical_or,
    reduce_max as reduce_max,
    reduce_mean as reduce_mean,
    reduce_min as reduce_min,
    reduce_prod as reduce_prod,
    reduce_sum as reduce_sum,
    region_yolo as region_yolo,
    relu as relu,
    reorg_yolo as reorg_yolo,
    reshape as reshape,
    reverse_sequence as reverse_sequence,
    rnn_cell as rnn_cell,
    roi_align as roi_align,
    roi_pooling as roi_pooling,
    scatter_elements_update as scatter_elements_update,
    scatter_update as scatter_update,
    select as select,
    selu as selu,
    shape_of as shape_of,
    shuffle_channels as shuffle_channels,
    sigmoid as sigmoid,
    sign as sign,
    sin as sin,
    sinh as sinh,
    softmax as softmax,
    space_to_batch as space_to_batch,
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
from ir_plugin.opsets.typing import Attributes, ElementTypeLike, Floats, NodeInput, Texts

def acosh(node: NodeInput, name: str | None = None) -> Node:
    """The inverse of the hyperbolic cosine: NaN below 1."""

def asinh(node: NodeInput, name: str | None = None) -> Node:
    """The inverse of the hyperbolic sine."""

def atanh(node: NodeInput, name: str | None = None) -> Node:
    """The inverse of the hyperbolic tangent: infinite at -1 and 1, NaN beyond."""

def ctc_loss(
    logits: NodeInput,
    logit_length: NodeInput,
    labels: NodeInput,
    label_length: NodeInput,
    blank_index: NodeInput | None = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    unique: bool = False,
    name: str | None = None,
) -> Node:
    """The negative logarithm of the probability that a path through `logits` [N, T, C] decodes to `labels` [N, T]."""

def hswish(data: NodeInput, name: str | None = None) -> Node:
    """x · min(max(x + 3, 0), 6) / 6."""

def lstm_cell(
    X: NodeInput,
    initial_hidden_state: NodeInput,
    initial_cell_state: NodeInput,
    W: NodeInput,
    R: NodeInput,
    B: NodeInput,
    hidden_size: int,
    activations: Texts | None = None,
    activations_alpha: Floats | None = None,
    activations_beta: Floats | None = None,
    clip: float = 0.0,
    name: str | None = None,
) -> Node:
    """Return the hidden state H and the cell state C after one input X of each batch; gate order fico."""

def mish(data: NodeInput, name: str | None = None) -> Node:
    """x · tanh(log(1 + exp(x)))."""

def non_max_suppression(
    boxes: NodeInput,
    scores: NodeInput,
    max_output_boxes_per_class: NodeInput | None = None,
    iou_threshold: NodeInput | None = None,
    score_threshold: NodeInput | None = None,
    box_encoding: str = "corner",
    sort_result_descending: bool = True,
    output_type: ElementTypeLike = "i64",
    name: str | None = None,
) -> Node:
    """As NonMaxSuppression-9, but without `soft_nms_sigma`, and with the triplets as the only output."""

def proposal(
    class_probs: NodeInput, bbox_deltas: NodeInput, image_shape: NodeInput, attrs: Attributes, name: str | None = None
) -> Node:
    """The best boxes of each image that do not overlap by more than `nms_thresh`: rows (image, x, y, x, y), and …"""

def reduce_l1(node: NodeInput, reduction_axes: NodeInput, keep_dims: bool = False, name: str | None = None) -> Node:
    """Sum the absolute values along `axes`, also for an empty list of axes; integers wrap."""

def reduce_l2(node: NodeInput, reduction_axes: NodeInput, keep_dims: bool = False, name: str | None = None) -> Node:
    """Compute the root of the sum of squares along `axes`; for integers in f64, rounded towards zero."""

def scatter_nd_update(data: NodeInput, indices: NodeInput, updates: NodeInput, name: str | None = None) -> Node:
    """As ScatterNDUpdate-15, but without reductions."""

def softplus(data: NodeInput, name: str | None = None) -> Node:
    """log(1 + exp(x)), computed without overflow."""

def swish(data: NodeInput, beta: NodeInput | None = None, name: str | None = None) -> Node:
    """x / (1 + exp(-beta · x)), where `beta` is a scalar, and 1 where it is not connected."""
