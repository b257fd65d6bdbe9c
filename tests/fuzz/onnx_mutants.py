"""Feed mutated ONNX models to reading, checking and inference: `python -m tests.fuzz.onnx_mutants --first N --count M`.

Each mutant is made from its number alone, so that `--first N --count 1` repeats it; `--write PATH` writes it instead.
They run in a process of their own, which the next one follows when a mutant ends it.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

import onnx

from tests.fuzz import onnx_fields
from tests.fuzz.entries import SECONDS, feed
from tests.fuzz.mutate import garbled
from tests.fuzz.onnx_mutate import mutated
from tests.fuzz.onnx_sources import sources

ROOT = Path(__file__).parents[2]
SECONDS_TO_END = SECONDS + 5
"""Of the processor, after which the system ends the process."""
GROWTH = 1 << 30
"""Bytes of memory that a mutant may take for a while."""
FIELDS: Sequence[Callable[[random.Random, Any], None]] = (
    onnx_fields.drop_field, onnx_fields.repeat_field, onnx_fields.set_field, onnx_fields.set_field,
)  # fmt: skip


def mutant(number: int) -> tuple[str, bytes]:
    """Return the name of a source and what its mutant of this number holds."""
    chance = random.Random(number)
    known = sources()
    name, data = known[chance.randrange(len(known))]
    kind = chance.random()
    if kind < 0.4:
        return f"{name}: meaning", mutated(data, number)
    if kind < 0.8:
        model = onnx.ModelProto.FromString(data)
        for _ in range(chance.choice([1, 1, 1, 2, 4])):
            chance.choice(FIELDS)(chance, model)
        return f"{name}: fields", bytes(model.SerializeToString())
    if kind < 0.9:
        return f"{name}: wire", onnx_fields.rewired(data, chance)
    return f"{name}: bytes", garbled(data, number)


def work(first: int, count: int) -> None:
    """Feed mutants, and write a line of JSON about each."""
    sources()
    faulthandler.register(signal.SIGXCPU, chain=True)
    Path("/proc/self/oom_score_adj").write_text("1000")  # if a mutant takes all memory, the system ends this process
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        for number in range(first, first + count):
            _say(json.dumps({"number": number} | _outcome(number, Path(folder))))


def _outcome(number: int, folder: Path) -> dict[str, Any]:
    name, data = mutant(number)
    _let_run(SECONDS_TO_END)
    before, begin = _reset_peak(), time.process_time()
    outcome: dict[str, Any] = {"name": name}
    try:
        outcome["reached"] = feed(_source(number, data, folder), None)
    except BaseException as fault:  # noqa: BLE001  # whatever leaves the public API is what this program looks for
        outcome["fault"] = "".join(traceback.format_exception(fault, limit=-4)[-6:])
        outcome["reached"] = "foreign exception"
    _let_run(3600)
    return outcome | {"seconds": time.process_time() - begin, "growth": _status("VmHWM") - before}


def _source(number: int, data: bytes, folder: Path) -> Any:
    """Return the bytes of a mutant, every other time as a file beside which a file of data lies."""
    if number % 2:
        return data
    (folder / "x").write_bytes(bytes(64))
    path = folder / "model.onnx"
    path.write_bytes(data)
    return path


def _let_run(seconds: int) -> None:
    limit = int(time.process_time()) + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))


def _reset_peak() -> int:
    """Begin to measure the peak of this process's memory anew, and return what it has."""
    Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def _status(field: str) -> int:
    found = re.search(rf"{field}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found[1]) << 10 if found else 0


def run(first: int, count: int) -> Iterator[Mapping[str, Any]]:
    """Yield the outcome of each mutant."""
    number = first
    while number < first + count:
        with tempfile.TemporaryFile("w+") as errors:
            with _start(number, first + count - number, errors) as worker:
                for line in worker.stdout or ():
                    outcome = json.loads(line)
                    yield outcome
                    number = outcome["number"] + 1
            if worker.returncode and number < first + count:
                errors.seek(0)
                reached = "hang" if worker.returncode == -signal.SIGXCPU else f"process ended with {worker.returncode}"
                yield {"number": number, "name": mutant(number)[0], "reached": reached, "fault": errors.read()[-2000:]}
                number += 1


def _start(number: int, count: int, errors: TextIO) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.fuzz.onnx_mutants", "--worker", f"--first={number}", f"--count={count}"]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=errors, text=True)


def report(outcomes: Iterator[Mapping[str, Any]]) -> int:
    """Print every fault as it appears, then how far the mutants got; return the number of faults."""
    reached: Counter[str] = Counter()
    faults: Counter[str] = Counter()
    for outcome in outcomes:
        reached[outcome["reached"]] += 1
        kind = _kind(outcome)
        if kind:
            faults[kind] += 1
            _say(f"{outcome['number']} {outcome['name']}: {kind}\n{outcome.get('fault', '')}")
    _say(f"{reached.total()} mutants: " + ", ".join(f"{count} {name}" for name, count in reached.most_common()))
    nothing = f"no foreign exception, none over {SECONDS} s, none over {GROWTH >> 20} MB"
    _say(", ".join(f"{count} {kind}" for kind, count in faults.items()) or nothing)
    return faults.total()


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _kind(outcome: Mapping[str, Any]) -> str:
    if outcome.get("seconds", 0) > SECONDS:
        return "hang"
    if "fault" in outcome:
        return str(outcome["reached"])
    return "growth" if outcome["growth"] > GROWTH else ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=0, help="the number of the first mutant")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--write", type=Path, help="write the first mutant to this path")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.write:
        options.write.write_bytes(mutant(options.first)[1])
    elif options.worker:
        work(options.first, options.count)
    else:
        return min(report(run(options.first, options.count)), 1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
