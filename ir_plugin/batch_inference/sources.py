"""Where a predictor takes its model from: a path with a digest, or the bytes of a model in memory."""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Hashable
from io import BytesIO
from pathlib import Path
from types import FunctionType
from typing import Any, TypeAlias

from ir_plugin import CompiledModel, Core, Model, model_files
from ir_plugin.errors import InputError, ReadError, wrong_type

_BLOCK = 1 << 20


class ModelFile:
    """The path of a model. It is pickled with a digest of the files, which is checked where it is unpickled."""

    def __init__(self, path: str | os.PathLike[str], digest: str | None = None) -> None:
        self.path = Path(path).absolute()
        self._digest = digest
        self._is_verified = digest is None
        self._listed: tuple[tuple[int, ...], list[Path]] | None = None
        if digest is None and not self.path.is_file():
            raise InputError(f"there is no model {self.path}")

    @property
    def key(self) -> Hashable:
        """What tells the files from others, and from the same path with another content, in this process."""
        self._require_file()
        stats = [file.stat() for file in self._files()]
        return str(self.path), *((stat.st_size, stat.st_mtime_ns, stat.st_ino) for stat in stats)

    @property
    def digest(self) -> str:
        """The SHA-256 of the model's files."""
        if self._digest is None:
            self._digest = self._computed()
        return self._digest

    def read(self) -> Model:
        """Return the model; raises `ReadError` if its files are not those that were pickled."""
        self._require_file()
        if not self._is_verified:
            if self._computed() != self._digest:
                raise ReadError(f"{self.path} is not the model that the predictor was made for: its digest differs")
            self._is_verified = True
        return Core().read_model(self.path)

    def _require_file(self) -> None:
        if not self.path.is_file():
            raise ReadError(
                f"there is no model {self.path} on this machine; every worker needs it at the same path, or use a "
                "Predictor of a Model, which travels with it"
            )

    def _files(self) -> list[Path]:
        """Return the files of the model, listed again when the first has changed."""
        stat = self.path.stat()
        current = (stat.st_size, stat.st_mtime_ns, stat.st_ino)
        if self._listed is None or self._listed[0] != current:
            self._listed = current, model_files(self.path)
        return self._listed[1]

    def _computed(self) -> str:
        digest = hashlib.sha256()
        for path in self._files():
            with open(path, "rb") as file:
                while block := file.read(_BLOCK):
                    digest.update(block)
        return digest.hexdigest()

    def __reduce__(self) -> tuple[Any, ...]:
        return ModelFile, (str(self.path), self.digest)

    def __repr__(self) -> str:
        return repr(str(self.path))


class ModelInMemory:
    """A model in memory, which is pickled by value."""

    def __init__(self, model: Model, digest: str | None = None) -> None:
        self._model = model
        self.digest = _digest(model) if digest is None else digest

    @property
    def key(self) -> Hashable:
        """What tells the model from others in this process."""
        return self.digest

    def read(self) -> Model:
        """Return the model."""
        return self._model

    def __reduce__(self) -> tuple[Any, ...]:
        return ModelInMemory, (self._model, self.digest)

    def __repr__(self) -> str:
        return f"model {self.digest[:12]}"


class _Hashing(pickle.Pickler):
    """A pickler that writes the names of classes and functions, so that they may be defined anywhere."""

    def persistent_id(self, obj: Any) -> str | None:
        """Return the name of a class or function; None for a value."""
        return obj.__qualname__ if isinstance(obj, (type, FunctionType)) else None


def _digest(model: Model) -> str:
    """Return the SHA-256 of a pickled model."""
    content = BytesIO()
    _Hashing(content).dump(model)
    return hashlib.sha256(content.getbuffer()).hexdigest()


Source: TypeAlias = "ModelFile | ModelInMemory"


def source_of(model: Any) -> Source:
    """Return the source of a path, a model or a compiled model."""
    if isinstance(model, (str, os.PathLike)):
        return ModelFile(model)
    if isinstance(model, CompiledModel):
        model = model.model
    if isinstance(model, Model):
        return ModelInMemory(model.clone())
    raise wrong_type("model", "a path, a Model or a CompiledModel", model)
