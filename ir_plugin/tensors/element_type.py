"""Element types of OpenVINO: names, bit widths, and NumPy dtypes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ir_plugin.errors import ArgumentTypeError, InputError, PositionError, require
from ir_plugin.tensors.read_only import ReadOnly
from ir_plugin.tensors.small_types import BITS, DTYPES, Array, as_held, dtype_of

__all__ = ["Array", "ElementType", "Flag", "as_held"]


class Flag(int):
    """A callable truth value: `type.is_real` here, and also `type.is_real()` as in OpenVINO."""

    def __call__(self) -> bool:
        """Return the truth value."""
        return bool(self)

    def __repr__(self) -> str:
        return str(bool(self))

    __str__ = __repr__


_YES, _NO = Flag(1), Flag(0)


class ElementType(ReadOnly):
    """An element type, as `openvino.Type`: `ElementType.f32`, `ElementType("f32")`, `ElementType(np.float32)`.

    It prints as in OpenVINO (`<Type: 'float32'>`); `name` is what files use (`f32`).
    `dtype` is the NumPy dtype of unpacked values. Types of fewer than eight bits are held one value a
    byte; nf4 is held as the float32 values of its code book, other floats that NumPy lacks likewise where ml_dtypes is
    not installed, and string as Python objects.

    The types of ONNX's containers are made as they are named: `sequence_f32`, `optional_sequence_f32`, `map_i64_f32`.
    Their values are vectors of Python objects: of the arrays of a sequence, of no or one value of an optional, of one
    dictionary; `item` is the type of what they hold.
    """

    __slots__ = ("_label", "bits", "dtype", "item", "kind", "name", "precision")

    name: str
    precision: str
    bits: int
    dtype: np.dtype[Any]
    kind: str
    item: ElementType | None
    _label: str

    all: ClassVar[tuple[ElementType, ...]] = ()

    dynamic: ClassVar[ElementType]
    boolean: ClassVar[ElementType]
    bf16: ClassVar[ElementType]
    f16: ClassVar[ElementType]
    f32: ClassVar[ElementType]
    f64: ClassVar[ElementType]
    i4: ClassVar[ElementType]
    i8: ClassVar[ElementType]
    i16: ClassVar[ElementType]
    i32: ClassVar[ElementType]
    i64: ClassVar[ElementType]
    u1: ClassVar[ElementType]
    u2: ClassVar[ElementType]
    u3: ClassVar[ElementType]
    u4: ClassVar[ElementType]
    u6: ClassVar[ElementType]
    u8: ClassVar[ElementType]
    u16: ClassVar[ElementType]
    u32: ClassVar[ElementType]
    u64: ClassVar[ElementType]
    nf4: ClassVar[ElementType]
    f8e4m3: ClassVar[ElementType]
    f8e5m2: ClassVar[ElementType]
    f8e8m0: ClassVar[ElementType]
    f4e2m1: ClassVar[ElementType]
    string: ClassVar[ElementType]

    extended: ClassVar[tuple[ElementType, ...]] = ()
    """Types of ONNX that OpenVINO lacks; `all` are OpenVINO's."""
    i2: ClassVar[ElementType]
    f8e4m3fnuz: ClassVar[ElementType]
    f8e5m2fnuz: ClassVar[ElementType]
    complex64: ClassVar[ElementType]
    complex128: ClassVar[ElementType]

    def __new__(cls, spelling: str | npt.DTypeLike | ElementType) -> ElementType:
        """Return the type that `spelling` names: `f32`, a NumPy dtype, or a type itself."""
        if isinstance(spelling, ElementType):
            return spelling
        named = ElementType.from_name(spelling) if isinstance(spelling, str) else None
        if named is not None:
            return named
        try:
            element_type = cls.from_dtype(np.dtype(spelling))
        except (TypeError, ValueError):
            names = ", ".join(member.name for member in cls.all)
            raise ArgumentTypeError(f"{spelling!r} is not an element type; known are {names}") from None
        if element_type.kind == "complex":
            raise InputError(f"OpenVINO has no element type for {spelling!r}; ONNX names it {element_type.name!r}")
        return element_type

    def __reduce__(self) -> tuple[type[ElementType], tuple[str]]:
        return ElementType, (self.name,)

    @staticmethod
    def from_name(name: str) -> ElementType | None:
        """Return the type written `name` in an attribute (`f32`, in any case), or None."""
        return _BY_NAME.get(name.lower()) or _container(name.lower())

    @staticmethod
    def from_precision(precision: str) -> ElementType | None:
        """Return the type written `precision` on a port (`FP32`, or `f32`), or None."""
        return _BY_PRECISION.get(precision) or _container(precision)

    @staticmethod
    def container(kind: str, item: ElementType) -> ElementType:
        """Return the type of sequences, or of optionals, of values of a type."""
        return ElementType(f"{kind}_{item.name}")

    @staticmethod
    def from_dtype(dtype: np.dtype[Any]) -> ElementType:
        """Return the type whose values NumPy holds as `dtype`."""
        if dtype.kind in "OUST":
            return ElementType.string
        element_type = _BY_DTYPE.get(dtype.newbyteorder("="))
        if element_type is None:
            raise InputError(f"OpenVINO has no element type for the NumPy dtype {dtype}")
        return element_type

    @property
    def is_static(self) -> Flag:
        """Whether the type is known."""
        return _YES if self.kind != "dynamic" else _NO

    @property
    def is_dynamic(self) -> Flag:
        """Whether the type is not known."""
        return _YES if self.kind == "dynamic" else _NO

    @property
    def is_floating(self) -> bool:
        """Whether values are floating-point numbers, nf4 included."""
        return self.kind == "float"

    @property
    def is_integer(self) -> bool:
        """Whether values are integers; boolean and string do not count."""
        return self.kind in ("int", "uint")

    @property
    def has_sign(self) -> bool:
        """Whether values can be negative."""
        return self.kind in ("int", "float")

    @property
    def is_real(self) -> Flag:
        """Whether OpenVINO counts the type as real: floating-point numbers, but not nf4."""
        return _YES if self.kind == "float" and self.name != "nf4" else _NO

    @property
    def is_integral(self) -> Flag:
        """Whether OpenVINO counts the type as integral: every type that is not real, string and dynamic included."""
        return _NO if self.is_real else _YES

    @property
    def is_integral_number(self) -> Flag:
        """Whether OpenVINO counts the type as integral and not boolean."""
        return _NO if self.is_real or self.kind == "bool" else _YES

    @property
    def is_signed(self) -> Flag:
        """Whether OpenVINO counts the type as signed, which includes boolean but not nf4."""
        return _YES if self.kind in ("int", "bool") or self.is_real else _NO

    @property
    def is_container(self) -> bool:
        """Whether values are sequences, optionals or maps."""
        return self.item is not None

    @property
    def is_low_bit(self) -> bool:
        """Whether several values share a byte in a `.bin` file."""
        return self.bits in (1, 2, 3, 4, 6)

    @property
    def is_quantized(self) -> Flag:
        """Whether OpenVINO counts the type as quantized."""
        return _YES if self.name in _QUANTIZED else _NO

    @property
    def real(self) -> bool:
        """As `is_real`."""
        return bool(self.is_real)

    @property
    def integral(self) -> bool:
        """As `is_integral`."""
        return bool(self.is_integral)

    @property
    def integral_number(self) -> bool:
        """As `is_integral_number`."""
        return bool(self.is_integral_number)

    @property
    def signed(self) -> bool:
        """As `is_signed`."""
        return bool(self.is_signed)

    @property
    def quantized(self) -> bool:
        """As `is_quantized`."""
        return bool(self.is_quantized)

    @property
    def size(self) -> int:
        """The number of bytes of an element, at least one; 32 for string, as in OpenVINO."""
        return -(-self.bits // 8)

    @property
    def bitwidth(self) -> int:
        """The number of bits of an element."""
        return self.bits

    @property
    def label(self) -> str:
        """The name of the C type, which OpenVINO prints."""
        return self._label

    @property
    def type_name(self) -> str:
        """The name as IR attributes spell it."""
        return self.name

    def get_size(self) -> int:
        """Return the number of bytes of an element, at least one."""
        return self.size

    def get_bitwidth(self) -> int:
        """Return the number of bits of an element."""
        return self.bits

    def get_type_name(self) -> str:
        """Return the name as IR attributes spell it."""
        return self.name

    def to_string(self) -> str:
        """Return the name as IR attributes spell it."""
        return self.name

    def to_dtype(self) -> np.dtype[Any]:
        """Return the NumPy dtype of `Tensor.data` in OpenVINO; unpacked values have `dtype`.

        OpenVINO shows bf16 as float16, small floats and low-bit types as bytes, and strings as `S`.
        """
        if self.is_dynamic:
            raise PositionError("the element type dynamic has no NumPy dtype")
        return _SHOWN_AS.get(self.name, self.dtype)

    @property
    def memory_dtype(self) -> np.dtype[Any]:
        """The dtype of elements as files and tensors hold them: of their bits where values have another dtype."""
        return BITS.get(self.name, self.dtype)

    @property
    def is_shown_as_bits(self) -> bool:
        """Whether `Tensor.data` holds the bits of the values in another dtype."""
        return self.is_low_bit or (self.is_floating and self.name in _SHOWN_AS)

    def compatible(self, other: ElementType) -> bool:
        """Return whether both can be the same type."""
        return self.merge(other) is not None

    def merge(self, other: ElementType) -> ElementType | None:
        """Return the type that both can be (dynamic matches any), or None."""
        require(other, ElementType, "an element type", "other")
        if self is other or other.is_dynamic:
            return self
        if self.item is not None and other.item is not None and self.kind == other.kind != "map":
            item = self.item.merge(other.item)
            return None if item is None else ElementType.container(self.kind, item)
        return other if self.is_dynamic else None

    def __repr__(self) -> str:
        return f"<Type: '{self._label}'>"

    __str__ = __repr__


_QUANTIZED = frozenset(["i4", "i8", "i32", "u8", "nf4", "f8e4m3", "f8e5m2", "f8e8m0", "f4e2m1"])
_SHOWN_AS = {
    "bf16": np.dtype(np.float16),
    "string": np.dtype("S"),
    **dict.fromkeys(["nf4", "f8e4m3", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz", "f8e8m0", "f4e2m1"], np.dtype(np.uint8)),
}

_LABELS = {
    "boolean": "char", "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "double64", "nf4": "nfloat4",
}  # fmt: skip


def _define(
    name: str, precision: str, bits: int, kind: str, dtype: npt.DTypeLike, item: ElementType | None = None
) -> ElementType:
    element_type = object.__new__(ElementType)
    integer = kind in ("int", "uint")
    label = _LABELS.get(name, ("uint" if kind == "uint" else "int") + f"{bits}_t" if integer else name)
    values = (label, bits, np.dtype(dtype), item, kind, name, precision)
    for slot, value in zip(ElementType.__slots__, values, strict=True):
        object.__setattr__(element_type, slot, value)
    if item is None:
        setattr(ElementType, name, element_type)
    return element_type


def _container(name: str) -> ElementType | None:
    """Return the type of a container that a text names, or None."""
    kind, _, held = name.partition("_")
    key, _, value = held.partition("_")
    if kind not in ("sequence", "optional", "map") or (kind == "map" and key not in ("i64", "string")):
        return None
    item = ElementType.from_name(value if kind == "map" else held)
    return None if item is None else _BY_NAME.setdefault(name, _define(name, name, 256, kind, np.object_, item))


def _define_all() -> None:
    """Define OpenVINO's types, and ONNX's types that OpenVINO lacks."""
    ElementType.all = tuple(_define(*row) for row in _ROWS)
    ElementType.extended = tuple(_define(*row) for row in _EXTENDED)


_ROWS: tuple[tuple[str, str, int, str, npt.DTypeLike], ...] = (
    ("dynamic", "dynamic", 0, "dynamic", np.object_),
    ("boolean", "BOOL", 8, "bool", np.bool_),
    ("bf16", "BF16", 16, "float", dtype_of("bf16")),
    ("f16", "FP16", 16, "float", np.float16),
    ("f32", "FP32", 32, "float", np.float32),
    ("f64", "FP64", 64, "float", np.float64),
    ("i4", "I4", 4, "int", np.int8),
    ("i8", "I8", 8, "int", np.int8),
    ("i16", "I16", 16, "int", np.int16),
    ("i32", "I32", 32, "int", np.int32),
    ("i64", "I64", 64, "int", np.int64),
    ("u1", "BIN", 1, "uint", np.uint8),
    ("u2", "U2", 2, "uint", np.uint8),
    ("u3", "U3", 3, "uint", np.uint8),
    ("u4", "U4", 4, "uint", np.uint8),
    ("u6", "U6", 6, "uint", np.uint8),
    ("u8", "U8", 8, "uint", np.uint8),
    ("u16", "U16", 16, "uint", np.uint16),
    ("u32", "U32", 32, "uint", np.uint32),
    ("u64", "U64", 64, "uint", np.uint64),
    ("nf4", "NF4", 4, "float", np.float32),
    ("f8e4m3", "F8E4M3", 8, "float", dtype_of("f8e4m3")),
    ("f8e5m2", "F8E5M2", 8, "float", dtype_of("f8e5m2")),
    ("f8e8m0", "F8E8M0", 8, "float", dtype_of("f8e8m0")),
    ("f4e2m1", "F4E2M1", 4, "float", dtype_of("f4e2m1")),
    ("string", "STRING", 256, "string", np.object_),
)
_EXTENDED: tuple[tuple[str, str, int, str, npt.DTypeLike], ...] = (
    ("i2", "I2", 2, "int", np.int8),
    ("f8e4m3fnuz", "F8E4M3FNUZ", 8, "float", dtype_of("f8e4m3fnuz")),
    ("f8e5m2fnuz", "F8E5M2FNUZ", 8, "float", dtype_of("f8e5m2fnuz")),
    ("complex64", "COMPLEX64", 64, "complex", np.complex64),
    ("complex128", "COMPLEX128", 128, "complex", np.complex128),
)
_define_all()
_KNOWN = ElementType.all + ElementType.extended

_BY_NAME = {element_type.name: element_type for element_type in _KNOWN} | {"undefined": ElementType.dynamic}
_BY_PRECISION = (
    {element_type.precision: element_type for element_type in _KNOWN}
    | _BY_NAME
    | {"UNSPECIFIED": ElementType.dynamic, "U1": ElementType.u1, "bin": ElementType.u1}
)
_BY_DTYPE = {
    element_type.dtype: element_type
    for element_type in _KNOWN
    if element_type.kind not in ("dynamic", "string")
    and element_type.name not in ("i2", "i4", "u1", "u2", "u3", "u4", "u6", "nf4", *BITS)
} | {DTYPES[name]: _BY_NAME[name] for name in ("i2", "i4", "u2", "u4") if name in DTYPES}
"""Types by the dtype of arrays; small integers of ml_dtypes are accepted but not stored."""
