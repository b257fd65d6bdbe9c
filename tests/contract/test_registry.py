"""What every operation must have, by name, so that a forgotten piece fails by name."""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache
from pathlib import Path

from ir_plugin.operations import opsets
from ir_plugin.operations.registry import LIBRARIES, Definition, built_in
from ir_plugin.operations.schema_files import schema_files
from ir_plugin.schema.catalogue import built_in_path, standard
from tests.support.collect import covered_elsewhere, errors, samples

ROOT = Path(__file__).parents[2]
ROWS = {f"{row.type}-{row.introduced}": row for row in opsets.rows()}
STEMS = [*ROWS, *(item.stem for item in built_in().values() if item.version in LIBRARIES)]
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


def test_every_definition_of_the_opsets_has_a_class() -> None:
    assert set(ROWS) - set(definitions()) == set()


def test_there_is_no_class_beyond_the_opsets() -> None:
    assert sorted(set(definitions()) - set(STEMS)) == []


def schema_faults(definition: Definition) -> list[str]:
    """Return how the schema of a definition and its class disagree."""
    path = built_in_path(definition)
    if not path.is_file():
        return [f"{path} is missing; the class is in family {definition.family}"]
    interface = standard().interface(definition)
    written = {spec.python_name for spec in interface.attributes.values() if spec.type != "extra"}
    fields = {name for name in definition.cls.fields() if name not in vars_with_values(definition)}
    return [
        *(f"{definition.stem}: the schema lacks the field {name}" for name in sorted(fields - written)),
        *(
            f"{definition.stem}: the class does not annotate the schema's attribute {name}"
            for name in sorted(written - set(definition.cls.fields()))
        ),
    ]


def test_every_definition_has_a_schema_that_its_class_agrees_with() -> None:
    assert len(STEMS) > 250
    faults = [fault for stem in STEMS for fault in schema_faults(definitions()[stem])]
    assert not faults, "\n".join(faults)


def vars_with_values(definition: Definition) -> set[str]:
    return {name for name in definition.cls.fields() if hasattr(definition.cls, name)}


def test_there_is_no_schema_without_a_class() -> None:
    assert sorted(set(schema_files()) - set(definitions())) == []


COVERED = {f"{type}-{version}" for type, version in covered_elsewhere()}


def test_every_definition_has_samples() -> None:
    stems = [stem for stem in STEMS if stem not in COVERED]
    assert {stem for stem in stems if sample_counts()[stem] < FEWEST_SAMPLES} == set()
    assert {stem for stem in stems if error_counts()[stem] < 1} == set()


def test_every_sample_is_of_a_definition() -> None:
    assert sorted((set(sample_counts()) | set(error_counts())) - set(STEMS)) == []


def test_every_class_says_what_it_computes() -> None:
    assert {stem for stem in STEMS if len((definitions()[stem].cls.__doc__ or "").split()) < 4} == set()


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
