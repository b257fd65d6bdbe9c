"""Custom operations in OpenVINO's form: one script under both libraries, and what only this one says."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ir_plugin as ov
from ir_plugin import opset13 as ops

SCRIPT = Path(__file__).with_name("custom_ops.py")


def printed(module: str, folder: Path) -> list[str]:
    run = subprocess.run(
        [sys.executable, "-W", "ignore", str(SCRIPT), str(folder)],
        capture_output=True, text=True, cwd=Path.cwd(), check=False, timeout=300,
        env={"MODULE": module, "PYTHONPATH": str(Path.cwd()), "PATH": "", "OPENVINO_TELEMETRY": "0"},
    )  # fmt: skip
    assert run.returncode == 0, run.stderr[-4000:]
    return run.stdout.splitlines()


def test_a_script_prints_the_same_under_both_libraries(tmp_path: Path) -> None:
    theirs, ours = (printed(module, tmp_path) for module in ("openvino", "ir_plugin"))
    assert ours == theirs
    assert len(ours) > 40


class Shift(ov.Op):
    """Adds a number."""

    def __init__(self, inputs: Any = None, amount: int = 1) -> None:
        self.attrs = {"amount": amount, "scale": 1.5}
        super().__init__(self, inputs)

    def validate_and_infer_types(self) -> None:
        assert self.get_input_partial_shape(0).rank != 1, "a vector cannot be shifted"
        self.set_output_type(0, self.get_input_element_type(0), self.get_input_partial_shape(0))

    def visit_attributes(self, visitor: Any) -> bool:
        self.attrs["amount"] = visitor.on_attribute("amount", self.attrs["amount"])
        visitor.on_attributes(self.attrs)
        return True

    def evaluate(self, outputs: list[ov.Tensor], inputs: list[ov.Tensor]) -> bool:
        outputs[0].data[:] = inputs[0].data + self.attrs["amount"]
        return True


def shifted(amount: int = 1) -> ov.Model:
    x = ops.parameter([-1, -1], name="x")
    return ov.Model([Shift([x], amount)], [x], "shifted")


def xml(tmp_path: Path) -> Path:
    path = tmp_path / "shifted.xml"
    ov.serialize(shifted(5), path)
    return path


def test_attributes_survive_clones_files_and_compilation(tmp_path: Path) -> None:
    core = ov.Core()
    core.add_extension(Shift)
    for model in (shifted(5), shifted(5).clone(), core.read_model(xml(tmp_path))):
        for candidate in (model, model.clone()):
            compiled = core.compile_model(candidate)
            for _ in range(2):
                np.testing.assert_array_equal(compiled(np.zeros((1, 2), np.float32))[0], [[5, 5]])


def test_a_text_that_is_no_value_is_a_finding(tmp_path: Path) -> None:
    core = ov.Core()
    core.add_extension([Shift])
    path = xml(tmp_path)
    path.write_text(path.read_text().replace('amount="5"', 'amount="five"'))
    (finding,) = core.validate(path).findings
    assert (finding.code, finding.message) == ("IR301", "attribute 'amount': 'five' is no int")
    with pytest.raises(ov.ValidationError, match="'five' is no int"):
        core.read_model(path)


def test_what_the_validation_of_an_operation_raises_names_the_layer() -> None:
    model = shifted()
    with pytest.raises(ov.ValidationError, match=r"Shift.*AssertionError: a vector cannot be shifted"):
        model.reshape([3])
    assert str(model.output(0).partial_shape) == "[?,?]"
    with pytest.raises(AssertionError, match="a vector"):
        Shift([ops.parameter([3])])


def test_a_node_without_evaluate_is_refused_by_compiling() -> None:
    class Unknown(ov.Op):
        def __init__(self, inputs: Any = None) -> None:
            super().__init__(self, inputs)

        def validate_and_infer_types(self) -> None:
            self.set_output_type(0, ov.Type.f32, ov.PartialShape([1]))

    x = ops.parameter([1])
    with pytest.raises(ov.EvaluationError, match="Unknown has no evaluate"):
        ov.compile_model(ov.Model([Unknown([x])], [x]))


def test_extensions_are_named_in_every_form(tmp_path: Path) -> None:
    path = xml(tmp_path)
    for named in ({"extension": Shift}, {"extensions": [ov.OpExtension(Shift)]}, {"extension": ov.OpExtension(Shift)}):
        core = ov.Core()
        core.add_extension(**named)
        assert core.read_model(path).get_ordered_ops()[1].get_type_name() == "Shift"
    with pytest.raises(ov.AbsentError, match=r"library 'libcustom\.so' is not loaded: .* subclass of Op"):
        ov.Core().add_extension("libcustom.so")
    with pytest.raises(ov.ArgumentTypeError):
        ov.Core().add_extension()


def test_a_clone_with_new_inputs_leaves_the_node_as_it_is() -> None:
    node = Shift([ops.parameter([1, 2])], 3)
    twin = node.clone_with_new_inputs([ops.parameter([4, 4])])
    assert isinstance(twin, Shift)
    assert (twin.get_attributes(), list(twin.shape), list(node.shape)) == (node.get_attributes(), [4, 4], [1, 2])
    twin.attrs["amount"] = 9
    assert node.get_attributes()["amount"] == 3


def test_several_threads_infer_different_shapes_at_once() -> None:
    compiled = ov.compile_model(shifted(2))
    faults: list[Exception] = []

    def infer(rows: int) -> None:
        try:
            for _ in range(20):
                expected = np.full((rows, 2), 2, np.float32)
                request = compiled.create_infer_request()
                np.testing.assert_array_equal(request.infer([np.zeros((rows, 2), np.float32)])[0], expected)
        except Exception as fault:  # noqa: BLE001 (shown by the assertion below)
            faults.append(fault)

    threads = [threading.Thread(target=infer, args=(rows,)) for rows in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []


def test_models_with_custom_nodes_are_freed() -> None:
    node = Shift([ops.parameter([1, 1])])
    gone = weakref.ref(node)
    del node
    gc.collect()
    assert gone() is None


def run_once() -> weakref.ref[type[ov.Op]]:
    """Build and run a model of an operation that is defined here, and return a reference to its class."""

    class Copied(ov.Op):
        def __init__(self, inputs: Any = None) -> None:
            super().__init__(self, inputs)

        def validate_and_infer_types(self) -> None:
            self.set_output_type(0, self.get_input_element_type(0), self.get_input_partial_shape(0))

        def evaluate(self, outputs: Any, inputs: Any) -> bool:
            inputs[0].copy_to(outputs[0])
            return True

        def has_evaluate(self) -> bool:
            return True

    data = ops.parameter([2], ov.Type.f32)
    compiled = ov.Core().compile_model(ov.Model([Copied([data.output(0)])], [data]))
    assert compiled([np.ones(2, np.float32)])[0].tolist() == [1, 1]
    return weakref.ref(Copied)


def test_a_class_of_operations_is_freed_with_its_last_reference() -> None:
    defined = run_once()
    gc.collect()
    assert defined() is None
