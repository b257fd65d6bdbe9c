"""Small pictures of tensors that look like images or feature maps."""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from math import ceil, sqrt
from typing import Any, NamedTuple

import numpy as np

from ir_plugin.tensors import Array

MIN_SIDE = 4
"""Planes with a shorter side are no image."""
_MAX_TILES = 16
_IMAGE_SIDE, _TILE_SIDE, _MIN_SHOWN = 128, 40, 160
_COLOURS = (1, 3)
_GAP = 255


class _Tiles(NamedTuple):
    """Some planes [n,H,W,1] or [n,H,W,3] of a tensor."""

    values: Array
    total: int
    """The number of planes in the tensor."""
    what: str


def preview(array: Array) -> dict[str, Any] | None:
    """Return a picture as a data URL with its displayed size and a note, or None if the array is no image.

    [N,3,H,W], [N,1,H,W], [N,H,W,3], [N,H,W,1], [3,H,W] and the like are images, the first ones side by side. Other
    tensors of rank 4 are feature maps: planes [H,W] of the first item, or of [H,W,C] where H is W and not C.
    """
    tiles = _tiles(array)
    if tiles is None:
        return None
    pixels, low, high = _as_bytes(np.asarray(tiles.values))
    side = _IMAGE_SIDE if len(pixels) == 1 else _TILE_SIDE
    sheet = _sheet([_shrunk(tile, side) for tile in pixels])
    height, width = sheet.shape[:2]
    scale = max(1, _MIN_SHOWN // max(height, width))
    shown = f"{len(pixels)} of {tiles.total} {tiles.what}s" if tiles.total > len(pixels) else _counted(tiles)
    note = f"{shown}; black is {low:.4g}, white is {high:.4g}"
    source = f"data:image/png;base64,{b64encode(png(sheet)).decode()}"
    return {"src": source, "width": width * scale, "height": height * scale, "note": note}


def _counted(tiles: _Tiles) -> str:
    return f"{tiles.total} {tiles.what}{'' if tiles.total == 1 else 's'}"


def _tiles(array: Array) -> _Tiles | None:
    if array.ndim not in (3, 4) or array.size == 0 or array.dtype.kind in "OUSc":
        return None
    batch = array if array.ndim == 4 else array[None]
    count, first, second, last = batch.shape
    if first in _COLOURS and min(second, last) >= MIN_SIDE:
        return _Tiles(batch[:_MAX_TILES].transpose(0, 2, 3, 1), count, "image")
    if last in _COLOURS and min(first, second) >= MIN_SIDE:
        return _Tiles(batch[:_MAX_TILES], count, "image")
    if array.ndim == 3:
        return None
    if first == second != last and first >= MIN_SIDE:
        return _Tiles(batch[0].transpose(2, 0, 1)[:_MAX_TILES, :, :, None], last, "plane")
    if min(second, last) >= MIN_SIDE:
        return _Tiles(batch[0][:_MAX_TILES, :, :, None], first, "plane")
    return None


def _as_bytes(values: Array) -> tuple[Array, float, float]:
    """Return values as bytes, and the values of black and white; non-finite values are black."""
    if values.dtype == np.uint8:
        return values, 0.0, 255.0
    plain = values.astype(np.float64)
    finite = np.isfinite(plain)
    low = float(plain.min(where=finite, initial=np.inf))
    high = float(plain.max(where=finite, initial=-np.inf))
    if not finite.any():
        return np.zeros(values.shape, np.uint8), 0.0, 0.0
    with np.errstate(all="ignore"):
        shares = np.where(finite, (plain - low) / (high - low), 0.0) if high > low else np.zeros(values.shape)
    return np.nan_to_num(shares * 255).astype(np.uint8), low, high


def _shrunk(tile: Array, side: int) -> Array:
    """Return [H,W,C] averaged to at most `side` rows and columns."""
    most = max(tile.shape[:2])
    if most <= side:
        return tile
    means = tile.astype(np.float64)
    for axis in (0, 1):
        length = tile.shape[axis]
        starts = np.arange(ceil(length * side / most)) * most // side
        shares = np.diff([*starts, length]).reshape((-1, 1, 1) if axis == 0 else (1, -1, 1))
        means = np.add.reduceat(means, starts, axis) / shares
    return means.astype(np.uint8)


def _sheet(tiles: list[Array]) -> Array:
    """Return tiles of equal shape in a grid, with a pixel between them."""
    if len(tiles) == 1:
        return tiles[0]
    columns = ceil(sqrt(len(tiles)))
    rows = -(-len(tiles) // columns)
    height, width, colours = tiles[0].shape
    sheet = np.full((rows * (height + 1) - 1, columns * (width + 1) - 1, colours), _GAP, np.uint8)
    for position, tile in enumerate(tiles):
        top, left = position // columns * (height + 1), position % columns * (width + 1)
        sheet[top : top + height, left : left + width] = tile
    return sheet


def png(pixels: Array) -> bytes:
    """Return bytes [H,W,1] or [H,W,3] as a PNG file."""
    height, width, colours = pixels.shape
    rows = np.zeros((height, 1 + width * colours), np.uint8)
    rows[:, 1:] = pixels.reshape(height, -1)
    head = struct.pack(">IIBBBBB", width, height, 8, 2 if colours == 3 else 0, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in parts
    )
