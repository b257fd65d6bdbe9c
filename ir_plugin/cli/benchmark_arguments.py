"""The arguments and options of `ir-plugin benchmark`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class BenchmarkArguments:
    """The arguments and options of `ir-plugin benchmark`."""

    model: Path | None
    path_to_model: Path | None
    device: str
    seconds: float
    iterations: int | None
    requests: int
    api: str | None
    hint: str
    threads: int
    batch: int | None
    shape: str
    data_shape: str
    tokens: int | None
    prompt: str | None
    starts: tuple[str, ...]
    input: tuple[str, ...]
    config: dict[str, str]
    validate: bool
    seed: int
    json_: bool
