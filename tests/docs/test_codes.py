from __future__ import annotations

from tests.docs.codes import PAGE, text


def test_the_page_of_codes_is_current() -> None:
    assert PAGE.read_text("utf-8") == text(), "run python -m tests.docs.codes"
