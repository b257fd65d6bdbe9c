"""What the version of a package decides, computed once and kept with the environment."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
FOLDER = Path(sys.prefix) / "computed"
"""The folder in the environment, which goes with it when it is made again."""


def stored(name: str, packages: tuple[str, ...], compute: Callable[[], T]) -> T:
    """Return a value that nothing but the versions of packages decides, computed where no file has it."""
    versions = "-".join(f"{package}-{version(package)}" for package in packages)
    path = FOLDER / f"{name}-{versions}.pickle"
    if path.is_file():
        kept: T = pickle.loads(path.read_bytes())
        return kept
    value = compute()
    if os.access(sys.prefix, os.W_OK):
        FOLDER.mkdir(exist_ok=True)
        partial = path.with_suffix(f".{os.getpid()}")
        partial.write_bytes(pickle.dumps(value))
        partial.replace(path)
    return value
