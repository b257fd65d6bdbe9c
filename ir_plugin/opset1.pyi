"""The functions of opset 1, which build nodes."""

from ir_plugin.model import Node
from ir_plugin.model.bodies import tensor_iterator as tensor_iterator
from ir_plugin.opsets.basic import parameter as parameter, result as result
from ir_plugin.opsets.constant_function import constant as constant
from ir_plugin.opsets.typing import Attributes, ElementTypeLike, Floats, Ints, NodeInput, Nodes, Texts

def abs(node: NodeInput, name: str | None = None) -> Node:
    """The absolute value; that of the smallest whole number wraps to itself."""

def absolute(node: NodeInput, name: str | None = None) -> Node:
    """The absolute value; that of the smallest whole number wraps to itself."""

def acos(node: NodeInput, name: str | None = None) -> Node:
    """The arccosine in radians: NaN outside [-1, 1]."""

def add(left_node: NodeInput, right_node: NodeInput, auto_broadcast: str = "NUMPY", name: str | None = None) -> Node:
    """The sum; whole numbers wrap."""

def asin(node: NodeInput, name: str | None = None) -> Node:
    """The arcsine in radians: NaN outside [-1, 1]."""

def atan(node: NodeInput, name: str | None = None) -> Node:
    """The arctangent in radians."""

def avg_pool(
    data_batch: NodeInput,
    strides: Ints,
    pads_begin: Ints,
    pads_end: Ints,
    kernel_shape: Ints,
    exclude_pad: bool,
    rounding_type: str = "floor",
    auto_pad: str | None = None,
    name: str | None = None,
) -> Node:
    """As AvgPool-14, but without ceil_torch."""

def batch_norm_inference(
    data: NodeInput,
    gamma: NodeInput,
    beta: NodeInput,
    mean: NodeInput,
    variance: NodeInput,
    epsilon: float,
    name: str | None = None,
) -> Node:
    """As BatchNormInference-5, but also accepts the inputs in the order gamma, beta, data, mean, variance."""

def binary_convolution(
    data: NodeInput,
    filters: NodeInput,
    strides: Ints,
    pads_begin: Ints,
    pads_end: Ints,
    dilations: Ints,
    mode: str,
    pad_value: float,
    auto_pad: str = "EXPLICIT",
    name: str | None = None,
) -> Node:
    """As Convolution-1 in two dimensions, where the bits 0 and 1 of data and kernel stand for -1 and 1."""

def broadcast(
    data: NodeInput,
    target_shape: NodeInput,
    axes_mapping: NodeInput | None = None,
    mode: str = "NUMPY",
    name: str | None = None,
) -> Node:
    """As Broadcast-3, but without mode bidirectional; `auto_broadcast_axis` is the axis of mode pdpd."""

def ceil(node: NodeInput, name: str | None = None) -> Node:
    """The smallest whole number not below the element."""

def ceiling(node: NodeInput, name: str | None = None) -> Node:
    """The smallest whole number not below the element."""

def clamp(data: NodeInput, min_value: float, max_value: float, name: str | None = None) -> Node:
    """Every element limited to [min, max]; NaN stays."""

def concat(nodes: Nodes, axis: int, name: str | None = None) -> Node:
    """Join all inputs along `axis`; their other dimensions are equal."""

def convert(data: NodeInput, destination_type: ElementTypeLike, name: str | None = None) -> Node:
    """Convert elements to `destination_type`: integers wrap, floats are truncated to integers, nonzero is true."""

def convert_like(data: NodeInput, like: NodeInput, name: str | None = None) -> Node:
    """Convert the elements of `data` to the type of `like` as Convert-1 does; the values of `like` are ignored."""

def convolution(
    data: NodeInput,
    filters: NodeInput,
    strides: Ints,
    pads_begin: Ints,
    pads_end: Ints,
    dilations: Ints,
    auto_pad: str = "EXPLICIT",
    name: str | None = None,
) -> Node:
    """The cross-correlation of `data` [N, I, …] with `filters` [O, I, …] over one to three spatial axes: [N, O, …]."""

def convolution_backprop_data(
    data: NodeInput,
    filters: NodeInput,
    strides: Ints,
    output_shape: NodeInput | None = None,
    pads_begin: Ints | None = None,
    pads_end: Ints | None = None,
    dilations: Ints | None = None,
    auto_pad: str | None = None,
    output_padding: Ints | None = None,
    name: str | None = None,
) -> Node:
    """The transpose of Convolution-1: `data` [N, I, …], `filters` [I, O, …], out [N, O, …]."""

def cos(node: NodeInput, name: str | None = None) -> Node:
    """The cosine of an angle in radians."""

def cosh(node: NodeInput, name: str | None = None) -> Node:
    """The hyperbolic cosine."""

def ctc_greedy_decoder(
    data: NodeInput, sequence_mask: NodeInput, merge_repeated: bool = True, name: str | None = None
) -> Node:
    """Return the classes [N, T, 1, 1] of the best paths through `data` [T, N, C], as floats, padded with -1."""

def deformable_convolution(
    data: NodeInput,
    deformable_values: NodeInput,
    filters: NodeInput,
    strides: Ints,
    pads_begin: Ints,
    pads_end: Ints,
    dilations: Ints,
    auto_pad: str = "EXPLICIT",
    group: int = 1,
    deformable_group: int = 1,
    name: str | None = None,
) -> Node:
    """As DeformableConvolution-8 without `bilinear_interpolation_pad` and without a mask."""

def deformable_psroi_pooling(
    feature_maps: NodeInput,
    coords: NodeInput,
    output_dim: int,
    spatial_scale: float,
    group_size: int = 1,
    mode: str = "bilinear_deformable",
    spatial_bins_x: int = 1,
    spatial_bins_y: int = 1,
    trans_std: float = 1.0,
    part_size: int = 1,
    offsets: NodeInput | None = None,
    name: str | None = None,
) -> Node:
    """Boxes of feature maps [N, output_dim · group_size², H, W], pooled to [rois, output_dim, group_size, …"""

def depth_to_space(node: NodeInput, mode: str, block_size: int = 1, name: str | None = None) -> Node:
    """Rearrange `data` [N, C, D1 … DK] as [N, C / block_size^K, D1 * block_size … DK * block_size]."""

def detection_output(
    box_logits: NodeInput,
    class_preds: NodeInput,
    proposals: NodeInput,
    attrs: Attributes,
    aux_class_preds: NodeInput | None = None,
    aux_box_preds: NodeInput | None = None,
    name: str | None = None,
) -> Node:
    """As DetectionOutput-8, but the number of classes is an attribute."""

def divide(left_node: NodeInput, right_node: NodeInput, auto_broadcast: str = "NUMPY", name: str | None = None) -> Node:
    """The quotient; of whole numbers rounded down (`m_pythondiv`), or towards zero."""

def elu(data: NodeInput, alpha: float, name: str | None = None) -> Node:
    """x where it is positive, alpha · (exp(x) - 1) elsewhere."""

def equal(left_node: NodeInput, right_node: NodeInput, auto_broadcast: str = "NUMPY", name: str | None = None) -> Node:
    """Whether the operands are equal."""

def erf(node: NodeInput, name: str | None = None) -> Node:
    """The error function, accurate to the last digits of its type."""

def exp(node: NodeInput, name: str | None = None) -> Node:
    """The exponential function."""

def fake_quantize(
    data: NodeInput,
    input_low: NodeInput,
    input_high: NodeInput,
    output_low: NodeInput,
    output_high: NodeInput,
    levels: int,
    auto_broadcast: str = "NUMPY",
    name: str | None = None,
) -> Node:
    """Clamp x to [input_low, input_high], round it to one of `levels` steps, and map it to [output_low, …"""

def floor(node: NodeInput, name: str | None = None) -> Node:
    """The largest whole number not above the element."""

def floor_mod(
    left_node: NodeInput, right_node: NodeInput, auto_broadcast: str = "NUMPY", name: str | None = None
) -> Node:
    """The remainder of division rounded down, with the sign of the divisor."""

def gather(data: NodeInput, indices: NodeInput, axis: NodeInput, name: str | None = None) -> Node:
    """As Gather-7, but without batch dimensions."""

def gather_tree(
    step_ids: NodeInput, parent_idx: NodeInput, max_seq_len: NodeInput, end_token: NodeInput, name: str | None = None
) -> Node:
    """Walk each beam of each batch from its last step to its first along `parent_idx`, and collect `step_ids`."""

def greater(
    left_node: NodeInput, right_node: NodeInput, auto_broadcast: str = "NUMPY", name: str | None = None
) -> Node:
    """Whether the first operand is larger."""

def greater_equal(
    left_node: NodeInput, right_node: NodeInput, auto_broadcast: str = "NUMPY", name: str | None = None
) -> Node:
    """Whether the first operand is not smaller."""

def grn(data: NodeInput, bias: float, name: str | None = None) -> Node:
    """Divide `data` [N, C, …] by the root of the sum of squares over all channels plus `bias`."""

def group_convolution(
    data: NodeInput,
    filters: NodeInput,
    strides: Ints,
    pads_begin: Ints,
    pads_end: Ints,
    dilations: Ints,
    auto_pad: str = "EXPLICIT",
    name: str | None = None,
) -> Node:
    """As Convolution-1, for each group of channels alone: `data` [N, G*I, …], `filters` [G, O, I, …], out [N, G*O, …"""

def group_convolution_backprop_data(
    data: NodeInput,
    filters: NodeInput,
    strides: Ints,
    output_shape: NodeInput | None = None,
    pads_begin: Ints | None = None,
    pads_end: Ints | None = None,
    dilations: Ints | None = None,
    auto_pad: str = "EXPLICIT",
    output_padding: Ints | None = None,
    name: str | None = None,
) -> Node:
    """As ConvolutionBackpropData-1, for each group alone: `filters` [G, I, O, …], `data` [N, G*I, …], out [N, G*O, …"""

def hard_sigmoid(data: NodeInput, alpha: NodeInput, beta: NodeInput, name: str | None = None) -> Node:
    """max(0, min(1, alpha · x + beta)), with `alpha` and `beta` scalars."""

def interpolate(image: NodeInput, output_shape: NodeInput, attrs: Attributes, name: str | None = None) -> Node:
    """The `data`, resized along `axes` to the lengths of `target_spatial_shape`."""

def less(left_node: NodeInput, right_node: NodeInput, auto_broadcast: str = "NUMPY", name: str | None = None) -> Node:
    """Whether the first operand is smaller."""

def less_equal(
    left_node: NodeInput, right_node: NodeInput, auto_broadcast: str = "NUMPY", name: str | None = None
) -> Node:
    """Whether the first operand is not larger."""

def log(node: NodeInput, name: str | None = None) -> Node:
    """The natural logarithm: negative infinity for 0, NaN below."""

def logical_and(
    left_node: NodeInput, right_node: NodeInput, auto_broadcast: str = "NUMPY", name: str | None = None
) -> Node:
    """Whether both operands are true."""

def logical_not(node: NodeInput, name: str | None = None) -> Node:
    """Whether the operand is false."""

def logical_or(
    left_node: NodeInput, right_node: NodeInput, auto_broadcast: str = "NUMPY", name: str | None = None
) -> Node:
    """Whether at least one operand is true."""

def logical_xor(
    left_node: NodeInput, right_node: NodeInput, auto_broadcast: str = "NUMPY", name: str | None = None
) -> Node:
    """Whether exactly one operand is true."""

def lrn(
    data: NodeInput,
    axes: NodeInput,
    alpha: float = 1,
    beta: float = 0.5,
    bias: float = 1,
    size: int = 5,
    name: str | None = None,
) -> Node:
    """`data / (bias + alpha / size ** len(axes) * sum) ** beta`, the sum of squares over a region of side `size`."""

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
    """As LSTMCell-4, but with an optional bias; `weights_format`, `input_forget` and the peepholes P change nothing."""

def matmul(data_a: NodeInput, data_b: NodeInput, transpose_a: bool, transpose_b: bool, name: str | None = None) -> Node:
    """The products of the matrices in the last two dimensions of `a` and `b`; those before are broadcast."""

def max_pool(
    data: NodeInput,
    strides: Ints,
    pads_begin: Ints,
    pads_end: Ints,
    kernel_shape: Ints,
    rounding_type: str = "floor",
    auto_pad: str | None = None,
    name: str | None = None,
) -> Node:
    """As MaxPool-8, but without dilations and without indices."""

def maximum(
    left_node: NodeInput, right_node: NodeInput, auto_broadcast: str = "NUMPY", name: str | None = None
) -> Node:
    """The larger operand; NaN where either is NaN."""

def minimum(
    left_node: NodeInput, right_node: NodeInput, auto_broadcast: str = "NUMPY", name: str | None = None
) -> Node:
    """The smaller operand; NaN where either is NaN."""

def mod(left_node: NodeInput, right_node: NodeInput, auto_broadcast: str = "NUMPY", name: str | None = None) -> Node:
    """The remainder of division towards zero, with the sign of the dividend."""

def multiply(
    left_node: NodeInput, right_node: NodeInput, auto_broadcast: str = "NUMPY", name: str | None = None
) -> Node:
    """The product; whole numbers wrap, as those of Add-1."""

def negative(node: NodeInput, name: str | None = None) -> Node:
    """The number with its sign changed; whole numbers wrap."""

def non_max_suppression(
    boxes: NodeInput,
    scores: NodeInput,
    max_output_boxes_per_class: NodeInput | None = None,
    iou_threshold: NodeInput | None = None,
    score_threshold: NodeInput | None = None,
    box_encoding: str = "corner",
    sort_result_descending: bool = True,
    name: str | None = None,
) -> Node:
    """As NonMaxSuppression-3, but the output is always i64."""

def normalize_l2(data: NodeInput, axes: NodeInput, eps: float, eps_mode: str, name: str | None = None) -> Node:
    """Divide `data` by the root of its sum of squares along `axes`."""

def not_equal(
    left_node: NodeInput, right_node: NodeInput, auto_broadcast: str = "NUMPY", name: str | None = None
) -> Node:
    """Whether the operands differ."""

def one_hot(
    indices: NodeInput, depth: NodeInput, on_value: NodeInput, off_value: NodeInput, axis: int, name: str | None = None
) -> Node:
    """As OneHot-16, but without `negative_indices_mode`: negative indices, which are unspecified, are ignored."""

def pad(
    arg: NodeInput,
    pads_begin: NodeInput,
    pads_end: NodeInput,
    pad_mode: str,
    arg_pad_value: NodeInput | None = None,
    name: str | None = None,
) -> Node:
    """As Pad-12, but the page allows only pads of at least 0; negative pads crop here too, as in OpenVINO."""

def power(left_node: NodeInput, right_node: NodeInput, auto_broadcast: str = "NUMPY", name: str | None = None) -> Node:
    """The first operand to the power of the second."""

def prelu(data: NodeInput, slope: NodeInput, name: str | None = None) -> Node:
    """x where it is not negative, slope · x elsewhere."""

def prior_box(layer_shape: NodeInput, image_shape: NodeInput, attrs: Attributes, name: str | None = None) -> Node:
    """As PriorBox-8, but the box of max_size always comes before those of the aspect ratios."""

def prior_box_clustered(
    output_size: NodeInput, image_size: NodeInput, attrs: Attributes, name: str | None = None
) -> Node:
    """Boxes of each `width` and `height` (in pixels of the image) around each cell of a grid of `output_size`."""

def proposal(
    class_probs: NodeInput, bbox_deltas: NodeInput, image_shape: NodeInput, attrs: Attributes, name: str | None = None
) -> Node:
    """As Proposal-4, but without the scores."""

def psroi_pooling(
    input: NodeInput,
    coords: NodeInput,
    output_dim: int,
    group_size: int,
    spatial_scale: float,
    spatial_bins_x: int,
    spatial_bins_y: int,
    mode: str,
    name: str | None = None,
) -> Node:
    """Boxes of feature maps [N, C, H, W], pooled to [rois, output_dim, group_size, group_size]."""

def range(start: NodeInput, stop: NodeInput, step: NodeInput, name: str | None = None) -> Node:
    """As Range-4, but inputs and output have one type."""

def reduce_logical_and(
    node: NodeInput, reduction_axes: NodeInput, keep_dims: bool = False, name: str | None = None
) -> Node:
    """Test whether all elements along `axes` are true; no elements give true."""

def reduce_logical_or(
    node: NodeInput, reduction_axes: NodeInput, keep_dims: bool = False, name: str | None = None
) -> Node:
    """Test whether any element along `axes` is true; no elements give false."""

def reduce_max(node: NodeInput, reduction_axes: NodeInput, keep_dims: bool = False, name: str | None = None) -> Node:
    """Find the maximum along `axes`. NaN wins."""

def reduce_mean(node: NodeInput, reduction_axes: NodeInput, keep_dims: bool = False, name: str | None = None) -> Node:
    """Average the elements along `axes`; no elements give 0, and means of integers are rounded towards zero."""

def reduce_min(node: NodeInput, reduction_axes: NodeInput, keep_dims: bool = False, name: str | None = None) -> Node:
    """Find the minimum along `axes`; no elements give +inf or the largest integer of the type. NaN wins."""

def reduce_prod(node: NodeInput, reduction_axes: NodeInput, keep_dims: bool = False, name: str | None = None) -> Node:
    """Multiply the elements along `axes`; no elements give 1, and integers wrap."""

def reduce_sum(node: NodeInput, reduction_axes: NodeInput, keep_dims: bool = False, name: str | None = None) -> Node:
    """Sum the elements along `axes`; no elements give 0, and integers wrap."""

def region_yolo(
    input: NodeInput,
    coords: int,
    classes: int,
    num: int,
    do_softmax: bool,
    mask: Ints,
    axis: int,
    end_axis: int,
    anchors: Floats | None = None,
    name: str | None = None,
) -> Node:
    """Sigmoids of centers, objectness and classes of each region; with `do_softmax` a softmax of the classes."""

def relu(node: NodeInput, name: str | None = None) -> Node:
    """The number, or 0 where it is negative; NaN stays."""

def reshape(node: NodeInput, output_shape: NodeInput, special_zero: bool, name: str | None = None) -> Node:
    """Return the elements of `data`, in order, with the dimensions of `pattern`."""

def reverse_sequence(
    input: NodeInput, seq_lengths: NodeInput, batch_axis: int, seq_axis: int, name: str | None = None
) -> Node:
    """Reverse the first `seq_lengths[i]` elements along `seq_axis` for each index i of `batch_axis`."""

def select(
    cond: NodeInput, then_node: NodeInput, else_node: NodeInput, auto_broadcast: str = "numpy", name: str | None = None
) -> Node:
    """The elements of `then` where `cond` is true, those of `otherwise` elsewhere."""

def selu(data: NodeInput, alpha: NodeInput, lambda_value: NodeInput, name: str | None = None) -> Node:
    """lambda · x where x is positive, lambda · alpha · (exp(x) - 1) elsewhere; both factors hold one element."""

def shape_of(data: NodeInput, name: str | None = None) -> Node:
    """As ShapeOf-3, but always of type i64."""

def sigmoid(data: NodeInput, name: str | None = None) -> Node:
    """1 / (1 + exp(-x))."""

def sign(node: NodeInput, name: str | None = None) -> Node:
    """-1, 0 or 1, and NaN for NaN."""

def sin(node: NodeInput, name: str | None = None) -> Node:
    """The sine of an angle in radians."""

def sinh(node: NodeInput, name: str | None = None) -> Node:
    """The hyperbolic sine."""

def softmax(data: NodeInput, axis: int, name: str | None = None) -> Node:
    """As Softmax-8, but `axis` counts from the front."""

def space_to_depth(data: NodeInput, mode: str, block_size: int = 1, name: str | None = None) -> Node:
    """Rearrange `data` [N, C, D1 … DK] as [N, C * block_size^K, D1 / block_size … DK / block_size]."""

def split(data: NodeInput, axis: NodeInput, num_splits: int, name: str | None = None) -> Node:
    """Split `data` into `num_splits` equal parts along the scalar `axis`."""

def sqrt(node: NodeInput, name: str | None = None) -> Node:
    """The square root: NaN for negative numbers."""

def squared_difference(x1: NodeInput, x2: NodeInput, auto_broadcast: str = "NUMPY", name: str | None = None) -> Node:
    """The difference, squared; whole numbers wrap."""

def squeeze(data: NodeInput, axes: NodeInput, name: str | None = None) -> Node:
    """As Squeeze-15, but without `allow_axis_skip`, and a single unknown axis counts as squeezed."""

def strided_slice(
    data: NodeInput,
    begin: NodeInput,
    end: NodeInput,
    strides: NodeInput,
    begin_mask: Ints,
    end_mask: Ints,
    new_axis_mask: Ints | None = None,
    shrink_axis_mask: Ints | None = None,
    ellipsis_mask: Ints | None = None,
    name: str | None = None,
) -> Node:
    """Take `data[begin:end:stride]` along the first axes, modified by masks with one digit 0 or 1 per index."""

def subtract(
    left_node: NodeInput, right_node: NodeInput, auto_broadcast: str = "NUMPY", name: str | None = None
) -> Node:
    """The difference; whole numbers wrap, as those of Add-1."""

def tan(node: NodeInput, name: str | None = None) -> Node:
    """The tangent of an angle in radians."""

def tanh(node: NodeInput, name: str | None = None) -> Node:
    """The hyperbolic tangent."""

def tile(data: NodeInput, repeats: NodeInput, name: str | None = None) -> Node:
    """Repeat `data` `repeats[i]` times along axis i; the shorter of shape and repeats is padded with leading ones."""

def topk(data: NodeInput, k: NodeInput, axis: int, mode: str, sort: str, name: str | None = None) -> Node:
    """As TopK-3, but `k` is of type i8, i32 or i64."""

def transpose(data: NodeInput, input_order: NodeInput, name: str | None = None) -> Node:
    """Permute the dimensions of `arg`: output dimension i is dimension `input_order[i]`; an empty order reverses …"""

def unsqueeze(data: NodeInput, axes: NodeInput, name: str | None = None) -> Node:
    """Insert dimensions of length 1 at `axes` of the output."""

def variadic_split(data: NodeInput, axis: NodeInput, split_lengths: NodeInput, name: str | None = None) -> Node:
    """Split `data` into parts of `split_lengths` along `axis`; one length may be -1, the remainder."""
