"""What clients of other servers send to a language model: parameters of vLLM, addresses of OpenVINO Model Server."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ir_plugin import genai
from ir_plugin.serving import application
from tests.serving.conftest import Run, Served, running
from tests.serving.test_texts import CHAT, FOLDER, MESSAGES, PLAIN, post


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with running(application(FOLDER)) as server:
        yield server


def test_what_vllm_takes_too(served: Served) -> None:
    """No limit of top_k, negative seeds, a least number of tokens, tokens that stop, and turns without content."""
    options: dict[str, Any] = {"prompt": "You may", "max_tokens": 12, "temperature": 0.9, "seed": -5}
    texts = [
        post(served, PLAIN, **options, **more)[1]["choices"][0]["text"] for more in ({}, {"top_k": -1}, {"top_k": 0})
    ]
    assert texts[0] == texts[1] == texts[2]
    whole = post(served, PLAIN, prompt="You may", max_tokens=12)[1]["choices"][0]["text"]
    stopped = post(served, PLAIN, prompt="You may", max_tokens=12, stop=whole[4:7], include_stop_str_in_output=True)[1]
    assert whole[4:7] in stopped["choices"][0]["text"]
    ids = genai.Tokenizer(FOLDER).encode(whole, add_special_tokens=False).input_ids.data[0].tolist()
    ended = post(served, PLAIN, prompt="You may", max_tokens=12, stop_token_ids=ids[2:3])[1]
    assert ended["usage"]["completion_tokens"] < 12
    assert ended["choices"][0]["finish_reason"] == "stop"
    later = post(served, PLAIN, prompt="You may", max_tokens=12, stop_token_ids=ids[2:3], min_tokens=8)[1]
    assert later["usage"]["completion_tokens"] >= 8
    turns: list[dict[str, Any]] = [*MESSAGES, {"role": "assistant", "content": None}, *MESSAGES]
    kinds = [{"role": "assistant", "content": ""} if turn["content"] is None else turn for turn in turns]
    answers = [post(served, CHAT, messages=items, max_tokens=4)[1]["choices"] for items in (turns, kinds)]
    assert answers[0] == answers[1]


def test_variables_of_the_template(run: Run, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(FOLDER, tmp_path / "story"))
    tokenizer = folder / "openvino_tokenizer.xml"
    tokenizer.write_text(re.sub("<chat_template [^>]*/>", "", tokenizer.read_text("utf-8")), "utf-8")
    (folder / "chat_template.jinja").write_text("{% if short %}any{% else %}You may{% endif %}")
    server = run(application(folder))
    cases: tuple[tuple[dict[str, bool], str], ...] = (({}, "You may"), ({"short": True}, "any"))
    for variables, prompt in cases:
        tokens = post(server, CHAT, messages=MESSAGES, max_tokens=2, chat_template_kwargs=variables)[1]["usage"]
        expected = genai.Tokenizer(folder).encode(prompt, add_special_tokens=False).input_ids.shape[1]
        assert tokens["prompt_tokens"] == expected
    (folder / "chat_template.jinja").write_text("{{ half }}")
    fields = {"messages": MESSAGES, "chat_template_kwargs": {"half": "\ud800"}}
    assert post(run(application(folder)), CHAT, **fields)[0] == 400


def test_addresses_of_openvino_model_server(served: Served) -> None:
    chats = [
        post(served, f"/{version}/chat/completions", messages=MESSAGES, max_tokens=3)[1] for version in ("v1", "v3")
    ]
    assert chats[0]["choices"] == chats[1]["choices"]
    assert served.send("GET", "/v3/models")[2] == served.send("GET", "/v1/models/")[2]
    assert post(served, "/v3/embeddings", input="any")[0] == 400
