"""What a server accepts at most."""

from __future__ import annotations

from dataclasses import dataclass, fields

from ir_plugin.errors import ArgumentValueError


@dataclass(frozen=True)
class Limits:
    """The limits of a server: sizes, numbers and seconds.

    `body_bytes` bounds a request's body, also after decompression, and `all_body_bytes` all bodies together.
    `queue_size` bounds the requests that wait or run. `connections` may be open at a time; each must send a head within
    `idle_timeout` seconds, and take an answer without pauses of that length. A request fails after `timeout` seconds;
    one for a text, if neither it nor the answers of others have a token within them. A text has at most `answer_tokens`
    tokens. A batch has at most `max_batch` rows and waits at most `batch_window` seconds for them. A stop ends within
    `grace` seconds.
    """

    body_bytes: int = 64 << 20
    all_body_bytes: int = 512 << 20
    queue_size: int = 256
    connections: int = 512
    idle_timeout: float = 10.0
    timeout: float = 30.0
    max_batch: int = 32
    batch_window: float = 0.002
    answer_tokens: int = 4096
    grace: float = 10.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value, least = getattr(self, field.name), 0 if field.name in {"batch_window", "grace"} else 1e-3
            is_whole = field.type == "int"
            kinds = (int,) if is_whole else (int, float)
            if not isinstance(value, kinds) or isinstance(value, bool) or not value >= least:
                kind = "a whole number from 1" if is_whole else f"a number of seconds from {least:g}"
                raise ArgumentValueError(f"{field.name} is {kind}, not {value!r}")
