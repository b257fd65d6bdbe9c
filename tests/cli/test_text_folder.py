"""`check` and `info` of the folder of a language model."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from ir_plugin.cli.app import app
from ir_plugin.openvino.genai.chat_template import compiled_template
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
        ("generation_config.json", '{"eos_token_id": [2, -5]}', "LM004"),
    ],
)
def test_configurations_that_do_not_fit(name: str, text: str, code: str, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(SAMPLE, tmp_path / "changed"))
    (folder / name).write_text(text)
    assert codes(folder)[1] == [code]


def test_a_template_is_not_checked_without_jinja(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    compiled_template.cache_clear()
    assert codes(SAMPLE) == (2, ["IR001"])


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


def test_a_prompt_beyond_the_context_is_refused(tmp_path: Path) -> None:
    folder = without(tmp_path)
    (folder / "config.json").write_text('{"max_position_embeddings": 20}')
    result = CliRunner().invoke(app, ["generate", str(folder)], input="Once upon a time " * 9)
    config = folder / "config.json"
    assert str(result.exception) == f"the prompt has 55 tokens; max_position_embeddings of {config} is 20"
