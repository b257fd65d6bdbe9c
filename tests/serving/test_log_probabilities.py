"""The probabilities of an answer's tokens: those of the model, whole and in pieces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ir_plugin as ov
from ir_plugin import genai
from ir_plugin.serving import Limits, application
from ir_plugin.serving.log_probabilities import AnswerTokens, TokenTexts, chat_log_probs, completion_log_probs
from ir_plugin.serving.text_messages import TextRequest
from ir_plugin.serving.text_model import TextModel
from tests.serving.conftest import Served, running
from tests.serving.test_texts import CHAT, FOLDER, MESSAGES, PLAIN, events, post


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with running(application(FOLDER)) as server:
        yield server


@pytest.fixture(scope="module")
def tokenizer() -> genai.Tokenizer:
    return genai.Tokenizer(FOLDER)


def log_softmax(prompt: list[int], answer: list[int]) -> Any:
    """Return the logarithms of probabilities at the place of each token of an answer, by the model alone."""
    ids = np.array([[*prompt, *answer]], np.int64)
    model = ov.Core().compile_model(FOLDER / "openvino_model.xml")
    feeds = {
        "input_ids": ids,
        "attention_mask": np.ones_like(ids),
        "position_ids": np.arange(ids.size)[None],
        "beam_idx": np.zeros(1, np.int32),
    }
    logits = np.float64(model(feeds)[0])[0, len(prompt) - 1 : -1]
    return logits - np.log(np.exp(logits).sum(-1, keepdims=True))


@pytest.mark.parametrize("sampling", [{}, {"temperature": 1.4, "seed": 3}])
def test_numbers_are_those_of_the_model(served: Served, tokenizer: genai.Tokenizer, sampling: dict[str, Any]) -> None:
    options: dict[str, Any] = {"do_sample": True, "temperature": 1.4, "rng_seed": 3} if sampling else {}
    prompt = genai.token_ids(tokenizer, "You may")
    tokens = ov.Tensor(np.array([prompt]))
    answer = genai.LLMPipeline(FOLDER, "CPU").generate(tokens, max_new_tokens=9, **options).tokens[0]
    expected = log_softmax(prompt, answer)
    choice = post(served, PLAIN, prompt="You may", max_tokens=9, logprobs=4, **sampling)[1]["choices"][0]
    scored = choice["logprobs"]
    np.testing.assert_allclose(scored["token_logprobs"], expected[range(9), answer], atol=1e-3)
    assert "".join(scored["tokens"]) == choice["text"]
    assert scored["text_offset"] == [len("".join(scored["tokens"][:at])) for at in range(9)]
    for values, row, text in zip(scored["top_logprobs"], expected, scored["tokens"], strict=True):
        highest = np.sort(row)[::-1][:4]
        np.testing.assert_allclose(sorted(values.values())[::-1][:4], highest, atol=1e-3)
        assert text in values


def test_chats(served: Served) -> None:
    """A chat has the tokens that a completion of the same prompt has."""
    fields: dict[str, Any] = {"messages": MESSAGES, "max_tokens": 6, "logprobs": True}
    choice = post(served, CHAT, **fields, top_logprobs=2)[1]["choices"][0]
    content = choice["logprobs"]["content"]
    assert b"".join(bytes(token["bytes"]) for token in content).decode() == choice["message"]["content"]
    assert [set(token) for token in content] == 6 * [{"token", "logprob", "bytes", "top_logprobs"}]
    for token in content:
        best, second = token["top_logprobs"]
        assert {name: best[name] for name in best} == {name: token[name] for name in best}
        assert second["logprob"] <= best["logprob"] <= 0
    alone = post(served, CHAT, **fields)[1]["choices"][0]["logprobs"]["content"]
    assert alone == [token | {"top_logprobs": []} for token in content]
    assert post(served, CHAT, messages=MESSAGES, max_tokens=2, logprobs=False)[1]["choices"][0]["logprobs"] is None


@pytest.mark.parametrize("more", [{}, {"stop": [" the"]}, {"n": 2, "temperature": 1.2, "seed": 4}])
def test_pieces_have_what_the_whole_has(served: Served, more: dict[str, Any]) -> None:
    """Also where a text ends the answer, whose tokens then belong to no piece."""
    fields = {"max_tokens": 24, **more}
    chat = fields | {"messages": MESSAGES, "logprobs": True, "top_logprobs": 1}
    plain = fields | {"prompt": "You may", "logprobs": 2}
    for choice in post(served, CHAT, **chat)[1]["choices"]:
        parts = [part["choices"][0] for part in events(served, CHAT, **chat)]
        scored = [part["logprobs"] for part in parts if part["index"] == choice["index"] and part["logprobs"]]
        assert [token for part in scored for token in part["content"]] == choice["logprobs"]["content"]
        assert len(scored) > 1
    for choice in post(served, PLAIN, **plain)[1]["choices"]:
        parts = [part["choices"][0] for part in events(served, PLAIN, **plain)]
        scored = [part["logprobs"] for part in parts if part["index"] == choice["index"] and part["logprobs"]]
        for name, values in choice["logprobs"].items():
            assert [value for part in scored for value in part[name]] == values, name


def test_no_other_tokens(served: Served) -> None:
    scored = post(served, PLAIN, prompt="You may", max_tokens=3, logprobs=0)[1]["choices"][0]["logprobs"]
    assert scored["top_logprobs"] is None
    assert len(scored["tokens"]) == len(scored["token_logprobs"]) == 3


def test_a_token_that_ends_the_answer_is_none_of_it(tokenizer: genai.Tokenizer) -> None:
    served, end = TextModel(FOLDER, "story", Limits(), {}), tokenizer.get_eos_token_id()
    prompt = served.prepared(TextRequest(["You may"], {"logprobs": 1}, max_tokens=9, log_probs=0))[0]
    for token in (67, end):
        prompt.generation.advance(np.eye(len(tokenizer.get_vocab_vector()), dtype=np.float32)[[token]])
    answer = served.answer(prompt, 2)
    assert (answer.text, answer.finish_reason) == ("a", "stop")
    assert [token.text for token in answer.rest.tokens or ()] == ["a"]


def test_a_token_without_text_is_named(tokenizer: genai.Tokenizer) -> None:
    """It takes no place in the text; one without probability has a number all the same."""
    sequence = genai.Sequence([67, 2, 67], [-1.0, -2.0, -float("inf")], alternatives=[[], [], []])
    scored = completion_log_probs(AnswerTokens(TokenTexts(tokenizer), 0).until(sequence, 3))
    assert scored["tokens"] == ["a", tokenizer.get_eos_token(), "a"]
    assert scored["text_offset"] == [0, 1, 1]
    assert scored["token_logprobs"] == [-1, -2, -9999]


def test_parts_of_characters(tokenizer: genai.Tokenizer) -> None:
    """Their bytes are those of the text; offsets count whole characters."""
    text = "a “é”"
    ids = genai.token_ids(tokenizer, text, add_special_tokens=False)
    sequence = genai.Sequence(ids, [-1.0] * len(ids), alternatives=[[]] * len(ids))
    scored = AnswerTokens(TokenTexts(tokenizer), 0).until(sequence, len(ids))
    data = [bytes(token["bytes"]) for token in chat_log_probs(scored)["content"]]
    assert b"".join(data).decode() == text
    assert [len(part) for part in data] == [1] * len(text.encode())
    assert completion_log_probs(scored)["text_offset"] == [0, 1, 2, 2, 2, 3, 3, 4, 4, 4]


WRONG: dict[str, tuple[dict[str, Any], str, str]] = {
    "more than five": ({"logprobs": 6}, "logprobs", "a whole number from 0 to 5"),
    "true": ({"logprobs": True}, "logprobs", "a whole number from 0 to 5"),
    "those of the prompt": ({"logprobs": 1, "echo": True}, "logprobs", "of prompts are not supported"),
    "the parameter of chats": ({"top_logprobs": 1}, "top_logprobs", "is for chats"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_completions(served: Served, name: str) -> None:
    fields, param, message = WRONG[name]
    status, document = post(served, PLAIN, prompt="any", **fields)
    assert (status, document["error"]["param"]) == (400, param)
    assert message in document["error"]["message"]
