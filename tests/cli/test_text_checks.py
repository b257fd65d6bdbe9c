"""`check` of the folder of a language model."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from ir_plugin.cli.app import app
from ir_plugin.errors import ValidationError
from ir_plugin.openvino.genai.chat_template import compiled_template
from ir_plugin.openvino.genai.check_folder import check_text_folder
from tests.findings.text_folders import FOLDERS, SAMPLE, without, write


def codes(*words: object) -> tuple[int, list[str]]:
    """Return the status of `check` and the codes that it prints."""
    result = CliRunner().invoke(app, ["check", "--json", *map(str, words)])
    return result.exit_code, [finding["code"] for finding in json.loads(result.stdout)["findings"]]


def test_check_holds_the_files_of_a_folder_against_each_other(tmp_path: Path) -> None:
    assert codes(SAMPLE) == (0, [])
    for code in FOLDERS:
        write(code, tmp_path)
    assert codes(tmp_path) == (1, list(FOLDERS))
    assert codes(tmp_path, "--select", "LM00", "--ignore", "LM002,LM003,LM005") == (0, ["LM001", "LM004"])
    assert codes(tmp_path / "LM003" / "openvino_model.xml") == (0, [])


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("config.json", "[1]", "LM002"),
        ("tokenizer_config.json", "{", "LM002"),
        ("config.json", '{"vocab_size": 767}', "LM003"),
        ("config.json", '{"bos_token_id": 768}', "LM004"),
        ("config.json", '{"eos_token_id": [2, 900]}', "LM004"),
        ("generation_config.json", '{"eos_token_id": [2, 900]}', "LM004"),
        ("generation_config.json", '{"eos_token_id": [2, -5]}', "LM004"),
        ("generation_config.json", '{"do_sample": true, "temperature": 0.0}', "LM002"),
        ("generation_config.json", '{"num_beams": 3, "num_beam_groups": 2, "diversity_penalty": 1}', "LM002"),
    ],
)
def test_configurations_that_do_not_fit(name: str, text: str, code: str, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(SAMPLE, tmp_path / "changed"))
    (folder / name).write_text(text)
    assert codes(folder)[1] == [code]


LOOP = "{% for message in messages %}\n{{ message.content }}\n{% endfor %}\n"
TEMPLATES: dict[str, tuple[str, int, str]] = {
    "a loop without an end": ("{{ bos_token }}\n{% for message in messages %}\n", 2, "Unexpected end of template"),
    "a brace too few": (f"{LOOP}\n{{{{ bos_token }}", 5, "unexpected '}'"),
    "a tag of another extension": (f"{LOOP}{{% trans %}}x{{% endtrans %}}", 4, "unknown tag 'trans'"),
    "an undefined function": (f"{LOOP}\n{{{{ now() }}}}", 5, "'now' is undefined"),
    "an undefined function in a branch": (f"{LOOP}{{% if messages %}}\n{{{{ now() }}}}{{% endif %}}", 5, "'now' is"),
    "a filter of another language": (f"{LOOP}{{{{ messages | from_json }}}}", 4, "No filter named 'from_json'"),
    "a filter in a branch": (f"{LOOP}{{% if messages %}}{{{{ 1 | xx }}}}{{% endif %}}", 4, "No filter named 'xx'"),
    "a text and a number": (f"{LOOP}{{{{ messages | length + ' messages' }}}}", 4, "unsupported operand type"),
    "an absent variable": (f"{LOOP}{{{{ message.role.name }}}}", 4, "'message' is undefined"),
    "an absent message": (f"{LOOP}{{{{ messages[1].content }}}}", 4, "no element 1"),
    "a message that is changed": (f"{LOOP}{{% set _ = messages.append(1) %}}", 4, "access to attribute 'append'"),
    "another file": (f"{LOOP}\n{{% include 'system.jinja' %}}", 5, "no loader"),
    "a call in a macro": (f"{{% macro m(x) %}}\n{{{{ x() }}}}{{% endmacro %}}\n{LOOP}{{{{ m(1) }}}}", 2, "callable"),
    "a macro without an end": (f"{{% macro m() %}}{{{{ m() }}}}{{% endmacro %}}{LOOP}{{{{ m() }}}}", 1, "recursion"),
    "turns that are counted wrong": (
        "{% for message in messages %}\n{% if (message.role == 'user') == (loop.index0 % 2 == 0) %}\n"
        "{{ raise_exception('roles must alternate') }}{% endif %}{% endfor %}", 3, "line 3: roles must alternate",
    ),
    "too many loops": (f"{'{% for a in messages %}' * 30}{'{% endfor %}' * 30}", 0, "too many statically nested"),
    "too many parentheses": (f"{{{{ {'(' * 3000}1{')' * 3000} }}}}", 0, "recursion"),
    "a misspelt list": ("{% for message in mesages %}{{ message.content }}{% endfor %}", 0, "gives an empty text"),
    "a misspelt key": ("{% for m in messages %}{{ m.role }}{{ m.contents }}{% endfor %}", 0, "leaves out the message"),
    "parts of a content": (
        "{% for message in messages %}{% for part in message.content %}{{ part.text }}{% endfor %}|{% endfor %}", 0,
        "the chat template leaves out the message of the user",
    ),
}  # fmt: skip
"""Templates, the line at fault, 0 for a fault of no line, and what is said of it."""


def with_template(folder: Path, template: str) -> Path:
    """Return a copy of the sample with a template in a file of its own alone."""
    shutil.copytree(SAMPLE, folder)
    tokenizer = folder / "openvino_tokenizer.xml"
    tokenizer.write_text(re.sub("<chat_template [^>]*/>", "", tokenizer.read_text("utf-8")), "utf-8")
    (folder / "chat_template.jinja").write_text(template, "utf-8")
    return folder


@pytest.mark.parametrize("kind", TEMPLATES)
def test_templates_that_cannot_be_used_are_found_at_their_line(kind: str, tmp_path: Path) -> None:
    template, line, message = TEMPLATES[kind]
    folder = with_template(tmp_path / "story", template)
    (finding,) = check_text_folder(folder)
    assert (finding.code, finding.severity, finding.span.line) == ("LM005", "error", line)
    assert finding.span.file == str(folder / "chat_template.jinja")
    assert message in finding.message
    assert finding.span.text == (template.split("\n")[line - 1] if line else "")
    assert finding.help == ""


@pytest.mark.parametrize(
    "template",
    [
        "{% for m in messages %}{% generation %}{{ m.content }}{% endgeneration %}{% endfor %}",
        "{% for m in messages %}{% if loop.index > 3 %}{% break %}{% endif %}{{ m['content'] | trim }}{% endfor %}",
        "{% set ns = namespace(n=0) %}{% for m in messages %}{% set ns.n = ns.n + 1 %}{{ m.content }}{% endfor %}"
        "{% if tools %}{{ raise_exception('tools') }}{% endif %}{{ strftime_now('%d %b %Y') }}"
        "{{ messages | tojson(indent=2) }}",
        "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}{{ messages[-1].content }}",
    ],
)
def test_templates_that_can_be_used_have_no_finding(template: str, tmp_path: Path) -> None:
    assert check_text_folder(with_template(tmp_path / "story", template)) == []


@pytest.mark.parametrize("words", ["generate FOLDER -p a", "chat FOLDER", "dump FOLDER --prompt a"])
def test_a_template_that_fails_is_named_by_its_file(words: str, tmp_path: Path) -> None:
    folder = with_template(tmp_path / "story", "\n{{ now() }}")
    result = CliRunner().invoke(app, [str(folder) if word == "FOLDER" else word for word in words.split()], input="a\n")
    expected = "chat_template.jinja: the chat template cannot be applied: line 2: 'now' is undefined"
    assert str(result.exception) == expected


def test_a_template_for_a_single_turn_is_a_warning(tmp_path: Path) -> None:
    template = "{{ messages[0].content }}\n{% if messages[1] %}\n{{ raise_exception('one turn') }}{% endif %}"
    (finding,) = check_text_folder(with_template(tmp_path / "story", template))
    assert (finding.code, finding.severity, finding.span.line) == ("LM005", "warning", 3)
    assert "second message of the user" in finding.because


@pytest.mark.parametrize("name", ["tokenizer_config.json", "processor_config.json", "chat_template.json"])
def test_a_template_of_a_configuration_is_found_at_its_key(name: str, tmp_path: Path) -> None:
    folder = with_template(tmp_path / "story", "")
    (folder / "chat_template.jinja").unlink()
    content = {"parts": [{"chat_template": "{"}], "a": '"chat_template": ', "chat_template": "{{ now() }}"}
    (folder / name).write_text(json.dumps(content, indent=1))
    (finding,) = check_text_folder(folder)
    assert (finding.span.file, finding.span.line, finding.span.column) == (str(folder / name), 8, 2)
    assert finding.span.text == ' "chat_template": "{{ now() }}"'


@pytest.mark.parametrize("value", [{"default": "x"}, [{"name": "rag", "template": "x"}], 5, ["x"]])
def test_a_template_of_unknown_form_is_a_warning(value: Any, tmp_path: Path) -> None:
    folder = with_template(tmp_path / "story", "")
    (folder / "chat_template.jinja").unlink()
    (folder / "chat_template.json").write_text(json.dumps({"a": 1, "chat_template": value}, indent=1))
    (finding,) = check_text_folder(folder)
    assert (finding.code, finding.severity, finding.span.line) == ("LM005", "warning", 3)
    assert "not used" in finding.message
    (folder / "chat_template.jinja").write_text("{{ messages[-1].content }}")
    assert check_text_folder(folder) == []


def test_a_template_of_the_tokenizer_is_found_in_its_model(tmp_path: Path) -> None:
    folder = write("LM005", tmp_path)
    (finding,) = check_text_folder(folder)
    assert finding.span.file == str(folder / "openvino_tokenizer.xml")
    assert finding.span.text.startswith("\t\t<chat_template value=")
    assert finding.help == "the template of openvino_tokenizer.xml counts, not that of chat_template.jinja"


@pytest.mark.parametrize(
    ("name", "content", "line", "message"),
    [
        ("config.json", b'{\n"a": 1,\n}', 3, "is not a JSON file"),
        ("config.json", '{\n"a": "\xe9"}'.encode("latin-1"), 2, "is not UTF-8: invalid continuation byte in line 2"),
        ("tokenizer_config.json", '{"a": 1}'.encode("utf-16"), 0, "is UTF-16; UTF-8 is needed"),
        ("chat_template.jinja", b"a\nb\n\xff", 3, "is not UTF-8: invalid start byte in line 3"),
        ("special_tokens_map.json", b"\n[1]", 1, "holds a list; a JSON object is needed"),
        ("config.json", b"[" * 100_000, 0, "cannot be read as JSON"),
        ("generation_config.json", b'{\n"top_k": 5,\r\n"eos_token_id": ["x"]}', 3, "'eos_token_id': a set of tokens"),
        ("generation_config.json", b'{"x": {"top_p": 1},\n"top_p": "1"}', 2, "'top_p': a number is needed, not str"),
    ],
)
def test_malformed_configurations_are_found_at_their_line(
    name: str, content: bytes, line: int, message: str, tmp_path: Path
) -> None:
    folder = without(tmp_path)
    (folder / name).write_bytes(content)
    (finding,) = check_text_folder(folder)
    assert (finding.code, finding.span.file, finding.span.line) == ("LM002", str(folder / name), line)
    assert message in finding.message
    result = CliRunner().invoke(app, ["generate", str(folder), "-p", "any"])
    assert str(result.exception).startswith(str(folder / name))
    assert message in str(result.exception)


def test_configurations_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    folder = without(tmp_path)
    for name in ("config.json", "generation_config.json", "tokenizer_config.json", "chat_template.jinja"):
        path = folder / name
        path.write_bytes("\ufeff".encode() + path.read_bytes().replace(b"\n", b"\r\n"))
    assert codes(folder) == (0, [])
    words = ["-p", "Once", "--max-new-tokens", "3"]
    texts = [CliRunner().invoke(app, ["generate", str(path), *words]).stdout for path in (folder, SAMPLE)]
    assert texts[0] == texts[1] != ""


def test_a_template_is_not_checked_without_jinja(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    compiled_template.cache_clear()
    assert codes(SAMPLE) == (2, ["IR001"])


def test_a_folder_is_not_checked_without_regex(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "regex", None)
    (finding,) = check_text_folder(SAMPLE)
    assert (finding.code, finding.span.file) == ("IR001", str(SAMPLE / "openvino_tokenizer.xml"))
    assert "pip install regex" in finding.message


def test_a_folder_without_its_model(tmp_path: Path) -> None:
    assert codes(without(tmp_path, "openvino_model.xml")) == (0, ["LM001"])


@pytest.mark.parametrize("name", ["special_tokens_map.json", "tokenizer_config.json"])
def test_the_text_of_a_special_token_is_that_of_its_id(name: str, tmp_path: Path) -> None:
    folder = without(tmp_path, "special_tokens_map.json")
    path = folder / name
    values = json.loads(path.read_text()) if path.is_file() else {}
    path.write_text(json.dumps(values | {"eos_token": {"content": "<s>"}}, indent=1))
    (finding,) = check_text_folder(folder)
    assert (finding.code, finding.span.file) == ("LM004", str(path))
    assert finding.message == "eos_token is '<s>', the token 1; eos_token_id is 2"
    assert finding.span.text.startswith(' "eos_token"')


def test_weights_that_are_missing_are_one_finding(tmp_path: Path) -> None:
    folder = without(tmp_path, "openvino_model.bin")
    assert codes(folder) == (1, ["IR401"])
    fault = CliRunner().invoke(app, ["generate", str(folder), "-p", "any"]).exception
    assert isinstance(fault, ValidationError)
    assert [finding.code for finding in fault.findings if finding.severity == "error"] == ["IR401"]


@pytest.mark.parametrize(
    "name", ["config.json", "generation_config.json", "tokenizer_config.json", "chat_template.jinja"]
)
@pytest.mark.parametrize("kind", ["link", "folder"])
def test_configurations_that_lead_to_no_file_are_found(name: str, kind: str, tmp_path: Path) -> None:
    """The cache of Hugging Face has links, whose files may have been removed."""
    folder = without(tmp_path, name)
    if kind == "link":
        (folder / name).symlink_to("../../blobs/0123")
    else:
        (folder / name).mkdir()
    (finding,) = check_text_folder(folder)
    assert (finding.code, finding.span.file) == ("LM002", str(folder / name))
    expected = (
        "it is a symbolic link to '../../blobs/0123', which leads to no file" if kind == "link" else "Is a directory"
    )
    assert expected in finding.message
    result = CliRunner().invoke(app, ["generate", str(folder), "-p", "any"])
    assert str(result.exception).startswith(f"{folder / name} cannot be read: ")


def test_a_token_of_the_tokenizer_that_is_no_number(tmp_path: Path) -> None:
    folder = without(tmp_path)
    path = folder / "openvino_tokenizer.xml"
    path.write_text(path.read_text("utf-8").replace('<pad_token_id value="0"', '<pad_token_id value="none"'), "utf-8")
    (finding,) = check_text_folder(folder)
    assert (finding.code, finding.span.file) == ("LM002", str(path))
    assert finding.span.text.startswith('\t\t<pad_token_id value="none"')
    result = CliRunner().invoke(app, ["tokenize", str(folder), "any"])
    assert str(result.exception) == f"{path}: pad_token_id is 'none'; a whole number is needed"


@pytest.mark.parametrize("names", [("tokenizer", "detokenizer"), ("detokenizer", "tokenizer")])
def test_a_tokenizer_in_the_place_of_the_other(names: tuple[str, str], tmp_path: Path) -> None:
    folder = without(tmp_path)
    for suffix in ("xml", "bin"):
        shutil.copy(folder / f"openvino_{names[0]}.{suffix}", folder / f"openvino_{names[1]}.{suffix}")
    (finding,) = check_text_folder(folder)
    assert (finding.code, finding.span.file) == ("LM003", str(folder / f"openvino_{names[1]}.xml"))
    assert finding.message.endswith(f"; a {names[1]} is needed")
    result = CliRunner().invoke(app, ["tokenize", str(folder), "any"])
    assert str(result.exception).endswith(f"a {names[0]} does; a {names[1]} is needed")
