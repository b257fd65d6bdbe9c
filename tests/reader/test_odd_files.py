"""Files that are no IR: each message names the cause, and says what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

import ir_plugin as ov
from tests.reader.odd_files import FOREIGN, GOLDEN, IR, XML, findings_of, text


def test_every_file_is_named_with_a_way_out() -> None:
    assert text() == GOLDEN.read_text("utf-8"), "python -m tests.reader.odd_files writes the file"


@pytest.mark.parametrize("name", [*FOREIGN, *XML])
def test_one_error_says_what_helps(name: str) -> None:
    (finding,) = findings_of((FOREIGN | XML)[name])
    assert finding.code in ("IR002", "IR003", "IR005")
    assert finding.help
    assert "xmlParse" not in finding.message


def test_many_comments_before_the_root_take_no_time() -> None:
    assert not findings_of(IR.replace(b"<net", b"<!-- a -->" * 5000 + b"<net", 1))


def test_weights_that_are_a_pointer_are_named(tmp_path: Path) -> None:
    constant = IR.replace(b"Parameter", b"Const").replace(b'"f32"/>', b'"f32" offset="0" size="800"/>', 1)
    path = tmp_path / "model.xml"
    path.write_bytes(constant.replace(b'shape="2"', b'shape="200"').replace(b"<dim>2<", b"<dim>200<"))
    path.with_suffix(".bin").write_bytes(FOREIGN["a Git LFS pointer"])
    (finding,) = ov.Core().validate(path).findings
    assert (finding.code, "a Git LFS pointer" in finding.help, "git lfs pull" in finding.help) == ("IR402", True, True)


def test_the_model_itself_is_right() -> None:
    assert not findings_of(IR)
