"""`samples/story` is small, tells what its page says, and its tokens are those of openvino_genai."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from ir_plugin import genai
from ir_plugin.cli.app import app
from tests.genai import generation_cases
from tests.genai.cases import TINY

PAGE = TINY.parent / "README.md"
PROMPTS = ("Once", "Once upon a time, a mouse", "One fine evening", "An honest farmer had once an", "žluťoučký 中文")
PROGRAM = "import openvino_genai; from tests.genai import test_story; test_story.write(openvino_genai)"


def tokens(module: Any) -> list[list[int]]:
    """Return 64 tokens of greedy search after each prompt."""
    pipeline = generation_cases.pipeline(module)
    encoded = [pipeline.get_tokenizer().encode(prompt) for prompt in PROMPTS]
    return [list(pipeline.generate(inputs, max_new_tokens=64, ignore_eos=True).tokens[0]) for inputs in encoded]


def write(module: Any) -> None:
    """Write the tokens of a module as JSON."""
    sys.stdout.write(json.dumps(tokens(module)))


def test_the_folder_is_small() -> None:
    assert sum(path.stat().st_size for path in TINY.iterdir() if path.is_file()) < 3 << 20


def test_a_tale_goes_on_as_the_page_shows() -> None:
    shown = re.search(r"goes on with\n\n(.*?)\n\n", PAGE.read_text("utf-8"), re.DOTALL)
    assert shown is not None
    expected = " ".join(shown[1].split())
    result = CliRunner().invoke(app, ["generate", str(TINY), "--prompt", "Once"], catch_exceptions=False)
    assert result.stdout == f" {expected}\n"
    assert f"Once {expected}" in (TINY / "tales.txt").read_text("utf-8")


def test_a_tale_ends() -> None:
    words = (TINY / "tales.txt").read_text("utf-8").strip().split("\n\n")[0].split(" ")
    result = genai.LLMPipeline(TINY, "CPU").generate([" ".join(words[-30:-5])])
    assert result.texts == [" " + " ".join(words[-5:])]
    assert result.finish_reasons == [genai.GenerationFinishReason.STOP]


def test_tokens_are_those_of_openvino_genai() -> None:
    pytest.importorskip("openvino_genai")
    command, root = [sys.executable, "-c", PROGRAM], Path(__file__).parents[2]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    assert tokens(genai) == json.loads(done.stdout)
