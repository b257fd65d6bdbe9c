"""Texts in another form: Unicode's normalization forms, lower case, and tables of characters."""

from __future__ import annotations

from collections.abc import Sequence

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.constant_tables import ConstantTables
from ir_plugin.operations.text.charsmap import DoubleArray, Normalizer, form_rules, no_rule
from ir_plugin.operations.text.layout import FLAGS, require_bytes, require_count, require_texts, rewritten, texts_like
from ir_plugin.operations.text.unicode_forms import FORMS
from ir_plugin.tensors import Array, TensorInfo


def infer_texts(inputs: Sequence[TensorInfo], has_flags: bool) -> tuple[TensorInfo, ...]:
    """Return texts of the shape of the first inputs, with the flags that follow them."""
    outputs = texts_like(require_texts(inputs[0], inputs[1], inputs[2]))
    if not has_flags:
        return outputs
    require_type("skips", inputs[3], "boolean")
    return *outputs, FLAGS if inputs[3].shape.dims is None else inputs[3]


class CharsMapNormalization(ConstantTables, version="extension"):
    """Texts in which the longest keys of a table are replaced, with blanks as SentencePiece has them.

    The inputs are begins, ends and bytes, then flags of the texts that stay as they are, then the table, unless
    `normalization_form` names one of ours.
    """

    widen = False

    add_dummy_prefix: bool
    remove_extra_whitespaces: bool
    escape_whitespaces: bool
    normalization_form: str
    case_fold: bool
    nmt: bool

    def _has_flags(self, count: int) -> bool:
        return count == 5 or (count == 4 and bool(self.normalization_form))

    def positions_of_tables(self, count: int) -> Sequence[int]:
        """Return the position of the table."""
        return [count - 1] if count > 3 and not self.normalization_form else []

    def infer(self, *inputs: TensorInfo) -> tuple[TensorInfo, ...]:
        """Return texts of the same shape, and the flags."""
        require_count(inputs, 3, 4, 5)
        form = self.normalization_form.lower()
        if form and form not in FORMS:
            raise ShapeError(
                "normalization_form", f"normalization_form is {form!r}; it must be one of {', '.join(FORMS)}"
            )
        if not form and len(inputs) == 3:
            raise ShapeError("", "the layer has neither a table of characters nor a normalization_form")
        if not form:
            require_bytes("charsmap", inputs[-1])
        return infer_texts(inputs, self._has_flags(len(inputs)))

    def build_tables(self, *arrays: Array) -> Normalizer:
        """Return the normalization."""
        blob = arrays[0].tobytes() if arrays else b""
        longest = DoubleArray(blob).longest if blob else no_rule
        if self.normalization_form:
            longest = form_rules(self.normalization_form.lower(), self.case_fold).longest
        return Normalizer(longest, self.add_dummy_prefix, self.remove_extra_whitespaces, self.escape_whitespaces)

    def evaluate(self, *inputs: Array) -> tuple[Array, ...]:
        """Return the texts."""
        return rewritten(inputs, self._has_flags(len(inputs)), self.tables_of(*inputs).normalized)


class NormalizeUnicode(Operation, version="extension"):
    """Texts by the rules of a normalization form; a last input flags the texts that stay as they are."""

    widen = False

    normalization_form: str

    def infer(self, *inputs: TensorInfo) -> tuple[TensorInfo, ...]:
        """Return texts of the same shape, and the flags."""
        require_count(inputs, 3, 4)
        return infer_texts(inputs, len(inputs) > 3)

    def evaluate(self, *inputs: Array) -> tuple[Array, ...]:
        """Return the texts."""
        rules = form_rules(self.normalization_form.lower(), False)
        return rewritten(inputs, len(inputs) > 3, Normalizer(rules.longest).normalized)


class CaseFold(Operation, version="extension"):
    """Texts in lower case, character by character; of ASCII alone where `encoding` is empty, by `lower` in capitals.

    A last input flags the texts that stay as they are.
    """

    widen = False

    encoding: str
    lower: bool

    def infer(self, *inputs: TensorInfo) -> tuple[TensorInfo, ...]:
        """Return texts of the same shape, and the flags."""
        require_count(inputs, 3, 4)
        if self.encoding not in ("", "utf-8"):
            raise ShapeError("encoding", f"encoding is {self.encoding!r}; it must be utf-8 or empty")
        return infer_texts(inputs, len(inputs) > 3)

    def evaluate(self, *inputs: Array) -> tuple[Array, ...]:
        """Return the texts."""
        has_flags = len(inputs) > 3
        if not self.encoding:
            return rewritten(inputs, has_flags, bytes.lower if self.lower else bytes.upper)
        return rewritten(inputs, has_flags, Normalizer(form_rules("identity", True).longest).normalized)
