"""What the pipeline does beside what openvino_genai's SDPA backend can be asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ir_plugin as ov
from ir_plugin import genai
from ir_plugin.openvino.genai.language_model import LanguageModel
from tests.genai.cases import TINY


@pytest.fixture(scope="module")
def pipeline() -> genai.LLMPipeline:
    return genai.LLMPipeline(TINY, "CPU")


def prefilled(pipeline: genai.LLMPipeline, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list to which the lengths of the rows are added that the model computes at once."""
    lengths: list[int] = []
    request = pipeline._model._request
    infer = request.infer

    def noted(feeds: dict[str, Any]) -> Any:
        lengths.append(feeds["input_ids"].shape[1])
        return infer(feeds)

    monkeypatch.setattr(request, "infer", noted)
    return lengths


def test_a_chat_computes_only_what_is_new(pipeline: genai.LLMPipeline, monkeypatch: pytest.MonkeyPatch) -> None:
    encode, chat = pipeline.get_tokenizer().encode, genai.ChatHistory()
    template = pipeline.get_tokenizer().apply_chat_template
    lengths = prefilled(pipeline, monkeypatch)
    for turn in range(3):
        chat.append({"role": "user", "content": f"turn {turn}"})
        length = encode(template(chat, True), add_special_tokens=False).input_ids.shape[1]
        lengths.clear()
        answer = pipeline.generate(chat, max_new_tokens=5, stop_strings={"never"}).texts[0]
        assert (lengths[0] == length) == (turn == 0)
        assert lengths[1:] == [1, 1, 1, 1]
        chat.append({"role": "assistant", "content": answer})
    alone = genai.LLMPipeline(TINY, "CPU")
    chat.append({"role": "user", "content": "last"})
    assert pipeline.generate(chat).texts == alone.generate(chat).texts
    assert pipeline.generate("any") == alone.generate("any")


def test_a_chat_goes_on_after_beam_search(pipeline: genai.LLMPipeline) -> None:
    chat = genai.ChatHistory([{"role": "user", "content": "Once"}])
    beams: dict[str, Any] = {"num_beams": 3, "num_return_sequences": 2, "max_new_tokens": 6}
    first = pipeline.generate(chat, **beams)
    assert len(first.texts) == len(first.scores) == len(first.finish_reasons) == 2
    chat.append({"role": "assistant", "content": first.texts[0]})
    chat.append({"role": "user", "content": "not"})
    assert pipeline.generate(chat).texts == genai.LLMPipeline(TINY, "CPU").generate(chat).texts


def test_echo_returns_the_prompt_too(pipeline: genai.LLMPipeline) -> None:
    inputs = pipeline.get_tokenizer().encode("Once")
    prompt = inputs.input_ids.data[0].tolist()
    plain, echoed = (pipeline.generate(inputs, echo=echo, max_new_tokens=4).tokens[0] for echo in (False, True))
    assert echoed == [*prompt, *plain]
    assert pipeline.generate(inputs, echo=True, max_new_tokens=0).tokens == [prompt]
    received: list[int] = []

    class Streamer(genai.StreamerBase):
        def write(self, token: Any) -> None:
            received.extend(token)

        def end(self) -> None:
            received.append(-1)

    pipeline.generate(inputs, echo=True, max_new_tokens=4, streamer=Streamer())
    assert received == [*echoed, -1]


def test_rows_and_texts_of_a_list_are_those_of_each(pipeline: genai.LLMPipeline) -> None:
    texts = ["Once", "a", "the wolf thought"]
    inputs = pipeline.get_tokenizer().encode(texts)
    together = pipeline.generate(inputs).tokens
    assert together == [pipeline.generate(pipeline.get_tokenizer().encode(text)).tokens[0] for text in texts]
    rows = ov.Tensor(np.array([[1, 70, 71], [1, 90, 4]], np.int64))
    alone = [pipeline.generate(ov.Tensor(row[None])).tokens[0] for row in rows.data]
    assert pipeline.generate(rows).tokens == alone
    assert pipeline.generate(texts).texts == [pipeline.generate(text) for text in texts]


def test_sequences_go_their_own_ways(pipeline: genai.LLMPipeline) -> None:
    """Each of several sequences is what its own tokens lead to."""
    inputs = pipeline.get_tokenizer().encode("any")
    prompt = inputs.input_ids.data[0].tolist()
    options: dict[str, Any] = {"do_sample": True, "rng_seed": 3, "logprobs": 1}
    results = pipeline.generate(inputs, num_return_sequences=3, max_new_tokens=8, **options)
    assert len({tuple(tokens) for tokens in results.tokens}) == 3
    for tokens, score in zip(results.tokens, results.scores, strict=True):
        logits = [pipeline._model.prefill([*prompt, *tokens[:count]])[0] for count in range(len(tokens))]
        exact = sum(row[token] - np.logaddexp.reduce(row) for row, token in zip(logits, tokens, strict=True))
        assert score == pytest.approx(exact, abs=1e-3)
    pipeline._model.forget()


def test_metrics_count_tokens_and_durations(pipeline: genai.LLMPipeline) -> None:
    result = pipeline.generate(["Once", "any"], max_new_tokens=6, ignore_eos=True)
    metrics, raw = result.perf_metrics, result.perf_metrics.raw_metrics
    assert metrics.get_num_generated_tokens() == 12
    assert metrics.get_num_input_tokens() == sum(len(row) for row in _prompts(pipeline, ["Once", "any"]))
    assert len(raw.m_new_token_times) == len(raw.token_infer_durations) == len(raw.sampling_durations) == 12
    assert len(raw.m_durations) == 10
    assert len(raw.tokenization_durations) == len(raw.chat_template_durations) == 2
    durations = [getattr(metrics, name)() for name in dir(metrics) if name.endswith(("_duration", "ot", "ft", "put"))]
    assert len(durations) == 10
    assert all(duration.mean > 0 and duration.std >= 0 for duration in durations)
    mean, std = metrics.get_tpot()
    assert (mean, std) == (
        pytest.approx(np.mean(raw.m_durations) / 1000),
        pytest.approx(np.std(raw.m_durations) / 1000),
    )
    doubled = metrics + metrics
    assert (doubled.get_num_generated_tokens(), doubled.get_load_time()) == (24, metrics.get_load_time())
    assert doubled.get_tpot().mean == pytest.approx(mean)
    assert genai.PerfMetrics().get_ttft().mean == genai.PerfMetrics().get_grammar_compile_time().mean == -1
    with pytest.raises(ov.errors.InputError, match="different pipelines"):
        metrics + genai.PerfMetrics()


def _prompts(pipeline: genai.LLMPipeline, texts: list[str]) -> list[list[int]]:
    tokenizer = pipeline.get_tokenizer()
    turns = [tokenizer.apply_chat_template([{"role": "user", "content": text}], True) for text in texts]
    return [tokenizer.encode(turn, add_special_tokens=False).input_ids.data[0].tolist() for turn in turns]


def test_refuses_what_does_not_fit(pipeline: genai.LLMPipeline) -> None:
    calls: tuple[tuple[Any, dict[str, Any], str], ...] = (
        (5, {}, "a text, a list of texts, a ChatHistory or tokens is needed, not int"),
        ([], {}, "a text, a list of texts"),
        (["a", 5], {}, "a text is needed, not int"),
        (genai.ChatHistory(), {}, "chat history is empty"),
        ([{"role": "user", "content": "a"}], {"apply_chat_template": False}, "apply_chat_template"),
        ("a", {"streamer": 5}, "a function or a StreamerBase is needed, not int"),
        ("a", {"streamer": str, "num_beams": 2}, "a streamer takes one text"),
        (["a", "b"], {"streamer": str}, "a streamer takes one text"),
        ("a", {"generation_config": {}}, "a GenerationConfig is needed, not dict"),
        ("a", {"max_new_tokens": "5"}, "a whole number is needed, not str"),
        ("a", {"max_new_tokens": -5}, "max_new_tokens is -5"),
        ("a", {"temperature": "hot"}, "a number is needed, not str"),
        ("a", {"do_sample": 1}, "True or False is needed, not int"),
        ("a", {"stop_strings": {3}}, "a set of texts"),
        ("a", {"adapters": [1]}, "adapters is not supported"),
    )
    for inputs, options, message in calls:
        with pytest.raises(ov.errors.InputError, match=message):
            pipeline.generate(inputs, **options)
    with pytest.raises(AttributeError, match="has no parameter 'max_tokens'"):
        pipeline.generate("a", max_tokens=5)
    config = genai.GenerationConfig(max_length=3)
    with pytest.raises(ov.errors.InputError, match="the prompt alone has"):
        pipeline.generate("a long text", config)


def test_refuses_tokens_that_the_model_does_not_have(pipeline: genai.LLMPipeline) -> None:
    """The table of embeddings would give zeros for them."""
    with pytest.raises(ov.errors.InputError, match="the prompt has the token 768, the model the tokens 0 to 767"):
        pipeline.generate(ov.Tensor(np.array([[1, 768]], np.int64)))


def test_refuses_other_folders_and_models(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no openvino_model\.xml"):
        genai.LLMPipeline(tmp_path, "CPU")
    tokenizer = genai.Tokenizer(TINY)
    for name in ("xml", "bin"):
        (tmp_path / f"openvino_model.{name}").write_bytes((TINY / f"openvino_tokenizer.{name}").read_bytes())
    with pytest.raises(ov.errors.UnsupportedError, match="a language model has the inputs"):
        genai.LLMPipeline(tmp_path, tokenizer, "CPU")
    with pytest.raises(ov.errors.InputError, match="scheduler_config is not supported"):
        genai.LLMPipeline(TINY, "CPU", scheduler_config=1)


def test_takes_a_model_in_memory(pipeline: genai.LLMPipeline) -> None:
    text, weights = (TINY / "openvino_model.xml").read_text("utf-8"), (TINY / "openvino_model.bin").read_bytes()
    tensor = ov.Tensor(np.frombuffer(weights, np.uint8))
    config = genai.GenerationConfig(TINY / "generation_config.json")
    other = genai.LLMPipeline(text, tensor, genai.Tokenizer(TINY), "CPU", config)
    assert other.generate("any") == pipeline.generate("any")


def test_configurations_of_the_pipeline_and_of_a_call() -> None:
    pipeline = genai.LLMPipeline(TINY, "CPU")
    config = pipeline.get_generation_config()
    config.max_new_tokens = 3
    assert len(pipeline.generate(pipeline.get_tokenizer().encode("any")).tokens[0]) == 60
    pipeline.set_generation_config(config)
    assert len(pipeline.generate(pipeline.get_tokenizer().encode("any")).tokens[0]) == 3
    other = genai.GenerationConfig(max_new_tokens=5)
    assert len(pipeline.generate(pipeline.get_tokenizer().encode("any"), other, max_new_tokens=4).tokens[0]) == 4
    assert other.stop_token_ids == set()


def test_a_configuration_reads_its_file(tmp_path: Path) -> None:
    path = tmp_path / "generation_config.json"
    values = {"eos_token_id": [7, 9], "early_stopping": "never", "top_k": 5, "do_sample": True, "temperature": 2}
    path.write_text(json.dumps(values | {"min_new_tokens": None, "pad_token_id": 0}))
    config = genai.GenerationConfig(path)
    assert (config.eos_token_id, config.stop_token_ids, config.top_k) == (7, {7, 9}, 5)
    assert (config.stop_criteria, config.do_sample, config.temperature) == (genai.StopCriteria.NEVER, True, 2.0)
    path.write_text("[")
    with pytest.raises(ov.errors.ReadError, match="is not a JSON file"):
        genai.GenerationConfig(path)


def test_an_error_of_a_streamer_is_raised_and_leaves_the_pipeline_usable(pipeline: genai.LLMPipeline) -> None:
    expected = pipeline.generate("any")
    with pytest.raises(ZeroDivisionError):
        pipeline.generate("any", streamer=lambda text: 1 // (len(text) * 0))
    assert pipeline.generate("any") == expected


def test_numbers_of_numpy_are_numbers(pipeline: genai.LLMPipeline) -> None:
    config = genai.GenerationConfig(max_new_tokens=np.int64(5), top_k=np.int32(3), temperature=np.float32(0.5))
    config.do_sample, config.stop_token_ids = np.bool_(False), {np.int64(7)}
    assert (config.max_new_tokens, config.top_k, config.temperature, config.do_sample) == (5, 3, 0.5, False)
    assert pipeline.generate("any", config) == pipeline.generate("any", max_new_tokens=5)
    tokens = pipeline.get_tokenizer().encode("Once upon", max_length=np.int64(2), truncation=np.bool_(True))
    assert tokens.input_ids.shape == (1, 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "needs the argument models_path"),
        ((TINY, "CPU", {}, 4), "takes models_path, device, config; 4 arguments are given"),
        ((TINY, ov.Tensor(np.zeros(1, np.uint8))), "needs the argument tokenizer"),
    ],
)
def test_says_what_a_pipeline_takes(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        genai.LLMPipeline(*arguments)
    with pytest.raises(TypeError, match="a Tokenizer is needed, not str"):
        genai.LLMPipeline(TINY, tokenizer="CPU")


def test_a_text_streamer_takes_a_tokenizer_and_a_function(pipeline: genai.LLMPipeline) -> None:
    calls: list[tuple[Any, Any, str]] = [
        (pipeline.get_tokenizer(), 5, "a function is needed, not int"),
        ("folder", print, "a Tokenizer is needed, not str"),
    ]
    for tokenizer, callback, message in calls:
        with pytest.raises(TypeError, match=message):
            genai.TextStreamer(tokenizer, callback)


@pytest.mark.parametrize(
    ("name", "hint"), [("logits", "--task text-generation-with-past"), ("embeddings", "take models")]
)
def test_a_model_that_is_no_decoder_with_a_state_says_what_helps(name: str, hint: str) -> None:
    ids = ov.opset13.parameter([-1, -1], np.int64)
    mask = ov.opset13.parameter([-1, -1], np.int64)
    added = ov.opset13.add(ids, mask)
    for node, text in ((ids, "input_ids"), (mask, "attention_mask"), (added, name)):
        node.output(0).set_names({text})
    model = ov.Model([ov.opset13.result(added)], [ids, mask])
    with pytest.raises(ov.errors.UnsupportedError, match=f"this one has no beam_idx; .*{hint}"):
        LanguageModel(model, "CPU", {})
