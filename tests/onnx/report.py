"""Writes `unlike.tsv` anew: `python -m tests.onnx.report [part of names]` runs the cases and prints what they give.

Without an argument all cases run, and the table is written; reasons in it that begin with `decided:` stay.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter

from ir_plugin import Error
from tests.onnx.cases import UNLIKE, cases, unlike

DECIDED = "decided:"
"""The beginning of a reason that someone wrote, and that is not replaced by what a run says."""


def outcome(name: str) -> str:
    """Return the reason why a case has not ONNX's result; empty if it has."""
    from tests.onnx.test_backend import run

    try:
        run(name)
    except Error as fault:
        return " ".join(str(fault).split())[:200]
    except AssertionError as fault:
        return "other values than ONNX: " + " ".join(str(fault).split())[:120]
    except Exception as fault:  # noqa: BLE001  # every foreign exception is a fault to be shown
        return f"FOREIGN {type(fault).__name__}: {' '.join(str(fault).split())[:160]}"
    return ""


def main() -> None:
    """Run the cases whose names hold the arguments, and print or write what they give."""
    parts = sys.argv[1:]
    chosen = [name for name in sorted(cases()) if not parts or any(part in name for part in parts)]
    warnings.simplefilter("ignore")
    known = unlike()
    reasons = {name: reason for name in chosen if (reason := outcome(name))}
    if parts:
        sys.stdout.writelines(f"{name}\t{reason}\n" for name, reason in reasons.items())
    else:
        decided = {name: reason for name, reason in known.items() if reason.startswith(DECIDED)}
        lines = [f"{name}\t{decided.get(name, reason)}" for name, reason in reasons.items()]
        UNLIKE.write_text("\n".join(["case\treason", *lines]) + "\n", "utf-8")
    kinds = Counter(cases()[name].kind for name in chosen if name not in reasons)
    sys.stdout.write(f"{len(chosen) - len(reasons)} of {len(chosen)} have ONNX's result: {dict(kinds)}\n")


if __name__ == "__main__":
    main()
