"""Files that are no IR: each message names the cause, and says what to do."""

from __future__ import annotations

import pytest

from tests.reader.odd_files import FOREIGN, GOLDEN, IR, XML, findings_of, text


def test_every_file_is_named_with_a_way_out() -> None:
    assert text() == GOLDEN.read_text("utf-8"), "python -m tests.reader.odd_files writes the file"


@pytest.mark.parametrize("name", [*FOREIGN, *XML])
def test_one_error_says_what_helps(name: str) -> None:
    (finding,) = findings_of((FOREIGN | XML)[name])
    assert finding.code in ("IR002", "IR003", "IR005")
    assert finding.help
    assert "xmlParse" not in finding.message


def test_the_model_itself_is_right() -> None:
    assert not findings_of(IR)
