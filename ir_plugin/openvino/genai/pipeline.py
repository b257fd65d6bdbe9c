"""The pipeline that generates text: tokenizer, language model, search and detokenizer."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ir_plugin.errors import ArgumentTypeError, InputError, require, wrong_type
from ir_plugin.openvino.api import Core, Model, Tensor
from ir_plugin.openvino.genai.chat_history import ChatHistory
from ir_plugin.openvino.genai.context import Context
from ir_plugin.openvino.genai.generation import Generation
from ir_plugin.openvino.genai.generation_config import GenerationConfig
from ir_plugin.openvino.genai.language_model import LanguageModel
from ir_plugin.openvino.genai.model_file import taken_model
from ir_plugin.openvino.genai.perf_metrics import PerfMetrics, now
from ir_plugin.openvino.genai.results import DecodedResults, EncodedResults
from ir_plugin.openvino.genai.sequences import Sequence
from ir_plugin.openvino.genai.streamers import StreamerBase, as_streamer
from ir_plugin.openvino.genai.tokenizer import TokenizedInputs, Tokenizer, token_ids

_OWN_PROPERTIES = {"ATTENTION_BACKEND", "prompt_lookup"}
"""Properties of openvino_genai that say how tokens are computed, not which ones."""

_FORMS = (
    ("model", "weights", "tokenizer", "device", "generation_config"),
    ("models_path", "tokenizer", "device", "config"),
    ("models_path", "device", "config"),
)
"""The arguments of a pipeline: of a model in memory, of a folder with another tokenizer, and of a folder."""

_KINDS: dict[type, str] = {Tensor: "weights", Tokenizer: "tokenizer"}


@dataclass
class _Call:
    """What a call of `generate` shares: its parameters, its streamer, and how long its parts take."""

    config: GenerationConfig
    streamer: StreamerBase | None
    metrics: PerfMetrics
    start: float
    requested: int = 1
    """How many new tokens the caller asks for."""
    is_chat: bool = False
    is_cancelled: bool = False


class LLMPipeline:
    """Generates text with the models of a folder, as optimum-intel writes it."""

    def __init__(self, *arguments: Any, **properties: Any) -> None:
        """Read the models of `models_path`, with another `tokenizer` if one is given, for a `device`.

        A `model` in memory is a text with `weights`, a `tokenizer` and, if wanted, a `generation_config`. Properties of
        the device are further arguments, or items of `config`.
        """
        start = now()
        call = _bound(arguments, properties)
        device, tokenizer = call.get("device", "CPU"), call.get("tokenizer")
        if "weights" in call:
            model: Model = Core().read_model(str(call["model"]), call["weights"])
            self._config = (call.get("generation_config") or GenerationConfig()).copied()
        else:
            properties |= call.get("config") or {}
            models_path = call["models_path"]
            model, self._config = taken_model(models_path, properties), _read_config(Path(models_path))
        require(device, str, "the name of a device", "device")
        engine = _engine_properties(properties)
        self._tokenizer = Tokenizer(models_path, **engine) if tokenizer is None else tokenizer
        if self._config.eos_token_id == -1 and self._tokenizer.get_eos_token_id() != -1:
            self._config.set_eos_token_id(self._tokenizer.get_eos_token_id())
        self._model = LanguageModel(model, device, engine)
        self.context: Context | None = None
        """The longest context, beyond which nothing is generated if it is set; openvino_genai knows none."""
        self._history = ChatHistory()
        self._is_chat = False
        self._load_time = (now() - start) / 1000

    def generate(
        self, inputs: Any, generation_config: GenerationConfig | None = None, streamer: Any = None, **parameters: Any
    ) -> Any:
        """Return what follows inputs: for a text a text, for a list of texts or a chat `DecodedResults`, for tokens
        `EncodedResults`; for a text with several results `DecodedResults`.
        """
        config = self._resolved(generation_config, parameters)
        metrics = PerfMetrics(_load_time=self._load_time)
        call = _Call(
            config, as_streamer(streamer, self._tokenizer), metrics, now(), parameters.get("max_new_tokens") or 1
        )
        if isinstance(inputs, (Tensor, TokenizedInputs)):
            return self._encoded(_rows(inputs), call)
        if isinstance(inputs, str):
            results = self._decoded([self._prompt(inputs, call)], call)
            self._remember(inputs, results.texts[0], call)
            return results.texts[0] if config.num_return_sequences == 1 else results
        if isinstance(inputs, ChatHistory) or _is_messages(inputs):
            history = inputs if isinstance(inputs, ChatHistory) else ChatHistory(inputs)
            return self._decoded([self._chat_prompt(history, call)], call)
        if not isinstance(inputs, (list, tuple)) or not inputs:
            raise wrong_type("inputs", "a text, a list of texts, a ChatHistory or tokens", inputs)
        if self._is_chat and len(inputs) != 1:
            raise InputError("a chat takes one text after another")
        results = self._decoded([self._prompt(text, call) for text in inputs], call)
        self._remember(inputs[0], results.texts[0], call)
        return results

    __call__ = generate

    def _resolved(self, override: GenerationConfig | None, parameters: Mapping[str, Any]) -> GenerationConfig:
        """Return the parameters of a call, with the stop tokens of the pipeline where it has none."""
        if override is not None and not isinstance(override, GenerationConfig):
            raise wrong_type("generation_config", "a GenerationConfig", override)
        config = (override or self._config).copied(**parameters)
        if not config.stop_token_ids:
            config.stop_token_ids = self._config.stop_token_ids
        if config.eos_token_id == -1 and self._config.eos_token_id != -1:
            config.set_eos_token_id(self._config.eos_token_id)
        config.validate()
        return config

    def _prompt(self, text: Any, call: _Call) -> list[int]:
        """Return the tokens of a text, which is a turn of a chat where there is a template and it is wanted."""
        require(text, str, "a text", "inputs")
        if self._is_chat:
            messages = [*self._history.get_messages(), {"role": "user", "content": text}]
            return self._chat_prompt(ChatHistory(messages), call)
        if call.config.apply_chat_template and self._tokenizer.chat_template:
            return self._templated(ChatHistory([{"role": "user", "content": text}]), call)
        return self._tokens(text, call, add_special_tokens=True)

    def _chat_prompt(self, history: ChatHistory, call: _Call) -> list[int]:
        if not len(history):
            raise InputError("the chat history is empty")
        if not call.config.apply_chat_template:
            raise InputError("a chat needs apply_chat_template")
        call.is_chat = True
        return self._templated(history, call)

    def _templated(self, history: ChatHistory, call: _Call) -> list[int]:
        start = now()
        text = self._tokenizer.apply_chat_template(history, add_generation_prompt=True)
        call.metrics.raw_metrics.chat_template_durations.append(now() - start)
        return self._tokens(text, call, add_special_tokens=False)

    def _tokens(self, text: str, call: _Call, *, add_special_tokens: bool) -> list[int]:
        start = now()
        ids = token_ids(self._tokenizer, text, add_special_tokens=add_special_tokens)
        call.metrics.raw_metrics.tokenization_durations.append(now() - start)
        return ids

    def _remember(self, text: str, answer: str, call: _Call) -> None:
        """Add a turn to the chat, unless the streamer cancelled it."""
        if self._is_chat and not call.is_cancelled:
            self._history.append({"role": "user", "content": text})
            self._history.append({"role": "assistant", "content": answer})

    def _decoded(self, prompts: list[list[int]], call: _Call) -> DecodedResults:
        encoded = self._encoded(prompts, call)
        start = now()
        texts = [self._tokenizer.decode(tokens) for tokens in encoded.tokens]
        raw = encoded.perf_metrics.raw_metrics
        raw.detokenization_durations.append(now() - start)
        raw.generate_durations = [now() - call.start]
        return DecodedResults(texts, encoded.scores, encoded.finish_reasons, encoded.perf_metrics)

    def _encoded(self, prompts: list[list[int]], call: _Call) -> EncodedResults:
        config, results = call.config, EncodedResults(perf_metrics=call.metrics)
        is_single = len(prompts) == config.num_return_sequences == 1 and not config.is_beam_search()
        if call.streamer is not None and not is_single:
            raise InputError("a streamer takes one text, of greedy search or sampling")
        for prompt in prompts:
            if not prompt:
                raise InputError("a prompt has no tokens")
            call.metrics._input_count += len(prompt)
            for sequence, score in self._searched(prompt, call)[: config.num_return_sequences]:
                results.tokens.append([*(prompt if config.echo else []), *sequence.tokens])
                results.scores.append(score)
                results.finish_reasons.append(sequence.finish_reason)
        call.metrics.raw_metrics.generate_durations = [now() - call.start]
        return results

    def _searched(self, prompt: list[int], call: _Call) -> list[tuple[Sequence, float]]:
        """Return the sequences that follow a prompt, with their scores, the best first."""
        generation = Generation(prompt, self._fitting(call, len(prompt)), self._tokenizer, call.streamer)
        if not call.is_chat:
            self._model.forget()
        self._run(generation, call)
        results = generation.end()
        call.is_cancelled = generation.is_cancelled
        if not call.is_chat:
            self._model.forget()
        return results

    def _fitting(self, call: _Call, prompt: int) -> GenerationConfig:
        """Return the parameters of a call, with no more new tokens than fit into the context after a prompt."""
        if self.context is None:
            return call.config
        room = self.context.room(prompt, call.requested)
        return call.config.copied(max_new_tokens=min(room, call.config.new_tokens(prompt)))

    def _run(self, generation: Generation, call: _Call) -> None:
        """Compute and choose tokens until all sequences end."""
        raw = call.metrics.raw_metrics
        times: list[float] = []
        counts: list[int] = []
        while running := generation.running:
            start = now()
            if times:
                logits = self._model.step([item.tokens[-1] for item in running], [item.row for item in running])
            else:
                logits = self._model.prefill(generation.prompt)
            computed = now()
            counts.append(generation.advance(logits))
            times.append(now())
            raw.token_infer_durations.append(computed - start)
            raw.sampling_durations.append(times[-1] - computed)
        raw.inference_durations = [sum(raw.token_infer_durations)]
        raw.add_token_times(call.start, times, counts)

    def start_chat(self, system_message: str = "") -> None:
        """Begin a chat: texts are its turns until `finish_chat`."""
        require(system_message, str, "a text", "system_message")
        self.finish_chat()
        self._is_chat = True
        if system_message:
            self._history.append({"role": "system", "content": system_message})

    def finish_chat(self) -> None:
        """End a chat, and forget its turns."""
        self._is_chat = False
        self._history.clear()
        self._model.forget()

    @property
    def language_model(self) -> LanguageModel:
        """The model that computes logits."""
        return self._model

    def get_tokenizer(self) -> Tokenizer:
        """Return the tokenizer."""
        return self._tokenizer

    def get_generation_config(self) -> GenerationConfig:
        """Return a copy of the parameters that count where a call gives no others."""
        return self._config.copied()

    def set_generation_config(self, config: GenerationConfig) -> None:
        """Set the parameters that count where a call gives no others."""
        require(config, GenerationConfig, "a GenerationConfig", "config")
        tokens, end = self._config.stop_token_ids, self._config.eos_token_id
        self._config = config.copied()
        if not self._config.stop_token_ids:
            self._config.stop_token_ids = tokens
        if self._config.eos_token_id == -1 and end != -1:
            self._config.set_eos_token_id(end)
        self._config.validate()


def _bound(arguments: tuple[Any, ...], properties: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a pipeline by name; those given by name are taken out of the properties."""
    kinds = {_KINDS.get(type(value), "") for value in arguments}
    names = next(form for form in _FORMS if form[1] in {*kinds, *properties, "device"})
    if len(arguments) > len(names):
        raise ArgumentTypeError(f"LLMPipeline takes {', '.join(names)}; {len(arguments)} arguments are given")
    call = dict(zip(names, arguments, strict=False))
    call |= {name: properties.pop(name) for name in names if name in properties}
    needed = names[:3] if "weights" in names else names[:1]
    for name in needed:
        if name not in call:
            raise ArgumentTypeError(f"LLMPipeline needs the argument {name}")
    if "tokenizer" in call:
        require(call["tokenizer"], Tokenizer, "a Tokenizer", "tokenizer")
    return call


def _read_config(folder: Path) -> GenerationConfig:
    """Return the parameters of a folder."""
    path = folder / "generation_config.json"
    return GenerationConfig(path) if os.path.lexists(path) else GenerationConfig()


def _engine_properties(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties of a model; raises for properties of absent classes."""
    for name in ("scheduler_config", "draft_model", "adapters"):
        if name in properties:
            raise InputError(f"{name} is not supported")
    return {name: value for name, value in properties.items() if name not in _OWN_PROPERTIES}


def _rows(inputs: Tensor | TokenizedInputs) -> list[list[int]]:
    """Return the tokens of each row, without padding."""
    if isinstance(inputs, Tensor):
        rows: list[list[int]] = inputs.data.tolist()
        return rows
    ids, mask = inputs.input_ids.data, inputs.attention_mask.data
    return [row[selected == 1].tolist() for row, selected in zip(ids, mask, strict=True)]


def _is_messages(inputs: Any) -> bool:
    return isinstance(inputs, (list, tuple)) and bool(inputs) and isinstance(inputs[0], dict)
