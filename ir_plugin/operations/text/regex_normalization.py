"""RegexNormalization: matches of a regular expression are replaced."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ir_plugin.operations.constant_tables import ConstantTables
from ir_plugin.operations.text.layout import require_bytes, require_count, rewritten
from ir_plugin.operations.text.normalization import infer_texts
from ir_plugin.operations.text.regular_expressions import compiled
from ir_plugin.tensors import Array, TensorInfo
from ir_plugin.tensors.strings import from_bytes, to_bytes

Template = Sequence["str | int"]
"""Literal texts and the numbers of groups."""

_OLD_PATTERNS = {
    r" ([\\.\\?\\!,])| ('[ms])| (') | ('[rv]e)| (n't)": r"(?| ([\\.\\?\\!,])| ('[ms])| (') | ('[rv]e)| (n't))",
    "(^)(.)": r"(^)([\s\S])",
    "(^)(.+)": r"(^)([\s\S])",
}
"""What old files have, and what is meant."""

_REFERENCE = re.compile(r"\$(?:(\$)|(\d+)|\{(\d+)\})|\$")


class RegexNormalization(ConstantTables, version="extension"):
    """Texts in which the matches of a regular expression, or with a false `global_replace` the first, are replaced.

    The inputs are begins, ends and bytes, then optional flags of the texts that stay unchanged, the pattern and the
    replacement, in which `$1` is what group 1 matched. A text stays unchanged where a group of the replacement took no
    part, or where the result is longer than four times the text and the replacement, as in OpenVINO.
    """

    widen = False

    global_replace: bool

    def positions_of_tables(self, count: int) -> Sequence[int]:
        """Return the pattern and the replacement."""
        return count - 2, count - 1

    def infer(self, *inputs: TensorInfo) -> tuple[TensorInfo, ...]:
        """Return texts of the same shape, and the flags."""
        require_count(inputs, 5, 6)
        require_bytes("pattern", inputs[-2])
        require_bytes("replacement", inputs[-1])
        return infer_texts(inputs, len(inputs) > 5)

    def build_tables(self, pattern: Array, replacement: Array) -> Callable[[bytes], bytes]:
        """Return what replaces matches in a text."""
        text = from_bytes(pattern.tobytes())
        expression, source = compiled(_OLD_PATTERNS.get(text, text)), from_bytes(replacement.tobytes())
        template = _template(source)
        if template is None:
            return bytes
        return _Substitution(expression, template, len(to_bytes(source)), self.global_replace).applied

    def evaluate(self, *inputs: Array) -> tuple[Array, ...]:
        """Return the texts."""
        return rewritten(inputs, len(inputs) > 5, self.tables_of(*inputs))


@dataclass(frozen=True)
class _Substitution:
    """A pattern and what replaces its matches."""

    expression: Any
    template: Template
    size: int
    """The bytes of the replacement, as written in the IR."""
    is_global: bool

    def applied(self, text: bytes) -> bytes:
        """Return a text with its matches replaced."""
        source = from_bytes(text)
        first = self.expression.search(source)
        if first is None:
            return text
        try:
            replaced = self.expression.sub(lambda match: _filled(self.template, match), source, not self.is_global)
        except (LookupError, TypeError):
            return text
        groups = max([number for number, group in enumerate(first.groups(), 1) if group is not None], default=0)
        room = 4 * (len(text) + (groups + 1) * self.size)
        result = to_bytes(replaced)
        return text if len(result) > room else result


def _template(replacement: str) -> Template | None:
    """Return the parts of a replacement; None for one that PCRE2 refuses."""
    parts: list[str | int] = []
    position = 0
    text = re.sub(r"\\([1-9])", r"$\1", replacement)
    for reference in _REFERENCE.finditer(text):
        parts.append(text[position : reference.start()])
        position = reference.end()
        number = reference[2] or reference[3]
        if not reference[1] and not number:
            return None
        parts.append("$" if reference[1] else int(number))
    return [*parts, text[position:]]


def _filled(template: Template, match: Any) -> str:
    """Return the replacement of a match; raises where a group took no part."""
    return "".join([part if isinstance(part, str) else match[part] for part in template])
