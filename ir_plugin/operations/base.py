"""The base class of operations: attributes, shape inference, evaluation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, TypeVar

import numpy as np

from ir_plugin.errors import Error, EvaluationError
from ir_plugin.operations.context import STANDARD, Context
from ir_plugin.operations.memory import limited
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.operations.shown_attributes import shown
from ir_plugin.operations.traits import Along, Trait
from ir_plugin.tensors import Array, Bounds, ElementType, PartialShape, TensorInfo
from ir_plugin.tensors.packing import to_type

if TYPE_CHECKING:
    from ir_plugin.model import SubGraph

OperationClass: TypeAlias = "type[Operation]"
Tensors: TypeAlias = "TensorInfo | tuple[TensorInfo, ...]"
Arrays: TypeAlias = "Array | tuple[Array, ...]"
InputTypes: TypeAlias = "tuple[ElementType | None, ...]"
T = TypeVar("T")
OutputTypes: TypeAlias = "tuple[ElementType, ...]"
Lengths: TypeAlias = "tuple[int, ...] | None"
"""A shape without unknown dimensions, or None for an unknown one."""

BOUNDS_MEMORY = 2**30
"""Bytes that a working array may have where inference evaluates an operation."""


class Operation:
    """One definition of an operation, with the attributes of one layer.

    A subclass names the opset that introduced it (`class Clamp(Operation, version=1)`), annotates the
    attributes of its schema as fields, and defines

    * `infer(*inputs: Tensor) -> Tensor | tuple[Tensor, ...]`: returns the outputs' types and shapes,
      and raises `ShapeError` where the inputs do not fit. An input that is not connected is None.
    * `evaluate(*inputs: Array) -> Array | tuple[Array, ...]`: returns the outputs' values. It checks no
      shapes, as `infer` has.

    A definition without its own `infer_bounds` propagates intervals of values by two evaluations (see `carriers`).
    """

    type: ClassVar[str] = ""
    """The type as IRs spell it; by default the class name without its version."""
    version: ClassVar[str] = ""
    """`opsetN` of the opset that introduced the definition, or any text for a plugin."""
    schema: ClassVar[str | Path | None] = None
    """A plugin's own XSD: a path or the text; None for the operations of OpenVINO's opsets."""

    widen: ClassVar[bool] = True
    """Whether 16-bit and smaller floats are computed in f32 and rounded once; False for pure data movement."""
    float_inputs: ClassVar[tuple[int, ...]] = ()
    """Inputs that are converted to floats: integers become f32, and integer outputs are rounded and saturated.

    The specification allows floats only; OpenVINO accepts the other types too.
    """
    mixed_inputs: ClassVar[tuple[int, ...]] = ()
    """Inputs that are computed with as `float_inputs` are where their types differ.

    The specification wants equal ones; OpenVINO takes others too.
    """
    carriers: ClassVar[Sequence[int] | Literal["all"]] = ()
    """Inputs that may be intervals: outputs then lie between `evaluate` of their lower and of their upper bounds.

    These are inputs that are only moved, and those in which the operation is nondecreasing. All other inputs must
    be known exactly.
    """
    needs_values: ClassVar[tuple[int, ...]] = ()
    """Inputs whose values or bounds `infer` reads: it depends on the types and shapes alone of the others.

    An extension's class need not say so, and may read all of them.
    """
    stateful: bool = False
    """Whether evaluations of equal inputs may differ; such an operation is never folded into a constant."""
    wants_context: ClassVar[bool] = False
    """Whether `evaluate` takes a `Context`, by the keyword `context`."""
    wants_inference: ClassVar[bool] = False
    """Whether `infer` takes an `InferenceContext`, by the keyword `inference`."""
    reshaped_by_compiling: ClassVar[bool] = False
    """Whether compiling changes the outputs' shapes, as in OpenVINO."""

    takes_containers: ClassVar[bool] = False
    """Whether inputs may be sequences, optionals or maps instead of tensors."""

    is_built_in: ClassVar[bool] = True
    """Whether passes and kernels know the operation; registering a class as an extension sets this to False."""
    is_internal: ClassVar[bool] = False
    """Whether only compiler passes create the operation; such a class has its own type and no XSD."""

    traits: ClassVar[tuple[Trait, ...]] = ()
    """What others must know of the operation; none say that nothing is known."""

    infer: Callable[..., Tensors]
    evaluate: Callable[..., Arrays]

    is_compiled: bool
    """Whether the layer belongs to a compiled model."""
    subgraphs: dict[str, SubGraph]
    """Bodies with their port maps, for operations that have any."""
    _types: tuple[InputTypes, OutputTypes] = ((), ())

    def __init_subclass__(cls, version: int | str | None = None, type: str | None = None, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if version is None:
            cls.version = ""
            return
        cls.version = f"opset{version}" if isinstance(version, int) else version
        cls.type = type or cls.__name__.removesuffix(str(version))

    def __init__(self, **attributes: Any) -> None:
        self.is_compiled = False
        self.subgraphs = {}
        self.__dict__.update(attributes)

    @property
    def input_types(self) -> InputTypes:
        """Element types of the inputs of a specialized operation, None for one that is not connected."""
        return self._types[0]

    @property
    def output_types(self) -> OutputTypes:
        """Element types of the outputs of a specialized operation."""
        return self._types[1]

    @property
    def computed_as_floats(self) -> tuple[int, ...]:
        """The inputs of a specialized operation that are computed with as floats."""
        types = {self.input_types[position] for position in self.mixed_inputs} if self.mixed_inputs else ()
        return self.mixed_inputs if len(types) > 1 else self.float_inputs

    def constant_value(self) -> Array | None:
        """Return the values that the operation holds, which need no inputs; None for one that computes."""

    def is_a(self, *definitions: OperationClass) -> bool:
        """Return whether this is one of these built-in operations, of any version; an extension's is none of them."""
        return self.is_built_in and self.type in [definition.type for definition in definitions]

    @classmethod
    def new_node(cls, id: str, name: str, type: str, version: str) -> Any:
        """Return the node of a layer, or None for a plain one."""
        del id, name, type, version

    @classmethod
    def attach(cls, node: Any, values: Mapping[str, Any]) -> None:
        """Give a node its operation, with the attributes of a layer."""
        node.operation = cls(**values)

    def written_attributes(self) -> dict[str, Any] | None:
        """Return the attributes to write into an IR; None means the attributes of the schema."""
        return None

    def specialize(self, input_types: InputTypes, output_types: OutputTypes) -> Operation:
        """Return a copy bound to these element types; a model's operation has none, as its plans share it."""
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__, _types=(input_types, output_types))
        return copy

    @classmethod
    def fields(cls) -> tuple[str, ...]:
        """Return the names of the attributes, as Python spells them."""
        own = set(vars(Operation)["__annotations__"])
        names: dict[str, None] = {}
        for base in reversed(cls.__mro__):
            for name, annotation in vars(base).get("__annotations__", {}).items():
                if name not in own and "ClassVar" not in str(annotation):
                    names[name] = None
        return tuple(names)

    def attribute_values(self) -> dict[str, Any]:
        """Return all attributes by the names of their fields."""
        values = vars(self)
        return {name: values[name] for name in self.fields() if name in values}

    def attribute_key(self) -> str:
        """Return a text that is the same for operations of one definition if and only if their attributes are equal."""
        return repr(sorted(self.attribute_values().items()))

    def shown_attributes(self, inputs: Sequence[TensorInfo] = ()) -> dict[str, Any]:
        """Return the attributes by the names and in the order in which OpenVINO shows them.

        OpenVINO shows some of them as they are inferred, as pads that `auto_pad` chooses; where the inputs do not
        fit, all are shown as they are written.
        """
        try:
            inferred = self.inferred_attributes(*inputs) if inputs else {}
        except (Error, ArithmeticError, LookupError, TypeError, ValueError):
            inferred = {}
        return shown(self.type, self.version, {**self.attribute_values(), **inferred})

    def inferred_attributes(self, *inputs: TensorInfo) -> Mapping[str, object]:
        """Return the attributes that OpenVINO replaces when it infers shapes, with their new values."""
        del inputs
        return {}

    def written_by_openvino(
        self, inputs: Sequence[TensorInfo | None], index: int, inferred: PartialShape
    ) -> PartialShape:
        """Return the shape that OpenVINO writes for an output, which may differ from the inferred one."""
        del inputs, index
        return inferred

    def infer_in_run(self, *inputs: Any, **keywords: Any) -> TensorInfo | Tensors:
        """As `infer`, but for a plan, which must not guess a rank as OpenVINO does in models."""
        inferred: TensorInfo | Tensors = self.infer(*inputs, **keywords)
        return inferred

    def infer_bounds(self, *inputs: Bounds | None) -> Sequence[Bounds | None]:
        """Infer the bounds of the outputs' values from the inputs' bounds; None stands for unknown bounds."""
        if any(bounds is None for bounds in inputs) or self.stateful or self.subgraphs:
            return []
        intervals = [bounds for bounds in inputs if bounds is not None]
        if all(bounds.is_exact for bounds in intervals):
            return [Bounds(array, array) for array in self._compute([bounds.lower for bounds in intervals])]
        fixed = [i for i, bounds in enumerate(intervals) if self.carriers != "all" and i not in self.carriers]
        if not self.carriers or not all(intervals[i].is_exact for i in fixed):
            return []
        lower = self._compute([bounds.lower for bounds in intervals])
        upper = self._compute([bounds.upper for bounds in intervals])
        return [Bounds(*pair) for pair in zip(lower, upper, strict=True)]

    def input_ranges(self, inputs: KnownInputs) -> Ranges:
        """Return the whole numbers that inputs may hold as indices, lengths or axes, by position."""
        axes = [trait.axes for trait in self.traits if isinstance(trait, Along)]
        return {position: inputs.axes(0) for position in axes if isinstance(position, int)}

    def ranges_for(self, needed: Range, inputs: KnownInputs) -> Ranges:
        """Return the ranges that inputs need, by position, for the outputs to be in a range."""
        positions = range(len(inputs)) if self.carriers == "all" else self.carriers
        return dict.fromkeys(positions, needed)

    def selected_values(self, inputs: Sequence[Array | None], outputs: Sequence[Array]) -> Sequence[Array] | None:
        """Return the values of the elements that outputs select, in an order without regard to ties.

        They are None for outputs that are no valid selection. Only operations with the trait `Selects` have any.
        """
        del inputs, outputs
        return None

    def multiplications(self, inputs: Sequence[Lengths], outputs: Sequence[Lengths]) -> int | None:
        """Return the multiplications of matrix products and convolutions, which are the cost, None if not known."""
        del inputs, outputs
        return 0

    def _compute(self, inputs: list[Array]) -> Sequence[Array]:
        with limited(BOUNDS_MEMORY):
            return compute(self, inputs)


def trait_of(operation: Operation, kind: type[T]) -> T | None:
    """Return the trait of an operation that is of a kind, or None."""
    return next((trait for trait in operation.traits if isinstance(trait, kind)), None)


def compute(operation: Operation, inputs: Sequence[Array | None], context: Context = STANDARD) -> tuple[Array, ...]:
    """Evaluate an operation: widen small floats, evaluate, round the outputs to the inferred element types."""
    arrays = [_widened(array) for array in inputs] if operation.widen else list(inputs)
    for position in operation.computed_as_floats:
        if position < len(arrays):
            arrays[position] = _as_floats(arrays[position])
    keywords = {"context": context} if operation.wants_context else {}
    with np.errstate(all="ignore"), limited(context.memory_limit):
        result = operation.evaluate(*arrays, **keywords)
        return as_inferred(operation, result if isinstance(result, tuple) else (result,))


def as_inferred(operation: Operation, outputs: tuple[Array, ...]) -> tuple[Array, ...]:
    """Return the outputs of an evaluation rounded to the inferred element types."""
    if len(outputs) != len(operation.output_types):
        raise EvaluationError(f"evaluate returned {len(outputs)} outputs; infer says {len(operation.output_types)}")
    rounds = bool(operation.computed_as_floats)
    return tuple(
        _as_type(array, element_type, rounds)
        for array, element_type in zip(outputs, operation.output_types, strict=True)
    )


def converted(array: Array, dtype: np.dtype[Any]) -> Array:
    """Return an array in another type as OpenVINO converts it: floats to whole numbers rounded and cut."""
    if dtype.kind in "iub" and array.dtype.kind not in "iubO":
        array = _saturated(np.rint(array.astype(np.float64)), dtype)
    return array if array.dtype == dtype else array.astype(dtype)


def _widened(array: Array | None) -> Array | None:
    if array is None or array.dtype not in _SMALL_FLOATS:
        return array
    return array.astype(np.float32)


def _as_floats(array: Array | None) -> Array | None:
    return array if array is None or array.dtype.kind not in "iub" else array.astype(np.float32)


def _as_type(array: Array, element_type: ElementType, rounds: bool) -> Array:
    array = np.asarray(array)
    if rounds and array.dtype.kind == "f" and element_type.dtype.kind in "iub":
        array = _saturated(np.rint(array), element_type.dtype)
    return to_type(array, element_type)


def _saturated(array: Array, dtype: np.dtype[Any]) -> Array:
    """Return numbers as whole ones within the range of a type; NaN is its lowest number."""
    low, high = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    real = array.astype(np.float64)
    above = real >= float(high)
    inside = np.where(above | ~(real > low), low, real).astype(dtype)
    return np.where(above, dtype.type(high), inside)


_SMALL_FLOATS = frozenset(
    element_type.dtype
    for element_type in ElementType.all + ElementType.extended
    if element_type.is_floating and element_type.dtype.itemsize < 4 and element_type.is_static
)
