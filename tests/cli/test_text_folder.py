"""What verbs say of the folder of a language model: what is missing, too long, or no text."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from ir_plugin.cli.app import app
from ir_plugin.openvino.genai.pipeline import LLMPipeline
from ir_plugin.openvino.genai.tokenizer import Tokenizer
from tests.findings.text_folders import SAMPLE, without


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


def test_a_folder_without_a_detokenizer(tmp_path: Path) -> None:
    """What needs it names the folder and who writes the file; `info` says what it can."""
    folder = without(tmp_path, "openvino_detokenizer.xml")
    for words in (["tokenize", str(folder), "any"], ["generate", str(folder), "-p", "any"]):
        result = CliRunner().invoke(app, words)
        assert f"{folder} has no openvino_detokenizer.xml; optimum-cli export openvino writes" in str(result.exception)
    result = CliRunner().invoke(app, ["info", str(folder)])
    assert (result.exit_code, result.stderr) == (0, "")
    assert "  tokens      an unknown number without openvino_detokenizer.xml; pad 0" in result.stdout


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


def test_random_tokens_of_a_benchmark_fit_the_context(tmp_path: Path) -> None:
    folder = without(tmp_path)
    (folder / "config.json").write_text('{"max_position_embeddings": 40}')
    fault = CliRunner().invoke(app, ["benchmark", str(folder), "--tokens", "9"]).exception
    assert str(fault).startswith("the prompt has 32 tokens, so that at most 8 may be generated, not 9; ")


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


@pytest.mark.parametrize("words", ["generate FOLDER -p a", "chat FOLDER", "tokenize FOLDER a"])
@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nothing", "there is no folder 'nothing'"),
        (
            "hub/snapshots/c/config.json",
            "hub/snapshots/c/config.json is a file; a language model is read from its folder",
        ),
        ("hub", "; give 'hub/snapshots/c'"),
        ("plain", "; `optimum-cli export openvino --model …` makes an IR of a model of Hugging Face"),
    ],
)
def test_paths_that_are_no_folder_of_a_model_say_what_helps(
    words: str, path: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(SAMPLE, "hub/snapshots/c")
    Path("plain").mkdir()
    Path("plain/config.json").write_text("{}")
    result = CliRunner().invoke(app, [path if word == "FOLDER" else word for word in words.split()])
    assert message in str(result.exception)
    if message.startswith(";"):
        result = CliRunner().invoke(app, ["info", path])
        assert message.removeprefix("; ") in str(result.exception)
