"""What OpenVINO says of IRs, asked in a process of its own, because some of them crash it or keep it busy."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.hostile.variant import Variant

SECONDS = 20

WORKER = """
import json, sys
import openvino
core = openvino.Core()
for line in sys.stdin:
    xml, weights = json.loads(line)
    try:
        model = core.read_model(xml, weights) if weights else core.read_model(xml)
        shapes = ", ".join(str(output.partial_shape) for output in model.outputs)
        answer = f"accepts, infers {shapes}" if shapes else "accepts, without outputs"
    except Exception as fault:
        answer = f"refuses: {fault}"
    print(json.dumps(answer), flush=True)
"""


def openvino_verdicts(variants: Iterable[Variant]) -> Iterator[str]:
    """Yield what OpenVINO says of each variant; a crash or a wait is a verdict too."""
    with tempfile.TemporaryDirectory() as folder:
        worker = _start()
        for number, variant in enumerate(variants):
            path = Path(folder) / str(number) / "model.xml"
            path.parent.mkdir()
            path.write_bytes(variant.xml)
            weights = path.with_suffix(".bin")
            if variant.bin is not None:
                weights.write_bytes(variant.bin)
            line = json.dumps([str(path), str(weights) if variant.bin is not None else ""])
            try:
                yield _gist(_ask(worker, line), folder)
            except (BrokenPipeError, EOFError):
                worker.wait()
                yield f"crashes (signal {-worker.returncode})" if worker.returncode < 0 else "ends the process"
                worker = _start()
            except TimeoutError:
                worker.kill()
                yield f"does not answer within {SECONDS} s"
                worker = _start()
        worker.kill()
        worker.wait()


def _start() -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WORKER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def _ask(worker: subprocess.Popen[str], line: str) -> str:
    if worker.stdin is None or worker.stdout is None:
        raise EOFError
    import select

    worker.stdin.write(f"{line}\n")
    worker.stdin.flush()
    if not select.select([worker.stdout], [], [], SECONDS)[0]:
        raise TimeoutError
    answer = worker.stdout.readline()
    if not answer:
        raise EOFError
    return str(json.loads(answer))


def _gist(answer: str, folder: str) -> str:
    """Return an answer without the places in OpenVINO's own sources, and cut."""
    answer = re.sub(re.escape(folder) + r"/\d+/", "", answer)
    lines = [line.strip() for line in re.sub(r"\b([A-Z]\w*)_\d+", r"\1_N", answer).splitlines()]
    noise = re.compile(r"^(Exception from src/|refuses: Exception from src/|Check '.*' failed at src/)")
    kept = [line for line in lines if line and not noise.match(line)]
    checks = [line for line in lines if line.startswith("Check '")]
    text = " ".join(kept).removeprefix("refuses: ") or (checks[-1] if checks else lines[-1])
    text = text if answer.startswith("accepts") else f"refuses: {text}"
    return text if len(text) <= 120 else f"{text[:119]}…"
