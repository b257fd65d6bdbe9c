"""`check` and `info` of the folder of a language model."""

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
from ir_plugin.openvino.genai.chat_template import compiled_template
from ir_plugin.openvino.genai.check_folder import check_text_folder
from ir_plugin.openvino.genai.pipeline import LLMPipeline
from ir_plugin.openvino.genai.tokenizer import Tokenizer
from tests.findings.text_folders import FOLDERS, SAMPLE, write


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


def test_info_of_a_folder_without_a_tokenizer(tmp_path: Path) -> None:
    folder = without(tmp_path, "openvino_tokenizer.xml", "openvino_detokenizer.xml")
    result = CliRunner().invoke(app, ["info", str(folder)])
    assert "  tokens      an unknown number without openvino_detokenizer.xml; pad 0 <pad>, bos 1 <s>" in result.stdout
    assert "  chat        a template of " in result.stdout


def test_info_of_a_folder(tmp_path: Path) -> None:
    document = json.loads(CliRunner().invoke(app, ["info", str(SAMPLE), "--json"]).stdout)
    texts = document["texts"]
    assert (texts["tokens"], texts["special_tokens"]["eos"]) == (768, {"id": 2, "text": "</s>"})
    assert texts["generation"] == {"max_new_tokens": 60, "stop_token_ids": [2], "eos_token_id": 2}
    assert "openvino_detokenizer.xml" in texts["files"]
    printed = CliRunner().invoke(app, ["info", str(SAMPLE)]).stdout
    assert "  tokens      768; pad 0 <pad>, bos 1 <s>, eos 2 </s>\n" in printed
    assert "  chat        a template of " in printed
    assert CliRunner().invoke(app, ["info", str(tmp_path)]).exit_code != 0


def without(tmp_path: Path, *names: str) -> Path:
    """Return a copy of the sample that lacks some files."""
    folder = Path(shutil.copytree(SAMPLE, tmp_path / "story"))
    for name in names:
        (folder / name).unlink()
    return folder


def test_a_folder_without_a_detokenizer(tmp_path: Path) -> None:
    """What needs it names the folder and who writes the file; `info` says what it can."""
    folder = without(tmp_path, "openvino_detokenizer.xml")
    for words in (["tokenize", str(folder), "any"], ["generate", str(folder), "-p", "any"]):
        result = CliRunner().invoke(app, words)
        assert f"{folder} has no openvino_detokenizer.xml; optimum-cli export openvino writes" in str(result.exception)
    result = CliRunner().invoke(app, ["info", str(folder)])
    assert (result.exit_code, result.stderr) == (0, "")
    assert "  tokens      an unknown number without openvino_detokenizer.xml; pad 0" in result.stdout


def test_a_folder_without_its_model(tmp_path: Path) -> None:
    assert codes(without(tmp_path, "openvino_model.xml")) == (0, ["LM001"])


def test_a_benchmark_says_what_is_wrong_with_a_folder(tmp_path: Path) -> None:
    folder = without(tmp_path)
    (folder / "openvino_model.bin").write_bytes(b"")
    result = CliRunner().invoke(app, ["benchmark", str(folder), "--tokens", "1"])
    assert "error[IR402]" in str(result.exception)


def test_a_chat_without_a_template_says_what_goes_without(tmp_path: Path) -> None:
    folder = without(tmp_path, "chat_template.jinja")
    tokenizer = folder / "openvino_tokenizer.xml"
    tokenizer.write_text(re.sub("<chat_template [^>]*/>", "", tokenizer.read_text("utf-8")), "utf-8")
    result = CliRunner().invoke(app, ["chat", str(folder)], input="any\n")
    assert f"{folder} has no chat template; `ir-plugin generate` goes on from a text" in str(result.exception)


def test_keys_of_tokens_that_are_no_numbers_are_passed_over(tmp_path: Path) -> None:
    folder = without(tmp_path, "special_tokens_map.json", "config.json")
    content = {"bos_token": "<s>", "added_tokens_decoder": {"x": {"content": "<s>"}, "1": {"content": "<s>"}}}
    (folder / "tokenizer_config.json").write_text(json.dumps(content))
    assert CliRunner().invoke(app, ["tokenize", str(folder), "any"]).exit_code == 0


TAKE_TEXTS = (
    "tokenize FOLDER TEXT", "generate FOLDER -p TEXT", "dump FOLDER --prompt TEXT", "benchmark FOLDER --prompt TEXT",
    "chat FOLDER --system TEXT", "compare FOLDER --with openvino-genai --prompt TEXT",
)  # fmt: skip


@pytest.mark.parametrize("words", TAKE_TEXTS)
def test_texts_that_are_no_utf8_are_refused(words: str) -> None:
    replaced = {"FOLDER": str(SAMPLE), "TEXT": "a\udcff"}
    result = CliRunner().invoke(app, [replaced.get(word, word) for word in words.split()])
    assert result.exit_code == 2
    assert "the character at position 1 is no UTF-8" in " ".join(result.output.split())


BEYOND = (
    "generate FOLDER -p TEXT", "chat FOLDER --system TEXT", "dump FOLDER --prompt TEXT",
    "benchmark FOLDER --prompt TEXT", "compare FOLDER --with FOLDER --prompt TEXT",
)  # fmt: skip


@pytest.mark.parametrize(
    "content", ['{"max_position_embeddings": 20}', '{"n_positions": 20}', '{"text_config": {"n_positions": 20}}']
)
@pytest.mark.parametrize("words", BEYOND)
def test_a_prompt_beyond_the_context_is_refused(words: str, content: str, tmp_path: Path) -> None:
    folder = without(tmp_path)
    config = folder / "config.json"
    config.write_text(content)
    replaced = {"FOLDER": str(folder), "TEXT": "Once upon a time " * 9}
    result = CliRunner().invoke(app, [replaced.get(word, word) for word in words.split()], input="why\n")
    name = "max" if "max" in content else "n"
    assert re.fullmatch(f"the prompt has \\d\\d tokens; {name}_position\\w* of {config} is 20", str(result.exception))


@pytest.mark.parametrize(
    "words",
    [
        ["generate", "-p", "Once", "--max-new-tokens", "18"],
        ["chat", "--max-new-tokens", "18"],
        ["benchmark", "--prompt", "Once", "--tokens", "18"],
        ["compare", "--with", str(SAMPLE), "--prompt", "Once", "--max-new-tokens", "18"],
    ],
)
def test_an_answer_beyond_the_context_is_refused(words: list[str], tmp_path: Path) -> None:
    folder = without(tmp_path)
    config = folder / "config.json"
    config.write_text('{"max_position_embeddings": 20}')
    result = CliRunner().invoke(app, [words[0], str(folder), *words[1:]], input="Once\n")
    assert str(result.exception) == (
        "the prompt has 3 tokens, so that at most 17 may be generated, not 18; "
        f"max_position_embeddings of {config} is 20"
    )


def test_an_answer_ends_with_the_context(tmp_path: Path) -> None:
    """The default of the folder, 60 tokens, is as many as fit; in a chat there are fewer in each turn."""
    folder = without(tmp_path)
    (folder / "config.json").write_text('{"max_position_embeddings": 20}')
    words = ["generate", str(folder), "-p", "Once", "--ignore-eos", "--json"]
    document = json.loads(CliRunner().invoke(app, words).stdout)
    assert (document["prompt_tokens"], document["new_tokens"], document["finish_reason"]) == (3, 17, "length")
    result = CliRunner().invoke(app, ["chat", str(folder), "--ignore-eos"], input="Once\nwhy\n")
    assert result.stdout
    assert re.match(r"the prompt has \d+ tokens", str(result.exception))


def test_a_prompt_is_tokenized_once(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[Any] = []
    encode = Tokenizer.encode

    def noted(self: Tokenizer, *arguments: Any, **options: Any) -> Any:
        texts.append(arguments[0])
        return encode(self, *arguments, **options)

    monkeypatch.setattr(Tokenizer, "encode", noted)
    for words in ([], ["--json"], ["--no-template"]):
        texts.clear()
        CliRunner().invoke(app, ["generate", str(SAMPLE), "-p", "Once", "--max-new-tokens", "2", *words])
        assert len(texts) == 1


@pytest.mark.parametrize("words", [["generate"], ["chat"]])
def test_standard_input_that_is_no_text_is_refused(words: list[str]) -> None:
    result = CliRunner().invoke(app, [*words, str(SAMPLE)], input=b"caf\xe9\n")
    assert str(result.exception) == "standard input has bytes that are no UTF-8"


def test_the_last_line_break_of_a_file_is_no_part_of_the_prompt() -> None:
    results = [
        CliRunner().invoke(app, ["generate", str(SAMPLE), "--json", "--max-new-tokens", "2"], input=input)
        for input in ("Once", "Once\n", "Once\n\n")
    ]
    assert [json.loads(result.stdout)["prompt_tokens"] for result in results] == [3, 3, 4]


def test_folders_of_beam_search_and_of_several_texts(tmp_path: Path) -> None:
    folder = without(tmp_path)
    values = {"num_beams": 3, "num_return_sequences": 2, "max_new_tokens": 4, "eos_token_id": 2}
    (folder / "generation_config.json").write_text(json.dumps(values))
    expected = "".join(f"{text}\n" for text in LLMPipeline(folder, "CPU").generate(["Once"]).texts)
    for words, input in (["generate", "-p", "Once"], ""), (["chat"], "Once\n"):
        assert CliRunner().invoke(app, [words[0], str(folder), *words[1:]], input=input).stdout == expected
