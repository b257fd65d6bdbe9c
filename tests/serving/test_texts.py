"""OpenAI's protocol for the language model of a folder, by clients of plain HTTP."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

import ir_plugin as ov
from ir_plugin import genai, opset13
from ir_plugin.openvino.genai.decoding_batch import DecodingBatch
from ir_plugin.serving import Limits, application, text_endpoints
from ir_plugin.serving.text_batcher import TextBatcher
from ir_plugin.serving.waiting import within
from tests.serving.conftest import Run, Served, running
from tests.serving.polling import wait_until
from tests.serving.test_stopping import command

FOLDER = Path(__file__).parents[2] / "samples" / "story"
CHAT, PLAIN = "/v1/chat/completions", "/v1/completions"
MESSAGES = [{"role": "user", "content": "You may"}]
BATCHES = "batches of up to 32 prompts\n"


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
    "logprobs": ({"logprobs": True}, "logprobs", "not supported"),
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
    "logprobs of no other tokens": ({"logprobs": 0}, "logprobs", "not supported"),
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


@contextmanager
def endless(served: Served, *, is_stream: bool = True, tokens: int = 4000) -> Iterator[socket.socket]:
    """Ask for a long answer, and wait for its begin or until the request is there; the end hangs up."""
    fields = {"model": "story", "messages": MESSAGES, "stream": is_stream, "max_tokens": tokens}
    body = json.dumps(fields | {"ignore_eos": True}).encode()
    head = f"POST {CHAT} HTTP/1.1\r\nhost: m\r\ncontent-length: {len(body)}\r\n\r\n".encode()
    with socket.create_connection(("127.0.0.1", served.port), timeout=60) as connection:
        connection.sendall(head + body)
        if is_stream:
            assert connection.recv(100).startswith(b"HTTP/1.1 200 ")
        else:
            wait_until(lambda: served.metric("ir_plugin_pending_requests") == 1)
        yield connection


def test_a_client_that_goes_away_frees_its_row(run: Run) -> None:
    """The next request is answered although the answer before would have 4,000 tokens, and leaves no room."""
    server = run(application(FOLDER, limits=Limits(max_batch=1)))
    for is_stream in (True, False):
        with endless(server, is_stream=is_stream):
            wait_until(lambda: server.metric("ir_plugin_batch_rows_count") > 0)
        assert post(server, CHAT, messages=MESSAGES, max_tokens=2)[0] == 200


class Gate:
    """Holds the steps of a model's batches until they may go on; notes how many rows each has, and what has come."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.open, self.rows, self.submitted = threading.Event(), list[int](), 0
        step, submit = DecodingBatch.step, TextBatcher.submit

        def counted(batcher: TextBatcher, *arguments: Any) -> Any:
            future = submit(batcher, *arguments)
            self.submitted += 1
            return future

        def gated(batch: DecodingBatch, tokens: Any) -> Any:
            self.rows.append(len(tokens))
            assert self.open.wait(60)
            return step(batch, tokens)

        monkeypatch.setattr(DecodingBatch, "step", gated)
        monkeypatch.setattr(TextBatcher, "submit", counted)


def test_requests_wait_in_a_queue(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """One answer runs, one waits, and a third one finds no place; one that waits too long is given up."""
    app = application(FOLDER, limits=Limits(queue_size=2, timeout=60, max_batch=1))
    gate = Gate(monkeypatch)
    server, results = run(app), list[Any]()
    with endless(server):
        waiting = threading.Thread(target=lambda: results.append(post(server, CHAT, messages=MESSAGES)))
        waiting.start()
        wait_until(lambda: server.metric("ir_plugin_pending_requests") == 2)
        assert post(server, CHAT, messages=MESSAGES)[0] == 503
    gate.open.set()
    waiting.join(60)
    assert results[0][0] == 200
    gate.open.clear()
    with endless(server):
        app.state.endpoints.limits = Limits(queue_size=2, timeout=0.1)
        status, document = post(server, CHAT, messages=MESSAGES)
        assert (status, document["error"]["type"]) == (504, "server_error")
        gate.open.set()


def test_a_request_waits_as_long_as_the_answers_of_others_go_on(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time for its first token ends several times before it has a row."""
    server, results, rounds = run(application(FOLDER, limits=Limits(timeout=60, max_batch=1))), list[Any](), list[int]()

    def rounds_go_on(_: TextBatcher) -> int:
        rounds.append(len(rounds))
        return len(rounds)

    with endless(server):
        monkeypatch.setattr(TextBatcher, "rounds", property(rounds_go_on, Mock()), raising=False)
        monkeypatch.setattr(text_endpoints, "within", lambda task, limit: within(task, 0.01 if limit == 60 else limit))
        waiting = threading.Thread(target=lambda: results.append(post(server, CHAT, messages=MESSAGES, max_tokens=2)))
        waiting.start()
        wait_until(lambda: len(rounds) > 20)
    waiting.join(60)
    assert results[0][0] == 200


def answers_of(server: Served, requests: Sequence[dict[str, Any]], ready: Callable[[], object] = list) -> list[Any]:
    """Return the choices of each of the requests, which are asked for at the same time."""
    with ThreadPoolExecutor(len(requests)) as pool:
        futures = [pool.submit(post, server, PLAIN, **fields) for fields in requests]
        ready()
        return [future.result(60)[1]["choices"] for future in futures]


def different_requests() -> list[dict[str, Any]]:
    """Return requests of prompts and answers of different lengths: greedy, drawn, ended by a text, with two choices."""
    requests = [{"prompt": f"{number} any " * (number + 1), "max_tokens": 4 + 5 * number % 17} for number in range(8)]
    kinds: list[dict[str, Any]] = [{}, {"temperature": 0.9, "seed": 4}, {"stop": ["e"]}, {"n": 2}]
    return [fields | kind for fields, kind in zip(requests, kinds * 2, strict=True)]


@pytest.mark.parametrize("max_batch", [3, 8, 32])
def test_answers_of_clients_that_share_steps_are_their_own(
    run: Run, served: Served, monkeypatch: pytest.MonkeyPatch, max_batch: int
) -> None:
    """They equal those of each client alone; clients join and leave while others' answers run.

    The second step has all ten rows that fit, but for the two that a text may have ended before.
    """
    alone = [post(served, PLAIN, **fields)[1]["choices"] for fields in different_requests()]
    server, gate = run(application(FOLDER, limits=Limits(max_batch=max_batch))), Gate(monkeypatch)

    def open_when_all_wait() -> None:
        wait_until(lambda: gate.submitted == 8)
        gate.open.set()

    assert answers_of(server, different_requests(), open_when_all_wait) == alone
    assert min(8, max_batch) <= max(gate.rows) <= min(10, max_batch)
    assert len(set(gate.rows)) > 1


def test_a_long_prompt_lets_running_answers_go_on(run: Run, served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its tokens are computed few at a time, each time followed by a step; its answer is the one that it has alone."""
    fields = {"prompt": "Once upon a time there was a king. " * 50, "max_tokens": 9}
    alone, parts, prefill = post(served, PLAIN, **fields)[1], list[tuple[int, int]](), DecodingBatch.prefill

    def noted(batch: DecodingBatch, prompt: Sequence[int], begin: int, end: int) -> Any:
        parts.append((begin, end))
        return prefill(batch, prompt, begin, end)

    monkeypatch.setattr(DecodingBatch, "prefill", noted)
    server = run(application(FOLDER))
    with endless(server):
        parts.clear()
        steps = server.metric("ir_plugin_batch_rows_count")
        answer = post(server, PLAIN, **fields)[1]
        assert server.metric("ir_plugin_batch_rows_count") - steps >= len(parts) - 1
    assert (answer["choices"], answer["usage"]) == (alone["choices"], alone["usage"])
    assert [begin for begin, _ in parts] == [0, *(end for _, end in parts[:-1])]
    assert parts[-1][1] == answer["usage"]["prompt_tokens"]
    assert {end - begin for begin, end in parts[:-1]} == {128}


def test_a_model_that_reads_padding_answers_one_by_one(run: Run, tmp_path: Path) -> None:
    """Its mask compares positions of tokens with positions of the state, which differ in rows of a batch."""
    model = ov.Core().read_model(FOLDER / "openvino_model.xml")
    positions = next(node for node in model.get_parameters() if "position_ids" in node.output(0).names)
    comparison = next(node for node in model.get_ordered_ops() if node.get_type_name() == "LessEqual")
    asked = opset13.unsqueeze(positions, opset13.constant(np.array([1, 3])))
    comparison.input(1).replace_source_output(asked.output(0))
    model.validate_nodes_and_infer_types()
    folder = Path(shutil.copytree(FOLDER, tmp_path / "story"))
    ov.save_model(model, folder / "openvino_model.xml")
    lines: list[str] = []
    server = run(application(folder, report=lines.append))
    assert lines == ["prompts are answered one by one: the logits of a prompt change with the length of another"]
    alone = [post(server, PLAIN, **fields)[1]["choices"] for fields in different_requests()]
    assert answers_of(server, different_requests()) == alone


def test_a_step_that_fails_fails_the_answers_that_run(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server answers the next request."""
    server = run(application(FOLDER))
    with monkeypatch.context() as patches:
        patches.setattr(DecodingBatch, "step", Mock(side_effect=MemoryError))
        assert post(server, PLAIN, prompt="any")[0] == 503
    assert post(server, PLAIN, prompt="any")[0] == 200


def test_a_stopping_server_ends_a_stream_with_an_error() -> None:
    with ExitStack() as stack:
        with running(application(FOLDER)) as server:
            connection = stack.enter_context(endless(server))
        parts = []
        while part := connection.recv(1 << 16):
            parts.append(part)
    text = b"".join(parts)
    assert b'data: {"error":{"message":"the server stops","type":"server_error","param":null,"code":null}}' in text
    assert b"[DONE]" not in text


def test_a_folder_is_served_by_the_command_line() -> None:
    words = ("-m", "ir_plugin", "serve", str(FOLDER), "--port", "0", "--name", "tiny", "--max-tokens", "5")
    with command(*words) as (server, process):
        status, document = post(server, PLAIN, model="tiny", prompt="You may")
        assert (status, document["usage"]["completion_tokens"]) == (200, 5)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        assert process.stderr is not None
        assert process.stderr.read() == BATCHES


def test_a_signal_lets_answers_end() -> None:
    """The answer that has begun is whole; a further request is refused."""
    words = ("-m", "ir_plugin", "serve", str(FOLDER), "--port", "0", "--grace", "60")
    with command(*words) as (server, process), endless(server, tokens=200) as connection:
        process.send_signal(signal.SIGTERM)
        parts = [b""]
        while part := connection.recv(1 << 16):
            parts.append(part)
        assert b"".join(parts).count(b'"finish_reason":"length"') == 1
        assert b"[DONE]" in b"".join(parts)
        assert process.wait(60) == 0


def test_a_client_that_goes_away_leaves_no_line_in_the_log() -> None:
    with command("-m", "ir_plugin", "serve", str(FOLDER), "--port", "0") as (server, process):
        for is_stream in (True, False):
            with endless(server, is_stream=is_stream):
                assert server.metric("ir_plugin_pending_requests") == 1
            wait_until(lambda: server.metric("ir_plugin_pending_requests") == 0)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        assert process.stderr is not None
        assert process.stderr.read() == BATCHES
