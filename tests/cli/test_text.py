"""`tokenize`, `generate` and `chat`: texts and tokens of `samples/story` on the command line."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from ir_plugin import genai
from ir_plugin.cli.app import app
from ir_plugin.cli.generation import parameters_of
from ir_plugin.diagnostics.escape import escaped_character
from ir_plugin.errors import MissingFileError, UnsupportedError
from ir_plugin.openvino.genai.chat_template import compiled_template
from ir_plugin.report.text_pieces import _offsets

FOLDER = Path(__file__).parents[2] / "samples" / "story"


def called(*words: object, input: str | None = None) -> str:
    result = CliRunner().invoke(app, [*map(str, words)], input=input, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def shown(answer: str) -> str:
    """Return what is printed of an answer."""
    return "".join(letter if letter in "\n\t" else escaped_character(letter) for letter in f"{answer}\n")


def test_tokens_of_a_text() -> None:
    text = "The ž🙂<s>"
    document = json.loads(called("tokenize", FOLDER, text, "--json"))
    tokens = document["tokens"]
    ids = genai.Tokenizer(FOLDER).encode(text).input_ids.data[0].tolist()
    assert [token["id"] for token in tokens] == ids
    assert (tokens[0]["piece"], tokens[0]["offset"], tokens[0]["is_special"]) == ("<s>", None, True)
    offsets = [token["offset"] for token in tokens[1:]]
    assert offsets == [[0, 3], [3, 4], [4, 5], [4, 5], [5, 6], [5, 6], [5, 6], [5, 6], [6, 9]]
    plain = json.loads(called("tokenize", FOLDER, text, "--json", "--no-special-tokens"))["tokens"]
    assert plain == tokens[1:]
    table = called("tokenize", FOLDER, text).splitlines()
    assert len(table) == 1 + len(tokens)
    assert table[1].split() == ["0", "1", "'<s>'", "special"]


@pytest.mark.parametrize(
    ("contents", "text", "offsets"),
    [
        (["▁a", "▁b"], "a  b", [(0, 1), (3, 4)]),
        (["hel", "##lo", "world"], "Hello  World", [(0, 3), (3, 5), (7, 12)]),
        (["a", "x", "b"], "a b", [(0, 1), None, None]),
        ([""], "a", [None]),
        ([], "", []),
    ],
)
def test_offsets_end_where_the_text_was_changed(contents: list[str], text: str, offsets: list[Any]) -> None:
    assert _offsets([content.encode() for content in contents], text.encode()) == offsets


def test_a_text_is_generated() -> None:
    pipeline = genai.LLMPipeline(FOLDER, "CPU")
    expected = pipeline.generate("Once", max_new_tokens=9)
    printed = called("generate", FOLDER, "--prompt", "Once", "--max-new-tokens", 9)
    assert printed == called("generate", FOLDER, "--max-new-tokens", 9, input="Once")
    assert printed == shown(expected)
    document = json.loads(called("generate", FOLDER, "-p", "Once", "--max-new-tokens", 9, "--json"))
    assert (document["text"], document["new_tokens"], document["finish_reason"]) == (expected, 9, "length")
    plain = json.loads(called("generate", FOLDER, "-p", "Once", "--no-template", "--json"))
    assert plain["text"] == pipeline.generate("Once", apply_chat_template=False)
    sampled = json.loads(called("generate", FOLDER, "-p", "Once", "--seed", 5, "--top-k", 9, "--json"))
    assert sampled["text"] == pipeline.generate("Once", do_sample=True, rng_seed=5, top_k=9)
    assert called("generate", FOLDER, "-p", "Once", "-q") == ""


def test_options_of_sampling_switch_it_on() -> None:
    assert parameters_of({"top_k": None, "stop_strings": (), "ignore_eos": None}) == {}
    assert parameters_of({"top_p": 0.5}) == {"top_p": 0.5, "do_sample": True}
    assert parameters_of({"temperature": 0.0, "top_k": 5}) == {"do_sample": False}


def test_answers_end_where_nothing_limits_them(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(FOLDER, tmp_path / "unlimited"))
    (folder / "generation_config.json").unlink()
    document = json.loads(called("generate", folder, "-p", "a", "--ignore-eos", "--json", "--stop", "You"))
    assert 0 < document["new_tokens"] <= 512


def test_a_chat_keeps_its_turns() -> None:
    history = genai.ChatHistory([{"role": "system", "content": "be kind"}])
    pipeline = genai.LLMPipeline(FOLDER, "CPU")
    answers = []
    for text in ("Once", "why"):
        history.append({"role": "user", "content": text})
        answers.append(pipeline.generate(history, max_new_tokens=6).texts[0])
        history.append({"role": "assistant", "content": answers[-1]})
    printed = called("chat", FOLDER, "--system", "be kind", "--max-new-tokens", 6, input="Once\n\nwhy\n")
    assert printed == "".join(map(shown, answers))


def test_an_interrupt_stops_the_answer_and_not_the_chat() -> None:
    """The answer would have 8,000 tokens; the chat goes on after it, and ends with its input."""
    command = [
        sys.executable,
        "-m",
        "ir_plugin",
        "chat",
        str(FOLDER),
        "--max-new-tokens",
        "8000",
        "--ignore-eos",
        "--stop",
        "\n",
    ]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        for text in (b"Once\n", b"not\n"):
            process.stdin.write(text)
            assert process.stdout.read(1)
            process.send_signal(signal.SIGINT)
            while not process.stdout.read(1000).endswith(b"\n"):
                continue
        process.stdin.close()
        assert process.wait(60) == 0


def test_a_missing_folder_and_a_missing_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for verb in ("tokenize", "generate", "chat"):
        words = [verb, str(tmp_path), *(["a"] if verb == "tokenize" else [])]
        fault = CliRunner().invoke(app, words, input="a\n").exception
        assert isinstance(fault, MissingFileError)
    monkeypatch.setitem(sys.modules, "jinja2", None)
    compiled_template.cache_clear()
    fault = CliRunner().invoke(app, ["generate", str(FOLDER), "-p", "some template"]).exception
    assert isinstance(fault, UnsupportedError)
    assert "pip install jinja2" in str(fault)
