from __future__ import annotations

from importlib.resources import files

import pytest

from ir_plugin.diagnostics import CODES
from ir_plugin.diagnostics.explain import meaning, page
from ir_plugin.errors import InputError


@pytest.mark.parametrize("code", CODES)
def test_a_page_names_its_code_and_says_what_to_do(code: str) -> None:
    text = page(code)
    lines = text.splitlines()
    assert lines[0] == f"# {code}: {CODES[code].title}"
    assert 10 <= len(lines) <= 25
    assert max(map(len, lines)) <= 120
    assert text.count("```") == 2
    assert "\n\n**OpenVINO** " in text
    assert "\n\n**To fix it**, " in text
    assert text.endswith("\n")


def test_there_is_no_page_without_a_code() -> None:
    pages = files("ir_plugin.diagnostics") / "pages"
    assert {path.name for path in pages.iterdir()} == {f"{code}.md" for code in CODES}


def test_the_meaning_is_the_first_paragraph_in_one_line() -> None:
    assert meaning("IR206") == (
        "Two edges end at one input port. An input takes one tensor; an output may feed any number of inputs."
    )


def test_letter_case_and_blanks_do_not_matter() -> None:
    assert page(" ir302 ") == page("IR302")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("IR3O2", 'unknown code "IR3O2"; did you mean IR302 or '),
        ("302", 'unknown code "302"; did you mean ON302 or IR302'),
        ("../codes", 'unknown code "../codes"; codes run from IR001 to ON504'),
        ("", 'unknown code ""; codes run from IR001 to ON504'),
        ("\x1b[31m", r'unknown code "\x1b[31m"; codes run from IR001 to ON504'),
    ],
)
def test_an_unknown_code_is_an_error_with_a_suggestion(code: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        page(code)
    assert str(caught.value).startswith(message)
