"""OpenAI's protocol for the language model of a folder, by clients of plain HTTP."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ir_plugin import genai
from ir_plugin.serving import application
from tests.serving.conftest import Run, Served, running

FOLDER = Path(__file__).parents[2] / "samples" / "story"
CHAT, PLAIN = "/v1/chat/completions", "/v1/completions"
MESSAGES = [{"role": "user", "content": "You may"}]


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with running(application(FOLDER)) as server:
        yield server


@pytest.fixture(scope="module")
def pipeline() -> genai.LLMPipeline:
    return genai.LLMPipeline(FOLDER, "CPU")


def post(served: Served, path: str, **fields: Any) -> tuple[int, Any]:
    """Return the status and the JSON of an answer."""
    body = json.dumps({"model": "story"} | fields).encode()
    status, _, text = served.send("POST", path, body)
    return status, json.loads(text)


def events(served: Served, path: str, **fields: Any) -> list[Any]:
    """Return the documents of a stream, which ends with [DONE]."""
    body = json.dumps({"model": "story", "stream": True} | fields).encode()
    status, headers, text = served.send("POST", path, body)
    assert (status, headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
    *lines, end = text.decode().removesuffix("\n\n").split("\n\n")
    assert end == "data: [DONE]"
    return [json.loads(line.removeprefix("data: ")) for line in lines]


def test_models(served: Served) -> None:
    status, _, text = served.send("GET", "/v1/models")
    document = json.loads(text)
    assert (status, document["object"], len(document["data"])) == (200, "list", 1)
    entry = document["data"][0]
    assert (entry["id"], entry["object"], entry["owned_by"]) == ("story", "model", "ir_plugin")
    assert json.loads(served.send("GET", "/v1/models/story")[2]) == entry
    assert served.send("GET", "/health")[0] == 200


def test_a_chat(served: Served, pipeline: genai.LLMPipeline) -> None:
    messages = [{"role": "developer", "content": [{"type": "text", "text": "be "}, {"type": "text", "text": "kind"}]}]
    status, document = post(served, CHAT, messages=[*messages, *MESSAGES], max_completion_tokens=7)
    expected = pipeline.generate([{"role": "system", "content": "be kind"}, *MESSAGES], max_new_tokens=7)
    assert (status, document["object"], document["model"]) == (200, "chat.completion", "story")
    message = {"role": "assistant", "content": expected.texts[0], "refusal": None}
    assert document["choices"] == [{"index": 0, "message": message, "logprobs": None, "finish_reason": "length"}]
    prompt = expected.perf_metrics.get_num_input_tokens()
    assert document["usage"] == {"prompt_tokens": prompt, "completion_tokens": 7, "total_tokens": prompt + 7}


def test_a_chat_in_pieces(served: Served) -> None:
    options = {"messages": MESSAGES, "max_tokens": 12, "seed": 5, "temperature": 0.8}
    whole = post(served, CHAT, **options)[1]
    first, *pieces, last, counts = events(served, CHAT, **options, stream_options={"include_usage": True})
    assert first["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert {part["object"] for part in (first, *pieces, last, counts)} == {"chat.completion.chunk"}
    text = "".join(part["choices"][0]["delta"]["content"] for part in pieces)
    assert len(pieces) > 2
    assert text == whole["choices"][0]["message"]["content"]
    assert (last["choices"][0]["delta"], last["choices"][0]["finish_reason"]) == ({}, "length")
    assert (counts["choices"], counts["usage"]) == ([], whole["usage"])


def test_completions(served: Served, pipeline: genai.LLMPipeline) -> None:
    options: dict[str, Any] = {"apply_chat_template": False, "max_new_tokens": 6}
    texts = ["You may", "any"]
    expected = [pipeline.generate(text, **options) for text in texts]
    document = post(served, PLAIN, prompt=texts, max_tokens=6, n=2)[1]
    assert [choice["text"] for choice in document["choices"]] == [text for text in expected for _ in range(2)]
    assert [choice["index"] for choice in document["choices"]] == [0, 1, 2, 3]
    encode = pipeline.get_tokenizer().encode
    assert document["usage"]["prompt_tokens"] == sum(encode(text).input_ids.shape[1] for text in texts)
    ids = encode("any").input_ids.data[0].tolist()
    echoed = post(served, PLAIN, prompt=ids, max_tokens=6, echo=True)[1]["choices"][0]["text"]
    assert echoed == pipeline.generate("any", echo=True, **options)
    parts = events(served, PLAIN, prompt=texts, max_tokens=6)
    for index in (0, 1):
        choices = [part["choices"][0] for part in parts if part["choices"][0]["index"] == index]
        assert "".join(choice["text"] for choice in choices) == expected[index]
        assert choices[-1]["finish_reason"] == "length"


def test_drawn_choices_differ_and_come_again(served: Served) -> None:
    options = {"prompt": "You may", "n": 3, "temperature": 1.5, "seed": 3, "max_tokens": 8}
    drawn = [[choice["text"] for choice in post(served, PLAIN, **options)[1]["choices"]] for _ in range(2)]
    assert drawn[0] == drawn[1]
    assert len(set(drawn[0])) == 3
    assert post(served, PLAIN, prompt="a", temperature=0)[1] | {"id": "", "created": 0} == post(
        served, PLAIN, prompt="a", temperature=0, top_p=0.1, seed=9
    )[1] | {"id": "", "created": 0}


def test_a_text_ends_the_answer(served: Served) -> None:
    whole = post(served, PLAIN, prompt="You may", max_tokens=12)[1]["choices"][0]["text"]
    choice = post(served, PLAIN, prompt="You may", max_tokens=12, stop=[whole[4:7]])[1]["choices"][0]
    assert choice["finish_reason"] == "stop"
    assert whole.startswith(choice["text"])
    assert len(choice["text"]) < len(whole)


WRONG: dict[str, tuple[dict[str, Any], str | None, str]] = {
    "no messages": ({"messages": []}, "messages", "a list with a message"),
    "a role": ({"messages": [{"role": "tool", "content": "a"}]}, "messages[0].role", "is one of system"),
    "an image": ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "messages[0].content", "text"),
    "half a character": ({"messages": [{"role": "user", "content": "\ud800"}]}, "messages[0].content", "is a text"),
    "tools": ({"tools": [{"type": "function"}]}, "tools", "tools is not supported"),
    "logprobs": ({"logprobs": 5}, "logprobs", "true or false"),
    "many logprobs": ({"logprobs": True, "top_logprobs": 21}, "top_logprobs", "a whole number from 0 to 20"),
    "top_logprobs alone": ({"top_logprobs": 2}, "top_logprobs", "for requests with logprobs true"),
    "a misspelt parameter": ({"temprature": 1}, "temprature", "there is no parameter temprature"),
    "temperature": ({"temperature": "hot"}, "temperature", "a number from 0 to 100"),
    "no temperature": ({"temperature": float("nan")}, "temperature", "a number from 0 to 100"),
    "n": ({"n": 0}, "n", "a whole number from 1 to 128"),
    "no tokens": ({"max_tokens": 0}, "max_tokens", "a whole number from 1"),
    "many tokens": ({"max_tokens": 5000}, "max_tokens", "at most 4096 may be generated"),
    "stop": ({"stop": [""]}, "stop", "a list of up to 16 texts"),
    "stream": ({"stream": 1}, "stream", "true or false"),
    "another model": ({"model": "gpt"}, "model", "there is no model gpt"),
    "no model": ({"model": None}, "model", "the name of the model"),
    "top_p": ({"top_p": 0}, "top_p", "top_p is 0.0"),
    "many tokens at least": ({"min_tokens": 9, "max_tokens": 4}, "min_tokens", "min_tokens is 9, above"),
    "tokens that stop": ({"stop_token_ids": ["a"]}, "stop_token_ids", "a list of tokens"),
    "variables": ({"chat_template_kwargs": []}, "chat_template_kwargs", "is an object"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_requests(served: Served, name: str) -> None:
    fields, param, message = WRONG[name]
    status, document = post(served, CHAT, **{"messages": MESSAGES, "stream": True} | fields)
    assert status == (404 if name == "another model" else 400)
    error = document["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert (error["type"], error["param"]) == ("invalid_request_error", param)
    assert message in error["message"]


def test_other_addresses_and_bodies(served: Served) -> None:
    for method, path, body, expected in (
        ("POST", CHAT, b"{", 400), ("POST", PLAIN, b"[]", 400), ("GET", CHAT, None, 405), ("GET", "/v1", None, 404),
        ("GET", "/v1/models/gpt", None, 404), ("POST", PLAIN, b'{"model": "story", "prompt": [true]}', 400),
        ("POST", PLAIN, b'{"model": "story", "prompt": [9999]}', 400),
    ):  # fmt: skip
        status, _, text = served.send(method, path, body)
        assert (status, list(json.loads(text))) == (expected, ["error"]), path
    assert "ir_plugin_requests_total" in served.send("GET", "/metrics")[2].decode()


def test_a_language_model_has_no_embeddings(served: Served) -> None:
    status, document = post(served, "/v1/embeddings", input="any")
    assert (status, document["error"]["param"]) == (400, "model")
    assert document["error"]["message"] == "story generates text: it has no embeddings"


def test_prompts_beyond_the_context(run: Run, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(FOLDER, tmp_path / "v1.5"))
    (folder / "config.json").write_text('{"max_position_embeddings": 80, "eos_token_id": 2}')
    server = run(application(folder))
    body = {"model": "v1.5", "prompt": "a", "ignore_eos": True}
    assert post(server, PLAIN, **body)[1]["usage"]["completion_tokens"] == 60
    assert post(server, PLAIN, **body, max_tokens=78)[1]["usage"]["total_tokens"] == 80
    for fields in ({"max_tokens": 79}, {"prompt": "a b " * 40}):
        status, document = post(server, PLAIN, **body | fields)
        assert (status, document["error"]["code"]) == (400, "context_length_exceeded")
