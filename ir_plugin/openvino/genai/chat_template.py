"""Chat templates, written in Jinja, as transformers applies them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timezone
from functools import lru_cache
from typing import Any, NoReturn

from ir_plugin.errors import InputError, UnsupportedError


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
        raise InputError(f"the chat template cannot be applied: {fault}") from None
    if not text:
        raise InputError("the chat template gives an empty text")
    return text


@lru_cache(maxsize=4)
def compiled_template(template: str) -> Any:
    """Return a template compiled in an environment in which it can change nothing."""
    try:
        from jinja2 import TemplateError
        from jinja2.ext import loopcontrols
        from jinja2.sandbox import ImmutableSandboxedEnvironment
    except ImportError as fault:
        raise UnsupportedError(
            f"chat templates need the package jinja2, which cannot be imported ({fault}); pip install jinja2"
        ) from None
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
    environment.filters["tojson"] = _to_json
    environment.globals |= {"raise_exception": _raise, "strftime_now": _now}
    try:
        return environment.from_string(template)
    except TemplateError as fault:
        line = getattr(fault, "lineno", None)
        prefix = "" if line is None else f"line {line}: "
        raise InputError(f"the chat template cannot be read: {prefix}{str(fault).rstrip('.')}") from None


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
