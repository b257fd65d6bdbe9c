"""Entry points of compiled functions: C functions of the address of their arguments and of the number of a part."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba.core import cgutils, types
from numba.np import arrayobj, numpy_support

from ir_plugin.kernels.numba.runtime.calls import (
    ARGUMENTS,
    FAILED,
    RESULT,
    ArrayParameter,
    CallLayout,
    Parameter,
    slots_of,
)
from ir_plugin.kernels.numba.runtime.machine_code import MachineCode, target_machine
from ir_plugin.kernels.numba.runtime.support_functions import define

_binding: Any = binding
_tools: Any = cgutils
_arrays: Any = arrayobj
_numpy: Any = numpy_support

_LONG, _DOUBLE = ir.IntType(64), ir.DoubleType()


def entry_point(result: Any, name: str) -> MachineCode:
    """Return the machine code of what numba compiled with an entry point, which passes two integers as they are."""
    _, _, (native, bitcode) = result.library.serialize_using_object_code()
    expected = _declared(_binding.parse_bitcode(bitcode))
    signature = result.signature
    is_job = signature == types.void(types.int64, types.int64)
    layout = None if is_job else CallLayout(tuple(map(_parameter, signature.args)), _kind(signature.return_type))
    entry = _Entry(result, name, layout)
    expected -= define(entry.module, expected)
    module = _binding.parse_assembly(str(entry.module))
    module.verify()
    expected |= _declared(module) - {result.fndesc.llvm_func_name}
    objects = native, bytes(target_machine().emit_object(module))
    return MachineCode(objects, name, tuple(sorted(expected)), layout)


def _declared(module: Any) -> set[str]:
    """Return the names of functions that a module calls and does not define."""
    return {item.name for item in module.functions if item.is_declaration and not item.name.startswith("llvm.")}


def _parameter(type: Any) -> Parameter:
    if not isinstance(type, types.Array):
        return _kind(type)
    return ArrayParameter(np.dtype(_numpy.as_dtype(type.dtype)).str, type.ndim, type.layout == "C", type.mutable)


def _kind(type: Any) -> str:
    """Return the kind of a number, which is empty for no result."""
    if isinstance(type, types.Boolean):
        return "b"
    if isinstance(type, types.Integer):
        return "i"
    if isinstance(type, types.Float):
        return "f"
    if isinstance(type, types.NoneType):
        return ""
    raise TypeError(f"Python cannot pass {type} to compiled code")


class _Entry:
    """A module with one function that calls what numba compiled."""

    def __init__(self, result: Any, name: str, layout: CallLayout | None) -> None:
        self.context, self.signature = result.target_context, result.signature
        self.module = result.library.codegen.create_library(name).create_ir_module(name)
        function = ir.Function(self.module, ir.FunctionType(ir.VoidType(), [_LONG, _LONG]), name)
        self.builder = builder = ir.IRBuilder(function.append_basic_block())
        self.memory = builder.inttoptr(function.args[0], _LONG.as_pointer())
        native = self.context.declare_function(self.module, result.fndesc)
        status, value = self.context.call_conv.call_function(
            builder, native, self.signature.return_type, self.signature.args,
            function.args if layout is None else self._arguments(layout),
        )  # fmt: skip
        with _tools.if_unlikely(builder, builder.not_(status.is_ok)):
            self._fail(is_job=layout is None)
        if layout is not None and layout.result:
            self._store(value)
        builder.ret_void()

    def _fail(self, is_job: bool) -> None:
        """Emit the note of a failure; a job, whose caller reads none, ends the process."""
        if is_job:
            kind = ir.FunctionType(ir.VoidType(), [])
            self.builder.call(_tools.get_or_insert_function(self.module, kind, "abort"), [])
        else:
            self.builder.store(ir.Constant(_LONG, 1), self._slot(FAILED))

    def _slot(self, number: int, type: Any = _LONG) -> Any:
        """Return the pointer to a slot."""
        address = self.builder.gep(self.memory, [ir.Constant(_LONG, number)])
        return self.builder.bitcast(address, type.as_pointer())

    def _arguments(self, layout: CallLayout) -> list[Any]:
        """Return the arguments as numba passes them."""
        values, slot = [], ARGUMENTS
        for parameter, type in zip(layout.parameters, self.signature.args, strict=True):
            values.append(self._array(slot, type) if isinstance(type, types.Array) else self._number(slot, type))
            slot += slots_of(parameter)
        return values

    def _number(self, slot: int, type: Any) -> Any:
        builder = self.builder
        if isinstance(type, types.Float):
            value = builder.load(self._slot(slot, _DOUBLE))
            return value if type.bitwidth == 64 else builder.fptrunc(value, ir.FloatType())
        value, bits = builder.load(self._slot(slot)), 1 if isinstance(type, types.Boolean) else type.bitwidth
        return value if bits == 64 else builder.trunc(value, ir.IntType(bits))

    def _array(self, slot: int, type: Any) -> Any:
        """Return numba's structure of an array that somebody else keeps alive."""
        builder, array, rank = self.builder, _arrays.make_array(type)(self.context, self.builder), type.ndim
        address, *numbers = [builder.load(self._slot(slot + field)) for field in range(1 + 2 * rank)]
        _arrays.populate_array(
            array, data=builder.inttoptr(address, array.data.type), shape=numbers[:rank], strides=numbers[rank:],
            itemsize=ir.Constant(_LONG, np.dtype(_numpy.as_dtype(type.dtype)).itemsize), meminfo=None,
        )  # fmt: skip
        return array._getvalue()

    def _store(self, value: Any) -> None:
        """Store the result."""
        builder, type = self.builder, self.signature.return_type
        if isinstance(type, types.Float):
            wide = value if type.bitwidth == 64 else builder.fpext(value, _DOUBLE)
            builder.store(wide, self._slot(RESULT, _DOUBLE))
            return
        extend = builder.sext if isinstance(type, types.Integer) and type.signed else builder.zext
        builder.store(value if value.type == _LONG else extend(value, _LONG), self._slot(RESULT))
