"""Clients that share the steps of one batch of texts: their answers, rows, waits and ends."""

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
from ir_plugin import opset13
from ir_plugin.openvino.genai.decoding_batch import DecodingBatch
from ir_plugin.serving import Limits, application, text_endpoints
from ir_plugin.serving.text_batcher import TextBatcher
from ir_plugin.serving.waiting import within
from tests.serving.conftest import Run, Served, running
from tests.serving.polling import wait_until
from tests.serving.test_stopping import command
from tests.serving.test_texts import CHAT, FOLDER, MESSAGES, PLAIN, post

BATCHES = "batches of up to 32 prompts\n"


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with running(application(FOLDER)) as server:
        yield server


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


def test_a_warm_server_has_computed_batches_of_all_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate(monkeypatch)
    gate.open.set()
    application(FOLDER, limits=Limits(max_batch=6)).state.endpoints.warm()
    assert gate.rows == [2, 1, 2, 4, 6]


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


def test_64_clients_have_their_own_answers(run: Run, served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of them wait for rows of the others, whose answers end at different times."""
    requests: list[dict[str, Any]] = [
        {"prompt": f"{number} any " * (1 + number % 3), "max_tokens": 16 + number % 7, "ignore_eos": True}
        for number in range(64)
    ]
    alone = [post(served, PLAIN, **fields)[1]["choices"] for fields in requests]
    server, gate = run(application(FOLDER)), Gate(monkeypatch)

    def open_when_all_wait() -> None:
        wait_until(lambda: gate.submitted == 64)
        gate.open.set()

    assert answers_of(server, requests, open_when_all_wait) == alone
    assert max(gate.rows) == 32


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
