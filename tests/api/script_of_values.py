"""Types, shapes, layouts and tensors as people write them for OpenVINO. `MODULE` names the library imported as `ov`."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

from tests.support.printing import refused, show

ov: Any = importlib.import_module(os.environ["MODULE"])
folder = Path(sys.argv[1])
np.set_printoptions(precision=4, suppress=True)

show("== types, dimensions, shapes, layouts")
for name in ("boolean", "bf16", "f16", "f32", "f64", "i4", "i8", "i16", "i32", "i64", "u1", "u4", "u8", "u16", "u32",
             "u64", "f8e4m3", "f8e5m2", "f8e8m0", "f4e2m1"):  # fmt: skip
    type_ = getattr(ov.Type, name)
    show(repr(type_), type_.size, type_.get_size(), type_.bitwidth, type_.get_bitwidth(), type_.to_dtype())
    show(type_.is_real(), type_.real, type_.is_integral(), type_.integral, type_.is_integral_number())
    show(type_.integral_number, type_.is_quantized(), type_.quantized, type_.is_static(), type_.is_dynamic())
    show(
        type_.to_string(), type_.get_type_name(), type_.type_name, type_ == getattr(ov.Type, name), type_ != ov.Type.u2
    )
show(repr(ov.Type.dynamic), ov.Type.dynamic.is_dynamic(), ov.Type.dynamic.size, ov.Type.string.bitwidth)
show(repr(ov.Type(np.float32)), repr(ov.Type(np.dtype("int64"))), repr(ov.Type(float)), repr(ov.Type(bool)))
show(ov.Type.f32.compatible(ov.Type.dynamic), repr(ov.Type.f32.merge(ov.Type.dynamic)), ov.Type.f32.merge(ov.Type.i8))
for dimension in (ov.Dimension(), ov.Dimension(3), ov.Dimension(1, 5), ov.Dimension(3, -1), ov.Dimension("2..7")):
    show(repr(dimension), dimension, dimension.is_static, dimension.is_dynamic, dimension.min_length)
    show(dimension.max_length, dimension.get_min_length(), dimension.get_max_length(), dimension.to_string())
    show(dimension == ov.Dimension(3), dimension.compatible(ov.Dimension(3)), dimension.refines(ov.Dimension(1, 5)))
    show(dimension.relaxes(ov.Dimension(2, 3)), dimension.same_scheme(ov.Dimension(1, 5)))
show(ov.Dimension(3).get_length(), len(ov.Dimension(4)), ov.Dimension(3) == 3, repr(ov.Dimension.dynamic()))
refused(ov.Dimension().get_length)
for shape in (ov.PartialShape([1, -1, (1, 3)]), ov.PartialShape("[1,?,3..5]"), ov.PartialShape("..."),
              ov.PartialShape([]), ov.PartialShape((2, ov.Dimension(3, 4), "?")), ov.PartialShape(ov.Shape([1, 2])),
              ov.PartialShape.dynamic(), ov.PartialShape.dynamic(ov.Dimension(2))):  # fmt: skip
    show(repr(shape), shape, shape.is_static, shape.is_dynamic, repr(shape.rank), shape.to_string())
    show(shape.compatible(ov.PartialShape([1, 2, 3])), shape == ov.PartialShape([1, 2]))
shape = ov.PartialShape("1,?,3")
show(len(shape), list(shape), repr(shape[1]), repr(shape[-1]), repr(shape[0:2]), repr(shape.get_dimension(0)))
show(shape.get_min_shape(), shape.get_max_shape(), shape.refines(ov.PartialShape("...")))
shape[1] = ov.Dimension(2)
show(
    shape,
    shape.to_shape(),
    repr(shape.get_shape()),
    shape == [1, 2, 3],
    shape == (1, 2, 3),
    shape == ov.Shape([1, 2, 3]),
)
shape[0] = -1
show(shape, shape.all_non_negative)
refused(shape.to_shape)
refused(lambda: len(ov.PartialShape("...")))
refused(ov.PartialShape, "1,abc")
static = ov.Shape([1, 2, 3])
show(repr(static), static, static[0], repr(static[1:]), list(static), tuple(static), len(static), static.to_string())
show(static == [1, 2, 3], static == (1, 2, 3), static == ov.Shape("1,2,3"), np.zeros(static).shape, repr(ov.Shape()))
show(repr(ov.Strides([4, 1])), repr(ov.AxisSet([1, 2])), repr(ov.AxisVector([1, 2])), repr(ov.Coordinate([1])))
for text in ("NCHW", "[N,C,...]", "N...C", "N?C", "nchw", "...", "[batch,width]", ""):
    layout = ov.Layout(text)
    show(repr(layout), layout, layout.empty, layout.has_name("N"), layout.to_string())
layout = ov.Layout("N...HW")
show(layout.get_index_by_name("N"), layout.get_index_by_name("W"), layout == ov.Layout("[N,...,H,W]"), layout == "NCHW")
show(repr(ov.Layout.scalar()), ov.layout_helpers.has_batch(layout), ov.layout_helpers.batch_idx(layout))
show(ov.layout_helpers.has_channels(layout), ov.layout_helpers.width_idx(layout), ov.layout_helpers.height_idx(layout))
refused(layout.get_index_by_name, "C")
refused(ov.Layout, "NN")

show("== tensors")
array = np.arange(6, dtype=np.float32).reshape(2, 3)
tensor = ov.Tensor(array)
shared = ov.Tensor(array, shared_memory=True)
for known in (tensor, shared, ov.Tensor(ov.Type.i64, ov.Shape([2])), ov.Tensor([1, 2, 3]), ov.Tensor([1.5, 2.0]),
              ov.Tensor(np.float32, [1]), ov.Tensor(array.T), ov.Tensor(array, [3, 2]), ov.Tensor(np.zeros(0, np.int8)),
              ov.Tensor(np.zeros(3, np.uint8), ov.Shape([6]), ov.Type.u4), ov.Tensor(ov.Type.u1, [3, 3]),
              ov.Tensor(ov.Type.u3, [9]), ov.Tensor(ov.Type.i4, [3]), ov.Tensor(ov.Type.f8e4m3, [2])):  # fmt: skip
    show(repr(known), known.shape, repr(known.element_type), known.size, known.byte_size, known.is_continuous())
    show(known.get_shape(), known.get_size(), known.get_byte_size(), known.data.shape, known.data.dtype)
show(tensor.data, repr(tensor.strides), repr(tensor.get_strides()), repr(tensor.get_element_type()))
array[0, 0] = 100
show(tensor.data[0, 0], shared.data[0, 0], np.shares_memory(shared.data, array), np.shares_memory(tensor.data, array))
target = ov.Tensor(ov.Type.f32, [1])
tensor.copy_to(target)
show(target.data, target.shape)
target.copy_from(array * 2)
show(target.data)
target.data[:] = 7
show(target.data)
tensor.shape = [3, 2]
show(tensor.data, tensor.shape)
region = ov.Tensor(shared, [0, 1], [2, 3])
show(region.data, region.is_continuous(), region.shape)
strings = ov.Tensor(["ab", "ü", ""])
show(repr(strings), strings.str_data, strings.bytes_data, strings.byte_size, strings.size, strings.data.dtype)
strings.str_data = np.array(["p", "qq", "r"])
show(strings.str_data)
strings.bytes_data = np.array([b"1", b"22", b"3"])
show(strings.str_data, ov.Tensor(np.array([["a", "b"]])).shape)
refused(lambda: tensor.str_data)
refused(ov.Tensor, array.T, shared_memory=True)
refused(ov.Tensor, np.zeros(2, complex))
refused(lambda: setattr(shared, "shape", [5, 5]))
(folder / "bytes").write_bytes(b"abc")
show(ov.tensor_from_file(str(folder / "bytes")).data)
