"""OpenAI's protocol for a folder with a model of embeddings, and what folders cost before their servers are ready."""

from __future__ import annotations

import base64
import json
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ir_plugin as ov
from ir_plugin import genai
from ir_plugin.errors import ReadError
from ir_plugin.report.warming import compiling
from ir_plugin.serving import Limits, application
from tests.genai.encoder_cases import TEXTS, write
from tests.serving.conftest import Run, Served, running
from tests.serving.test_stopping import command
from tests.support.skips import needs_numba

PATH, CHAT, PLAIN = "/v1/embeddings", "/v1/chat/completions", "/v1/completions"
STORY = Path(__file__).parents[2] / "samples" / "story"
LONG = "Once upon a time " * 60


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    parent = tmp_path_factory.mktemp("models")
    write(parent)
    return parent / "embedding"


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Served]:
    with running(application(folder)) as server:
        yield server


def post(served: Served, path: str = PATH, **fields: Any) -> tuple[int, Any]:
    """Return the status and the JSON of an answer."""
    status, _, text = served.send("POST", path, json.dumps({"model": "embedding"} | fields).encode())
    return status, json.loads(text)


def test_vectors(served: Served, folder: Path) -> None:
    pipeline = genai.TextEmbeddingPipeline(folder, "CPU")
    expected = pipeline.embed_documents(TEXTS)
    status, document = post(served, input=TEXTS, user="any")
    assert (status, document["object"], document["model"]) == (200, "list", "embedding")
    assert [entry["index"] for entry in document["data"]] == [0, 1, 2, 3]
    assert [entry["embedding"] for entry in document["data"]] == expected
    count = sum(pipeline._encoder.tokenizer.encode(text).input_ids.shape[1] for text in TEXTS)
    assert document["usage"] == {"prompt_tokens": count, "total_tokens": count}
    packed = post(served, input=TEXTS[0], encoding_format="base64")[1]["data"][0]["embedding"]
    alone = np.array(pipeline.embed_documents(TEXTS[:1])[0], np.float32)
    assert np.array_equal(np.frombuffer(base64.b64decode(packed), "<f4"), alone)


def pooled(folder: Path, parent: Path, text: str) -> Path:
    """Return a copy of a folder with a configuration of sentence-transformers."""
    copy = Path(shutil.copytree(folder, parent / "embedding"))
    (copy / "1_Pooling").mkdir()
    (copy / "1_Pooling" / "config.json").write_text(text)
    return copy


def test_pooling_of_sentence_transformers(folder: Path, tmp_path: Path) -> None:
    folder = pooled(folder, tmp_path, '{"pooling_mode_cls_token": false, "pooling_mode_mean_tokens": true}')
    kinds = genai.TextEmbeddingPipeline.PoolingType
    expected = genai.TextEmbeddingPipeline(folder, "CPU", pooling_type=kinds.MEAN).embed_documents(TEXTS[:1])
    with running(application(folder)) as server:
        assert [entry["embedding"] for entry in post(server, input=TEXTS[0])[1]["data"]] == expected


def test_a_wrong_configuration_of_pooling_is_named(folder: Path, tmp_path: Path) -> None:
    folder = pooled(folder, tmp_path, "{")
    with pytest.raises(ReadError, match=r"1_Pooling.config\.json is not a JSON file"):
        application(folder)


WRONG: dict[str, tuple[dict[str, Any], int, str]] = {
    "no texts": ({"input": []}, 400, "input"),
    "tokens": ({"input": [1, 2]}, 400, "input"),
    "half a character": ({"input": "\ud800"}, 400, "input"),
    "dimensions": ({"input": "a", "dimensions": 3}, 400, "dimensions"),
    "a format": ({"input": "a", "encoding_format": "int8"}, 400, "encoding_format"),
    "a misspelt parameter": ({"input": "a", "inputs": "a"}, 400, "inputs"),
    "another model": ({"input": "a", "model": "ada"}, 404, "model"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_requests(served: Served, name: str) -> None:
    fields, expected, param = WRONG[name]
    status, document = post(served, **fields)
    assert (status, document["error"]["type"], document["error"]["param"]) == (expected, "invalid_request_error", param)


def test_a_model_of_embeddings_generates_no_text(served: Served) -> None:
    for path in (CHAT, PLAIN):
        status, document = post(served, path, prompt="a")
        assert (status, document["error"]["type"]) == (400, "invalid_request_error")
        assert document["error"]["message"] == "embedding generates no text: it has embeddings"
    assert json.loads(served.send("GET", "/v1/models")[2])["data"][0]["id"] == "embedding"


@pytest.mark.parametrize("is_language_model", [True, False])
def test_folders_are_warm_before_the_server_is_ready(folder: Path, is_language_model: bool) -> None:
    path = STORY if is_language_model else folder
    with command("-m", "ir_plugin", "serve", str(path), "--port", "0", "--warm", "--name", "m") as (server, process):
        assert server.send("GET", "/health")[0] == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0


def test_the_model_of_a_folder_is_read_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names, read = list[str](), ov.Core.read_model

    def noted(core: ov.Core, model: Path, *arguments: Any, **options: Any) -> ov.Model:
        names.append(model.name)
        return read(core, model, *arguments, **options)

    monkeypatch.setattr(ov.Core, "read_model", noted)
    for path in (STORY, folder):
        names.clear()
        application(path)
        assert names.count("openvino_model.xml") == 1
        assert len(names) == len(set(names))


@needs_numba
@pytest.mark.parametrize("max_batch", [1, 32])
def test_the_first_request_to_a_warm_server_loads_no_kernel(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, max_batch: int
) -> None:
    """Each kernel that a request runs is compiled and in memory by then, those of the tokenizer too."""
    from ir_plugin.kernels.numba.runtime.kernel_cache import KernelCache

    loaded, load = list[str](), KernelCache.load

    def noted(cache: KernelCache, signature: str) -> Any:
        loaded.append(cache.name)
        return load(cache, signature)

    for path in (STORY, folder):
        app = application(path, "story", Limits(max_batch=max_batch), config=compiling({}))
        app.state.endpoints.warm()
        with monkeypatch.context() as patches:
            patches.setattr(KernelCache, "load", noted)
            answers = requests(run(app)) if path == STORY else [post(run(app), model="story", input=["a", LONG])]
        assert [status for status, _ in answers] == [200] * len(answers)
        assert loaded == []


def requests(server: Served) -> list[tuple[int, Any]]:
    """Return the answers to a long chat, to a short prompt, and to several prompts at once."""
    chat: dict[str, Any] = {"messages": [{"role": "user", "content": LONG}], "max_tokens": 3}
    several: dict[str, Any] = {"prompt": [f"{'Once ' * number}upon" for number in range(9)], "max_tokens": 9}
    completions = [post(server, PLAIN, model="story", **fields) for fields in ({"prompt": "a"}, several)]
    return [post(server, CHAT, model="story", **chat), *completions]
