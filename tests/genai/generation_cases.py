"""What a module with openvino_genai's names generates with `samples/story`:
 `python generation_cases.py openvino_genai`.

OpenVINO computes in f32, as this library does; otherwise the texts part where two tokens are almost as probable.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

TINY = Path(__file__).parents[2] / "samples" / "story"
PROMPTS = ("Once", "The wolf", "any", "There was a king whose daughter")
EXACT = {
    "ATTENTION_BACKEND": "SDPA",
    "INFERENCE_PRECISION_HINT": "f32",
    "KV_CACHE_PRECISION": "f32",
    "DYNAMIC_QUANTIZATION_GROUP_SIZE": "0",
}
CASES: dict[str, Callable[[Any], Any]] = {}


def case(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    CASES[function.__name__] = function
    return function


def pipeline(genai: Any) -> Any:
    return genai.LLMPipeline(TINY, "CPU", **(EXACT if genai.__name__ == "openvino_genai" else {}))


def _result(result: Any) -> Any:
    return [
        getattr(result, "tokens", None) or result.texts,
        list(result.scores),
        [reason.name for reason in result.finish_reasons],
    ]


def _of_options(genai: Any, *options: dict[str, Any], prompts: tuple[str, ...] = PROMPTS) -> Any:
    """Return what follows each prompt with each set of parameters."""
    pipe = pipeline(genai)
    encode = pipe.get_tokenizer().encode
    return [[_result(pipe.generate(encode(prompt), **item)) for prompt in prompts] for item in options]


@case
def greedy(genai: Any) -> Any:
    return _of_options(genai, {}, {"max_new_tokens": 60})


@case
def texts(genai: Any) -> Any:
    pipe = pipeline(genai)
    plain = [pipe.generate(prompt, apply_chat_template=False) for prompt in PROMPTS]
    several = pipe.generate(list(PROMPTS[:1]), max_new_tokens=7)
    bounded = pipe.generate("any", genai.GenerationConfig(max_length=25), ignore_eos=True)
    return [bounded, plain, [pipe.generate(prompt) for prompt in PROMPTS], _result(several), str(several), pipe("any")]


@case
def stops(genai: Any) -> Any:
    return _of_options(
        genai,
        {"stop_token_ids": {261, 14}},
        {"stop_token_ids": {14}, "min_new_tokens": 9},
        {"stop_token_ids": {14, 275, 311}, "ignore_eos": True},
        {"stop_strings": {"d", "little"}},
        {"stop_strings": {"d", "little"}, "include_stop_str_in_output": True},
        {"stop_strings": {" lit", "ight", "ear lit"}, "include_stop_str_in_output": True},
        {"stop_strings": {" lit", "ight", "ear lit"}, "eos_token_id": 262},
    )


@case
def penalties(genai: Any) -> Any:
    return _of_options(
        genai,
        {"repetition_penalty": 1.3},
        {"repetition_penalty": 0.8},
        {"presence_penalty": 1.5},
        {"frequency_penalty": 0.9},
        {"frequency_penalty": -0.5, "presence_penalty": -1.0, "repetition_penalty": 1.1, "max_new_tokens": 40},
        {"logprobs": 1},
        {"logprobs": 1, "repetition_penalty": 1.3, "min_new_tokens": 3},
    )


@case
def sampling(genai: Any) -> Any:
    base = {"do_sample": True, "max_new_tokens": 12, "rng_seed": 5}
    return _of_options(
        genai,
        base,
        base | {"rng_seed": 2**32 + 7, "temperature": 0.7},
        base | {"temperature": 1.9},
        base | {"top_p": 0.6},
        base | {"top_p": 0.95, "temperature": 1.4, "repetition_penalty": 1.2},
        base | {"min_p": 0.08},
        base | {"min_p": 0.02, "top_p": 0.9, "logprobs": 1},
        base | {"num_return_sequences": 4, "max_new_tokens": 2},  # later on openvino_genai gives all the first's past
        base | {"top_k": 1},
    )


@case
def beams(genai: Any) -> Any:
    criteria = genai.StopCriteria
    base = {"num_beams": 4, "max_new_tokens": 12, "num_return_sequences": 4}
    groups = base | {"num_beams": 6, "num_beam_groups": 3, "num_return_sequences": 6}
    return _of_options(
        genai,
        base,
        base | {"num_return_sequences": 1, "length_penalty": 0.0},
        base | {"no_repeat_ngram_size": 2, "max_new_tokens": 25},
        base | {"no_repeat_ngram_size": 1},
        base | {"stop_token_ids": {261, 14, 275}, "length_penalty": 2.0},
        base | {"stop_token_ids": {261, 14, 275}, "length_penalty": -1.0, "stop_criteria": criteria.EARLY},
        base | {"stop_token_ids": {261, 14, 262}, "stop_criteria": criteria.NEVER},
        base | {"stop_token_ids": {261, 14, 262}, "stop_criteria": criteria.HEURISTIC, "num_return_sequences": 2},
        groups | {"diversity_penalty": 1.0},
        groups | {"diversity_penalty": 3.5, "stop_token_ids": {14, 262}, "max_new_tokens": 20},
        {"num_beams": 4, "num_beam_groups": 4, "diversity_penalty": 2.0, "num_return_sequences": 3},
    )


@case
def chats(genai: Any) -> Any:
    pipe = pipeline(genai)
    answers = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for system in ("", "Be brief"):
            pipe.start_chat(system)
            answers += [pipe.generate(prompt, max_new_tokens=9) for prompt in PROMPTS]
            pipe.finish_chat()
    history = genai.ChatHistory([{"role": "system", "content": "Be brief"}])
    pipe = pipeline(genai)
    for prompt in PROMPTS:
        history.append({"role": "user", "content": prompt})
        result = pipe.generate(history, max_new_tokens=9)
        answers.append(_result(result))
        history.append({"role": "assistant", "content": result.texts[0]})
    history.set_messages([{"role": "user", "content": "any"}])
    return [*answers, _result(pipe.generate(history, max_new_tokens=9))]


@case
def streams(genai: Any) -> Any:
    pipe = pipeline(genai)
    pieces: list[Any] = []

    class Tokens(genai.StreamerBase):  # type: ignore[misc]
        def __init__(self, last: int, status: Any) -> None:
            super().__init__()
            self.last, self.status = last, status

        def write(self, token: Any) -> Any:
            pieces.append(token)
            self.last -= 1
            return genai.StreamingStatus.RUNNING if self.last else self.status

        def end(self) -> None:
            pieces.append("end")

    def write(text: str) -> None:
        pieces.append(text)

    for prompt in PROMPTS:
        pieces.append(pipe.generate(prompt, streamer=write, max_new_tokens=30))
        pieces.append(pipe.generate(prompt, streamer=Tokens(99, None), stop_strings={"d", "little", "ght"}))
    answers: tuple[Any, ...] = (True, False, None, genai.StreamingStatus.STOP, genai.StreamingStatus.RUNNING)
    for answer in answers:

        def answered(text: str, answer: Any = answer) -> Any:
            pieces.append(text)
            return answer

        pieces.append(pipe.generate("any", streamer=answered))
    inputs = pipe.get_tokenizer().encode("The wolf")
    for status in ("STOP", "CANCEL", "TOOL_CALL_STOP"):
        streamer = Tokens(4, getattr(genai.StreamingStatus, status))
        pieces.append(_result(pipe.generate(inputs, streamer=streamer)))
    return pieces


@case
def echoes(genai: Any) -> Any:
    """Return texts after their prompts, which openvino_genai's other backend writes."""
    options = EXACT | {"ATTENTION_BACKEND": "PA"} if genai.__name__ == "openvino_genai" else {}
    pipe, pieces = genai.LLMPipeline(TINY, "CPU", **options), list[str]()
    calls: tuple[dict[str, Any], ...] = ({}, {"logprobs": 1}, {"stop_strings": {"wolf", "zz"}}, {"max_new_tokens": 0})
    streamed = [
        pipe.generate("The wolf", **{"max_new_tokens": 6, "echo": True} | item, streamer=pieces.append)
        for item in calls
    ]
    beams = {"num_beams": 3, "num_return_sequences": 2}
    encoded = pipe.get_tokenizer().encode("The wolf")
    answers = [pipe.generate(encoded, max_new_tokens=6, echo=True, **item) for item in ({}, beams, {"logprobs": 1})]
    return [streamed, pieces, [[result.tokens, list(result.scores)] for result in answers]]


@case
def constructors(genai: Any) -> Any:
    """Return what pipelines say that are made in each way: of a folder, with a tokenizer, and of a model in memory."""
    options = EXACT if genai.__name__ == "openvino_genai" else {}
    ov, tokenizer = import_module("openvino" if options else "ir_plugin"), genai.Tokenizer(TINY)
    text = (TINY / "openvino_model.xml").read_text("utf-8")
    weights = ov.Tensor(np.fromfile(TINY / "openvino_model.bin", np.uint8))
    config = genai.GenerationConfig(max_new_tokens=5)
    named: dict[str, Any] = {"model": text, "weights": weights, "tokenizer": tokenizer, "device": "CPU"}
    pipelines = (
        genai.LLMPipeline(TINY, "CPU", options),
        genai.LLMPipeline(str(TINY), device="CPU", config=options),
        genai.LLMPipeline(models_path=TINY, device="CPU", **options),
        genai.LLMPipeline(TINY, tokenizer, "CPU", options),
        genai.LLMPipeline(TINY, tokenizer, device="CPU", **options),
        genai.LLMPipeline(device="CPU", tokenizer=tokenizer, models_path=TINY, **options),
        genai.LLMPipeline(text, weights, tokenizer, "CPU", config, **options),
        genai.LLMPipeline(text, weights, tokenizer, "CPU", **options),
        genai.LLMPipeline(**named, generation_config=config, **options),
    )
    return [pipeline.generate("Once", max_new_tokens=5) for pipeline in pipelines]


@case
def printed(genai: Any) -> Any:
    """Return how members of enumerations are printed."""
    kinds = (genai.StreamingStatus, genai.StopCriteria, genai.GenerationFinishReason)
    members = [kind(value) for kind in kinds for value in range(3)] + list(
        map(genai.TextEmbeddingPipeline.PoolingType, range(3))
    )
    return [[str(item), f"{item}", f"{item!s:>30}", repr(item), item.name, item.value] for item in members]


@case
def cancelled_turns(genai: Any) -> Any:
    pipe, status = pipeline(genai), genai.StreamingStatus
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pipe.start_chat()
        answers = [pipe.generate("Once", max_new_tokens=9)]
        pipe.generate("any", streamer=lambda text: status.CANCEL if text else status.RUNNING)
        answers.append(pipe.generate("The wolf", max_new_tokens=9))
        pipe.finish_chat()
    return answers


@case
def text_streamer(genai: Any) -> Any:
    tokenizer = genai.Tokenizer(TINY)
    pieces: list[str] = []
    streamer = genai.TextStreamer(tokenizer, pieces.append)
    ids = tokenizer.encode("žluťoučký 中文 🙂\nnext 🙂 and\n\n the end 文").input_ids.data[0].tolist()
    for token in ids:
        streamer.write(token)
    streamer.end()
    several = genai.TextStreamer(tokenizer, pieces.append, {"skip_special_tokens": False})
    for at in range(0, len(ids), 4):
        several.write(ids[at : at + 4])
    several.end()
    return pieces


@case
def generation_config(genai: Any) -> Any:
    default, read = genai.GenerationConfig(), genai.GenerationConfig(TINY / "generation_config.json")
    names = [name for name in dir(default) if not name.startswith("_") and not callable(getattr(default, name))]
    values = [[repr(getattr(config, name)) for name in sorted(names)] for config in (default, read)]
    kinds = ("is_greedy_decoding", "is_beam_search", "is_multinomial", "is_assisting_generation", "is_prompt_lookup")
    options: tuple[dict[str, Any], ...] = ({}, {"num_beams": 3}, {"do_sample": True}, {"num_assistant_tokens": 3})
    asked = [[getattr(genai.GenerationConfig(**item), kind)() for kind in kinds] for item in options]
    taken = pipeline(genai).get_generation_config()
    return [sorted(names), values, asked, taken.max_new_tokens, taken.eos_token_id, sorted(taken.stop_token_ids)]


WRONG: tuple[dict[str, Any], ...] = (
    {},
    {"max_new_tokens": 0},
    {"max_new_tokens": 3, "min_new_tokens": 4},
    {"ignore_eos": True, "eos_token_id": 1},
    {"stop_token_ids": {-4}},
    {"num_return_sequences": 0},
    {"num_return_sequences": 2},
    {"frequency_penalty": 2.5},
    {"presence_penalty": -2.5},
    {"repetition_penalty": 0.0},
    {"do_sample": True, "top_p": 0.0},
    {"do_sample": True, "top_p": 1.5},
    {"do_sample": True, "temperature": 0.0},
    {"do_sample": True, "min_p": 1.0},
    {"do_sample": True, "num_beams": 2},
    {"num_beams": 3, "num_beam_groups": 2, "diversity_penalty": 1.0},
    {"num_beams": 4, "num_beam_groups": 2},
    {"num_beams": 4, "diversity_penalty": 1.0},
    {"num_beams": 2, "num_return_sequences": 3},
    {"num_beams": 2, "repetition_penalty": 1.1},
    {"num_beams": 2, "no_repeat_ngram_size": 0},
    {"max_ngram_size": 3},
    {"num_assistant_tokens": 3, "assistant_confidence_threshold": 0.4},
    {"num_assistant_tokens": 3, "num_beams": 2},
    {"tree_depth": 2},
)
RIGHT: tuple[dict[str, Any], ...] = (
    {"max_length": 9},
    {"eos_token_id": 3},
    {"stop_strings": {"a"}},
    {"stop_token_ids": {4}},
    {"max_new_tokens": 0, "echo": True},
    {"max_new_tokens": 5, "top_p": 9.0, "temperature": 0.0},
    {"max_new_tokens": 5, "do_sample": True, "num_return_sequences": 3},
    {"max_new_tokens": 5, "num_beams": 4, "num_beam_groups": 2, "diversity_penalty": 1.0},
)


@case
def validation(genai: Any) -> Any:
    answers = []
    for index, item in enumerate((*WRONG, *RIGHT)):
        more = {} if index == 0 or index >= len(WRONG) else {"max_new_tokens": 9}
        config = genai.GenerationConfig(**({} if "ignore_eos" in item else more) | item)
        try:
            config.validate()
            answers.append("right")
        except RuntimeError:
            answers.append("wrong")
    return answers


if __name__ == "__main__":
    module = import_module(sys.argv[1])
    sys.stdout.write(json.dumps({name: function(module) for name, function in CASES.items()}))
