"""Write docs/onnx-nodes.md: `python -m tests.onnx_nodes.report`."""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.onnx_nodes.convert import Outcome, cases, try_case

PAGE = Path(__file__).parents[2] / "docs" / "onnx-nodes.md"


def main() -> None:
    """Try every case, and write the page."""
    import onnx
    import openvino as ov

    outcomes: dict[str, Outcome] = {}
    for number, case in enumerate(cases()):
        with tempfile.TemporaryDirectory() as folder:
            outcomes[str(case.name)] = try_case(case, Path(folder))
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{number + 1}")
    versions = f"onnx {onnx.__version__}, openvino {ov.__version__.split('-')[0]}"
    PAGE.write_text(page(outcomes, versions), "utf-8")


def page(outcomes: dict[str, Outcome], versions: str) -> str:
    """Return the page as Markdown."""
    states = Counter(
        (found.openvino, not found.ours) for found in outcomes.values() if "not conv" not in found.openvino
    )
    unconverted = sum(found.openvino == "not converted" for found in outcomes.values())
    lines = [
        "# ONNX's node tests",
        "",
        f"Written by `python -m tests.onnx_nodes.report` with {versions}. OpenVINO converts each of ONNX's "
        f"{len(outcomes)} node tests to an IR; its CPU and this library run the IR, and both are held against ONNX's",
        f"own result. {unconverted} cases are not converted, so that there is no IR to run.",
        "",
        "| OpenVINO's CPU | cases | of these, this library gives ONNX's result |",
        "|---|---|---|",
    ]
    for state in ("passes", "other result", "not run", "no tensors"):
        total = sum(count for (known, _), count in states.items() if known == state)
        lines.append(f"| {state} | {total} | {states[state, True]} |")
    lines += ["", "## Cases without ONNX's result here", "", "| case | OpenVINO's CPU | here |", "|---|---|---|"]
    lines += [
        f"| {name} | {_cell(found.openvino, found.reason)} | {_cell(found.ours)} |"
        for name, found in outcomes.items()
        if found.ours
    ]
    lines += ["", "## Cases that OpenVINO does not convert", "", "| case | reason |", "|---|---|"]
    lines += [
        f"| {name} | {_cell(found.reason)} |" for name, found in outcomes.items() if found.openvino == "not converted"
    ]
    return "\n".join(lines) + "\n"


def _cell(*texts: str) -> str:
    text = ": ".join(text for text in texts if text)
    return " ".join(text.replace("|", "\\|").split())[:200]


if __name__ == "__main__":
    main()
