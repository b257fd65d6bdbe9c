"""Custom operations as people write them for OpenVINO. `MODULE` names the library that is imported as `ov`."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

ov: Any = importlib.import_module(os.environ["MODULE"])
ops: Any = importlib.import_module(f"{os.environ['MODULE']}.opset13")
folder = Path(sys.argv[1])
np.set_printoptions(precision=4, suppress=True)
CPU = ov.Core().available_devices[0]
F32 = {"INFERENCE_PRECISION_HINT": "f32"}


def show(*values: Any) -> None:
    sys.stdout.write(" ".join(map(str, values)) + "\n")


def refused(call: Any, kind: type[Exception] = RuntimeError) -> None:
    """Print whether a call raises an exception, and whether it is of a kind."""
    try:
        call()
    except (RuntimeError, TypeError, AttributeError, AssertionError, ValueError) as error:
        show("refused", isinstance(error, kind))
    else:
        show("accepted")


show("== an operation without attributes")


class Double(ov.Op):
    def __init__(self, inputs: Any = None) -> None:
        super().__init__(self, inputs)

    def validate_and_infer_types(self) -> None:
        self.set_output_type(0, self.get_input_element_type(0), self.get_input_partial_shape(0))

    def clone_with_new_inputs(self, new_inputs: Any) -> Any:
        return Double(new_inputs)

    def evaluate(self, outputs: Any, inputs: Any) -> bool:
        outputs[0].data[:] = inputs[0].data * 2
        return True


x = ops.parameter([2, 3], np.float32, name="x")
node = Double([x])
node.set_friendly_name("double")
show(repr(node), node.get_type_name(), node.get_type_info(), node.type_info.version_id, node.friendly_name)
show(node.get_input_size(), node.get_output_size(), node.shape, node.get_element_type(), node.get_attributes())
show(isinstance(node, ov.Node), isinstance(node, ov.Op), node.output(0), node.input_value(0).get_node().friendly_name)
show(Double((x,)).shape, Double([x.output(0)]).shape, (node + node).shape, ops.relu(node).shape)
model = ov.Model([ops.relu(node)], [x], "doubles")
values = np.array([[-1, 0, 1], [2, -3, 4]], np.float32)
show(ov.compile_model(model, CPU, F32)(values)[0])
tensor = ov.Tensor(np.zeros((2, 3), np.float32))
show(model.evaluate([tensor], [ov.Tensor(values)]), tensor.data)
show([entry.get_type_name() for entry in model.get_ordered_ops()])
model.reshape([1, 4])
show(model.output(0).partial_shape, ov.compile_model(model, CPU, F32)(np.ones((1, 4), np.float32))[0])
model.reshape([-1, 2])
compiled = ov.compile_model(model, CPU, F32)
show(model.output(0).partial_shape, [compiled(np.ones((count, 2), np.float32))[0].tolist() for count in (1, 3)])
show(ov.compile_model(model.clone(), CPU, F32)(np.ones((1, 2), np.float32))[0])

show("== attributes, two inputs, another opset")


class Scale(ov.Op):
    class_type_info = ov.DiscreteTypeInfo("Scale", "my_opset")

    def __init__(self, inputs: Any = None, **attrs: Any) -> None:
        self._attrs = {"factor": 1.0, "axis": 0, "flip": False, "label": "a", "sizes": [1, 2], "words": ["u"]} | attrs
        super().__init__(self, inputs)

    def validate_and_infer_types(self) -> None:
        if self.get_input_size() != 2:
            raise ValueError("Scale has two inputs")
        shape = self.get_input_partial_shape(0)
        shape[self._attrs["axis"]] = ov.Dimension(1)
        self.set_output_size(2)
        self.set_output_type(0, self.get_input_element_type(0), shape)
        self.set_output_type(1, ov.Type.i64, ov.PartialShape([len(shape)]))

    def clone_with_new_inputs(self, new_inputs: Any) -> Any:
        return Scale(new_inputs, **self._attrs)

    def get_type_info(self) -> Any:
        return Scale.class_type_info

    def visit_attributes(self, visitor: Any) -> bool:
        visitor.on_attributes(self._attrs)
        return True

    def has_evaluate(self) -> bool:
        return True

    def evaluate(self, outputs: Any, inputs: Any) -> bool:
        data, bias = inputs[0].data, inputs[1].data
        total = (data * self._attrs["factor"] + bias).sum(self._attrs["axis"], keepdims=True)
        outputs[0].shape = total.shape
        outputs[0].data[:] = -total if self._attrs["flip"] else total
        outputs[1].data[:] = np.array(data.shape)
        return True


a, b = ops.parameter([2, 3], name="a"), ops.parameter([1, 3], name="b")
scale = Scale([a, b], factor=0.5, axis=1, flip=True, label="one, two", sizes=[3, 4, 5], words=["x", "y"])
scale.friendly_name = "scale"
show(repr(scale), scale.get_attributes(), scale.get_type_info(), scale.outputs())
model = ov.Model([scale.output(0), scale.output(1)], [a, b], "scales")
inputs = [values, np.ones((1, 3), np.float32)]
show([result.tolist() for result in ov.compile_model(model, CPU, F32)(inputs).values()])
path = folder / "scale.xml"
ov.serialize(model, path)
text = path.read_text()
show(next(line.strip() for line in text.splitlines() if "factor" in line))
refused(lambda: ov.Core().read_model(path))
for extension in (Scale, ov.OpExtension(Scale)):
    core = ov.Core()
    core.add_extension(extension)
    again = core.read_model(path)
    read = next(entry for entry in again.get_ordered_ops() if entry.get_type_name() == "Scale")
    show(type(read).__name__, read.get_attributes(), read.get_type_info(), read.friendly_name)
    show([result.tolist() for result in core.compile_model(again, CPU, F32)(inputs).values()])
    again.reshape({"a": [4, -1], "b": [1, 1]})
    show([port.partial_shape for port in again.outputs])
ov.save_model(model, folder / "saved.xml")
show(core.read_model(folder / "saved.xml").get_friendly_name())
refused(lambda: Scale([a]), ValueError)
refused(lambda: Scale([a, b], label=None).get_attributes(), TypeError)
refused(lambda: Scale([a, b], label={}).get_attributes(), TypeError)
refused(lambda: Scale([a, b], sizes=[{}]).get_attributes(), TypeError)

show("== other types of elements")
for type_ in (ov.Type.i32, ov.Type.i64, ov.Type.f16, ov.Type.f64, ov.Type.u8, ov.Type.boolean):
    y = ops.parameter([3], type_, name="y")
    typed = ov.compile_model(ov.Model([Double([y])], [y], "typed"), CPU, F32)
    array = np.array([0, 1, 1], type_.to_dtype())
    if type_ != ov.Type.boolean:
        show(type_, typed(array)[0], typed(array)[0].dtype)

show("== what is wrong")


class Bare(ov.Op):
    def __init__(self, inputs: Any = None) -> None:
        super().__init__(self, inputs)

    def validate_and_infer_types(self) -> None:
        self.set_output_type(0, self.get_input_element_type(0), self.get_input_partial_shape(0))


class Failing(Bare):
    def evaluate(self, outputs: Any, inputs: Any) -> bool:
        del outputs, inputs
        return False


class Raising(Bare):
    def evaluate(self, outputs: Any, inputs: Any) -> bool:
        del outputs, inputs
        raise KeyError("own")


class Needing(Bare):
    def __init__(self, inputs: Any) -> None:
        super().__init__(inputs)


class Mistyped(Bare):
    def get_type_info(self) -> Any:
        return "Mistyped"


z = ops.parameter([2], name="z")
show(Bare().get_input_size(), Bare().get_output_size(), Bare([z]).shape)
late = Bare()
late.set_arguments([z])
late.constructor_validate_and_infer_types()
show(late.shape, late.get_input_size(), late.get_output_size())
late.set_arguments([ops.parameter([5, 1]).output(0)])
late.validate_and_infer_types()
show(late.shape)
for kind in (Bare, Failing, Raising):
    broken = ov.Model([kind([z])], [z], "broken")
    refused(lambda broken=broken: ov.compile_model(broken, CPU, F32)(np.ones(2, np.float32)))
for extension in (Needing, Mistyped, bool, int):
    refused(lambda extension=extension: ov.Core().add_extension(extension))
refused(lambda: ov.OpExtension(3), TypeError)
refused(lambda: Bare(z), TypeError)
refused(lambda: Bare([3]), TypeError)
refused(lambda: Bare([z]).set_output_type(0, np.float32, ov.PartialShape([1])), TypeError)
refused(lambda: Bare([z]).set_output_type(0, ov.Type.f32, [1]), TypeError)
refused(lambda: ov.DiscreteTypeInfo("only"), TypeError)
show(ov.DiscreteTypeInfo("A", "b") == ov.DiscreteTypeInfo("A", "b"), ov.DiscreteTypeInfo("A", "b").parent)
