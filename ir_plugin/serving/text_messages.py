"""Requests and answers of OpenAI's protocol for texts: chats and completions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ir_plugin import genai
from ir_plugin.serving.request_error import RequestError

Prompt = genai.ChatHistory | str | list[int]
_ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
"""The roles of messages, and how a chat template names them."""
_MAX_CHOICES = 128
_MAX_STOPS = 16
_MAX_LOG_PROBS = 5
_MAX_CHAT_LOG_PROBS = 20
_IGNORED = {
    *("user", "metadata", "store", "service_tier", "safety_identifier", "prompt_cache_key", "parallel_tool_calls"),
    *("model", "messages", "chat_template_kwargs", "prompt", "max_tokens", "max_completion_tokens", "n", "stop"),
    *("stream", "stream_options", "logprobs", "top_logprobs"),
}
"""What changes no answer, or is read by itself."""
_UNSUPPORTED: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(
        ("tools", "functions", "logit_bias", "modalities", "audio", "prediction"), (None, [], {}, ["text"])
    ),
    **dict.fromkeys(("tool_choice", "function_call"), (None, "none", "auto")),
    "response_format": (None, {"type": "text"}),
    "suffix": (None, ""),
    "best_of": (None, 1),
}
"""Parameters that the server does not support, and their values that ask for nothing."""


@dataclass(frozen=True)
class TextRequest:
    """What a client asks for: answers to prompts, whole or in pieces.

    `log_probs` is the number of most probable tokens at the place of each token, None where no probabilities are asked.
    """

    prompts: Sequence[Prompt]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    max_tokens: int | None = None
    is_stream: bool = False
    has_usage: bool = False
    log_probs: int | None = None


def _number(least: float, most: float) -> Callable[[str, Any], float]:
    def read(name: str, value: Any) -> float:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not is_number or not least <= value <= most:
            raise _invalid(name, f"is a number from {least:g} to {most:g}")
        return float(value)

    return read


def _count(least: int, most: int) -> Callable[[str, Any], int]:
    def read(name: str, value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise _invalid(name, f"is a whole number from {least} to {most}")
        return value

    return read


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _invalid(name, "is true or false")
    return value


def _tokens(name: str, value: Any) -> set[int]:
    if not isinstance(value, list) or not all(isinstance(id, int) and not isinstance(id, bool) for id in value):
        raise _invalid(name, "is a list of tokens")
    return {id for id in value if id >= 0}


_LARGEST = 2**63 - 1
_PARAMETERS: dict[str, tuple[str, Callable[[str, Any], Any]]] = {
    "temperature": ("temperature", _number(0, 100)),
    "top_p": ("top_p", _number(0, 1)),
    "min_p": ("min_p", _number(0, 1)),
    "top_k": ("top_k", _count(-1, _LARGEST)),
    "seed": ("rng_seed", _count(-(2**63), _LARGEST)),
    "presence_penalty": ("presence_penalty", _number(-2, 2)),
    "frequency_penalty": ("frequency_penalty", _number(-2, 2)),
    "repetition_penalty": ("repetition_penalty", _number(1e-3, 1e3)),
    "min_tokens": ("min_new_tokens", _count(0, _LARGEST)),
    "stop_token_ids": ("stop_token_ids", _tokens),
    "include_stop_str_in_output": ("include_stop_str_in_output", _flag),
    "ignore_eos": ("ignore_eos", _flag),
}
"""The parameters of generation: their names in GenerationConfig, and how they are read."""
PARAMETER_NAMES = {name: parameter for parameter, (name, _) in _PARAMETERS.items()}
"""How a request names a field of GenerationConfig."""
_SAMPLING = {"temperature", "top_p", "min_p", "top_k", "rng_seed"}


def parse_chat(document: dict[str, Any]) -> TextRequest:
    """Return the request that a body of /v1/chat/completions holds."""
    messages = document.get("messages")
    if not isinstance(messages, list) or not messages:
        raise _invalid("messages", "is a list with a message at least")
    history = genai.ChatHistory([_message(message, f"messages[{at}]") for at, message in enumerate(messages)])
    context = _given(document, "chat_template_kwargs", {})
    if not isinstance(context, dict):
        raise _invalid("chat_template_kwargs", "is an object")
    history.set_extra_context(context)
    is_scored = _flag("logprobs", _given(document, "logprobs", False))
    count = _count(0, _MAX_CHAT_LOG_PROBS)("top_logprobs", _given(document, "top_logprobs", 0))
    if count and not is_scored:
        raise _invalid("top_logprobs", "is for requests with logprobs true")
    return _request(document, [history], count if is_scored else None)


def parse_completion(document: dict[str, Any]) -> TextRequest:
    """Return the request that a body of /v1/completions holds."""
    echo, highest, count = document.pop("echo", None), document.pop("top_logprobs", None), document.get("logprobs")
    is_echo = _flag("echo", False if echo is None else echo)
    count = None if count is None else _count(0, _MAX_LOG_PROBS)("logprobs", count)
    if is_echo and count is not None:
        raise RequestError("logprobs of prompts are not supported", param="logprobs", code="unsupported_parameter")
    if highest not in (None, 0):
        raise _invalid("top_logprobs", "is for chats; completions have logprobs")
    request = _request(document, _prompts(document.get("prompt")), count)
    return replace(request, parameters={**request.parameters, "apply_chat_template": False, "echo": is_echo})


def requested_model(document: Mapping[str, Any]) -> str:
    """Return the name of the model that a request is for."""
    name = document.get("model")
    if not isinstance(name, str):
        raise _invalid("model", "is the name of the model")
    return name


def _request(document: dict[str, Any], prompts: list[Any], log_probs: int | None) -> TextRequest:
    """Return a request for answers to prompts; raises for what the server does not support."""
    _refuse_unsupported(document)
    count = _count(1, _MAX_CHOICES)("n", _given(document, "n", 1))
    if count * len(prompts) > _MAX_CHOICES:
        raise _invalid("n", f"and prompts ask for more than {_MAX_CHOICES} choices")
    limits = [_given(document, name, None) for name in ("max_completion_tokens", "max_tokens")]
    limit = next((value for value in limits if value is not None), None)
    options = _given(document, "stream_options", {})
    if not isinstance(options, dict):
        raise _invalid("stream_options", "is an object")
    return TextRequest(
        [prompt for prompt in prompts for _ in range(count)],
        _parameters(document) | ({} if log_probs is None else {"logprobs": max(1, log_probs)}),
        None if limit is None else _count(1, _LARGEST)("max_tokens", limit),
        _flag("stream", _given(document, "stream", False)),
        _flag("include_usage", _given(options, "include_usage", False)),
        log_probs,
    )


def _given(document: Mapping[str, Any], name: str, default: Any) -> Any:
    """Return a value, which null leaves out."""
    value = document.get(name)
    return default if value is None else value


def _refuse_unsupported(document: Mapping[str, Any]) -> None:
    for name, value in document.items():
        if name in _UNSUPPORTED:
            if not any(value == harmless and type(value) is type(harmless) for harmless in _UNSUPPORTED[name]):
                raise RequestError(f"{name} is not supported", param=name, code="unsupported_parameter")
        elif name not in _PARAMETERS and name not in _IGNORED:
            raise RequestError(f"there is no parameter {name:.80}", param=name[:80], code="unknown_parameter")


def _parameters(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of generation: one of sampling switches it on, and a temperature of 0 off."""
    fields = {name: document[name] for name in _PARAMETERS if document.get(name) is not None}
    values = {_PARAMETERS[name][0]: _PARAMETERS[name][1](name, value) for name, value in fields.items()}
    if values.get("top_k", 1) < 1:
        del values["top_k"]  # no limit, as in vLLM
    if "rng_seed" in values:
        values["rng_seed"] %= 2**63
    if values.get("temperature") == 0:
        values = {name: value for name, value in values.items() if name not in _SAMPLING} | {"do_sample": False}
    elif _SAMPLING & set(values):
        values["do_sample"] = True
    stops = _given(document, "stop", [])
    texts = [stops] if isinstance(stops, str) else stops
    if not isinstance(texts, list) or len(texts) > _MAX_STOPS or not all(is_text(text) and text for text in texts):
        raise _invalid("stop", f"is a text or a list of up to {_MAX_STOPS} texts")
    return {**values, "stop_strings": set(texts)} if texts else values


def _message(message: Any, name: str) -> dict[str, str]:
    if not isinstance(message, dict):
        raise _invalid(name, "is a message")
    role = message.get("role")
    if not isinstance(role, str) or role not in _ROLES:
        raise _invalid(f"{name}.role", f"is one of {', '.join(_ROLES)}")
    if message.get("tool_calls"):
        raise RequestError("calls of tools are not supported", param=name, code="unsupported_parameter")
    content = message.get("content")
    if content is None and role == "assistant":
        content = ""
    return {"role": _ROLES[role], "content": _content(content, f"{name}.content")}


def _content(content: Any, name: str) -> str:
    """Return the text of a message, which may be a list of parts."""
    parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
    texts = [part.get("text") if isinstance(part, dict) and part.get("type") == "text" else None for part in parts]
    if not all(map(is_text, texts)):
        raise _invalid(name, "is a text or a list of parts of type text")
    return "".join(map(str, texts))


def _prompts(prompt: Any) -> list[str | list[int]]:
    """Return the prompts of a completion: a text, tokens, or a list of them."""
    is_one = isinstance(prompt, str) or (isinstance(prompt, list) and bool(prompt) and isinstance(prompt[0], int))
    prompts = [prompt] if is_one else prompt
    if not isinstance(prompts, list) or not prompts or not all(map(_is_prompt, prompts)):
        raise _invalid("prompt", "is a text, a list of texts, or tokens")
    return prompts


def is_text(value: Any) -> bool:
    """Return whether a value is a text, without halves of characters that UTF-8 cannot encode."""
    return isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value)


def _is_prompt(prompt: Any) -> bool:
    if is_text(prompt):
        return bool(prompt)
    is_tokens = isinstance(prompt, list) and bool(prompt)
    return is_tokens and all(isinstance(id, int) and not isinstance(id, bool) and 0 <= id < 2**31 for id in prompt)


def _invalid(name: str, text: str) -> RequestError:
    return RequestError(f"{name} {text}", param=name)
