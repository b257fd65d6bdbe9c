"""Compiled kernels ahead of their first use: of all that are declared, or those that models need."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ir_plugin.errors import EvaluationError, InputError
from ir_plugin.kernels import keys
from ir_plugin.kernels.compiling import FAULTS, collecting_unkept, first_line, listening
from ir_plugin.kernels.numba.availability import evident_fault, numba_fault
from ir_plugin.kernels.numba.provider import ListingProvider
from ir_plugin.kernels.registry import KernelKey
from ir_plugin.kernels.thread_pool import available_threads
from ir_plugin.openvino import genai
from ir_plugin.openvino.api import CompiledModel, Core
from ir_plugin.openvino.genai.language_model import LanguageModel
from ir_plugin.reader.foreign import DETOKENIZER_FILE, TOKENIZER_FILE
from ir_plugin.report.inputs import complete

if TYPE_CHECKING:
    from ir_plugin.kernels.numba.runtime.jit import Compiled

Listener = Callable[[], None]

_PROMPT, _DISTINCT_TOKENS = 32, 2
"""The tokens of the prompt that warms a language model, and how many of them differ; every model has two tokens."""
_WORKER = "from ir_plugin.report.warming import compile_named; compile_named()"


@dataclass(frozen=True)
class DeclaredKernel:
    """A kernel that some model may need, and what the cache has of it."""

    name: str
    digest: str
    """The digest that it is kept by."""
    is_compiled: bool
    seconds: float
    """The processor time that its compilation took; 0 if it is not compiled."""
    bytes: int


@dataclass(frozen=True)
class Warmed:
    """What filling the cache of compiled kernels has done."""

    kernels: int
    """Files of the cache."""
    compiled: int
    """Of these, files that are new."""
    seconds: float
    folder: str
    models: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        return asdict(self)


def declared_kernels() -> list[DeclaredKernel]:
    """Return all kernels that a model may need on this processor, by name."""
    return sorted(map(_described, _declared().values()), key=lambda kernel: (kernel.name, kernel.digest))


def missing_kernels() -> int:
    """Return how many kernels that a model may need are not compiled, 0 where none can be."""
    if evident_fault() is None:
        with suppress(*FAULTS):
            return sum(not kernel.is_compiled for kernel in declared_kernels())
    return 0


def warm(
    models: Sequence[Path] = (), config: Mapping[str, Any] | None = None, listener: Listener | None = None
) -> Warmed:
    """Compile all kernels, or those that models need, and return where they are kept.

    A model is compiled and run once on random inputs, as kernels of open shapes are selected in the run. The language
    model of a folder also computes a prompt and a token after it. `listener` is called after each model or
    kernel.
    """
    before, start, faults = _files(), time.perf_counter(), list[str]()
    with collecting_unkept(faults):
        fault = numba_fault()
        if fault is not None:
            raise InputError(f"no kernels can be compiled: {fault}")
        for model in models:
            if faults:
                break
            _warm(model, config)
            (listener or _ignore)()
    if not models and not faults:
        faults += _compile_all(listener or _ignore)
    if faults:
        raise InputError(faults[0])
    after = _files()
    folder = str(min(after).parent if after else _folders()[0])
    names = tuple(map(str, models))
    return Warmed(len(after), len(after - before), time.perf_counter() - start, folder, names)


def _ignore() -> None:
    """Take no notice of a model or kernel."""


def _warm(path: Path, config: Mapping[str, Any] | None) -> None:
    if not os.path.isdir(path):
        warmed(path, config)
        return
    model, properties = genai.read_model(path), compiling(config)
    if any("beam_idx" in port.names for port in model.inputs):
        _warm_language_model(LanguageModel(model, "CPU", properties))
    else:
        warmed(path / genai.MODEL_FILE, config)
    if os.path.isfile(path / TOKENIZER_FILE) and os.path.isfile(path / DETOKENIZER_FILE):
        tokenizer = genai.Tokenizer(path, **properties)
        tokenizer.decode(tokenizer.encode("Once upon a time").input_ids)


def _warm_language_model(model: LanguageModel) -> None:
    """Compute a prompt of several tokens and a token after it: the lengths that generation has."""
    tokens = [position % _DISTINCT_TOKENS for position in range(_PROMPT)]
    model.prefill(tokens)
    model.step(tokens[-1:], [0])
    model.forget()


def warmed(model: Path, config: Mapping[str, Any] | None = None) -> CompiledModel:
    """Return a compiled model that has run once on random inputs, with all its kernels, where numba can be used."""
    compiled = Core().compile_model(model, config=compiling(config))
    with suppress(EvaluationError):  # random inputs may mean nothing to the model; its kernels are compiled by then
        compiled(complete(compiled))
    return compiled


def compiling(config: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return a configuration with which a model waits for its kernels to be compiled, where numba can be used."""
    return {**(config or {}), **({} if numba_fault() is not None else {"PROVIDER": "numba"})}


def _declared() -> dict[str, Compiled]:
    """Return the functions of all modules of kernels and of all their factories, by the digest of each."""
    provider = ListingProvider()
    for key in vars(keys).values():
        if isinstance(key, KernelKey):
            provider.find(key)
    from ir_plugin.kernels.numba.runtime.jit import FACTORIES, Compiled

    functions = [function for functions in Compiled.of_module.values() for function in functions]
    functions += [function for factory in FACTORIES for function in factory.functions()]
    return {function.digest: function for function in functions}


def _described(function: Compiled) -> DeclaredKernel:
    entries = function.entries
    present = [entry for entry in entries if entry is not None]
    return DeclaredKernel(
        function.cache.name.replace(".<locals>", ""), function.digest, len(present) == len(entries),
        sum(entry.seconds for entry in present), sum(entry.bytes for entry in present),
    )  # fmt: skip


def _compile_all(listener: Listener) -> list[str]:
    """Compile the kernels that the cache lacks, in a process for each processor; return why some are not kept.

    A process reads the cache again before it compiles a kernel, so that two commands share the work, and a command that
    follows one that was killed goes on.
    """
    pending = deque(kernel.digest for kernel in declared_kernels() if not kernel.is_compiled)
    random.shuffle(pending)
    count = max(1, min(available_threads(), len(pending)))
    with ThreadPoolExecutor(count) as threads:
        try:
            return [*chain(*threads.map(lambda _: _compile(pending, listener), range(count)))]
        except BaseException:
            pending.clear()
            raise


def _compile(pending: deque[str], listener: Listener) -> list[str]:
    """Let a new process compile kernels as long as some are pending; return why one cannot be compiled or kept."""
    with subprocess.Popen([sys.executable, "-c", _WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        while pending and process.stdin is not None and process.stdout is not None:
            try:
                process.stdin.write(f"{pending.popleft()}\n".encode())
                process.stdin.flush()
                answer = process.stdout.readline()
            except (IndexError, BrokenPipeError):
                break
            fault = json.loads(answer) if answer else "a process that compiles kernels has ended"
            listener()
            if fault:
                pending.clear()
                return [fault]
    return []


def compile_named() -> None:
    """Compile the kernels whose digests come on standard input; answer each by why it is not kept, or an empty text.

    The process ends with its input, so also where the one that began it is killed.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    functions, unkept = _declared(), list[str]()
    with listening(lambda _: None), collecting_unkept(unkept):
        for line in sys.stdin:
            function = functions[line.strip()]
            try:
                function.require()
                is_kept = None not in function.entries
                fault = "" if is_kept else (unkept or [f"{function.cache.name} cannot be kept"])[-1]
            except ImportError as error:
                fault = first_line(error)
            sys.stdout.write(f"{json.dumps(fault)}\n")
            sys.stdout.flush()


def _folders() -> list[Path]:
    from ir_plugin.kernels.numba.runtime.kernel_cache import folders

    return folders()


def _files() -> set[Path]:
    """Return the kernels in the first folder that has some; none where their cache cannot be imported."""
    with suppress(*FAULTS):
        return next((files for folder in _folders() if (files := set(folder.glob("*.kernel")))), set())
    return set()
