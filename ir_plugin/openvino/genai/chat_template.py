"""Chat templates, written in Jinja, as transformers applies them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timezone
from functools import lru_cache
from traceback import walk_tb
from typing import Any, NoReturn

from ir_plugin.errors import InputError, UnsupportedError


class ChatTemplateError(InputError):
    """A chat template that cannot be used; `line` is the template's line at fault, 0 where it is unknown."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


def apply_template(template: str, variables: Mapping[str, Any]) -> str:
    """Return a template filled with variables: messages, tools, special tokens and others."""
    if not template:
        raise InputError(
            "the folder has no chat template: its model may not be one for chats; "
            "set_chat_template sets one, and apply_chat_template=False generates without"
        )
    compiled = compiled_template(template)
    try:
        text: str = compiled.render(**variables)
    except Exception as fault:  # noqa: BLE001 - a template runs code of its own
        raise _template_error("applied", fault, _raising_line(fault)) from None
    if not text:
        raise ChatTemplateError("the chat template gives an empty text")
    return text


@lru_cache(maxsize=4)
def compiled_template(template: str) -> Any:
    """Return a template compiled in an environment in which it can change nothing."""
    try:
        from jinja2 import TemplateSyntaxError
        from jinja2.ext import loopcontrols
        from jinja2.sandbox import ImmutableSandboxedEnvironment
    except ImportError as fault:
        raise UnsupportedError(
            f"chat templates need the package jinja2, which cannot be imported ({fault}); pip install jinja2"
        ) from None
    extensions = [loopcontrols, _generation_extension()]
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=extensions)
    environment.filters["tojson"] = _to_json
    environment.globals |= {"raise_exception": _raise, "strftime_now": _now}
    try:
        return environment.from_string(template)
    except TemplateSyntaxError as fault:
        raise _template_error("read", fault, fault.lineno) from None
    except (SyntaxError, RecursionError) as fault:
        raise _template_error("read", fault, 0) from None


def _generation_extension() -> Any:
    """Return the extension of Jinja whose tag `generation` marks the answers of a model; they stay as they are."""
    from jinja2.ext import Extension

    class Generation(Extension):
        tags = {"generation"}

        def parse(self, parser: Any) -> Any:
            next(parser.stream)
            return parser.parse_statements(("name:endgeneration",), drop_needle=True)

    return Generation


def _template_error(verb: str, fault: Exception, line: int) -> ChatTemplateError:
    text = fault.msg if isinstance(fault, SyntaxError) else str(fault)
    reason = text.rstrip(".") or type(fault).__name__
    return ChatTemplateError(f"the chat template cannot be {verb}: {f'line {line}: ' if line else ''}{reason}", line)


def _raising_line(fault: Exception) -> int:
    """Return the line of the template that raised last, 0 where the traceback has none."""
    lines = [line for frame, line in walk_tb(fault.__traceback__) if frame.f_code.co_filename == "<template>"]
    return lines[-1] if lines else 0


def _to_json(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """Return a value in JSON; Jinja's own filter escapes characters of HTML."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def _raise(message: str) -> NoReturn:
    raise InputError(message)


def _now(format: str) -> str:
    return datetime.now(timezone.utc).astimezone().strftime(format)
