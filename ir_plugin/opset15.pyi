"""The functions of opset 15, which build nodes."""

from ir_plugin.model import Node
from ir_plugin.model.bodies import if_op as if_op, loop as loop, tensor_iterator as tensor_iterator
from ir_plugin.model.kinds import assign as assign
from ir_plugin.opset14 import (
    abs as abs,
    absolute as absolute,
    acos as acos,
    acosh as acosh,
    adaptive_avg_pool as adaptive_avg_pool,
    adaptive_max_pool as adaptive_max_pool,
    add as add,
    asin as asin,
    asinh as asinh,
    atan as atan,
    atanh as atanh,
    avg_pool as avg_pool,
    batch_norm_inference as batch_norm_inference,
    batch_to_space as batch_to_space,
    binary_convolution as binary_convolution,
    bitwise_and as bitwise_and,
    bitwise_not as bitwise_not,
    bitwise_or as bitwise_or,
    bitwise_xor as bitwise_xor,
    broadcast as broadcast,
    bucketize as bucketize,
    ceil as ceil,
    ceiling as ceiling,
    clamp as clamp,
    concat as concat,
    convert as convert,
    convert_like as convert_like,
    convert_promote_types as convert_promote_types,
    convolution as convolution,
    convolution_backprop_data as convolution_backprop_data,
    cos as cos,
    cosh as cosh,
    ctc_greedy_decoder as ctc_greedy_decoder,
    ctc_greedy_decoder_seq_len as ctc_greedy_decoder_seq_len,
    ctc_loss as ctc_loss,
    cum_sum as cum_sum,
    cumsum as cumsum,
    deformable_convolution as deformable_convolution,
    deformable_psroi_pooling as deformable_psroi_pooling,
    depth_to_space as depth_to_space,
    detection_output as detection_output,
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
    eye as eye,
    fake_convert as fake_convert,
    fake_quantize as fake_quantize,
    floor as floor,
    floor_mod as floor_mod,
    gather as gather,
    gather_elements as gather_elements,
    gather_nd as gather_nd,
    gather_tree as gather_tree,
    gelu as gelu,
    generate_proposals as generate_proposals,
    greater as greater,
    greater_equal as greater_equal,
    grid_sample as grid_sample,
    grn as grn,
    group_convolution as group_convolution,
    group_convolution_backprop_data as group_convolution_backprop_data,
    group_normalization as group_normalization,
    gru_cell as gru_cell,
    gru_sequence as gru_sequence,
    hard_sigmoid as hard_sigmoid,
    hsigmoid as hsigmoid,
    hswish as hswish,
    i420_to_bgr as i420_to_bgr,
    i420_to_rgb as i420_to_rgb,
    idft as idft,
    interpolate as interpolate,
    inverse as inverse,
    irdft as irdft,
    is_finite as is_finite,
    is_inf as is_inf,
    is_nan as is_nan,
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
    matrix_nms as matrix_nms,
    max_pool as max_pool,
    maximum as maximum,
    minimum as minimum,
    mish as mish,
    mod as mod,
    multiclass_nms as multiclass_nms,
    multinomial as multinomial,
    multiply as multiply,
    mvn as mvn,
    negative as negative,
    nms_rotated as nms_rotated,
    non_max_suppression as non_max_suppression,
    non_zero as non_zero,
    normalize_l2 as normalize_l2,
    not_equal as not_equal,
    nv12_to_bgr as nv12_to_bgr,
    nv12_to_rgb as nv12_to_rgb,
    one_hot as one_hot,
    pad as pad,
    power as power,
    prelu as prelu,
    prior_box as prior_box,
    prior_box_clustered as prior_box_clustered,
    proposal as proposal,
    psroi_pooling as psroi_pooling,
    random_uniform as random_uniform,
    range as range,
    rdft as rdft,
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
    scaled_dot_product_attention as scaled_dot_product_attention,
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
    slice as slice,
    softmax as softmax,
    softplus as softplus,
    softsign as softsign,
    space_to_batch as space_to_batch,
    space_to_depth as space_to_depth,
    split as split,
    sqrt as sqrt,
    squared_difference as squared_difference,
    strided_slice as strided_slice,
    subtract as subtract,
    swish as swish,
    tan as tan,
    tanh as tanh,
    tile as tile,
    topk as topk,
    transpose as transpose,
    unique as unique,
    unsqueeze as unsqueeze,
    variadic_split as variadic_split,
)
from ir_plugin.opsets.basic import parameter as parameter, read_value as read_value, result as result
from ir_plugin.opsets.constant_function import constant as constant
from ir_plugin.opsets.typing import Ints, NodeInput

def bitwise_left_shift(
    arg0: NodeInput, arg1: NodeInput, auto_broadcast: str = "NUMPY", name: str | None = None
) -> Node:
    """The bits shifted up and filled with zeros; the rest is dropped."""

def bitwise_right_shift(
    arg0: NodeInput, arg1: NodeInput, auto_broadcast: str = "NUMPY", name: str | None = None
) -> Node:
    """The bits shifted down and filled with the sign."""

def col2im(
    data: NodeInput,
    output_size: NodeInput,
    kernel_size: NodeInput,
    strides: Ints | None = None,
    dilations: Ints | None = None,
    pads_begin: Ints | None = None,
    pads_end: Ints | None = None,
    name: str | None = None,
) -> Node:
    """Sum the L blocks of `data` [N, C * prod(kernel_size), L] into the image [N, C, *output_size]."""

def embedding_bag_offsets(
    emb_table: NodeInput,
    indices: NodeInput,
    offsets: NodeInput,
    default_index: NodeInput | None = None,
    per_sample_weights: NodeInput | None = None,
    reduction: str = "sum",
    name: str | None = None,
) -> Node:
    """Sum (or average, by `reduction`) the rows of `emb_table` at the `indices` of each bag."""

def embedding_bag_packed(
    emb_table: NodeInput,
    indices: NodeInput,
    per_sample_weights: NodeInput | None = None,
    reduction: str = "sum",
    name: str | None = None,
) -> Node:
    """Sum (or average, by `reduction`) the rows of `emb_table` at each row of `indices` [bags, n]."""

def roi_align_rotated(
    data: NodeInput,
    rois: NodeInput,
    batch_indices: NodeInput,
    pooled_h: int,
    pooled_w: int,
    sampling_ratio: int,
    spatial_scale: float,
    clockwise_mode: bool,
    name: str | None = None,
) -> Node:
    """Rotated boxes of feature maps [N, C, H, W], pooled to [rois, C, pooled_h, pooled_w]."""

def scatter_nd_update(
    data: NodeInput, indices: NodeInput, updates: NodeInput, reduction: str | None = None, name: str | None = None
) -> Node:
    """Apply each slice of `updates` to a copy of `data` at the position that a tuple of `indices` addresses."""

def search_sorted(
    sorted_sequence: NodeInput, values: NodeInput, right_mode: bool = False, name: str | None = None
) -> Node:
    """Return the indices in rows of `sorted_sequence` before which `values` are inserted to keep the order."""

def slice_scatter(
    data: NodeInput,
    updates: NodeInput,
    start: NodeInput,
    stop: NodeInput,
    step: NodeInput,
    axes: NodeInput | None = None,
    name: str | None = None,
) -> Node:
    """Replace `data[start:stop:step]` along `axes` in a copy of `data` by `updates`; indices are those of Slice."""

def squeeze(
    data: NodeInput, axes: NodeInput | None = None, allow_axis_skip: bool = False, name: str | None = None
) -> Node:
    """Remove the dimensions of length 1 from `data`, or only those that `axes` names."""

def stft(
    data: NodeInput,
    window: NodeInput,
    frame_size: NodeInput,
    frame_step: NodeInput,
    transpose_frames: bool,
    name: str | None = None,
) -> Node:
    """Transform each frame of `signal` [..., n]: `frame_size` elements, one frame every `frame_step`."""

def string_tensor_pack(begins: NodeInput, ends: NodeInput, symbols: NodeInput, name: str | None = None) -> Node:
    """Return strings whose UTF-8 bytes are `symbols[begin:end]`, one per element of `begins` and `ends`."""

def string_tensor_unpack(data: NodeInput, name: str | None = None) -> Node:
    """Return the concatenated UTF-8 bytes of all strings of `data`, and the offsets where each begins and ends."""
