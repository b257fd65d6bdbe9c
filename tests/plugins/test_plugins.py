"""Operations from outside: an installed package, classes in a script, replaced kernels, clashes."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from ir_plugin import Core, Error, Operation, ValidationError
from ir_plugin.operations.plugins import load_plugins
from ir_plugin.operations.registry import Registry
from ir_plugin.tensors import Array, ElementType, PartialShape, TensorInfo
from tests.hostile.bases import conv, layer, net, port

PACKAGE = Path(__file__).parent / "package"


def ir(type: str, data: str = "", version: str = "extension", inputs: int = 1) -> bytes:
    """Return x -> a layer of this type -> out, for four floats."""
    ports = [port(number, [4]) for number in range(inputs)]
    custom = layer(1, "custom", type, data, ports, [port(inputs, [4])]).replace(
        'version="opset1"', f'version="{version}"'
    )
    ends = [
        layer(0, "x", "Parameter", 'shape="4" element_type="f32"', (), [port(0, [4])]),
        custom,
        layer(2, "out", "Result", "", [port(0, [4])]),
    ]
    edges = [(0, 0, 1, number) for number in range(inputs)]
    return net(ends, [*edges, (1, inputs, 2, 0)]).encode()


VALUES = np.array([-1, 1, 7, 9], np.float32)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the package with pip, as its users would, into a folder of its own."""
    target = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps", "--no-index"]
    command += ["--disable-pip-version-check", "--target", str(target), str(PACKAGE)]
    subprocess.run(command, check=True, timeout=300)
    return target


@pytest.fixture
def installed(site: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(str(site))
    importlib.invalidate_caches()
    yield site
    for name in [name for name in sys.modules if name.partition(".")[0] == "ir_relu6"]:
        del sys.modules[name]


def test_an_installed_package_provides_its_operation(installed: Path) -> None:
    del installed
    compiled = Core().compile_model(ir("Relu6"))
    np.testing.assert_array_equal(compiled([VALUES])[0], [0, 1, 6, 6])
    compiled = Core().compile_model(ir("Relu6", 'top="8"'))
    np.testing.assert_array_equal(compiled([VALUES])[0], [0, 1, 7, 8])


def test_the_schema_and_the_checks_of_a_package_count(installed: Path) -> None:
    del installed
    findings = list(Core().validate(ir("Relu6", 'tpo="8"')).findings)
    assert [(finding.code, finding.help) for finding in findings] == [("IR101", 'did you mean "top"?')]
    assert [finding.code for finding in Core().validate(ir("Relu6", 'top="high"')).findings] == ["IR102"]
    findings = list(Core().validate(ir("Relu6", 'top="-1"')).findings)
    assert [(finding.code, finding.message) for finding in findings] == [("IR301", "-1.0 is not above 0")]


def test_without_the_package_the_layer_is_unknown() -> None:
    assert [finding.code for finding in Core().validate(ir("Relu6")).findings] == ["IR501"]


class Swell(Operation, version="extension"):
    """Raise every element to a power, or take it from the top."""

    power: int
    weights: tuple[float, ...] = (1.0,)
    mode: Literal["up", "down"] = "up"
    is_loud: bool = False
    to: ElementType = ElementType.f32
    limits: PartialShape = PartialShape("1..4")

    def infer(self, data: TensorInfo, other: TensorInfo | None = None) -> TensorInfo:
        del other
        return TensorInfo(data.element_type, data.shape)

    def evaluate(self, data: Array, other: Array | None = None) -> Array:
        del other
        raised = data**self.power * self.weights[0]
        return raised if self.mode == "up" else -raised


def core(*extensions: type[Operation]) -> Core:
    extended = Core()
    extended.add_extension(list(extensions))
    return extended


def test_a_class_in_a_script_needs_no_schema() -> None:
    extended = core(Swell)
    compiled = extended.compile_model(ir("Swell", 'power="2" weights="3.0" mode="DOWN"'))
    np.testing.assert_array_equal(compiled([VALUES])[0], [-3, -3, -147, -243])
    assert len(extended.validate(ir("Swell", 'power="2"', inputs=2)).findings) == 0


@pytest.mark.parametrize(
    ("data", "inputs", "code"),
    [
        ("", 1, "IR110"),
        ('power="a"', 1, "IR102"),
        ('power="2" mode="upp"', 1, "IR105"),
        ('power="2" is_loud="yes"', 1, "IR109"),
        ('power="2" to="f33"', 1, "IR105"),
        ('power="2" limits="4..1"', 1, "IR102"),
        ('power="2" powr="2"', 1, "IR101"),
        ('power="2"', 3, "IR108"),
    ],
)
def test_a_generated_schema_checks_what_the_fields_say(data: str, inputs: int, code: str) -> None:
    assert [finding.code for finding in core(Swell).validate(ir("Swell", data, inputs=inputs)).findings] == [code]


class Forgetful(Operation, version="extension"):
    """An operation whose `infer` lacks its return."""

    def infer(self, data: TensorInfo) -> TensorInfo:  # type: ignore[return]
        data.with_shape([1])


def test_an_infer_that_returns_nothing_is_a_finding() -> None:
    (finding,) = core(Forgetful).validate(ir("Forgetful")).findings
    assert (finding.code, finding.message) == ("IR301", "infer of Forgetful returns NoneType, not TensorInfo")


class Strange(Operation, version="extension"):
    """An operation with a field that no attribute can hold."""

    table: dict[str, int]

    def infer(self, data: TensorInfo) -> TensorInfo:
        return data


def test_a_field_that_no_attribute_can_hold_is_named() -> None:
    with pytest.raises(Error, match=r"Strange\.table is annotated dict"):
        core(Strange)


class Broken(Operation, version="extension"):
    """An operation of which the schema is none."""

    schema = "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'/>"

    def infer(self, data: TensorInfo) -> TensorInfo:
        return data


class Missing(Operation, version="extension"):
    """An operation of which the schema is not there."""

    schema = Path("/nowhere/Missing.xsd")

    def infer(self, data: TensorInfo) -> TensorInfo:
        return data


@pytest.mark.parametrize("cls", [Broken, Missing])
def test_a_schema_that_cannot_be_used_is_an_error(cls: type[Operation]) -> None:
    with pytest.raises(Error, match="schema"):
        core(cls)


class Relu(Operation, version=1):
    """A kernel of one's own for Relu-1."""

    schema = Path(__file__).parents[2] / "schemas/operations/activation/Relu-1.xsd"

    def infer(self, data: TensorInfo) -> TensorInfo:
        return TensorInfo(data.element_type, data.shape)

    def evaluate(self, data: Array) -> Array:
        return np.full_like(data, 42)


def test_a_built_in_kernel_can_be_replaced() -> None:
    base = conv()
    image = np.zeros((1, 3, 8, 8), np.float32)
    replaced = core(Relu).compile_model(base.xml.encode(), weights=base.weights)([image])[0]
    assert (replaced == 42).all()
    plain = Core().compile_model(base.xml.encode(), weights=base.weights)([image])[0]
    assert not (plain == 42).any()


def test_a_clash_names_both_providers() -> None:
    class Swell(Operation, version="extension"):
        """Another one."""

        def infer(self, data: TensorInfo) -> TensorInfo:
            return data

    registry = Registry()
    registry.add(Swell, "package one")
    registry.add(Swell, "package one again")
    with pytest.raises(Error, match=r"by package one again .* and by package two|by package one .* and by package two"):
        registry.add(globals()["Swell"], "package two")


def test_two_packages_with_the_same_operation_clash(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second package is a folder with metadata, as an installer leaves it."""
    del installed
    (tmp_path / "rival.py").write_text((PACKAGE / "ir_relu6/operations.py").read_text("utf-8"), "utf-8")
    (tmp_path / "Relu6.xsd").write_bytes((PACKAGE / "ir_relu6/Relu6.xsd").read_bytes())
    info = tmp_path / "rival-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: rival\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text("[ir_plugin.operations]\nrelu6 = rival:Relu6\n", "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    with pytest.raises(Error) as caught:
        load_plugins(Registry())
    sys.modules.pop("rival", None)
    assert "ir-relu6 (ir_relu6.operations)" in str(caught.value)
    assert "rival (rival:Relu6)" in str(caught.value)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (None, "ModuleNotFoundError: No module named 'hollow'"),
        ("raise KeyError('gone')", "KeyError: 'gone'"),
        ("import sys; sys.exit(3)", "SystemExit: 3"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("def f(", "SyntaxError: "),
        ("", "AttributeError: "),
    ],
)
def test_a_plugin_that_cannot_be_imported_is_named_and_skipped(
    source: str | None, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    info = tmp_path / "hollow-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: hollow\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text("[ir_plugin.operations]\nnothing = hollow:Nothing\n", "utf-8")
    if source is not None:
        (tmp_path / "hollow.py").write_text(source, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("ir_plugin.operations.plugins._warned", set())
    importlib.invalidate_caches()
    with caplog.at_level("WARNING", "ir_plugin"):
        Core()
        Core()
    sys.modules.pop("hollow", None)
    (record,) = caplog.records
    told = "the plugin nothing of hollow (hollow:Nothing) cannot be loaded, and is skipped: "
    assert record.message.startswith(told + reason)


def test_what_is_no_operation_is_refused() -> None:
    with pytest.raises(Error, match="not a subclass"):
        Core().add_extension(dict)
    with pytest.raises(ValidationError):
        Core().read_model(ir("Swell", 'power="2"'))
