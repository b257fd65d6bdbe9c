"""The functions of opset 3, which build nodes."""

from ir_plugin.model import Node
from ir_plugin.model.bodies import tensor_iterator as tensor_iterator
from ir_plugin.opset2 import (
    abs as abs,
    absolute as absolute,
    acos as acos,
    add as add,
    asin as asin,
    atan as atan,
    avg_pool as avg_pool,
    batch_norm_inference as batch_norm_inference,
    batch_to_space as batch_to_space,
    binary_convolution as binary_convolution,
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
    gelu as gelu,
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
    mvn as mvn,
    negative as negative,
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
    reorg_yolo as reorg_yolo,
    reshape as reshape,
    reverse_sequence as reverse_sequence,
    roi_pooling as roi_pooling,
    select as select,
    selu as selu,
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
    transpose as transpose,
    unsqueeze as unsqueeze,
    variadic_split as variadic_split,
)
from ir_plugin.opsets.basic import parameter as parameter, result as result
from ir_plugin.opsets.constant_function import constant as constant
from ir_plugin.opsets.typing import ElementTypeLike, Floats, Ints, NodeInput, Texts

def assign(new_value: NodeInput, variable_id: str, name: str | None = None) -> Node:
    """As Assign-6, for a variable that ReadValue-3 reads."""

def broadcast(
    data: NodeInput,
    target_shape: NodeInput,
    axes_mapping: NodeInput | None = None,
    broadcast_spec: str = "NUMPY",
    name: str | None = None,
) -> Node:
    """Replicate `data` along axes of length 1 and along new axes to the shape `target_shape`."""

def bucketize(
    data: NodeInput,
    buckets: NodeInput,
    output_type: ElementTypeLike = "i64",
    with_right_bound: bool = True,
    name: str | None = None,
) -> Node:
    """The number of boundaries below each element; one equal to it counts unless `with_right_bound`."""

def cum_sum(
    arg: NodeInput, axis: NodeInput, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Node:
    """Sums along `axis` (0 where it is not connected) of the elements up to each one, or before it if `exclusive`."""

def cumsum(
    arg: NodeInput, axis: NodeInput, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Node:
    """Sums along `axis` (0 where it is not connected) of the elements up to each one, or before it if `exclusive`."""

def embedding_bag_offsets_sum(
    emb_table: NodeInput,
    indices: NodeInput,
    offsets: NodeInput,
    default_index: NodeInput | None = None,
    per_sample_weights: NodeInput | None = None,
    name: str | None = None,
) -> Node:
    """As EmbeddingBagOffsets-15 for sums."""

def embedding_bag_packed_sum(
    emb_table: NodeInput, indices: NodeInput, per_sample_weights: NodeInput | None = None, name: str | None = None
) -> Node:
    """As EmbeddingBagPacked-15 for sums."""

def embedding_segments_sum(
    emb_table: NodeInput,
    indices: NodeInput,
    segment_ids: NodeInput,
    num_segments: NodeInput | None = None,
    default_index: NodeInput | None = None,
    per_sample_weights: NodeInput | None = None,
    name: str | None = None,
) -> Node:
    """Sum the rows of `emb_table` at the `indices` of each of `num_segments` segments."""

def extract_image_patches(
    image: NodeInput, sizes: Ints, strides: Ints, rates: Ints, auto_pad: str, name: str | None = None
) -> Node:
    """Take patches of `sizes` elements, `rates` apart, at steps of `strides` from `data` [batch, depth, rows, …"""

def gru_cell(
    X: NodeInput,
    initial_hidden_state: NodeInput,
    W: NodeInput,
    R: NodeInput,
    B: NodeInput,
    hidden_size: int,
    activations: Texts | None = None,
    activations_alpha: Floats | None = None,
    activations_beta: Floats | None = None,
    clip: float = 0.0,
    linear_before_reset: bool = False,
    name: str | None = None,
) -> Node:
    """Return the hidden state H after one input X of each batch; gate order zrh."""

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
    """As NonMaxSuppression-4, but min(boxes, `max_output_boxes_per_class` · classes) rows in a model that is read."""

def non_zero(data: NodeInput, output_type: ElementTypeLike = "i64", name: str | None = None) -> Node:
    """The indices of nonzero elements, in row-major order: a column for each element, a row for each dimension."""

def read_value(init_value: NodeInput, variable_id: str, name: str | None = None) -> Node:
    """As ReadValue-6, but `init_value` is needed, and the variable has its type and shape."""

def rnn_cell(
    X: NodeInput,
    initial_hidden_state: NodeInput,
    W: NodeInput,
    R: NodeInput,
    B: NodeInput,
    hidden_size: int,
    activations: Texts,
    activations_alpha: Floats,
    activations_beta: Floats,
    clip: float = 0.0,
    name: str | None = None,
) -> Node:
    """Return the hidden state H after one input X of each batch: `activations[0]` of X·Wᵀ + H·Rᵀ + B."""

def roi_align(
    data: NodeInput,
    rois: NodeInput,
    batch_indices: NodeInput,
    pooled_h: int,
    pooled_w: int,
    sampling_ratio: int,
    spatial_scale: float,
    mode: str,
    name: str | None = None,
) -> Node:
    """As ROIAlign-9 with `aligned_mode` asymmetric."""

def scatter_elements_update(
    data: NodeInput, indices: NodeInput, updates: NodeInput, axis: NodeInput, name: str | None = None
) -> Node:
    """As ScatterElementsUpdate-12, but without reductions."""

def scatter_update(
    data: NodeInput, indices: NodeInput, updates: NodeInput, axis: NodeInput, name: str | None = None
) -> Node:
    """Replace the slices along `axis` at `indices` in a copy of `data` by `updates`; the last of equal indices wins."""

def shape_of(data: NodeInput, output_type: ElementTypeLike = "i64", name: str | None = None) -> Node:
    """Return the lengths of `data` as a 1-D tensor of `output_type`, independent of its values."""

def shuffle_channels(data: NodeInput, axis: int, group: int, name: str | None = None) -> Node:
    """View `axis` of `data` as [group, length / group] and transpose it to [length / group, group]."""

def topk(
    data: NodeInput,
    k: NodeInput,
    axis: int,
    mode: str,
    sort: str,
    index_element_type: ElementTypeLike = "i32",
    name: str | None = None,
) -> Node:
    """As TopK-11, but without `stable`: the order of equal elements is unspecified; here they keep their order."""
