"""The opset tables: which definition of a type each opset holds, as the names of the schemas say."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import NamedTuple

from ir_plugin.operations.schema_files import schema_files

NEWEST_OPSET = 17

_NEWEST_WHOLE_OPSET = 16
"""The newest opset that holds the operations of the one before; opset17 has few so far."""

_LAST_OPSETS = {"Convert-1": 17, "Parameter-1": 17, "Reverse-1": 1, "ShapeOf-3": 17, "Xor-1": 1}
"""The last opset of the definitions that end neither before the next one of their type nor with opset16."""

_ABSENT = {"RNNCell-1": 2, "ShuffleChannels-1": 2}
"""The opset in between that lacks a definition."""

RELEASES = {
    1: "2020.1", 2: "2020.2", 3: "2020.4", 4: "2021.1", 5: "2021.2", 6: "2021.3", 7: "2021.4", 8: "2022.1",
    9: "2022.2", 10: "2022.3", 11: "2023.0", 12: "2023.1", 13: "2023.2", 14: "2024.0", 15: "2024.5", 16: "2025.4",
    17: "2026.4",
}  # fmt: skip
"""The first OpenVINO release that reads all of each opset. Up to opset15 it is what the page "Available Operation Sets"
of its documentation says (docs.openvino.ai/2024/documentation/openvino-ir-format/operation-sets/available-opsets.html);
then the first of PyPI's wheels of which `opsetN_tbl.hpp` holds every definition that opset N introduced (a part of
opset16 is in wheels from 2025.0 on, of opset17 from 2026.2 on)."""

_FROM_OPSET2 = frozenset(["mvn", "roipooling", "reorgyolo"])
"""Types whose opset2 definition OpenVINO uses for an IR that says opset1."""

_EXPERIMENTAL = frozenset(
    ["grucell", "rnncell", "proposal"]
    + [f"experimentaldetectron{name}" for name in ("detectionoutput", "generateproposalssingleimage")]
    + [f"experimentaldetectron{name}" for name in ("priorgridgenerator", "roifeatureextractor", "topkrois")]
)
"""Types that exist in the versions `experimental` and `extension`, with opset6's definition."""

_ALIASES = {"constant": "const"}

WRITTEN = {"PRelu": "PReLU", "Relu": "ReLU", "Softmax": "SoftMax"}
"""How IRs spell types that OpenVINO's tables spell differently."""


class Row(NamedTuple):
    """One definition: its type, the opset that introduced it, and the opsets that hold it."""

    type: str
    introduced: int
    last: int
    absent: int

    @property
    def version(self) -> str:
        """The version that an IR names for the definition."""
        return f"opset{self.introduced}"

    def holds(self, opset: int) -> bool:
        """Return whether the table of this opset has the definition."""
        return self.introduced <= opset <= self.last and opset != self.absent


@cache
def rows() -> tuple[Row, ...]:
    """Return all definitions of OpenVINO's opsets."""
    names = (name.rpartition("-") for name in schema_files())
    numbered = sorted((type, int(number)) for type, _, number in names if number.isdigit())
    following = [*numbered[1:], ("", 0)]
    return tuple(
        _row(type, opset, next[1] if next[0] == type else 0)
        for (type, opset), next in zip(numbered, following, strict=True)
    )


def _row(type: str, introduced: int, next: int) -> Row:
    """Return a definition that another of the same type follows in the opset `next`, 0 if none does."""
    stem, last = f"{type}-{introduced}", next - 1 if next else max(introduced, _NEWEST_WHOLE_OPSET)
    return Row(type, introduced, _LAST_OPSETS.get(stem, last), _ABSENT.get(stem, 0))


@cache
def _by_type() -> dict[str, tuple[Row, ...]]:
    by_type: dict[str, tuple[Row, ...]] = {}
    for row in rows():
        by_type[row.type.lower()] = (*by_type.get(row.type.lower(), ()), row)
    return by_type


def key(type: str) -> str:
    """Return the spelling under which a type is looked up: lower case, `const` for `Constant`."""
    lower = type.lower()
    return _ALIASES.get(lower, lower)


def definitions(type: str) -> tuple[Row, ...]:
    """Return every definition of a type, oldest first."""
    return _by_type().get(key(type), ())


def opset_number(version: str) -> int | None:
    """Return N of `opsetN`, or None for another text."""
    digits = version.removeprefix("opset")
    is_opset = version.startswith("opset") and digits.isascii() and digits.isdigit() and len(digits) < 4
    return int(digits) if is_opset and digits[0] != "0" else None


def with_release(version: str) -> str:
    """Return an opset with the runtime that it needs, if known: `opset8 (OpenVINO 2022.1 or newer)`."""
    release = RELEASES.get(opset_number(version) or 0, "")
    return f"{version} (OpenVINO {release} or newer)" if release else version


@lru_cache(1024)
def resolve(type: str, version: str) -> Row | None:
    """Return the definition that an IR means by `type` and `version`, as OpenVINO resolves it, or None."""
    lower = key(type)
    opset = opset_number(version)
    if opset is None:
        opset = 6 if version in ("experimental", "extension") and lower in _EXPERIMENTAL else 0
    if opset == 1 and lower in _FROM_OPSET2:
        opset = 2
    held = [row for row in definitions(type) if row.holds(opset)]
    return held[-1] if held else None
