"""What a module with openvino_genai's names says of `samples/story`: `python cases.py openvino_genai`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

TINY = Path(__file__).parents[2] / "samples" / "story"
TEXTS = (
    "Once upon",
    "",
    "a",
    " the wolf thought\n\n  to <s>himself</s> ",
    "žluťoučký 中文 🙂 \t x",
    "One of the king's daughters went out into the forest, and sat down by the side of a cool well, and said: who?",
)
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"add_special_tokens": False},
    {"pad_to_max_length": True},
    {"max_length": 9, "pad_to_max_length": True},
    {"max_length": 9, "pad_to_max_length": True, "padding_side": "right"},
    {"max_length": 9, "pad_to_max_length": True, "padding_side": "left"},
    {"max_length": 4, "truncation": True},
    {"max_length": 4, "truncation": True, "add_special_tokens": False},
    {"max_length": 4},
    {"truncation": True},
    {"max_length": 12, "truncation": True, "pad_to_max_length": True, "padding_side": "right"},
    {"padding_side": "right"},
)
CHAT = [
    {"role": "user", "content": "Once"},
    {"role": "assistant", "content": " upon a time"},
    {"role": "user", "content": "why"},
]

TEMPLATE = """{{ bos_token }}{% for m in messages %}
  {% if m.role == 'user' %}
{{ m.content|tojson }}{% endif %}
{% endfor %}{{ mood }}"""

CASES: dict[str, Callable[[Any], Any]] = {}


def case(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    CASES[function.__name__] = function
    return function


def _rows(inputs: Any) -> list[Any]:
    return [inputs.input_ids.data.tolist(), inputs.attention_mask.data.tolist()]


@case
def encoded(genai: Any) -> Any:
    tokenizer = genai.Tokenizer(TINY)
    lists = [_rows(tokenizer.encode(list(TEXTS), **options)) for options in OPTIONS]
    return [lists, [_rows(tokenizer.encode(text, **options)) for text in TEXTS if text for options in OPTIONS]]


@case
def decoded(genai: Any) -> Any:
    tokenizer = genai.Tokenizer(TINY)
    rows = [row for text in TEXTS[3:] for row in tokenizer.encode(text).input_ids.data.tolist()]
    tensor = tokenizer.encode(list(TEXTS)).input_ids
    texts = [tokenizer.decode(row, skip_special_tokens=skip) for row in rows for skip in (True, False)]
    several = [tokenizer.decode(rows, skip_special_tokens=skip) for skip in (True, False)]
    return [texts, several, tokenizer.decode(tensor), tokenizer.decode([130, 38]), tokenizer.decode([])]


@case
def decoded_bytes(genai: Any) -> Any:
    """Return texts of bytes that are no UTF-8: too long, surrogates, above U+10FFFF, cut short."""
    tokenizer = genai.Tokenizer(TINY)
    vocabulary = tokenizer.get_vocab()
    texts = (b"\xf7\x8c\x8c\x8ca", b"\xf4\x90\x80\x80", b"b\xed\xa0\x80", b"\xc0\xaf", b"\xe0\x80\xaf", b"\xf0\x9f\x99")
    return [tokenizer.decode([vocabulary[bytes([byte])] for byte in text]) for text in texts]


@case
def special_tokens(genai: Any) -> Any:
    tokenizer = genai.Tokenizer(TINY)
    kinds = [f"{kind}_token{ending}" for kind in ("pad", "bos", "eos") for ending in ("", "_id")]
    return [getattr(tokenizer, f"get_{kind}")() for kind in kinds]


@case
def vocabulary(genai: Any) -> Any:
    tokenizer = genai.Tokenizer(TINY)
    vocabulary = tokenizer.get_vocab()
    return sorted((id, text.hex()) for text, id in vocabulary.items())


@case
def chat_template(genai: Any) -> Any:
    tokenizer = genai.Tokenizer(TINY)
    history = genai.ChatHistory(CHAT)
    history.set_extra_context({"mood": "kind"})
    answers = [tokenizer.apply_chat_template(CHAT, prompted) for prompted in (True, False)]
    answers += [tokenizer.apply_chat_template(history, True, TEMPLATE)]
    answers += [tokenizer.apply_chat_template(CHAT, True, "{{ tools|tojson }}", tools=[{"name": "f", "more": ["é"]}])]
    tokenizer.set_chat_template("{{ messages[0].content }}")
    return [*answers, tokenizer.apply_chat_template(history, True), tokenizer.chat_template]


@case
def chat_history(genai: Any) -> Any:
    history = genai.ChatHistory()
    states: list[Any] = [len(history), bool(history)]
    history.append(CHAT[0])
    history.append(CHAT[1])
    states += [history.get_messages(), history.pop(), len(history), bool(history)]
    history.set_messages(CHAT)
    history.set_tools([{"name": "f"}])
    states += [history.get_messages(), history.get_tools(), history.get_extra_context()]
    history.clear()
    return [*states, history.get_messages()]


def answers(genai: Any) -> dict[str, Any]:
    """Return the answers of a module by case."""
    return {name: json.loads(json.dumps(function(genai))) for name, function in CASES.items()}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(answers(import_module(sys.argv[1]))))
