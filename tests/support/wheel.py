"""OpenVINO's wheel of tokenizers as a reference: what it computes for layers, in a process of its own.

`python -m tests.support.wheel --python PYTHON [--count N] [TYPE…]` compares the operations with the wheel that another
Python has on random inputs, and `--store FILE` writes inputs with the wheel's results, which are the samples of the
operations.
"""

from __future__ import annotations

import argparse
import json
import pickle
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from ir_plugin import CompiledModel, Core, Error
from ir_plugin.tensors import Array, ElementType
from ir_plugin.tensors.containers import vector_of
from tests.support.ir import BuiltIR, build
from tests.support.results import values_by_port
from tests.support.sample import In
from tests.support.text_cases import Case
from tests.support.text_model_cases import pattern_cases, plain_cases

WORKER = Path(__file__).with_name("wheel_worker.py")
STORED = 4
"""How many inputs of each layer are samples."""


def layer(case: Case, inputs: Sequence[In]) -> BuiltIR:
    """Return the IR of a layer, with parameters of any lengths."""
    ports: list[Any] = [item if item.constant else (item.type, ",".join(["?"] * item.value.ndim)) for item in inputs]
    return build(case.type, case.version, ports, case.attributes, case.outputs)


def drawn(case: Case, count: int, seed: int = 0) -> list[list[In]]:
    """Return random inputs of a layer."""
    return [list(case.make(Random(f"{case.type} {seed + number}"))) for number in range(count)]


def fed(inputs: Sequence[In]) -> list[Array]:
    """Return the values of the parameters."""
    return [item.value for item in inputs if not item.constant]


def by_wheel(python: str, runs: Sequence[tuple[Case, list[list[In]]]]) -> list[list[Any]]:
    """Return what the wheel that a Python has computes for each input of each layer, or the text of an error."""
    models = []
    for case, inputs in runs:
        ir = layer(case, inputs[0])
        models.append((ir.xml, ir.weights, [fed(items) for items in inputs]))
    done = subprocess.run([python, str(WORKER)], input=pickle.dumps(models), capture_output=True, check=True, env={})
    answers: list[list[Any]] = pickle.loads(done.stdout)
    return answers


def by_us(case: Case, inputs: Sequence[list[In]]) -> list[Any]:
    """Return what the operation computes for each input of a layer, or the text of an error."""
    ir = layer(case, inputs[0])
    compiled = Core().compile_model(ir.xml, weights=ir.weights)
    return [_answer(compiled, items) for items in inputs]


def _answer(compiled: CompiledModel, items: list[In]) -> Any:
    try:
        return list(values_by_port(compiled, fed(items)).values())
    except Error as fault:
        return str(fault)


def are_equal(left: Any, right: Any) -> bool:
    """Return whether results are equal in values, shapes and types; any two errors are."""
    if isinstance(left, str) or isinstance(right, str):
        return isinstance(left, str) and isinstance(right, str)
    return len(left) == len(right) and all(
        a.shape == b.shape and (a.dtype == b.dtype or b.dtype.kind == "O") and a.tolist() == b.tolist()
        for a, b in zip(left, right, strict=True)
    )


def written(array: Array) -> list[Any]:
    """Return an array as JSON: its type, its shape and its elements; bytes as text of Latin-1."""
    items: Any = array.reshape(-1).tolist()
    if array.dtype.kind in "OS":
        texts = [item.decode("utf-8", "surrogateescape") if isinstance(item, bytes) else item for item in items]
        return ["string", list(array.shape), texts]
    if array.dtype == np.uint8:
        return ["u8", list(array.shape), bytes(items).decode("latin-1")]
    return [ElementType.from_dtype(array.dtype).name, list(array.shape), items]


def read(stored: Sequence[Any]) -> Array:
    """Return an array that `written` has written."""
    type, shape, items = stored
    data = list(items.encode("latin-1")) if type == "u8" else items
    flat = vector_of(items) if type == "string" else np.array(data, ElementType(type).dtype)
    array: Array = flat.reshape(shape)
    return array


def wheel_answers(python: str, runs: Sequence[tuple[Case, list[list[In]]]]) -> list[list[Any]]:
    """Return the wheel's results, from one process for all layers or, where it ends with a fault, one for each half."""
    try:
        return by_wheel(python, runs)
    except subprocess.CalledProcessError as fault:
        if len(runs) == 1:
            return [[str(fault)] * len(runs[0][1])]
    middle = len(runs) // 2
    return [*wheel_answers(python, runs[:middle]), *wheel_answers(python, runs[middle:])]


def store(path: Path, python: str, layers: Sequence[Case]) -> None:
    """Write the first inputs of each layer with the wheel's results."""
    entries = []
    runs = [(case, drawn(case, STORED)) for case in layers]
    for (case, inputs), answers in zip(runs, wheel_answers(python, runs), strict=True):
        for items, answer in zip(inputs, answers, strict=True):
            if isinstance(answer, str):
                continue
            entries.append({
                "type": case.type, "version": case.version, "attributes": dict(case.attributes),
                "inputs": [[*written(item.value), item.constant] for item in items],
                "expected": [written(array) for array in answer],
            })  # fmt: skip
    lines = ",\n".join(json.dumps(entry) for entry in entries)
    path.write_text(f"[\n{lines}\n]\n", "utf-8")


def compare(case: Case, python: str, inputs: list[list[In]], shown: int) -> int:
    """Return how many inputs of a layer have the wheel's results, and write some of the others."""
    try:
        (expected,) = by_wheel(python, [(case, inputs)])
    except subprocess.CalledProcessError as fault:
        sys.stdout.write(f"{case.type} {case.attributes}: the wheel ends with {fault.returncode}\n")
        return 0
    results = list(zip(inputs, by_us(case, inputs), expected, strict=True))
    different = [result for result in results if not are_equal(*result[1:])]
    for items, ours, theirs in different[:shown]:
        values = "".join(f"\n  {item.value!r}" for item in items[:6])
        sys.stdout.write(f"{case.type} {case.attributes}{values}\n ours  {ours}\n wheel {theirs}\n")
    return len(results) - len(different)


def main() -> int:
    """Compare with the wheel, and print how many inputs of each type have equal results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("types", nargs="*")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=2)
    parser.add_argument("--store", type=Path)
    options = parser.parse_args()
    if options.store:
        store(options.store, options.python, plain_cases())
        store(options.store.with_name("stored_patterns.json"), options.python, list(pattern_cases()))
        return 0
    equal: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    for case in [*plain_cases(), *pattern_cases()]:
        if not options.types or case.type in options.types:
            inputs = drawn(case, options.count, options.seed)
            equal[case.type] += compare(case, options.python, inputs, options.show)
            asked[case.type] += options.count
    for type, count in asked.items():
        sys.stdout.write(f"{type}: {equal[type]} of {count} equal\n")
    return 0 if equal == asked else 1


if __name__ == "__main__":
    sys.exit(main())
