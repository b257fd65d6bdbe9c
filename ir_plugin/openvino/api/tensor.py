"""`Tensor`: memory with an element type and a shape, for infer requests."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Sequence
from math import prod
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from ir_plugin.errors import ArgumentTypeError, ArgumentValueError, InputError, MissingFileError, require, wrong_type
from ir_plugin.model import Output
from ir_plugin.tensors import Array, ElementType, PartialShape, Shape, Strides, as_held
from ir_plugin.tensors.files import open_regular
from ir_plugin.tensors.packing import from_memory, pack, packed_size, to_memory, unpack
from ir_plugin.tensors.strings import encoded, readable, string_array

_STRING_BYTES = 32
_NOT_SHARED = "SHARED MEMORY MODE FOR THIS TENSOR IS NOT APPLICABLE!"


class Tensor:
    """Values of one element type and shape, as `openvino.Tensor`.

    `data` is the memory itself, as in OpenVINO: types of fewer than eight bits are packed as in a `.bin` file, 8-bit
    floats are bytes, bf16 is reinterpreted as float16, and strings are a copy as bytes. `values` has the numbers.
    """

    @overload
    def __init__(self, array: Any, /, shared_memory: bool = False) -> None: ...
    @overload
    def __init__(self, array: Array, shape: Iterable[int], type: ElementType = ..., /) -> None: ...
    @overload
    def __init__(self, type: ElementType | npt.DTypeLike, shape: Iterable[int], /) -> None: ...
    @overload
    def __init__(self, port: Output, array: Array | None = None, /) -> None: ...
    @overload
    def __init__(self, other: Tensor, begin: Sequence[int], end: Sequence[int], /) -> None: ...
    def __init__(
        self, source: Any = None, second: Any = None, third: Any = None, /, *, shared_memory: bool = False, **named: Any
    ) -> None:
        """Copy an array or list, share an array's memory, or allocate memory for a type and shape."""
        source, second, third = _by_name(source, second, third, named)
        self._shared = True
        if isinstance(second, bool):
            shared_memory, second = second, None
        if isinstance(source, Tensor) and second is not None and third is not None:
            self._take(source.element_type, *_region(source, second, third))
        elif isinstance(source, Output):
            self._from_port(source, second)
        elif second is not None and not isinstance(source, (np.ndarray, list)):
            self._allocate(ElementType(source), Shape(second))
        elif second is not None:
            self._wrap(np.asarray(source), Shape(second), ElementType.dynamic if third is None else third)
        else:
            self._copy(source, shared_memory)

    @staticmethod
    def of(values: Array, element_type: ElementType) -> Tensor:
        """Return a tensor of unpacked values, which shares their memory if the type allows."""
        tensor = Tensor.__new__(Tensor)
        tensor._shared = False
        shape = Shape(values.shape)
        packed = np.frombuffer(bytearray(pack(values, element_type)), np.uint8) if element_type.is_low_bit else None
        tensor._take(element_type, to_memory(values, element_type) if packed is None else packed, shape)
        return tensor

    def _take(self, element_type: ElementType, array: Array, shape: Shape) -> None:
        self._type = element_type
        self._array = array
        self._shape = shape

    def _allocate(self, element_type: ElementType, shape: Shape) -> None:
        if element_type.is_dynamic:
            raise InputError("a tensor cannot be of element type dynamic")
        self._shared = False
        self._take(element_type, _room(element_type, shape), shape)

    def _from_port(self, port: Output, array: Any) -> None:
        type, shape = port.element_type, port.shape if port.partial_shape.is_static else Shape([0])
        if array is None:
            self._allocate(type, shape)
            return
        require(array, np.ndarray, "an array", "array")
        if array.dtype != type.to_dtype():
            _warn(f"the array has the type {array.dtype}; its memory is read as {type.name}, the type of the port")
        if shape != [0] and array.size > prod(shape):
            _warn(f"the array has {array.size} elements; those beyond the shape {shape} of the port are not used")
        self._wrap(array, shape, type)

    def _wrap(self, array: Array, shape: Shape, element_type: ElementType) -> None:
        """Share the memory of an array under another type or shape."""
        type = ElementType.from_dtype(array.dtype) if element_type.is_dynamic else ElementType(element_type)
        if type is ElementType.string:
            raise InputError("the memory of strings cannot be shared; make the tensor from the array alone")
        if not array.flags.c_contiguous:
            raise InputError(f"{_NOT_SHARED} The array is not C contiguous; its memory cannot be shared")
        byte_count = packed_size(type, prod(shape))
        if array.nbytes < byte_count:
            raise InputError(
                "Shape of the port exceeds shape of the array. "
                f"It has {array.nbytes} bytes; {type.name}{shape} takes {byte_count}"
            )
        memory = array.reshape(-1).view(np.uint8)[:byte_count]
        self._take(type, memory if type.is_low_bit else memory.view(type.memory_dtype).reshape(shape), shape)

    def _copy(self, source: Any, shared: bool) -> None:
        if source is None or np.isscalar(source):
            raise wrong_type("array", "an array, a list, a type and shape, or a port", source)
        try:
            array = np.asarray(source)
        except ValueError as fault:
            raise ArgumentValueError(f"{source!r} is not an array: {fault}") from None
        element_type, shape = ElementType.from_dtype(array.dtype), Shape(array.shape)
        if element_type.kind == "complex":
            raise InputError(f"OpenVINO has no element type for the NumPy dtype {array.dtype}")
        if element_type is ElementType.string:
            if shared:
                raise InputError(f"{_NOT_SHARED} String types can be only copied.")
            array = _texts(array)
        elif element_type.is_low_bit:
            if shared:
                raise InputError(f"elements of {element_type.name} are packed; the memory of an array cannot be shared")
            array = np.frombuffer(bytearray(pack(as_held(array), element_type)), np.uint8)
        elif shared and not (array.flags.c_contiguous and array.flags.writeable):
            why = "is not C contiguous" if array.flags.writeable else "cannot be written to"
            raise ArgumentValueError(f"{_NOT_SHARED} The array {why}; its memory cannot be shared")
        self._shared = shared
        self._take(element_type, array if shared else np.array(array, order="C"), shape)

    @property
    def data(self) -> Array:
        """The memory as a writable array; for strings a copy, as bytes."""
        if self._type is ElementType.string:
            _warn("Data of string type will be copied! Please use dedicated properties `str_data` and `bytes_data`.")
            return self.bytes_data
        if self._type is ElementType.bf16:
            return self._array.view(np.float16)
        if self._type.is_low_bit:
            return self._array.view(np.int8) if self._type.has_sign and self._type.is_integer else self._array
        eight_bit = self._type.bits == 8 and self._type.is_floating
        return self._array.view(np.uint8) if eight_bit else self._array

    @property
    def values(self) -> Array:
        """The elements, unpacked for types of fewer than eight bits, text for strings."""
        if self._type.is_low_bit:
            return unpack(self._array, self._type, prod(self._shape)).reshape(self._shape)
        return from_memory(self._array, self._type)

    @property
    def str_data(self) -> Array:
        """The strings as a copy of NumPy's text type, with U+FFFD for invalid UTF-8; can be assigned."""
        self._require_strings()
        return readable(self._array)

    @str_data.setter
    def str_data(self, texts: Any) -> None:
        self._set_strings(texts)

    @property
    def bytes_data(self) -> Array:
        """The strings in UTF-8, as a copy; can be assigned."""
        self._require_strings()
        return encoded(self._array)

    @bytes_data.setter
    def bytes_data(self, texts: Any) -> None:
        self._set_strings(texts)

    def _require_strings(self) -> None:
        if self._type is not ElementType.string:
            raise InputError(f"the tensor holds {self._type.name}, not strings")

    def _set_strings(self, texts: Any) -> None:
        self._require_strings()
        strings = _texts(np.asarray(texts))
        if strings.size != self.size:
            raise InputError(
                "Passed array must have the same size (number of elements) as the Tensor! "
                f"It has {strings.size} strings; the tensor has the shape {self._shape}"
            )
        self._array[...] = strings.reshape(self._shape)

    @property
    def element_type(self) -> ElementType:
        """The element type."""
        return self._type

    def get_element_type(self) -> ElementType:
        """Return the element type."""
        return self._type

    @property
    def shape(self) -> Shape:
        """The shape, as a copy; a larger one allocates memory when assigned, unless memory is shared."""
        return self.get_shape()

    @shape.setter
    def shape(self, shape: PartialShape | Iterable[int] | str) -> None:
        self.set_shape(shape)

    def get_shape(self) -> Shape:
        """Return the shape, as a copy."""
        return Shape(self._shape)

    def set_shape(self, shape: PartialShape | Iterable[int] | str) -> None:
        """Change the shape; as many elements as fit keep their order."""
        if isinstance(shape, PartialShape) and shape.is_dynamic:
            raise ArgumentTypeError(f"the shape of a tensor has a length for each dimension; {shape} has not")
        new = shape.to_shape() if isinstance(shape, PartialShape) else Shape(shape)
        old = self._array.reshape(-1)
        array = _room(self._type, new) if prod(new) > prod(self._shape) else old[: _room_size(self._type, new)]
        if prod(new) > prod(self._shape):
            if self._shared:
                raise InputError(f"the shape {new} needs more memory than the tensor shares, which has {self._shape}")
            array.reshape(-1)[: old.size] = old
        self._take(self._type, array if self._type.is_low_bit else array.reshape(new), new)

    @property
    def size(self) -> int:
        """The number of elements."""
        return prod(self._shape)

    def get_size(self) -> int:
        """Return the number of elements."""
        return self.size

    @property
    def byte_size(self) -> int:
        """The number of bytes; 32 for each string, as in OpenVINO."""
        if self._type is ElementType.string:
            return self.size * _STRING_BYTES
        return packed_size(self._type, self.size)

    def get_byte_size(self) -> int:
        """Return the number of bytes."""
        return self.byte_size

    @property
    def strides(self) -> Strides:
        """The distances between neighbouring elements of each dimension, in bytes."""
        if self._type.is_low_bit:
            raise InputError(
                f"Could not get strides for types with bitwidths less then 8 bit. {self._type.name} is packed"
            )
        factor = _STRING_BYTES / self._array.itemsize if self._type is ElementType.string else 1
        return Strides(int(stride * factor) for stride in self._array.strides)

    def get_strides(self) -> Strides:
        """Return the distances between neighbouring elements of each dimension, in bytes."""
        return self.strides

    def is_continuous(self) -> bool:
        """Return whether the elements follow each other without gaps."""
        return bool(self._array.flags.c_contiguous)

    def copy_to(self, target: Tensor) -> None:
        """Copy the elements, and the shape, into another tensor of the same type."""
        if not isinstance(target, Tensor):
            raise wrong_type("target", "a Tensor", target)
        target.copy_from(self)

    def copy_from(self, source: Tensor | Array) -> None:
        """Copy the elements, and the shape, of another tensor or array of the same type."""
        tensor = source if isinstance(source, Tensor) else Tensor(source)
        if tensor.element_type is not self._type:
            raise InputError(
                f"elements of type {tensor.element_type.name} cannot be copied into a tensor of {self._type.name}"
            )
        if tensor.shape != self._shape:
            self.set_shape(tensor.shape)
        self._array[...] = tensor._array

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> Array:
        values = self.values
        if dtype is not None and values.dtype != dtype:
            return values.astype(dtype)
        return values.copy() if copy else values

    def __copy__(self) -> Tensor:
        return Tensor.of(self.values, self._type)

    def __deepcopy__(self, memo: Any) -> Tensor:
        return Tensor.of(np.array(self.values), self._type)

    def __repr__(self) -> str:
        return f"<Tensor: shape{self._shape} type: {self._type.name}>"


class TensorVector(list[Tensor]):
    """A list of tensors, as `openvino.TensorVector`."""

    def __init__(self, tensors: Iterable[Tensor] = ()) -> None:
        try:
            items = list(tensors)
        except TypeError:
            raise wrong_type("tensors", "a list of tensors", tensors) from None
        for tensor in items:
            require(tensor, Tensor, "a tensor", "tensors")
        super().__init__(items)


def tensor_from_file(path: str | os.PathLike[str]) -> Tensor:
    """Return the bytes of a file as a tensor of u8."""
    require(path, (str, os.PathLike), "a path", "path")
    try:
        with open_regular(path) as file:
            return Tensor(np.fromfile(file, np.uint8))
    except FileNotFoundError as fault:
        raise MissingFileError(f"{path} cannot be read: {fault.strerror}") from None
    except OSError as fault:
        raise InputError(f"{path} cannot be read: {fault.strerror or fault}") from None


def _by_name(source: Any, second: Any, third: Any, named: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Return the positional arguments of a tensor, with those passed by OpenVINO's names."""
    words = ("port", "array", "list", "other", "image", "type") if source is None else ("type",)
    first = next((named.pop(word) for word in words if source is None and word in named), source)
    second = named.pop("shape", named.pop("begin", second))
    if first is not None and "array" in named:
        second = named.pop("array")
    third = named.pop("type", named.pop("end", third))
    if named:
        raise TypeError(f"Tensor() got an unexpected keyword argument {next(iter(named))!r}")
    return first, second, third


def _room_size(element_type: ElementType, shape: Shape) -> int:
    return packed_size(element_type, prod(shape)) if element_type.is_low_bit else prod(shape)


def _room(element_type: ElementType, shape: Shape) -> Array:
    if element_type is ElementType.string:
        return np.full(shape, "", np.object_)
    if element_type.is_low_bit:
        return np.zeros(_room_size(element_type, shape), np.uint8)
    return np.zeros(shape, element_type.memory_dtype)


def _region(tensor: Tensor, begin: Sequence[int], end: Sequence[int]) -> tuple[Array, Shape]:
    if tensor.element_type.is_low_bit:
        raise InputError(
            f"a part cannot be shown for types with bitwidths less then 8 bit: {tensor.element_type.name} is packed"
        )
    if len(begin) != len(tensor.shape) or len(end) != len(tensor.shape):
        raise InputError(f"begin and end must have {len(tensor.shape)} positions, as the shape {tensor.shape} has")
    for low, high, length in zip(begin, end, tensor.shape, strict=True):
        if not 0 <= low <= high <= length:
            raise InputError(f"the region from {list(begin)} to {list(end)} is not inside the shape {tensor.shape}")
    part = tensor.values[tuple(slice(low, high) for low, high in zip(begin, end, strict=True))]
    return part, Shape(part.shape)


def _texts(array: Array) -> Array:
    items = array.reshape(-1).tolist()
    if not all(isinstance(item, (str, bytes)) for item in items):
        raise ArgumentTypeError(
            "Unknown string kind passed to fill the Tensor's data! "
            f"It is made of texts, not of an array of {array.dtype}"
        )
    return string_array(items, array.shape)


def _warn(message: str) -> None:
    warnings.warn(message, RuntimeWarning, stacklevel=5)
