"""The inputs and outputs that operations on texts share, and their checks.

A text is `chars[begin:end]`, bytes in UTF-8; rows of texts have begins and ends of their own, which count texts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ir_plugin.errors import ShapeError
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.shapes import require_rank
from ir_plugin.operations.spans import joined, texts_of
from ir_plugin.tensors import Array, ElementType, PartialShape, TensorInfo

POSITIONS = TensorInfo(ElementType.i32, [-1])
"""Begins or ends, or token ids, of which the number is not known."""
CHARS = TensorInfo(ElementType.u8, [-1])
FLAGS = TensorInfo(ElementType.boolean, [-1])
RANKLESS = TensorInfo(ElementType.i32, None)


def require_positions(names: tuple[str, str], begins: TensorInfo, ends: TensorInfo) -> PartialShape:
    """Return the common shape of begins and ends; raises unless they are i32 and of one shape."""
    require_type(names[0], begins, "i32")
    require_type(names[1], ends, "i32")
    shape = begins.shape.merge(ends.shape)
    if shape is None:
        message = f"{names[1]} has the shape {ends.shape}, {names[0]} {begins.shape}; they must be equal"
        raise ShapeError(names[1], message)
    return shape


def require_texts(begins: TensorInfo, ends: TensorInfo, chars: TensorInfo, prefix: str = "") -> PartialShape:
    """Return the shape of texts; raises unless they are begins, ends and bytes."""
    shape = require_positions((f"{prefix}begins", f"{prefix}ends"), begins, ends)
    require_bytes(f"{prefix}chars", chars)
    return shape


def require_rows(tensors: Sequence[TensorInfo]) -> PartialShape:
    """Return the shape of rows of texts; raises unless they are five inputs: rows, texts and bytes."""
    row_begins, row_ends, begins, ends, chars = tensors
    shape = require_positions(("row_begins", "row_ends"), row_begins, row_ends)
    require_texts(begins, ends, chars)
    return shape


def require_bytes(part: str, tensor: TensorInfo) -> None:
    """Raise unless a tensor is a vector of bytes."""
    require_type(part, tensor, "u8")
    require_rank(part, tensor.shape, 1)


def require_count(inputs: Sequence[TensorInfo], *allowed: int) -> None:
    """Raise unless an operation has one of these numbers of inputs."""
    if len(inputs) not in allowed:
        listed = ", ".join(map(str, allowed[:-1]))
        raise ShapeError("", f"the layer has {len(inputs)} inputs; it must have {listed} or {allowed[-1]}")


def positions_of(shape: PartialShape) -> tuple[TensorInfo, TensorInfo]:
    """Return begins and ends of a shape."""
    return TensorInfo(ElementType.i32, shape), TensorInfo(ElementType.i32, shape)


def texts_like(shape: PartialShape) -> tuple[TensorInfo, TensorInfo, TensorInfo]:
    """Return begins, ends and bytes of texts of a shape."""
    return (*positions_of(shape), CHARS)


def rewritten(inputs: Sequence[Array], has_flags: bool, rewrite: Callable[[bytes], bytes]) -> tuple[Array, ...]:
    """Return texts rewritten, but those with a flag, and the flags."""
    begins, ends, chars = inputs[:3]
    texts = texts_of(begins, ends, chars)
    if not has_flags:
        return joined([rewrite(text) for text in texts], begins.shape)
    flags = inputs[3].reshape(-1).tolist()
    pieces = [text if flag else rewrite(text) for text, flag in zip(texts, flags, strict=True)]
    return *joined(pieces, begins.shape), inputs[3]
