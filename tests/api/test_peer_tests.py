"""The page that counts OpenVINO's own tests."""

from __future__ import annotations

from pathlib import Path

from tests.api.peer_tests import page, verdicts

REPORT = """<testsuites><testsuite>
<testcase classname="tests.test_runtime.test_core" name="test_a[x]"/>
<testcase classname="tests.test_runtime.test_core" name="test_a[y]">{inner}</testcase>
<testcase classname="tests.test_runtime.test_core" name="test_unload_plugin">{inner}</testcase>
</testsuite></testsuites>"""


def test_tests_are_counted_by_file_with_reasons(tmp_path: Path) -> None:
    for name, inner in (("theirs", ""), ("ours", "<failure message='no'/>")):
        (tmp_path / name).write_text(REPORT.format(inner=inner))
    text = page(verdicts(tmp_path / "theirs"), verdicts(tmp_path / "ours"))
    assert "## test_runtime: 1 of 3 (33.3%)" in text
    assert "| test_core | 3 | 1 | 1 compare the text of a message; 1 unload the only device |" in text
