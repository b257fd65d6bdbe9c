"""The group of verbs: what a call imports, wrong calls, interrupts, and completion."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from ir_plugin.cli import check as check_module
from ir_plugin.cli.app import VERBS, app
from ir_plugin.cli.benchmark import HINTS
from ir_plugin.errors import InputError
from tests.support.changed import DIGITS

MAIN = "from ir_plugin.cli import main; main()"


def in_process(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", MAIN, *map(str, arguments)]
    env = {**os.environ, **environment}
    return subprocess.run(command, capture_output=True, text=True, env=env, check=False, timeout=60)


def called(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, arguments)
    return result.exit_code, result.output


def completed(words: str, count: int) -> list[str]:
    """Return what click's bash script gets for the last of some words, of which there are so many and one."""
    done = in_process(COMP_WORDS=words, COMP_CWORD=str(count), _IR_PLUGIN_COMPLETE="bash_complete")
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


def modules_of(*words: str) -> set[str]:
    """Return the modules that a call imports."""
    code = f"""
import atexit, json, sys
atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr))
{MAIN}
"""
    command = [sys.executable, "-c", code, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return set(json.loads(done.stderr.splitlines()[-1]))


def test_a_call_imports_its_verb_only() -> None:
    modules = modules_of("check", str(DIGITS))
    verbs = {f"ir_plugin.cli.{module}" for module in VERBS.values()}
    assert verbs & modules == {"ir_plugin.cli.check"}
    assert not {"ir_plugin.openvino.api", "pydantic", "rich"} & modules


@pytest.mark.parametrize("words", [("compare", str(DIGITS), "--with", str(DIGITS)), ("dump", str(DIGITS)),
                                   ("info", str(DIGITS))], ids=lambda words: words[0])  # fmt: skip
def test_a_call_for_a_model_imports_no_language_models(words: tuple[str, ...]) -> None:
    assert "ir_plugin.openvino.genai" not in modules_of(*words)


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_is_a_command_of_its_name(verb: str) -> None:
    command = app.get_command(click.Context(app), verb)
    assert command is not None
    assert command.name == verb
    status, text = called(verb, "--help")
    assert status == 0
    assert "Arguments:\n" in text


def test_a_call_without_words_is_answered_by_the_help() -> None:
    status, text = called()
    assert status == 2
    assert (0, text) == called("--help")


def test_the_version() -> None:
    status, text = called("--version")
    assert status == 0
    assert text.startswith("ir-plugin ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["chek"], "No such command 'chek'. Did you mean 'check'?"),
        (["checks", "--help"], "No such command 'checks'. Did you mean 'check'?"),
        (["nothing"], "No such command 'nothing'."),
        (["run"], "Missing argument 'MODEL'."),
        (["run", "--seed", "x", "m.xml"], "'x' is not a valid integer range"),
        (["run", "--seed", "-1", "m.xml"], "-1 is not in the range x>=0"),
        (["benchmark", "m.xml", "-t", "0"], "is not in the range x>=0.01"),
        (["benchmark", str(DIGITS), "--start", "hot"], "'hot' is not one of warm, cold"),
        (["benchmark", "m.xml", "-t", "nan"], "Invalid value for '-t' / '--time': 'nan' is not a valid float."),
        (["compare", "m.xml", "--rtol", "nan"], "Invalid value for '--rtol': 'nan' is not a valid float."),
        (["cut", "m.xml", "-o", "p.xml"], "name where the part begins or ends: --from TENSOR, --to TENSOR"),
        (["diff", "a.xml"], "Missing argument 'B'."),
        (["diff", "a.xml", "b.xml", "--format", "yaml"], "'yaml' is not one of text, json, html"),
        (["--show-completion", "powershell"], "'powershell' is not one of bash, zsh, fish"),
        (
            ["graph", "m.xml", "--out", "x.foo"],
            "end it with .html, .htm, .svg, .dot, .gv, .mmd, .txt, or give --format",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_wrong_calls(words: list[str], said: str) -> None:
    status, text = called(*words)
    assert status == 2
    assert text.startswith("Usage: ")
    text = " ".join(text.split())
    assert text.endswith(said) or f"{said}." in text


@pytest.mark.parametrize(
    "words", [["--"], ["run", "--"], ["run", "a.xml", ""], [""], ["graph", "a.xml", "--format", ""]]
)
def test_messages_repeat_no_control_characters(words: list[str]) -> None:
    status, text = called(*words[:-1], f"{words[-1]}\x1b[31mred\nError: \u202e")
    assert status == 2
    assert r"\x1b[31mred\nError: \u202e" in text
    assert "\x1b" not in text


def test_an_interrupt_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(check_module, "_check_all", interrupt)
    assert called("check", str(DIGITS)) == (130, "")


@pytest.mark.parametrize(
    ("words", "count", "expected"),
    [
        ("ir-plugin che", 1, ["plain,check"]),
        ("ir-plugin ", 1, [f"plain,{verb}" for verb in VERBS]),
        ("ir-plugin check sam", 2, ["file,sam"]),
        ("ir-plugin check --f", 2, ["plain,--format", "plain,--fix"]),
        ("ir-plugin check --format s", 3, ["plain,sarif"]),
        ("ir-plugin benchmark m.xml -hint ", 4, [f"plain,{hint}" for hint in HINTS]),
        ("ir-plugin compare m.xml --with onn", 4, ["plain,onnxruntime"]),
        ("ir-plugin compare m.xml --with run", 4, ["file,run"]),
        ("ir-plugin run m.xml -i images = fo", 6, ["file,fo"]),
        (f"ir-plugin cut {DIGITS} --from conv2/w", 4, ["plain,conv2/weight"]),
        (f"ir-plugin cut {DIGITS} --from conv2/relu --to conv2/a", 6, ["plain,conv2/add"]),
        ("ir-plugin cut none.xml --from c", 4, []),
        ("ir-plugin cut none.xml -o pa", 4, ["file,pa"]),
        ("ir-plugin diff a.xml b", 3, ["file,b"]),
        ("ir-plugin diff a.xml b.xml --format h", 5, ["plain,html"]),
        ("ir-plugin explain ir302", 2, ["plain,IR302"]),
        ("ir-plugin --show-completion f", 2, ["plain,fish"]),
    ],
)
def test_completion(words: str, count: int, expected: list[str]) -> None:
    assert completed(words, count) == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell(shell: str) -> None:
    status, text = called("--show-completion", shell)
    assert status == 0
    assert f"_IR_PLUGIN_COMPLETE={shell}_complete" in text
    assert CliRunner(env={"SHELL": f"/usr/bin/{shell}"}).invoke(app, ["--show-completion"]).output == text


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_takes_its_script(tmp_path: Path) -> None:
    program = tmp_path / "ir-plugin"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{MAIN}" "$@"\n')
    program.chmod(0o755)
    asked = (
        'eval "$(ir-plugin --show-completion bash)"; complete -p ir-plugin; '
        "COMP_WORDS=(ir-plugin che) COMP_CWORD=1; _ir_plugin_completion ir-plugin; echo ${COMPREPLY[@]}"
    )
    env = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "--norc", "-c", asked], capture_output=True, text=True, env=env, check=True)
    assert done.stdout.splitlines()[-2:] == ["complete -o nosort -F _ir_plugin_completion ir-plugin", "check"]


@pytest.mark.parametrize(
    ("shell", "said"), [("", "$SHELL is not set"), ("/bin/sh", "'sh' is not one of bash, zsh, fish")]
)
def test_the_script_of_an_unknown_shell(shell: str, said: str) -> None:
    result = CliRunner(env={"SHELL": shell}).invoke(app, ["--show-completion"])
    assert result.exit_code == 2
    assert f"{said}; name it: --show-completion bash" in " ".join(result.output.split())


def test_the_package_runs_as_a_module() -> None:
    command = [sys.executable, "-m", "ir_plugin", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.startswith("ir-plugin ")


@pytest.mark.parametrize(
    ("pattern", "help"), [("gathr", "did you mean Gather or GatherND"), ("qqq", "`ir-plugin ops` lists all operations")]
)
def test_a_pattern_of_no_operation(pattern: str, help: str) -> None:
    for more in ([], ["--json"]):
        fault = CliRunner().invoke(app, ["ops", pattern, *more]).exception
        assert isinstance(fault, InputError)
        assert f"no operation has {pattern!r} in its name; {help}" in str(fault)


def test_what_is_no_xml_is_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    shutil.copy(DIGITS, tmp_path / "m.xml")
    (tmp_path / "m.bin").write_bytes(b"\x00\x01\x02" * 9)
    (tmp_path / "page.md").write_text("# Title")
    (tmp_path / "net.onnx").write_bytes(b"\x08\x07\x12\x00")
    for name, help in (
        ("m.bin", f"a model is read from its .xml: {tmp_path / 'm.xml'}"),
        ("page.md", "a model is the .xml of an IR"),
        ("net.onnx", "check that the file is complete"),
    ):
        status, text = called("check", str(tmp_path / name))
        assert status == 1
        assert f"= help: {help}" in text
        assert ("\n  |\n" in text) == (name == "page.md")


@pytest.mark.parametrize("words", [[], ["check"], ["run"]])
def test_the_help_in_short(words: list[str]) -> None:
    short, long = (CliRunner().invoke(app, [*words, option]) for option in ("-h", "--help"))
    assert (short.exit_code, short.stdout) == (0, long.stdout)


@pytest.mark.parametrize("option", ["--out", "-o", "--output"])
@pytest.mark.parametrize(("verb", "suffix"), [("run", ".npz"), ("check", ".txt")])
def test_the_file_that_a_verb_writes_has_one_name(verb: str, suffix: str, option: str, tmp_path: Path) -> None:
    out = tmp_path / f"out{suffix}"
    result = CliRunner().invoke(app, [verb, str(DIGITS), option, str(out)])
    assert result.exit_code == 0, result.output
    assert out.exists()


def test_the_written_graph_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("click.launch", opened.append)
    out = tmp_path / "graph.html"
    assert CliRunner().invoke(app, ["graph", str(DIGITS), "--out", str(out), "--open"]).exit_code == 0
    assert opened == [str(out)]
    assert CliRunner().invoke(app, ["graph", str(DIGITS), "--open"]).exit_code == 2
    assert opened == [str(out)]
