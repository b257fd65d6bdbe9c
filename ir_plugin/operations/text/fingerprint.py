"""FarmHash's Fingerprint64: a hash of bytes that is the same on every machine."""

from __future__ import annotations

MASK = 2**64 - 1
K0, K1, K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F
Pair = tuple[int, int]


def fingerprint64(data: bytes) -> int:
    """Return the hash of bytes, 64 bits without a sign."""
    length = len(data)
    if length <= 16:
        return _short(data)
    if length <= 32:
        return _of_32(data)
    return _of_64(data) if length <= 64 else _long(data)


def _fetch(data: bytes, at: int, size: int = 8) -> int:
    at += len(data) if at < 0 else 0
    return int.from_bytes(data[at : at + size], "little")


def _rotate(value: int, shift: int) -> int:
    value &= MASK
    return (value >> shift | value << (64 - shift)) & MASK


def _mix(value: int) -> int:
    value &= MASK
    return value ^ value >> 47


def _pair(first: int, second: int, multiplier: int) -> int:
    mixed = _mix(((first ^ second) & MASK) * multiplier)
    return _mix(((second & MASK) ^ mixed) * multiplier) * multiplier & MASK


def _short(data: bytes) -> int:
    length = len(data)
    multiplier = K2 + length * 2 & MASK
    if length >= 8:
        first, second = _fetch(data, 0) + K2, _fetch(data, -8)
        return _pair(_rotate(second, 37) * multiplier + first, (_rotate(first, 25) + second) * multiplier, multiplier)
    if length >= 4:
        return _pair(length + (_fetch(data, 0, 4) << 3), _fetch(data, -4, 4), multiplier)
    if not length:
        return K2
    low, high = data[0] + (data[length >> 1] << 8), length + (data[-1] << 2)
    return _mix(low * K2 & MASK ^ high * K0 & MASK) * K2 & MASK


def _of_32(data: bytes) -> int:
    multiplier = K2 + len(data) * 2 & MASK
    a, b = _fetch(data, 0) * K1, _fetch(data, 8)
    c, d = _fetch(data, -8) * multiplier, _fetch(data, -16) * K2
    return _pair(_rotate(a + b, 43) + _rotate(c, 30) + d, a + _rotate(b + K2, 18) + c, multiplier)


def _of_64(data: bytes) -> int:
    multiplier = K2 + len(data) * 2 & MASK
    a, b = _fetch(data, 0) * K2, _fetch(data, 8)
    c, d = _fetch(data, -8) * multiplier, _fetch(data, -16) * K2
    y = _rotate(a + b, 43) + _rotate(c, 30) + d
    z = _pair(y, a + _rotate(b + K2, 18) + c, multiplier)
    e, f = _fetch(data, 16) * multiplier, _fetch(data, 24)
    g, h = (y + _fetch(data, -32)) * multiplier, (z + _fetch(data, -24)) * multiplier
    return _pair(_rotate(e + f, 43) + _rotate(g, 30) + h, e + _rotate(f + a, 18) + g, multiplier)


def _weak(data: bytes, at: int, a: int, b: int) -> Pair:
    """Return a weak hash of 32 bytes with two seeds."""
    w, x, y, z = (_fetch(data, at + offset) for offset in (0, 8, 16, 24))
    a += w
    b = _rotate(b + a + z, 21)
    total = a + x + y
    return (total + z) & MASK, (b + _rotate(total, 44) + a) & MASK


def _long(data: bytes) -> int:
    y = 81 * K1 + 113 & MASK
    x, z, v, w = 81 * K2 + _fetch(data, 0) & MASK, _mix(y * K2 + 113) * K2 & MASK, (0, 0), (0, 0)
    for at in range(0, (len(data) - 1) // 64 * 64, 64):
        x, y, z, v, w = _round(data, at, x, y, z, v, w, K1, 1)
    multiplier = K1 + ((z & 0xFF) << 1) & MASK
    first = w[0] + (len(data) - 1 & 63)
    v = (v[0] + first & MASK, v[1])
    w = (first + v[0] & MASK, w[1])
    x, y, z, v, w = _round(data, len(data) - 64, x, y, z, v, w, multiplier, 9)
    low = _pair(v[0], w[0], multiplier) + _mix(y) * K0 + z
    return _pair(low, _pair(v[1], w[1], multiplier) + x, multiplier)


def _round(
    data: bytes, at: int, x: int, y: int, z: int, v: Pair, w: Pair, multiplier: int, weight: int
) -> tuple[int, int, int, Pair, Pair]:
    """Return the state after 64 bytes."""
    x = _rotate(x + y + v[0] + _fetch(data, at + 8), 37) * multiplier
    y = _rotate(y + v[1] + _fetch(data, at + 48), 42) * multiplier
    x = (x ^ w[1] * weight) & MASK
    y = y + v[0] * weight + _fetch(data, at + 40) & MASK
    z = _rotate(z + w[0], 33) * multiplier & MASK
    v = _weak(data, at, v[1] * multiplier & MASK, x + w[0])
    w = _weak(data, at + 32, z + w[1], y + _fetch(data, at + 16))
    return z, y, x, v, w
