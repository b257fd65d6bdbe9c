"""`ir-plugin check`: what it takes, prints and returns."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from ir_plugin.cli.app import app
from tests.hostile.bases import conv
from tests.hostile.table import VARIANTS

WRONG = VARIANTS["shapes and types: a wrong declared output dimension"]
WARNED = VARIANTS["attributes: a word in capitals"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    base = conv()
    (tmp_path / "deep").mkdir()
    for name, xml in (("good", base.xml.encode()), ("deep/wrong", WRONG.xml), ("warned", WARNED.xml)):
        (tmp_path / f"{name}.xml").write_bytes(xml)
        (tmp_path / f"{name}.bin").write_bytes(base.weights)
    return tmp_path


def check(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["check", *map(str, arguments)])
    return result.exit_code, result.stdout


@pytest.mark.parametrize("tool", [".git", ".venv", "build", "cmake-build-debug", "dist", "node_modules", "venv"])
def test_folders_of_tools_are_not_entered_unless_they_are_named(tool: str, folder: Path) -> None:
    (folder / "deep").rename(folder / tool)
    assert check("--select", "IR3", folder)[0] == 0
    assert check("--select", "IR3", folder / tool)[0] == 1


def test_other_xml_inside_a_folder_is_named_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    names = [tmp_path / "deep" / f"other{number}.xml" for number in range(6)]
    names[0].parent.mkdir()
    for path in names:
        path.write_text("<project/>")
    status, text = check(tmp_path)
    assert (status, text.count("IR005")) == (1, 1)
    words = " ".join(text.split())
    assert "error[IR005]: 6 files have another root element than <net>, the root of an OpenVINO IR" in words
    assert re.search(r"they are .*other0.* and 2 more", words)
    assert "leave other XML out with --skip-other-xml" in words
    assert text.endswith("1 error\n")
    assert check("--format", "concise", tmp_path)[1].count("IR005") == 6
    assert check(*names)[1].count("error[IR005]: the root element is <project>") == 6
    assert check("--skip-other-xml", tmp_path)[0] == 0


@pytest.mark.parametrize("missing", ["nowhere.xml", "nowhere/*.xml", "empty"])
def test_a_missing_path_silences_no_other_finding(missing: str, folder: Path) -> None:
    (folder / "empty").mkdir()
    out = folder / "out.sarif"
    models = (folder / "warned.xml", folder / missing, folder / "deep" / "wrong.xml")
    assert check("--format", "sarif", "--output", out, *models) == (2, "")
    results = json.loads(out.read_text("utf-8"))["runs"][0]["results"]
    assert {result["ruleId"] for result in results} == {"IR001", WARNED.code, WRONG.code}


def test_a_model_whose_package_is_absent_silences_no_other_finding(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    (folder / "model.onnx").write_bytes(b"\x08\x09")
    out = folder / "out.sarif"
    assert check("--format", "sarif", "--output", out, folder) == (2, "")
    results = json.loads(out.read_text("utf-8"))["runs"][0]["results"]
    assert {result["ruleId"] for result in results} == {"IR001", WARNED.code, WRONG.code}
    assert "pip install onnx" in out.read_text("utf-8")
    assert check("--format", "concise", "--fix", folder)[0] == 2


def test_a_good_file(folder: Path) -> None:
    assert check(folder / "good.xml") == (0, "1 model checked, nothing found\n")


def test_a_wrong_file_is_shown_with_its_place(folder: Path) -> None:
    status, text = check(folder / "deep" / "wrong.xml")
    assert status == 1
    assert "error[IR302]: declared output shape differs from the inferred one\n" in text
    assert f"\n  --> {folder}/deep/wrong.xml:{WRONG.line}:26\n" in text
    assert "declared 5, inferred 4" in text
    assert text.endswith("1 error, 1 fixable with --fix\n")


def test_a_warning_is_no_failure_unless_strict(folder: Path) -> None:
    assert check(folder / "warned.xml")[0] == 0
    assert check("--strict", folder / "warned.xml")[0] == 1


def test_folders_and_patterns(folder: Path) -> None:
    status, text = check("--format", "concise", folder)
    assert status == 1
    assert [line.rpartition("/")[2].split(":")[0] for line in text.splitlines()] == ["wrong.xml", "warned.xml"]
    assert check(f"{folder}/*.xml")[0] == 0
    assert check(f"{folder}/**/*.xml")[0] == 1
    assert check(folder / "good.xml", folder / "deep")[0] == 1


@pytest.mark.parametrize("wrong", ["none.xml", "none*.xml", "empty"])
def test_nothing_to_check_is_a_wrong_call(folder: Path, wrong: str) -> None:
    (folder / "empty").mkdir()
    assert check(folder / wrong)[0] == 2


def test_selecting_and_ignoring_codes(folder: Path) -> None:
    wrong = folder / "deep" / "wrong.xml"
    assert check("--ignore", "IR302", wrong)[0] == 0
    assert check("--ignore", "ir3", wrong)[0] == 0
    assert check("--select", "IR1", wrong)[0] == 0
    assert check("--select", "IR302", wrong)[0] == 1
    assert check("--select", "IR9", wrong)[0] == 2
    assert check("--ignore", "IR1, ir3", wrong)[0] == 0
    assert check("--select", "IR1,IR302", wrong)[0] == 1
    assert check("--select", "IR1,IR9", wrong)[0] == 2


@pytest.mark.parametrize("format", ["full", "concise", "json", "sarif", "junit"])
def test_formats_and_output(folder: Path, format: str) -> None:
    out = folder / "out"
    status, text = check("--format", format, "--output", out, folder / "deep")
    assert (status, text) == (1, "")
    written = out.read_text("utf-8")
    assert "IR302" in written
    if format in ("json", "sarif"):
        json.loads(written)


def test_a_wrong_format_is_a_wrong_call(folder: Path) -> None:
    assert check("--format", "yaml", folder)[0] == 2


def test_fixing_and_showing_the_difference(folder: Path) -> None:
    wrong = folder / "deep" / "wrong.xml"
    before = wrong.read_bytes()
    status, text = check("--diff", wrong)
    assert status == 0
    assert "-                    <dim>5</dim>\n+                    <dim>4</dim>\n" in text
    assert check("--fix", "--diff", wrong) == (status, text)
    assert wrong.read_bytes() == before
    assert check("--fix", wrong)[0] == 0
    assert wrong.read_bytes() == conv().xml.encode()
    assert check("--diff", wrong) == (0, "")


def test_a_difference_keeps_tabs_and_shows_other_control_characters(folder: Path) -> None:
    wrong = folder / "deep" / "wrong.xml"
    wrong.write_text(wrong.read_text("utf-8").replace("    ", "\t").replace("<dim>5", "<!-- \x85 --><dim>5"), "utf-8")
    text = check("--diff", wrong)[1]
    assert "-\t\t\t\t\t<!-- \\x85 --><dim>5</dim>" in text


def test_colours_only_where_asked_for(folder: Path) -> None:
    wrong = folder / "deep" / "wrong.xml"
    assert "\x1b[" not in check(wrong)[1]
    assert "\x1b[" in check("--color", wrong)[1]


@pytest.mark.parametrize(
    ("environment", "options", "is_colored"),
    [
        ({"FORCE_COLOR": "1"}, [], True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, [], False),
        ({"FORCE_COLOR": ""}, [], False),
        ({"NO_COLOR": "1"}, ["--color"], True),
        ({"FORCE_COLOR": "1"}, ["--no-color"], False),
    ],
)
def test_colours_as_the_environment_says(
    folder: Path, environment: dict[str, str], options: list[str], is_colored: bool
) -> None:
    arguments = ["check", *options, str(folder / "deep" / "wrong.xml")]
    assert ("\x1b[" in CliRunner(env=environment).invoke(app, arguments).stdout) == is_colored


def test_the_whole_process(folder: Path) -> None:
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", "from ir_plugin.cli import main; main()", "check", "--format", "concise"]
    done = subprocess.run([*command, str(folder)], cwd=root, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert done.stderr == ""
    assert [line.split(": ")[1].split()[0] for line in done.stdout.splitlines()] == ["IR302", "IR106"]


def test_the_summary_tells_what_fix_mends_and_fix_lists_it(tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    path.write_text(conv().xml.replace('strides="1, 1"', 'strides="2, 2"', 1))
    path.with_suffix(".bin").write_bytes(conv().weights)
    assert check(path)[1].endswith("\n1 error, 1 fixable with --fix\n")
    result = CliRunner().invoke(app, ["check", "--fix", str(path)])
    assert (result.exit_code, result.stdout) == (0, "1 model checked, nothing found\n")
    line = conv().xml[: conv().xml.index('strides="1, 1"')].count("\n") + 1
    assert result.stderr == f'{path}:{line}: fixed: strides="2, 2" → strides="1, 1"\n'
