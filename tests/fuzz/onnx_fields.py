"""Mutations of any field of any message of an ONNX model, and of its wire format, without regard to what they mean."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

INTEGERS = (-(2**63), -(2**31) - 1, -2, -1, 0, 1, 2, 3, 8, 64, 2**31 - 1, 2**31, 2**40, 2**62, 2**63 - 1)
REALS = (0.0, -0.0, 1.0, -1.0, 0.5, 1e30, -1e30, 3e38, 1e-45, float("inf"), float("-inf"), float("nan"))
TEXTS = (
    b"",
    b"x",
    b"y",
    b"0",
    b"-1",
    b"/",
    b"..",
    b"\0",
    b"\xff\xfe",
    b"ai.onnx",
    b"\xe2\x80\xae",
    b"%s{}",
    b"a" * 70_000,
)
MAX_REPEATED = 5000
GROUP_START, VARINT, LENGTH_DELIMITED = 3, 0, 2
FIXED_SIZES = {1: 8, 5: 4}

DOUBLE, FLOAT, UINT64, INT32, STRING, MESSAGE, BYTES, ENUM = 1, 2, 4, 5, 9, 11, 12, 14
"""Types of fields, as protobuf numbers them."""

Field = tuple[Any, Any]
"""A message and the descriptor of one of its fields."""


def messages(root: Any) -> Iterator[Any]:
    """Yield a message and all messages that it holds."""
    waiting = [root]
    while waiting:
        message = waiting.pop()
        yield message
        for field, value in message.ListFields():
            if field.type == MESSAGE:
                waiting += value if _is_repeated(field) else [value]


def _is_repeated(field: Any) -> bool:
    return bool(field.is_repeated)


def _present(model: Any) -> list[Field]:
    return [(message, field) for message in messages(model) for field, _ in message.ListFields()]


def drop_field(chance: random.Random, model: Any) -> None:
    """Clear a field, or take one item away from it."""
    message, field = chance.choice(_present(model))
    values = getattr(message, field.name)
    if _is_repeated(field) and chance.random() < 0.6:
        del values[chance.randrange(len(values))]
    else:
        message.ClearField(field.name)


def repeat_field(chance: random.Random, model: Any) -> None:
    """Repeat an item of a field, now and then thousands of times."""
    repeated = [entry for entry in _present(model) if _is_repeated(entry[1])]
    if not repeated:
        return
    message, field = chance.choice(repeated)
    values = getattr(message, field.name)
    item = chance.choice(list(values))
    count = chance.choice([1, 1, 1, 2, 70, MAX_REPEATED])
    if field.type == MESSAGE:
        count = min(count, max(1, 100_000 // (item.ByteSize() + 1)))
    values.extend([item] * count)


def set_field(chance: random.Random, model: Any) -> None:
    """Set a field that a message of the model may have, present or not, to an odd value."""
    message = chance.choice(list(messages(model)))
    field = chance.choice(list(message.DESCRIPTOR.fields))
    if field.type == MESSAGE:
        _set_message(chance, model, message, field)
        return
    value = _odd_value(chance, field)
    if not _is_repeated(field):
        setattr(message, field.name, value)
        return
    values = getattr(message, field.name)
    if values and chance.random() < 0.6:
        values[chance.randrange(len(values))] = value
    else:
        values.extend([value] * chance.choice([1, 1, 2, 70, MAX_REPEATED]))


def _set_message(chance: random.Random, model: Any, message: Any, field: Any) -> None:
    """Give a field a copy of another message of its type, or an empty one."""
    kind = field.message_type.full_name
    copies = [other for other in messages(model) if kind == other.DESCRIPTOR.full_name and other.ByteSize() < 20_000]
    original = chance.choice(copies) if copies and chance.random() < 0.8 else None
    held = getattr(message, field.name)
    target = held.add() if _is_repeated(field) else held
    target.SetInParent()
    if original is not None:
        target.MergeFromString(original.SerializeToString())


def _odd_value(chance: random.Random, field: Any) -> Any:
    if field.type in (STRING, BYTES):
        text = chance.choice(TEXTS)
        return text if field.type == BYTES else text.decode(errors="replace")
    if field.type in (FLOAT, DOUBLE):
        return chance.choice(REALS)
    if field.type == ENUM:
        return chance.choice(list(field.enum_type.values_by_number))
    value = chance.choice(INTEGERS)
    if field.type == INT32:
        return (value + 2**31) % 2**32 - 2**31
    return value % 2**64 if field.type == UINT64 else value


def rewired(data: bytes, chance: random.Random) -> bytes:
    """Return the bytes of a model with a change of its wire format: numbers, types, lengths and ends of fields."""
    starts = _field_starts(data)
    if not starts:
        return data
    start = chance.choice(starts)
    kind = chance.randrange(6)
    if kind == 0:
        return data[:start]
    if kind == 1:
        return data[:start] + bytes([chance.randrange(256)]) + data[start + 1 :]
    if kind == 2:
        return (
            data[: start + 1]
            + chance.choice([b"\xff" * 9 + b"\x01", b"\xff\xff\xff\xff\x07", b"\x00"])
            + data[start + 2 :]
        )
    if kind == 3:
        return data[:start] + bytes([data[start] & 0xF8 | GROUP_START]) * chance.choice([1, 200]) + data[start:]
    end = chance.choice(starts)
    begin, end = min(start, end), max(start, end)
    if kind == 4:
        return data[:begin] + data[end:]
    return data[:end] + data[begin:end] * chance.choice([1, 3]) + data[end:]


def _field_starts(data: bytes) -> list[int]:
    """Return where fields begin, of the model and, as far as their bytes look like fields, of what they hold."""
    starts: list[int] = []
    waiting = [(0, len(data))]
    while waiting:
        position, end = waiting.pop()
        spans, inner = [], []
        try:
            while position < end:
                spans.append(position)
                key, position = _varint(data, position)
                if key & 7 == VARINT:
                    _, position = _varint(data, position)
                elif key & 7 == LENGTH_DELIMITED:
                    length, position = _varint(data, position)
                    inner.append((position, position + length))
                    position += length
                else:
                    position += FIXED_SIZES[key & 7]
        except (IndexError, KeyError):
            continue
        if position == end:
            starts += spans
            waiting += inner
    return starts


def _varint(data: bytes, position: int) -> tuple[int, int]:
    """Return the number of base 128 at a position, and where it ends."""
    value = shift = 0
    while data[position] & 0x80:
        value |= (data[position] & 0x7F) << shift
        position, shift = position + 1, shift + 7
    return value | data[position] << shift, position + 1
