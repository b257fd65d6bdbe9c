"""Results of an inference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, SupportsIndex

import numpy as np

from ir_plugin.errors import ArgumentTypeError, InputError, NameNotFoundError
from ir_plugin.model import ConstOutput, Output
from ir_plugin.openvino.api.html import array_table
from ir_plugin.openvino.api.lookup import names_of, position_of
from ir_plugin.openvino.api.tensor import Tensor
from ir_plugin.tensors import Array, ElementType
from ir_plugin.tensors.containers import shown_value
from ir_plugin.tensors.strings import encoded, readable


class Results(Mapping[Any, Array]):
    """The outputs of an inference by index, name or port, in the order of the model's outputs."""

    __slots__ = ("_arrays", "_ports")

    def __init__(self, ports: Sequence[Output], arrays: Sequence[Array]) -> None:
        self._ports = ports
        self._arrays = list(arrays)

    @classmethod
    def of(cls, ports: Sequence[Output], arrays: Sequence[Array], decode_strings: bool, share: bool) -> Results:
        """Return the outputs as callers see them."""
        pairs = zip(arrays, ports, strict=True)
        return cls(ports, [shown(array, decode_strings, share, port.element_type) for array, port in pairs])

    def __getitem__(self, key: Any) -> Array:
        if not isinstance(key, (int, str, Output, SupportsIndex)):
            raise ArgumentTypeError(f"Unknown key type: {type(key)}; an index, a name or a port is needed")
        if isinstance(key, (int, np.integer)) and -len(self._arrays) <= key < 0:
            return self._arrays[key]
        try:
            return self._arrays[position_of(self._ports, key, "output")]
        except InputError as fault:
            is_port_of_a_model = isinstance(key, Output) and not isinstance(key, ConstOutput)
            raise (ArgumentTypeError if is_port_of_a_model else NameNotFoundError)(str(fault)) from None

    def __iter__(self) -> Iterator[Output]:
        return iter(self._ports)

    def __len__(self) -> int:
        return len(self._ports)

    def names(self) -> tuple[set[str], ...]:
        """Return the tensor names of each output."""
        return tuple(set(port.names) for port in self._ports)

    def to_dict(self) -> dict[Output, Array]:
        """Return the outputs as a plain dictionary by port."""
        return dict(zip(self._ports, self._arrays, strict=True))

    def to_tuple(self) -> tuple[Array, ...]:
        """Return the outputs in order."""
        return tuple(self._arrays)

    def _repr_html_(self) -> str:
        names = [names_of(port)[0] for port in self._ports]
        return array_table("Results", dict(zip(names, self._arrays, strict=True)))

    def __repr__(self) -> str:
        return repr(self.to_dict())


OVDict = Results
"""OpenVINO's name of the class."""


def shown(array: Array, decode_strings: bool, share: bool, type: ElementType = ElementType.dynamic) -> Any:
    """Return an output for callers: strings as NumPy's text or bytes, other arrays as a copy unless shared.

    A sequence is a list, an optional None or its value. Types that NumPy lacks are shown by their bits, as in
    `Tensor.data`.
    """
    if type.is_container:
        return shown_value(array, type, lambda item, _: shown(item, decode_strings, share))
    if array.dtype.hasobject:
        return readable(array) if decode_strings else encoded(array)
    array = array if share else array.copy()
    type = type if type.is_static else ElementType.from_dtype(array.dtype)
    return Tensor.of(array, type).data if type.is_shown_as_bits else array
