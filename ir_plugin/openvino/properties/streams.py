"""Names of properties of streams, as `openvino.properties.streams`."""

from __future__ import annotations

from operator import index
from typing import Any, ClassVar

import numpy as np

from ir_plugin.errors import wrong_type
from ir_plugin.openvino.properties.names import Property


class Num(int):
    """A number of streams; `AUTO` and `NUMA` leave the choice to the device."""

    AUTO: ClassVar[Num]
    NUMA: ClassVar[Num]

    def __new__(cls, value: int = -1) -> Num:
        """Return a number of streams, by default `AUTO`."""
        try:
            return super().__new__(cls, index(value))
        except TypeError:
            raise wrong_type("value", "a whole number", value) from None

    def to_integer(self) -> int:
        """Return the number."""
        return int(self)


Num.AUTO, Num.NUMA = Num(-1), Num(-2)


class _Number(Property):
    """A number of streams, as a whole number or a `Num`."""

    def converted(self, *values: Any) -> Num:
        """Return the number as a `Num`."""
        return Num(super().converted(*values))


num = _Number("NUM_STREAMS", np.int32)
