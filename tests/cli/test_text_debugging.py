"""`compare`, `dump` and `benchmark` of the folder of a language model."""

from __future__ import annotations

import json
import shutil
from ast import literal_eval
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import ir_plugin as ov
from ir_plugin import genai
from ir_plugin.cli.app import app
from ir_plugin.errors import InputError
from ir_plugin.report import benchmark_texts
from ir_plugin.report.compare_texts import compare_texts
from ir_plugin.report.store import load_arrays

FOLDER = Path(__file__).parents[2] / "samples" / "story"
LAYER = "__module.model.layers.1.mlp.up_proj/aten::linear/MatMul"


def called(*words: object, status: int = 0) -> str:
    result = CliRunner().invoke(app, list(map(str, words)))
    assert result.exit_code == status, result.output
    return result.stdout


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the folder in whose second layer a weight of a projection is another one."""
    folder = Path(shutil.copytree(FOLDER, tmp_path_factory.mktemp("changed") / "story"))
    model = ov.Core().read_model(FOLDER / "openvino_model.xml")
    scale = next(node for node in model.get_ordered_ops() if node.friendly_name.endswith("1.mlp.up_proj.weight/scale"))
    scale.output(0).replace(ov.opset13.constant(np.array(scale.data) * np.float16(-4)).output(0))
    ov.save_model(model, folder / "openvino_model.xml", compress_to_fp16=False)
    return folder


def test_another_folder_parts_at_the_layer_that_was_changed(changed: Path) -> None:
    document = json.loads(called("compare", changed, "--with", FOLDER, "--prompt", "Once", "--json", status=1))
    own, other = (
        genai.LLMPipeline(folder, "CPU").generate(tokens_of("Once")).tokens[0] for folder in (changed, FOLDER)
    )
    position = next(at for at, (here, there) in enumerate(zip(own, other, strict=True)) if here != there)
    first = document["difference"]
    assert (first["position"], first["id"], first["reference_id"]) == (position, own[position], other[position])
    assert (document["prompt_difference"], document["agrees"]) == (None, False)
    assert document["margin"] > 0
    assert document["layers"]["culprits"] == [LAYER]
    printed = called("compare", changed, "--with", FOLDER, "--prompt", "Once", status=1)
    assert printed.startswith("the prompt has 3 tokens, the same in both\nthe answer has 32 tokens, of which number ")
    assert f'\n"{LAYER}" (id ' in printed


def tokens_of(text: str) -> ov.Tensor:
    return genai.Tokenizer(FOLDER).encode(text).input_ids


def test_a_folder_agrees_with_itself() -> None:
    printed = called("compare", FOLDER, "--with", FOLDER, "-p", "The wolf", "--max-new-tokens", 5, "--no-template")
    assert "the answer has 5 tokens, the same in both\nthe layers run on the prompt and the answer\n" in printed
    assert "outputs of layers agree" in printed


def test_a_folder_agrees_with_openvino_genai() -> None:
    pytest.importorskip("openvino_genai")
    comparison = compare_texts(FOLDER, "openvino-genai", "Once upon a time, a mouse")
    assert comparison.agrees, comparison.verdict()
    assert len(comparison.tokens) == 32
    assert len(comparison.layers) > 100


def test_tokens_of_the_prompt_may_differ(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(FOLDER, tmp_path / "story"))
    path = folder / "chat_template.jinja"
    path.write_text("{{ bos_token }}So {{ messages[0].content }}")
    path = folder / "openvino_tokenizer.xml"
    path.write_text(path.read_text().replace("{{ bos_token }}", "{{ bos_token }}So "))
    comparison = compare_texts(folder, str(FOLDER), "Once", max_new_tokens=3)
    first = comparison.prompt_difference
    assert first is not None
    assert (first.position, first.piece, first.reference_piece) == (1, "S", "On")
    assert (comparison.difference, comparison.agrees) == (None, False)


def test_the_arrays_of_a_prompt(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    called("dump", FOLDER, "--prompt", "Once upon", "--out", path)
    arrays = load_arrays(path)
    ids = tokens_of("Once upon").data
    np.testing.assert_array_equal(arrays["input_ids"], ids)
    assert arrays["attention_mask"].tolist() == [[1] * ids.shape[1]]
    assert arrays["position_ids"].tolist() == [list(range(ids.shape[1]))]
    assert arrays[LAYER].shape == (1, ids.shape[1], 384)
    called("compare", FOLDER, "--with", path)
    called("compare", FOLDER, "--with", path, "--prompt", "Once upon")
    called("compare", FOLDER, "--with", FOLDER / "openvino_model.xml", "--prompt", "Once upon")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("compare", FOLDER, "--with", FOLDER), "needs a prompt"),
        (("compare", FOLDER, "--with", "openvino-genai"), "needs a prompt"),
        (("compare", FOLDER / "openvino_model.xml", "--prompt", "a"), "is none"),
        (("dump", FOLDER / "openvino_model.xml", "--prompt", "a"), "is none"),
        (("benchmark", FOLDER / "openvino_model.xml", "--prompt", "a"), "is none"),
        (("benchmark", FOLDER, "-b", 2), "-b is for single models"),
        (("benchmark", FOLDER, "--start", "warm"), "--start is for single models"),
    ],
)
def test_options_that_do_not_fit(words: tuple[Any, ...], message: str) -> None:
    fault = CliRunner().invoke(app, list(map(str, words))).exception
    assert isinstance(fault, InputError)
    assert message in str(fault)


def test_the_speed_of_a_folder() -> None:
    document = json.loads(called("benchmark", FOLDER, "--tokens", 3, "-niter", 1, "--prompt", "Once", "--json"))
    assert (document["prompt"], document["tokens"], document["runs"]) == (3, 3, 1)
    own, *others = document["speeds"]
    assert own["library"] == "ir_plugin.genai"
    for speed in (own, *others):
        assert speed["fault"] == ""
        assert min(speed[name] for name in ("load", "first", "rate", "memory")) > 0
    printed = called("benchmark", FOLDER, "--tokens", 1, "-niter", 1, "-nthreads", 1)
    assert "a prompt of 32 tokens, an answer of 1; medians of 1 run after a first one\n" in printed


def test_a_folder_that_cannot_be_run(changed: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(changed, tmp_path / "story"))
    (folder / "openvino_model.xml").unlink()
    fault = CliRunner().invoke(app, ["benchmark", str(folder)]).exception
    assert "no openvino_model.xml" in str(fault)


RECORDER = """
from types import SimpleNamespace
import numpy as np

Tensor = np.asarray

class LLMPipeline:
    def __init__(self, folder, device):
        self.prompts = []

    def generate(self, prompt, **options):
        self.prompts.append(prompt.tolist())
        with open("prompts.txt", "w") as file:
            file.write(repr(self.prompts))
        one = lambda: SimpleNamespace(mean=1.0)
        return SimpleNamespace(perf_metrics=SimpleNamespace(get_ttft=one, get_throughput=one))
"""
"""A library that writes down the prompts which it gets."""


def test_no_run_repeats_a_prompt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that keeps what it computed for the tokens of a prompt would find them again."""
    (tmp_path / "recorder.py").write_text(RECORDER, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(benchmark_texts, "_libraries", lambda _: [("recorder", "recorder", "1", {})])
    assert not benchmark_texts.benchmark_texts(FOLDER, "Once upon", tokens=2, runs=2).speeds[0].fault
    prompts = literal_eval((tmp_path / "prompts.txt").read_text("utf-8"))
    assert [sorted(prompt[0]) for prompt in prompts] == [sorted(prompts[0][0])] * 3
    assert len({prompt[0][0] for prompt in prompts}) == 3
