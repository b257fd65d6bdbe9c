"""ONNX's backend tests read, written and read again: `python -m tests.onnx_writer.round_trip [part of names]`."""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from pathlib import Path

import onnx

from ir_plugin import Core, Error, UnsupportedError, onnx_backend
from ir_plugin.frontends.onnx_writer.writing import onnx_bytes
from tests.onnx.cases import assert_like, cases, unlike

OPSET = 21
"""The opset that cases are written in, or their own newer one."""


def outcome(name: str) -> tuple[str, str]:
    """Return how a case fares: `equal`, `unread`, `refused`, `invalid` or `wrong`, and why."""
    case = cases()[name]
    try:
        model = Core().read_model(case.model())
    except Error as fault:
        return "unread", str(fault)
    try:
        content = onnx_bytes(model, max(OPSET, opset_of(case.model())))
    except UnsupportedError as fault:
        return "refused", " ".join(str(fault).split("\n")[1:])
    proto = onnx.ModelProto.FromString(content)
    try:
        onnx.checker.check_model(proto, full_check=True)
    except Exception as fault:  # noqa: BLE001  # each of onnx's checks raises its own
        return "invalid", str(fault)
    try:
        prepared = onnx_backend.prepare(proto, "CPU")
        for inputs, expected in case.data():
            for ours, reference in zip(prepared.run(inputs), expected, strict=True):
                assert_like(ours, reference, case.test.rtol, case.test.atol)
    except (AssertionError, Error) as fault:
        return "wrong", " ".join(str(fault).split())[:300]
    return "equal", ""


def opset_of(model: onnx.ModelProto | Path) -> int:
    """Return the opset that a model imports."""
    imports = (onnx.load(model, load_external_data=False) if isinstance(model, Path) else model).opset_import
    return max((entry.version for entry in imports if not entry.domain), default=OPSET)


def main() -> None:
    """Print how the cases fare whose names hold the arguments."""
    warnings.simplefilter("ignore")
    parts = sys.argv[1:]
    chosen = [name for name in sorted(cases()) if not parts or any(part in name for part in parts)]
    counts: Counter[str] = Counter()
    for name in chosen:
        kind, reason = ("unread", "") if name in unlike() else outcome(name)
        counts[kind] += 1
        if kind != "equal":
            sys.stdout.write(f"{kind}\t{name}\t{reason[:400]}\n")
    sys.stdout.write(f"{len(chosen)} cases: {dict(counts)}\n")


if __name__ == "__main__":
    main()
