"""ConvertPromoteTypes: convert two tensors to a common type. Specification: type/ConvertPromoteTypes-14."""

from __future__ import annotations

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.type.conversion import converted
from ir_plugin.tensors import Array, ElementType, TensorInfo

_REALS = {
    ElementType.f8e4m3: (4, 3), ElementType.f8e5m2: (5, 2), ElementType.f16: (5, 10), ElementType.bf16: (8, 7),
    ElementType.f32: (8, 23), ElementType.f64: (11, 52),
}  # fmt: skip
"""Bits of exponent and mantissa, preferred types first."""

_SIGNED = (ElementType.i4, ElementType.i8, ElementType.i16, ElementType.i32, ElementType.i64)
_UNSIGNED = (ElementType.u1, ElementType.u4, ElementType.u8, ElementType.u16, ElementType.u32, ElementType.u64)
_KNOWN = (ElementType.dynamic, ElementType.boolean, *_REALS, *_SIGNED, *_UNSIGNED)


class ConvertPromoteTypes(Operation, version=14):
    """Convert both inputs to the type that can hold the values of both.

    Floating-point types win over integers, and integers over booleans. Two types of one category promote to the
    smallest type that holds both; u64 and a signed type to `u64_integer_promotion_target`. With
    `pytorch_scalar_promotion` a scalar takes the type of the other tensor, if both are of one category. Unless
    `promote_unsafe`, a type that is neither of the two, or that cannot hold all values of one, is an error. OpenVINO
    treats some unsafe promotions of scalars as safe (u8 to i8, bf16 to f16); this follows the page.
    """

    widen = False

    promote_unsafe: bool
    pytorch_scalar_promotion: bool
    u64_integer_promotion_target: ElementType

    def infer(self, input_0: TensorInfo, input_1: TensorInfo) -> tuple[TensorInfo, TensorInfo]:
        """Return the shapes of the inputs and the common type."""
        for part, tensor in [("input 0", input_0), ("input 1", input_1)]:
            if tensor.element_type not in _KNOWN:
                raise ShapeError(part, f"{part} has the element type {tensor.element_type.name}, which is not promoted")
        promoted = self._common(input_0, input_1)
        return TensorInfo(promoted, input_0.shape), TensorInfo(promoted, input_1.shape)

    def evaluate(self, input_0: Array, input_1: Array) -> tuple[Array, Array]:
        """Return both inputs converted."""
        return converted(input_0, self.output_types[0]), converted(input_1, self.output_types[1])

    def _common(self, left: TensorInfo, right: TensorInfo) -> ElementType:
        a, b = left.element_type, right.element_type
        if a is b or a.is_dynamic or b.is_dynamic:
            return a if a is b else ElementType.dynamic
        if _category(a) != _category(b):
            higher, lower = (a, b) if _category(a) > _category(b) else (b, a)
            exact = not (higher.is_floating and lower.is_integer) or higher.bits >= 2 * lower.bits
            return self._checked(higher, a, b, exact)
        if self.pytorch_scalar_promotion:
            if left.shape.ndim is None or right.shape.ndim is None:
                return ElementType.dynamic
            if (left.shape.ndim == 0) != (right.shape.ndim == 0):
                target, scalar = (b, a) if left.shape.ndim == 0 else (a, b)
                return self._checked(target, a, b, _spans(target, scalar))
        promoted = _smallest(a, b) or self.u64_integer_promotion_target
        return self._checked(promoted, a, b, promoted in (a, b) and _smallest(a, b) is not None)

    def _checked(self, promoted: ElementType, a: ElementType, b: ElementType, safe: bool) -> ElementType:
        if not safe and not self.promote_unsafe:
            raise ShapeError(
                "promote_unsafe",
                f"promotion of {a.name} and {b.name} to {promoted.name} may lose values or widen both, "
                "and promote_unsafe is false",
                'write promote_unsafe="true", or convert the inputs before',
            )
        return promoted


def _category(element_type: ElementType) -> int:
    return 2 if element_type.is_floating else int(element_type.is_integer)


def _smallest(a: ElementType, b: ElementType) -> ElementType | None:
    """Return the smallest type of the same category that holds the values of both, or None."""
    if a.is_floating:
        return next(candidate for candidate in _REALS if _holds(candidate, a) and _holds(candidate, b))
    candidates = _SIGNED if a.has_sign or b.has_sign else _UNSIGNED
    return next((candidate for candidate in candidates if _holds(candidate, a) and _holds(candidate, b)), None)


def _spans(target: ElementType, source: ElementType) -> bool:
    """Return whether the range of `target` covers `source`; a floating-point target must also be as wide."""
    if target.is_floating:
        return target.bits >= source.bits and _REALS[target][0] >= _REALS[source][0]
    return _holds(target, source)


def _holds(target: ElementType, source: ElementType) -> bool:
    """Return whether `target` holds every value of `source`, a type of the same category."""
    if target.is_floating:
        (exponent, mantissa), (least_exponent, least_mantissa) = _REALS[target], _REALS[source]
        return exponent >= least_exponent and mantissa >= least_mantissa
    if source.has_sign:
        return bool(target.has_sign) and target.bits >= source.bits
    return target.bits > source.bits if target.has_sign else target.bits >= source.bits
