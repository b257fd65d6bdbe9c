"""Names of properties of streams, as `openvino.properties.streams`."""

from __future__ import annotations

from typing import ClassVar

from ir_plugin.properties.names import Property

num = Property("NUM_STREAMS")


class Num(int):
    """A number of streams; `AUTO` and `NUMA` leave it to the device."""

    AUTO: ClassVar[Num]
    NUMA: ClassVar[Num]

    def to_integer(self) -> int:
        """Return the number."""
        return int(self)


Num.AUTO, Num.NUMA = Num(-1), Num(-2)
