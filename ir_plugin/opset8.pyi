"""The functions of opset 8, which build nodes."""

from ir_plugin.model import Node
from ir_plugin.model.bodies import if_op as if_op, loop as loop, tensor_iterator as tensor_iterator
from ir_plugin.model.kinds import assign as assign
from ir_plugin.opset7 import (
    abs as abs,
    absolute as absolute,
    acos as acos,
    acosh as acosh,
    add as add,
    asin as asin,
    asinh as asinh,
    atan as atan,
    atanh as atanh,
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
    ctc_greedy_decoder_seq_len as ctc_greedy_decoder_seq_len,
    ctc_loss as ctc_loss,
    cum_sum as cum_sum,
    cumsum as cumsum,
    deformable_psroi_pooling as deformable_psroi_pooling,
    depth_to_space as depth_to_space,
    dft as dft,
    divide as divide,
    einsum as einsum,
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
    gather_elements as gather_elements,
    gather_tree as gather_tree,
    gelu as gelu,
    greater as greater,
    greater_equal as greater_equal,
    grn as grn,
    group_convolution as group_convolution,
    group_convolution_backprop_data as group_convolution_backprop_data,
    gru_cell as gru_cell,
    gru_sequence as gru_sequence,
    hard_sigmoid as hard_sigmoid,
    hsigmoid as hsigmoid,
    hswish as hswish,
    idft as idft,
    interpolate as interpolate,
    less as less,
    less_equal as less_equal,
    log as log,
    log_softmax as log_softmax,
    logical_and as logical_and,
    logical_not as logical_not,
    logical_or as logical_or,
    logical_xor as logical_xor,
    lrn as lrn,
    lstm_cell as lstm_cell,
    lstm_sequence as lstm_sequence,
    matmul as matmul,
    maximum as maximum,
    minimum as minimum,
    mish as mish,
    mod as mod,
    multiply as multiply,
    mvn as mvn,
    negative as negative,
    non_max_suppression as non_max_suppression,
    non_zero as non_zero,
    normalize_l2 as normalize_l2,
    not_equal as not_equal,
    one_hot as one_hot,
    pad as pad,
    power as power,
    prelu as prelu,
    prior_box_clustered as prior_box_clustered,
    proposal as proposal,
    psroi_pooling as psroi_pooling,
    range as range,
    reduce_l1 as reduce_l1,
    reduce_l2 as reduce_l2,
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
    rnn_sequence as rnn_sequence,
    roi_align as roi_align,
    roi_pooling as roi_pooling,
    roll as roll,
    round as round,
    scatter_elements_update as scatter_elements_update,
    scatter_nd_update as scatter_nd_update,
    scatter_update as scatter_update,
    select as select,
    selu as selu,
    shape_of as shape_of,
    shuffle_channels as shuffle_channels,
    sigmoid as sigmoid,
    sign as sign,
    sin as sin,
    sinh as sinh,
    softplus as softplus,
    space_to_batch as space_to_batch,
    space_to_depth as space_to_depth,
    split as split,
    sqrt as sqrt,
    squared_difference as squared_difference,
    squeeze as squeeze,
    strided_slice as strided_slice,
    subtract as subtract,
    swish as swish,
    tan as tan,
    tanh as tanh,
    tile as tile,
    topk as topk,
    transpose as transpose,
    unsqueeze as unsqueeze,
    variadic_split as variadic_split,
)
from ir_plugin.opsets.basic import parameter as parameter, read_value as read_value, result as result
from ir_plugin.opsets.constant_function import constant as constant
from ir_plugin.opsets.typing import Attributes, ElementTypeLike, Ints, NodeInput

def adaptive_avg_pool(data: NodeInput, output_shape: NodeInput, name: str | None = None) -> Node:
    """Average each of `output_shape` regions of `data` [N, C, …]."""

def adaptive_max_pool(
    data: NodeInput, output_shape: NodeInput, index_element_type: ElementTypeLike = "i64", name: str | None = None
) -> Node:
    """Find the maximum of each of `output_shape` regions of `data` [N, C, …] and its index on the spatial axes."""

def deformable_convolution(
    data: NodeInput,
    offsets: NodeInput,
    filters: NodeInput,
    strides: Ints,
    pads_begin: Ints,
    pads_end: Ints,
    dilations: Ints,
    mask: NodeInput | None = None,
    auto_pad: str = "EXPLICIT",
    group: int = 1,
    deformable_group: int = 1,
    bilinear_interpolation_pad: bool = False,
    name: str | None = None,
) -> Node:
    """As Convolution-1 in two dimensions, but each element of a window is read where `offsets` displaces it to."""

def detection_output(
    box_logits: NodeInput,
    class_preds: NodeInput,
    proposals: NodeInput,
    attrs: Attributes,
    aux_class_preds: NodeInput | None = None,
    aux_box_preds: NodeInput | None = None,
    name: str | None = None,
) -> Node:
    """Boxes decoded from logits and priors, after non-maximum suppression for each class."""

def gather(data: NodeInput, indices: NodeInput, axis: NodeInput, batch_dims: int = 0, name: str | None = None) -> Node:
    """Take slices of `data` along `axis` at `indices`, which share `batch_dims` leading dimensions with `data`."""

def gather_nd(data: NodeInput, indices: NodeInput, batch_dims: int = 0, name: str | None = None) -> Node:
    """Take the slices of `data` that the tuples along the last axis of `indices` address."""

def i420_to_bgr(
    arg: NodeInput, arg_u: NodeInput | None = None, arg_v: NodeInput | None = None, name: str | None = None
) -> Node:
    """As I420toRGB-8, but blue is the first colour and red the last."""

def i420_to_rgb(
    arg: NodeInput, arg_u: NodeInput | None = None, arg_v: NodeInput | None = None, name: str | None = None
) -> Node:
    """An image [N, H, W, 3], in [0, 255], from luma `arg_y` and chroma `arg_u` and `arg_v`."""

def matrix_nms(
    boxes: NodeInput,
    scores: NodeInput,
    sort_result_type: str = "none",
    sort_result_across_batch: bool = False,
    output_type: ElementTypeLike = "i64",
    score_threshold: float = 0.0,
    nms_top_k: int = -1,
    keep_top_k: int = -1,
    background_class: int = -1,
    decay_function: str = "linear",
    gaussian_sigma: float = 2.0,
    post_threshold: float = 0.0,
    normalized: bool = True,
    name: str | None = None,
) -> Node:
    """Return rows (class, score, x, y, x, y) of the best boxes, their indices in all boxes, and their number per …"""

def max_pool(
    data: NodeInput,
    strides: Ints,
    dilations: Ints,
    pads_begin: Ints,
    pads_end: Ints,
    kernel_shape: Ints,
    rounding_type: str = "floor",
    auto_pad: str | None = None,
    index_element_type: ElementTypeLike = "i64",
    axis: int = 0,
    name: str | None = None,
) -> Node:
    """As MaxPool-14, but without ceil_torch."""

def multiclass_nms(
    boxes: NodeInput,
    scores: NodeInput,
    sort_result_type: str = "none",
    sort_result_across_batch: bool = False,
    output_type: ElementTypeLike = "i64",
    iou_threshold: float = 0.0,
    score_threshold: float = 0.0,
    nms_top_k: int = -1,
    keep_top_k: int = -1,
    background_class: int = -1,
    nms_eta: float = 1.0,
    normalized: bool = True,
    name: str | None = None,
) -> Node:
    """As MulticlassNms-9 without `roisnum`."""

def nv12_to_bgr(arg: NodeInput, arg_uv: NodeInput | None = None, name: str | None = None) -> Node:
    """As NV12toRGB-8, but blue is the first colour and red the last."""

def nv12_to_rgb(arg: NodeInput, arg_uv: NodeInput | None = None, name: str | None = None) -> Node:
    """An image [N, H, W, 3], in [0, 255], from luma `arg_y` and chroma `arg_uv`, U and V beside each other."""

def prior_box(layer_shape: NodeInput, image_shape: NodeInput, attrs: Attributes, name: str | None = None) -> Node:
    """Boxes of several sizes and shapes (in pixels of the image) around each cell of a grid of `output_size`."""

def random_uniform(
    output_shape: NodeInput,
    min_val: NodeInput,
    max_val: NodeInput,
    output_type: ElementTypeLike,
    global_seed: int = 0,
    op_seed: int = 0,
    alignment: str = "tensorflow",
    name: str | None = None,
) -> Node:
    """A tensor of `shape` with random numbers in [`minval`, `maxval`), as TensorFlow or PyTorch generate them."""

def slice(
    data: NodeInput,
    start: NodeInput,
    stop: NodeInput,
    step: NodeInput,
    axes: NodeInput | None = None,
    name: str | None = None,
) -> Node:
    """Take `data[start:stop:step]` along each of `axes`, by default the first axes, with Python's rules."""

def softmax(data: NodeInput, axis: int, name: str | None = None) -> Node:
    """exp(x) divided by the sum of exp(x) along `axis`, computed without overflow. `axis` may count from the end."""
