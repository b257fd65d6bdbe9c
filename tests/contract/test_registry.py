"""What every operation must have, by name, so that a forgotten piece fails by name."""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from ir_plugin.operations import opsets
from ir_plugin.operations.registry import EXTENSION, Definition, built_in
from ir_plugin.schema.catalogue import built_in_path, schema_root, standard
from tests.support.collect import covered_elsewhere, errors, samples

ROOT = Path(__file__).parents[2]
ROWS = {f"{row.type}-{row.introduced}": row for row in opsets.rows()}
STEMS = [*ROWS, *(item.stem for item in built_in().values() if item.version == EXTENSION)]
"""The definitions of the opsets, and our own."""
TABLE = Path(__file__).with_name("operations.tsv")
"""OpenVINO's types, their versions, and the first and the last opset that has each."""
FEWEST_SAMPLES = 4


@cache
def definitions() -> dict[str, Definition]:
    return {definition.stem: definition for definition in built_in().values()}


@cache
def sample_counts() -> Counter[str]:
    return Counter(f"{sample.type}-{sample.version}" for _, sample in samples())


@cache
def error_counts() -> Counter[str]:
    return Counter(f"{sample.type}-{sample.version}" for _, sample in errors())


@pytest.mark.parametrize("stem", ROWS)
def test_every_definition_of_the_opsets_has_a_class(stem: str) -> None:
    assert stem in definitions()


def test_there_is_no_class_beyond_the_opsets() -> None:
    assert sorted(set(definitions()) - set(STEMS)) == []


@pytest.mark.parametrize("stem", STEMS)
def test_every_definition_has_a_schema_that_its_class_agrees_with(stem: str) -> None:
    definition = definitions()[stem]
    path = built_in_path(definition)
    assert path.is_file(), f"{path} is missing; the class is in family {definition.family}"
    interface = standard().interface(definition)
    written = {spec.python_name for spec in interface.attributes.values() if spec.type != "extra"}
    fields = {name for name in definition.cls.fields() if name not in vars_with_values(definition)}
    assert fields <= written, "fields that the schema lacks"
    unread = written - set(definition.cls.fields()) - IGNORED.get(definition.type, set())
    assert unread == set(), "attributes of the schema that the class does not annotate"


IGNORED: dict[str, set[str]] = {}


def vars_with_values(definition: Definition) -> set[str]:
    return {name for name in definition.cls.fields() if hasattr(definition.cls, name)}


def test_there_is_no_schema_without_a_class() -> None:
    stems = {path.stem for path in (schema_root() / "operations").glob("*/*.xsd")}
    assert sorted(stems - set(definitions())) == []


COVERED = {f"{type}-{version}" for type, version in covered_elsewhere()}


@pytest.mark.parametrize("stem", [stem for stem in STEMS if stem not in COVERED])
def test_every_definition_has_samples(stem: str) -> None:
    assert sample_counts()[stem] >= FEWEST_SAMPLES
    assert error_counts()[stem] >= 1


def test_every_sample_is_of_a_definition() -> None:
    assert sorted((set(sample_counts()) | set(error_counts())) - set(STEMS)) == []


@pytest.mark.parametrize("stem", STEMS)
def test_every_class_says_what_it_computes(stem: str) -> None:
    text = definitions()[stem].cls.__doc__ or ""
    assert len(text.split()) >= 4


def test_families_do_not_import_each_other() -> None:
    wrong = []
    for path in sorted((ROOT / "ir_plugin" / "operations").glob("*/*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            parts = module.split(".")
            if parts[:2] == ["ir_plugin", "operations"] and len(parts) > 3 and parts[2] != path.parent.name:
                wrong.append(f"{path.relative_to(ROOT)} imports {module}")
    assert wrong == []


def test_the_opset_tables_are_those_of_the_reference() -> None:
    lines = [line.split("\t") for line in TABLE.read_text("utf-8").splitlines()[1:]]
    numbered = [cells for cells in lines if cells[3].removeprefix("opset").isdigit()]
    wanted = {
        ("Const" if cells[1] == "Constant" else cells[1], int(cells[3][5:]), int(cells[4][5:])) for cells in numbered
    }
    assert {(row.type, row.introduced, row.last) for row in opsets.rows()} == wanted
