"""The messages of a chat."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import deepcopy
from typing import Any

from ir_plugin.errors import PositionError, require


class ChatHistory:
    """The messages of a chat, and the tools and variables that its template may use."""

    def __init__(self, messages: Iterable[dict[str, Any]] = ()) -> None:
        self._messages: list[dict[str, Any]] = []
        self._tools: list[dict[str, Any]] = []
        self._extra_context: dict[str, Any] = {}
        self.set_messages(list(messages))

    def append(self, message: dict[str, Any]) -> None:
        """Add a message at the end."""
        require(message, dict, "a dictionary", "message")
        self._messages.append(deepcopy(message))

    def pop(self) -> dict[str, Any]:
        """Remove the last message, and return it."""
        if not self._messages:
            raise PositionError("the chat history is empty")
        return self._messages.pop()

    def clear(self) -> None:
        """Remove all messages."""
        self._messages.clear()

    def get_messages(self) -> list[dict[str, Any]]:
        """Return copies of all messages."""
        return deepcopy(self._messages)

    def set_messages(self, messages: list[dict[str, Any]]) -> None:
        """Replace all messages."""
        require(messages, list, "a list of messages", "messages")
        for message in messages:
            require(message, dict, "a dictionary", "message")
        self._messages = deepcopy(messages)

    def get_tools(self) -> list[dict[str, Any]]:
        """Return copies of the definitions of tools."""
        return deepcopy(self._tools)

    def set_tools(self, tools: list[dict[str, Any]]) -> None:
        """Set the definitions of tools."""
        require(tools, list, "a list of tools", "tools")
        self._tools = deepcopy(tools)

    def get_extra_context(self) -> dict[str, Any]:
        """Return a copy of the further variables of the template."""
        return deepcopy(self._extra_context)

    def set_extra_context(self, extra_context: dict[str, Any]) -> None:
        """Set further variables of the template."""
        require(extra_context, dict, "a dictionary", "extra_context")
        self._extra_context = deepcopy(extra_context)

    def __len__(self) -> int:
        return len(self._messages)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.get_messages())

    def __getitem__(self, index: int) -> dict[str, Any]:
        return deepcopy(self._messages[index])
