"""Pictures of tensors: which tensors have one, and what is in it."""

from __future__ import annotations

import struct
import zlib
from base64 import b64decode
from typing import Any

import numpy as np
import pytest

from ir_plugin.report.preview import png, preview
from ir_plugin.tensors import Array


def decoded(file: bytes) -> Array:
    """Return the pixels of a PNG whose rows are not filtered."""
    assert file.startswith(b"\x89PNG\r\n\x1a\n")
    at, parts = 8, {}
    while at < len(file):
        (length,), kind = struct.unpack(">I", file[at : at + 4]), file[at + 4 : at + 8]
        body = file[at + 8 : at + 8 + length]
        assert struct.unpack(">I", file[at + 8 + length : at + 12 + length])[0] == zlib.crc32(kind + body)
        parts[kind] = body
        at += 12 + length
    width, height, depth, colour = struct.unpack(">IIBB", parts[b"IHDR"][:10])
    assert depth == 8
    rows = np.frombuffer(zlib.decompress(parts[b"IDAT"]), np.uint8).reshape(height, -1)
    assert not rows[:, 0].any()
    return rows[:, 1:].reshape(height, width, 3 if colour == 2 else 1)


def pixels_of(array: Array) -> tuple[Array, dict[str, Any]]:
    picture = preview(array)
    assert picture is not None
    return decoded(b64decode(picture["src"].partition(",")[2])), picture


def test_png() -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (5, 7, 3)).astype(np.uint8)
    np.testing.assert_array_equal(decoded(png(pixels)), pixels)


@pytest.mark.parametrize(
    ("shape", "size", "note"),
    [((1, 3, 20, 30), (20, 30, 3), "1 image;"), ((1, 20, 30, 3), (20, 30, 3), "1 image;"),
     ((3, 20, 30), (20, 30, 3), "1 image;"), ((1, 1, 256, 512), (64, 128, 1), "1 image;"),
     ((5, 1, 8, 8), (17, 26, 1), "5 images;"), ((40, 1, 8, 8), (35, 35, 1), "16 of 40 images;"),
     ((2, 64, 8, 8), (35, 35, 1), "16 of 64 planes;"), ((1, 2, 80, 40), (40, 41, 1), "2 planes;"),
     ((1, 14, 14, 20), (59, 59, 1), "16 of 20 planes;"), ((1, 12, 9, 9), (29, 39, 1), "12 planes;")],
    ids=str,
)  # fmt: skip
def test_what_looks_like_an_image(shape: tuple[int, ...], size: tuple[int, ...], note: str) -> None:
    pixels, picture = pixels_of(np.random.default_rng(0).standard_normal(shape).astype(np.float32))
    assert pixels.shape == size
    assert picture["note"].startswith(note)
    assert max(picture["width"], picture["height"]) <= 200
    assert picture["width"] * size[0] == picture["height"] * size[1]


@pytest.mark.parametrize("shape", [(), (10,), (3, 8), (5, 8, 8), (1, 3, 2, 9), (1, 0, 8, 8), (1, 1, 8, 8, 8)], ids=str)
def test_what_does_not(shape: tuple[int, ...]) -> None:
    assert preview(np.zeros(shape, np.float32)) is None
    assert preview(np.full(shape, "text", object)) is None


def test_values() -> None:
    image = np.zeros((1, 1, 4, 4), np.float32)
    image[0, 0, 0] = (-2, 0, 2, np.nan)
    pixels, picture = pixels_of(image)
    assert pixels[0, :, 0].tolist() == [0, 127, 255, 0]
    assert "black is -2, white is 2" in picture["note"]
    assert not pixels_of(np.full((1, 1, 4, 4), np.nan))[0].any()
    assert not pixels_of(np.full((1, 1, 4, 4), 7))[0].any()
    bytes_ = np.arange(48, dtype=np.uint8).reshape(1, 4, 4, 3)
    np.testing.assert_array_equal(pixels_of(bytes_)[0], bytes_[0])


def test_shrunk_by_means() -> None:
    stripes = np.tile(np.array([0.0, 1.0]), (1, 1, 256, 128))
    assert set(pixels_of(stripes)[0].reshape(-1).tolist()) == {127}
