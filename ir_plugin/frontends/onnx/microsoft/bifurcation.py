"""BifurcationDetector: where predicted tokens leave the source, and where the source goes on like the output."""

from __future__ import annotations

from ir_plugin.frontends.onnx.attention.masks import both, positions
from ir_plugin.frontends.onnx.attention.splitting import length_of
from ir_plugin.frontends.onnx.common import Value, as_scalar, cast, i64, output
from ir_plugin.frontends.onnx.faults import OnnxReadError, OnnxUnsupportedError
from ir_plugin.frontends.onnx.microsoft.domain import microsoft
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.model import Output
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import ElementType

_ABSENT = -1
MAX_TOKENS = 512
"""The longest suffix in tokens; each length adds a few nodes."""


@microsoft("BifurcationDetector")
def bifurcation_detector(node: OnnxNode) -> list[Value]:
    """Return the tokens with the predicted ones up to the first that differs, and the index after their suffix."""
    source, tokens = node.input(0), node.input(1)
    least, most = (node.attributes.int(f"{word}_ngram_size", default) for word, default in (("min", 1), ("max", 3)))
    most = _required_sizes(least, most, source)
    if node.has(3):
        tokens = output(ops.concat([tokens, _agreeing(source, node.input(3), as_scalar(node.input(2)))], 0))
    index: Output = i64(_ABSENT)
    goes_on = matches = None
    for size in range(1, most + 1):
        matches = _matches(source, tokens, size, matches)
        if size >= least:
            index, goes_on = _step(source, tokens, size, matches, index, goes_on)
    return [tokens, index]


def _required_sizes(least: int, most: int, source: Output) -> int:
    """Return the greatest number of tokens that can be in the source; raises for impossible attributes."""
    if not 1 <= least <= most:
        raise OnnxReadError(f"the attribute 'min_ngram_size' is {least}, 'max_ngram_size' {most}; 1 <= min <= max")
    dims = source.tensor_info.shape.dims
    length = dims[0].get_length() if dims and dims[0].is_static else most
    if min(most, length) > MAX_TOKENS:
        raise OnnxUnsupportedError(f"the attribute 'max_ngram_size' is {most}; at most {MAX_TOKENS} are supported")
    return min(most, length)


def _agreeing(source: Output, predicted: Output, begin: Output) -> Output:
    """Return the predicted tokens up to and with the first that is not the source's from `begin` on."""
    first = cast(ops.unsqueeze(begin, i64([0])), ElementType.i64)
    rest = output(ops.slice(source, first, ops.unsqueeze(length_of(source, 0), i64([0])), i64([1])))
    length = ops.unsqueeze(length_of(rest, 0), i64([0]))
    differs = ops.not_equal(ops.slice(predicted, i64([0]), length, i64([1])), rest)
    starts = ops.select(differs, positions(length_of(rest, 0)), length)
    end = ops.reduce_min(ops.concat([starts, length], 0), i64([0]), keep_dims=True)
    return output(ops.slice(predicted, i64([0]), ops.add(end, i64([1])), i64([1])))


def _step(
    source: Output, tokens: Output, size: int, matches: Output, index: Output, goes_on: Output | None
) -> tuple[Output, Output | None]:
    """Return the index after suffixes of a size are tried, and whether longer ones are to be tried."""
    count = ops.reduce_sum(cast(matches, ElementType.i64), i64([0]), keep_dims=False)
    starts = ops.select(matches, positions(length_of(matches, 0)), length_of(source, 0))
    every = ops.concat([starts, ops.unsqueeze(length_of(source, 0), i64([0]))], 0)
    first = ops.add(ops.reduce_min(every, i64([0]), keep_dims=False), i64(size))
    fits = output(ops.greater_equal(length_of(tokens, 0), i64(size)))
    is_tried = both(goes_on, fits) or fits
    is_many = ops.greater(count, i64(1))
    result = ops.select(ops.equal(count, i64(1)), first, i64(_ABSENT))
    return output(ops.select(is_tried, result, index)), both(is_tried, output(is_many))


def _matches(source: Output, tokens: Output, size: int, shorter: Output | None) -> Output:
    """Return for each position of the source whether the last `size` tokens match; `shorter` is that for one fewer."""
    length = ops.unsqueeze(ops.maximum(ops.subtract(length_of(source, 0), i64(size - 1)), i64(0)), i64([0]))
    token = ops.gather(tokens, ops.maximum(ops.subtract(length_of(tokens, 0), i64(size)), i64(0)), i64(0))
    is_first = output(ops.equal(ops.slice(source, i64([0]), length, i64([1])), token))
    if shorter is None:
        return is_first
    after = ops.slice(shorter, i64([1]), ops.add(length, i64(1)), i64([1]))
    return output(ops.logical_and(is_first, after))
