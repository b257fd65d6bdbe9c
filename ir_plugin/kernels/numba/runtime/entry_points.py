"""Entry points of compiled functions: of C for jobs, of Python for others. They need nothing of numba when they run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba.core import cgutils, types
from numba.np import arrayobj, numpy_support

from ir_plugin.kernels.numba.runtime.machine_code import TYPES, MachineCode, undefined_symbols
from ir_plugin.kernels.numba.runtime.support_functions import define

_binding: Any = binding
_tools: Any = cgutils
_arrays: Any = arrayobj
_numpy: Any = numpy_support

_BYTE, _INT, _LONG = ir.IntType(8), ir.IntType(32), ir.IntType(64)
_POINTER = _BYTE.as_pointer()
_TYPE, _DATA, _RANK, _SHAPE, _STRIDES, _DTYPE, _FLAGS = 8, 16, 24, 32, 40, 56, 64
"""Bytes from the beginning of an array object to its type, and to NumPy's fields of it."""
_KIND, _BYTE_ORDER, _ITEMSIZE = 24, 26, 40
"""Bytes from the beginning of a dtype to its kind, order of bytes and size of an element."""
_C_ORDER, _ALIGNED, _WRITABLE = 0x1, 0x100, 0x400


def has_entry_point(arguments: Sequence[Any], result: Any) -> bool:
    """Return whether Python can pass arguments and get a result of these types."""
    return all(_is_number(type) or _is_array(type) for type in arguments) and (
        isinstance(result, types.NoneType) or _is_number(result)
    )


def _is_number(type: Any) -> bool:
    return type in (types.int64, types.boolean, types.float32, types.float64)


def _is_array(type: Any) -> bool:
    is_plain = isinstance(type, types.Array) and isinstance(type.dtype, types.Number | types.Boolean)
    return is_plain and type.layout in "CA"


def entry_point(result: Any, name: str, is_job: bool) -> MachineCode:
    """Return the machine code of what numba compiled with an entry point."""
    native = bytes(result.library._get_compiled_object())
    expected = set(undefined_symbols(native))
    entry = _Entry(result, name)
    expected -= define(entry.module, expected)
    content = entry.emit_job() if is_job else entry.emit_function()
    expected |= set(undefined_symbols(content)) - {result.fndesc.llvm_func_name}
    return MachineCode((native, content), name, tuple(sorted(expected)))


class _Entry:
    """A module with one function that calls what numba compiled."""

    def __init__(self, result: Any, name: str) -> None:
        self.name, self.result, self.context = name, result, result.target_context
        self.signature = result.signature
        self.module = result.library.codegen.create_library(name).create_ir_module(name)
        self.native = self.context.declare_function(self.module, result.fndesc)

    def emit_job(self) -> bytes:
        """Return the object file of a C function of two numbers."""
        function = ir.Function(self.module, ir.FunctionType(ir.VoidType(), [_LONG, _LONG]), self.name)
        builder = ir.IRBuilder(function.append_basic_block())
        self._call(builder, function.args)
        builder.ret_void()
        return self._emitted()

    def emit_function(self) -> bytes:
        """Return the object file of a function that Python calls, as its METH_FASTCALL says."""
        kind = ir.FunctionType(_POINTER, [_POINTER, _POINTER.as_pointer(), _LONG])
        function = ir.Function(self.module, kind, self.name)
        self.builder = builder = ir.IRBuilder(function.append_basic_block())
        self.types, objects, count = function.args
        self._require(builder.icmp_signed("==", count, ir.Constant(_LONG, len(self.signature.args))))
        values = [
            self._unboxed(builder.load(builder.gep(objects, [ir.Constant(_INT, number)])), type)
            for number, type in enumerate(self.signature.args)
        ]
        state = self._c("PyEval_SaveThread", _POINTER, [])
        status, value = self._call(builder, values)
        self._c("PyEval_RestoreThread", ir.VoidType(), [state])
        self._require(status.is_ok, RuntimeError, "a compiled kernel has failed")
        builder.ret(self._boxed(value, self.signature.return_type))
        return self._emitted()

    def _call(self, builder: Any, values: Sequence[Any]) -> Any:
        result_type, types = self.signature.return_type, self.signature.args
        return self.context.call_conv.call_function(builder, self.native, result_type, types, values)

    def _emitted(self) -> bytes:
        module = _binding.parse_assembly(str(self.module))
        module.verify()
        return bytes(self.result.library.codegen._tm.emit_object(module))

    def _c(self, name: str, result: Any, arguments: Sequence[Any]) -> Any:
        """Emit the call of a function of Python's C interface."""
        kind = ir.FunctionType(result, [argument.type for argument in arguments])
        return self.builder.call(_tools.get_or_insert_function(self.module, kind, name), arguments)

    def _require(
        self, condition: Any, error: type = TypeError, text: str = "the arguments fit no form of a compiled kernel"
    ) -> None:
        """Emit the return with an error of Python's unless a condition holds."""
        builder = self.builder
        with _tools.if_unlikely(builder, builder.not_(condition)):
            message = self.context.insert_const_string(self.module, text)
            self._c("PyErr_SetString", ir.VoidType(), [self._type(error), message])
            builder.ret(ir.Constant(_POINTER, None))

    def _type(self, type: type) -> Any:
        """Return one of the types that the function is bound to."""
        number = ir.Constant(_LONG, TYPES.index(type))
        return self._c("PyTuple_GetItem", _POINTER, [self.types, number])

    def _unboxed(self, item: Any, type: Any) -> Any:
        """Return the value of an argument."""
        builder = self.builder
        if isinstance(type, types.Array):
            return self._array(item, type)
        if isinstance(type, types.Boolean):
            truth = self._c("PyObject_IsTrue", _INT, [item])
            self._raise_if_set(builder.icmp_signed("<", truth, ir.Constant(_INT, 0)))
            return builder.trunc(truth, ir.IntType(1))
        if isinstance(type, types.Integer):
            number = self._c("PyLong_AsLongLong", _LONG, [item])
            self._raise_if_set(builder.icmp_signed("==", number, ir.Constant(_LONG, -1)))
            return number
        number = self._c("PyFloat_AsDouble", ir.DoubleType(), [item])
        self._raise_if_set(builder.fcmp_ordered("==", number, ir.Constant(ir.DoubleType(), -1.0)))
        return number if type.bitwidth == 64 else builder.fptrunc(number, ir.FloatType())

    def _raise_if_set(self, doubtful: Any) -> None:
        """Emit the return with the error that Python has set, if a number is the one that stands for errors."""
        builder = self.builder
        with _tools.if_unlikely(builder, doubtful):
            error = self._c("PyErr_Occurred", _POINTER, [])
            with _tools.if_unlikely(builder, _tools.is_not_null(builder, error)):
                builder.ret(ir.Constant(_POINTER, None))

    def _field(self, item: Any, offset: int, type: Any) -> Any:
        """Return a field of an object at an address."""
        address = self.builder.gep(item, [ir.Constant(_LONG, offset)])
        return self.builder.load(self.builder.bitcast(address, type.as_pointer()))

    def _array(self, item: Any, type: Any) -> Any:
        """Return an array as numba keeps it, after the checks of its type, which its callers rely on."""
        builder = self.builder
        kind = self._field(item, _TYPE, _POINTER)
        subtype = self._c("PyType_IsSubtype", _INT, [kind, self._type(np.ndarray)])
        self._require(builder.icmp_signed("!=", subtype, ir.Constant(_INT, 0)))
        self._require(builder.icmp_signed("==", self._field(item, _RANK, _INT), ir.Constant(_INT, type.ndim)))
        dtype, descriptor = np.dtype(_numpy.as_dtype(type.dtype)), self._field(item, _DTYPE, _POINTER)
        for offset, field, expected in ((_KIND, _BYTE, ord(dtype.kind)), (_ITEMSIZE, _LONG, dtype.itemsize)):
            actual = self._field(descriptor, offset, field)
            self._require(builder.icmp_signed("==", actual, ir.Constant(field, expected)))
        order = self._field(descriptor, _BYTE_ORDER, _BYTE)
        self._require(builder.icmp_signed("!=", order, ir.Constant(_BYTE, ord(">"))))
        required = _ALIGNED | (_C_ORDER if type.layout == "C" else 0) | (_WRITABLE if type.mutable else 0)
        flags = builder.and_(self._field(item, _FLAGS, _INT), ir.Constant(_INT, required))
        self._require(builder.icmp_signed("==", flags, ir.Constant(_INT, required)))
        return self._filled(item, type, dtype.itemsize)

    def _filled(self, item: Any, type: Any, itemsize: int) -> Any:
        """Return numba's structure of an array that somebody else keeps alive."""
        builder, array = self.builder, _arrays.make_array(type)(self.context, self.builder)
        data = self._field(item, _DATA, _POINTER)
        shape, strides = (
            [self._field(self._field(item, offset, _POINTER), 8 * axis, _LONG) for axis in range(type.ndim)]
            for offset in (_SHAPE, _STRIDES)
        )
        _arrays.populate_array(
            array, data=builder.bitcast(data, array.data.type), shape=shape, strides=strides,
            itemsize=ir.Constant(_LONG, itemsize), meminfo=None,
        )  # fmt: skip
        return array._getvalue()

    def _boxed(self, value: Any, type: Any) -> Any:
        """Return the Python object of a result."""
        builder = self.builder
        if isinstance(type, types.NoneType):
            return self._c("Py_BuildValue", _POINTER, [self.context.insert_const_string(self.module, "")])
        if isinstance(type, types.Boolean):
            return self._c("PyBool_FromLong", _POINTER, [builder.zext(value, _LONG)])
        if isinstance(type, types.Integer):
            return self._c("PyLong_FromLongLong", _POINTER, [value])
        wide = value if type.bitwidth == 64 else builder.fpext(value, ir.DoubleType())
        return self._c("PyFloat_FromDouble", _POINTER, [wide])
