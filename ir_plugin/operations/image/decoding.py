"""Pixels of PNG, BMP, PNM and uncompressed TIFF files of 8 bits a channel, without another package."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Callable

import numpy as np

from ir_plugin.operations.memory import require
from ir_plugin.tensors import Array

PNG = b"\x89PNG\r\n\x1a\n"
_PNM = re.compile(rb"(P[56])(?:\s+(?:#[^\n]*\n\s*)*)(\d+)\s+(?:#[^\n]*\n\s*)*(\d+)\s+(?:#[^\n]*\n\s*)*255\s")


def decoded(data: bytes) -> Array | None:
    """Return pixels [height, width, 1 or 3] in the order RGB, None for a format that this module lacks.

    Raises ValueError for a file of a known format that is cut off or contradicts itself.
    """
    for start, decode in _FORMATS.items():
        if data.startswith(start):
            try:
                return decode(data)
            except (struct.error, zlib.error, IndexError) as fault:
                raise ValueError(str(fault)) from None
    return None


def _sized(height: int, width: int, channels: int) -> tuple[int, int, int]:
    if height < 1 or width < 1:
        raise ValueError(f"{height} by {width} pixels")
    require("the pixels of an image", [height, width, channels], 1)
    return height, width, channels


def _pnm(data: bytes) -> Array | None:
    header = _PNM.match(data)
    if header is None:
        return None
    shape = _sized(int(header[3]), int(header[2]), 3 if header[1] == b"P6" else 1)
    return np.frombuffer(data, np.uint8, int(np.prod(shape)), header.end()).reshape(shape)


def _bmp(data: bytes) -> Array | None:
    offset, size, width, height, _, bits, compression = struct.unpack_from("<I I i i H H I", data, 10)
    if size < 40 or bits != 24 or compression:
        return None
    rows, columns, _ = _sized(abs(height), width, 4)
    step = -(-columns * 3 // 4) * 4
    lines = np.frombuffer(data, np.uint8, rows * step, offset).reshape(rows, step)
    pixels = lines[:, : columns * 3].reshape(rows, columns, 3)[..., ::-1]
    return pixels[::-1] if height > 0 else pixels


def _tiff(data: bytes) -> Array | None:
    order = "<" if data.startswith(b"II") else ">"
    (at,) = struct.unpack_from(order + "I", data, 4)
    (count,) = struct.unpack_from(order + "H", data, at)
    tags = dict(_tag(data, at + 2 + 12 * number, order) for number in range(count))
    columns, rows, channels = (tags.get(tag, [1])[0] for tag in (256, 257, 277))
    plain = tags.get(259, [1]) == [1] and set(tags.get(258, [1])) == {8} and tags.get(284, [1]) == [1]
    if not plain or (tags.get(262), channels) not in (([1], 1), ([2], 3)) or 273 not in tags or 279 not in tags:
        return None
    shape = _sized(rows, columns, channels)
    strips = b"".join(data[begin : begin + size] for begin, size in zip(tags[273], tags[279], strict=True))
    return np.frombuffer(strips, np.uint8, int(np.prod(shape))).reshape(shape)


def _tag(data: bytes, at: int, order: str) -> tuple[int, list[int]]:
    """Return the number of a tag and its values, none for a type that no tag here has."""
    tag, kind, count = struct.unpack_from(order + "H H I", data, at)
    code, size = {1: ("B", 1), 3: ("H", 2), 4: ("I", 4)}.get(kind, ("", 0))
    if not code or count > len(data):
        return tag, []
    start = at + 8 if count * size <= 4 else struct.unpack_from(order + "I", data, at + 8)[0]
    return tag, list(struct.unpack_from(f"{order}{count}{code}", data, start))


def _png(data: bytes) -> Array | None:
    width, height, bits, colors, _, _, interlace = struct.unpack_from(">I I B B B B B", data, 16)
    channels = {0: 1, 2: 3, 6: 4}.get(colors)
    if bits != 8 or channels is None or interlace:
        return None
    rows, columns, _ = _sized(height, width, channels)
    packed, at = b"", len(PNG)
    while data[at + 4 : at + 8] != b"IEND":
        (length,) = struct.unpack_from(">I", data, at)
        kind = data[at + 4 : at + 8]
        if kind == b"tRNS":
            return None
        packed += data[at + 8 : at + 8 + length] if kind == b"IDAT" else b""
        at += length + 12
    lines = np.frombuffer(_unpacked(packed, rows * (columns * channels + 1)), np.uint8)
    pixels = _unfiltered(lines.reshape(rows, -1), channels).reshape(rows, columns, channels)
    return pixels[..., :3]


def _unpacked(packed: bytes, size: int) -> bytes:
    """Return `size` bytes of a compressed stream, never more."""
    data = zlib.decompressobj().decompress(packed, size)
    if len(data) != size:
        raise ValueError(f"{len(data)} bytes instead of {size}")
    return data


def _unfiltered(lines: Array, channels: int) -> Array:
    """Return lines of bytes from differences to their neighbours; the first byte of each says to which."""
    result = np.zeros((len(lines), lines.shape[1] - 1), np.uint8)
    above = np.zeros(result.shape[1], np.uint8)
    for number, line in enumerate(lines):
        above = _line(int(line[0]), line[1:].reshape(-1, channels), above.reshape(-1, channels)).reshape(-1)
        result[number] = above
    return result


def _line(filter: int, line: Array, above: Array) -> Array:
    if filter == 0:
        return line
    if filter == 1:
        return np.cumsum(line, axis=0, dtype=np.uint8)
    if filter == 2:
        return line + above
    if filter > 4:
        raise ValueError(f"a line has the filter {filter}")
    result = np.zeros(line.shape, np.uint8)
    left = corner = np.zeros(line.shape[1], np.int64)
    for column, (own, upper) in enumerate(zip(line.astype(np.int64), above.astype(np.int64), strict=True)):
        near = (left + upper) // 2 if filter == 3 else _nearest(left, upper, corner)
        left, corner = (own + near) % 256, upper
        result[column] = left
    return result


def _nearest(left: Array, upper: Array, corner: Array) -> Array:
    """Return whichever of three neighbours is nearest to left + upper - corner."""
    sums = left + upper - corner
    distances = [np.abs(sums - value) for value in (left, upper, corner)]
    is_left = (distances[0] <= distances[1]) & (distances[0] <= distances[2])
    return np.where(is_left, left, np.where(distances[1] <= distances[2], upper, corner))


_FORMATS: dict[bytes, Callable[[bytes], Array | None]] = {
    PNG: _png,
    b"BM": _bmp,
    b"P5": _pnm,
    b"P6": _pnm,
    b"II*\0": _tiff,
    b"MM\0*": _tiff,
}
