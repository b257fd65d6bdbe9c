"""Samples of ImageDecoder of version extension, in the formats that need no other package."""

from __future__ import annotations

import struct
import zlib

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, Sample, param

OURS = "OpenVINO has no ImageDecoder"
PIXELS = np.random.RandomState(0).randint(0, 256, (5, 3, 3)).astype(np.uint8)
GRAY = PIXELS[..., :1]


def pnm(pixels: Array) -> bytes:
    rows, columns, channels = pixels.shape
    return f"P{5 if channels == 1 else 6}\n# made by a test\n{columns} {rows}\n255\n".encode() + pixels.tobytes()


def bmp(pixels: Array) -> bytes:
    rows, columns, _ = pixels.shape
    padding = b"\0" * (-columns * 3 % 4)
    lines = b"".join(line[:, ::-1].tobytes() + padding for line in pixels[::-1])
    header = struct.pack("<2s I I I I i i H H I", b"BM", 54 + len(lines), 0, 54, 40, columns, rows, 1, 24, 0)
    return header + bytes(20) + lines


def tiff(pixels: Array, order: str) -> bytes:
    """Return a file of two strips."""
    rows, columns, channels = pixels.shape
    numbers = {256: columns, 257: rows, 258: 8, 259: 1, 262: 1 if channels == 1 else 2, 277: channels}
    sizes = [2 * columns * channels, (rows - 2) * columns * channels]
    start = 8 + 2 + 12 * 8 + 4
    ends = struct.pack(f"{order}4I", start + 16, start + 16 + sizes[0], *sizes)
    tags = [struct.pack(f"{order}H H I H H", tag, 3, 1, value, 0) for tag, value in numbers.items()]
    tags += [struct.pack(f"{order}H H I I", tag, 4, 2, at) for tag, at in ((273, start), (279, start + 8))]
    head = b"II*\0" if order == "<" else b"MM\0*"
    directory = struct.pack(f"{order}I H", 8, 8) + b"".join(tags) + bytes(4)
    return head + directory + ends + pixels.tobytes()


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(pixels: Array) -> bytes:
    """Return a file whose lines have the filters 0, 1, 2, 3, 4."""
    rows, columns, channels = pixels.shape
    wide = np.zeros((rows + 1, columns + 1, channels), np.int64)
    wide[1:, 1:] = pixels
    left, upper, corner = wide[1:, :-1], wide[:-1, 1:], wide[:-1, :-1]
    sums = left + upper - corner
    parts = [np.zeros_like(left), left, upper, (left + upper) // 2, np.zeros_like(left)]
    for index in np.ndindex(pixels.shape):
        near = [int(value[index]) for value in (left, upper, corner)]
        distances = [abs(int(sums[index]) - value) for value in near]
        parts[4][index] = near[distances.index(min(distances))]
    lines = b"".join(
        bytes([row % 5]) + ((pixels[row] - parts[row % 5][row]) % 256).astype(np.uint8).tobytes() for row in range(rows)
    )
    header = struct.pack(">I I B B B B B", columns, rows, 8, {1: 0, 3: 2, 4: 6}[channels], 0, 0, 0)
    packed = zlib.compress(lines)
    parts_of_data = chunk(b"IDAT", packed[:7]) + chunk(b"IDAT", packed[7:])
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + parts_of_data + chunk(b"IEND", b"")


def image(data: bytes, expected: Array, pixel_format: str = "rgb") -> Sample:
    inputs = [param(np.frombuffer(data, np.uint8))]
    attributes = {"pixel_format": pixel_format}
    return Sample("ImageDecoder", "extension", inputs, attributes, expected, openvino=OURS, openvino_shapes=OURS)


NOTHING = np.zeros((0, 0, 3), np.uint8)

SAMPLES = [
    image(pnm(PIXELS), PIXELS),
    image(pnm(PIXELS), PIXELS[..., ::-1], "bgr"),
    image(pnm(GRAY), GRAY, "grayscale"),
    image(pnm(GRAY), GRAY.repeat(3, 2)),
    image(bmp(PIXELS), PIXELS),
    image(png(PIXELS), PIXELS),
    image(png(GRAY), GRAY, "grayscale"),
    image(png(np.concatenate([PIXELS, GRAY], 2)), PIXELS),
    image(tiff(PIXELS, "<"), PIXELS),
    image(tiff(GRAY, ">"), GRAY, "grayscale"),
    image(tiff(PIXELS, ">")[:-1], NOTHING),
    image(tiff(PIXELS, ">")[:30], NOTHING),
    image(png(PIXELS)[:60], NOTHING),
    image(bmp(PIXELS)[:60], NOTHING),
    image(pnm(PIXELS)[:-1], NOTHING),
]

ERRORS = [
    ErrorSample("ImageDecoder", "extension", ["f32[9]"], part="encoded_stream", says="f32"),
    ErrorSample("ImageDecoder", "extension", ["u8[3,3]"], part="encoded_stream", says="rank"),
]
