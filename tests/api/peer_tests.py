"""The page `docs/openvino-tests.md`: how many of OpenVINO's own Python tests pass here, by file.

`python -m tests.api.peer_tests WHEEL.xml OURS.xml` writes it from two JUnit reports of the same tests: one of a run
with openvino, one with ir_plugin in its place. The tests themselves are OpenVINO's and no part of this repository.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from xml.etree import ElementTree

PAGE = Path(__file__).parents[2] / "docs" / "openvino-tests.md"
REASONS = Path(__file__).with_name("peer_reasons.tsv")
HEAD = """# OpenVINO's own Python tests

OpenVINO's Python tests (of its folder `src/bindings/python/tests`, July 2024) run with `ir_plugin` in the place of
`openvino`. The first number is that of the tests that the wheel passes, the second that of those of them that pass
here. This page is written by `python -m tests.api.peer_tests WHEEL.xml OURS.xml` from JUnit reports of both runs.

The tests of May 2022 ran on 27 November 2026, with `openvino` written for `openvino.runtime`. The wheel passes 1,269
of them, and 1,228 of these pass here: 639 of 656 in `test_graph`, 352 of 375 in `test_runtime`, 191 of 191 in
`test_onnx`, 37 of 37 in `test_transformations` and 9 of 10 in `test_frontend`. The rest has the reasons below, or
depends on which of two threads is first. Of a random sample of 1,197 ONNX layer tests
(`tests/layer_tests/onnx_tests`, May 2022) the wheel gives ONNX Runtime's results in 950, and 949 of these pass here;
the other one is Resize by fractional scales with `align_corners`, where this library gives the result of ONNX's own
test.

"""

Key = tuple[str, str, int]


def verdicts(path: Path) -> dict[Key, str]:
    """Return passed, failed or skipped by file, function and position among the cases of the function."""
    seen: dict[tuple[str, str], int] = defaultdict(int)
    by_key: dict[Key, str] = {}
    for case in ElementTree.parse(path).iter("testcase"):
        name = case.get("classname", "").removeprefix("tests."), case.get("name", "").partition("[")[0]
        key = (*name, seen[name])
        seen[name] += 1
        tags = {child.tag for child in case}
        failed = tags & {"failure", "error"}
        by_key[key] = "failed" if failed else "skipped" if "skipped" in tags else "passed"
    return by_key


def reasons() -> list[tuple[str, re.Pattern[str], str]]:
    """Return file, pattern of functions and reason of the tests that are known to fail."""
    rows = (line.split("\t") for line in REASONS.read_text("utf-8").splitlines()[1:])
    return [(file, re.compile(pattern), reason) for file, pattern, reason in rows]


def rest(failing: Mapping[str, int], file: str) -> Iterator[str]:
    """Yield the reasons why tests of a file fail, with their numbers."""
    counted: dict[str, int] = defaultdict(int)
    for function, count in failing.items():
        known = (reason for name, pattern, reason in reasons() if name == file and pattern.fullmatch(function))
        counted[next(known, f"`{function}`: no reason is listed")] += count
    for reason, count in counted.items():
        yield f"{count} {reason}"


def page(theirs: Mapping[Key, str], ours: Mapping[Key, str]) -> str:
    """Return the page."""
    files: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for key, verdict in theirs.items():
        if verdict == "passed":
            files[key[0]][key[1]].append(ours.get(key) == "passed")
    lines: dict[str, list[str]] = defaultdict(list)
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for file, functions in sorted(files.items()):
        passed = sum(map(sum, functions.values()))
        count = sum(map(len, functions.values()))
        failing = {name: results.count(False) for name, results in functions.items() if not all(results)}
        folder, _, name = file.partition(".")
        sums[folder][0] += count
        sums[folder][1] += passed
        lines[folder].append(f"| {name} | {count} | {passed} | {'; '.join(rest(failing, file))} |")
    parts = []
    for folder, rows in lines.items():
        count, passed = sums[folder]
        table = ["| file | openvino | ir_plugin | the rest |", "|---|---|---|---|", *rows]
        parts.append(f"## {folder}: {passed:,} of {count:,} ({passed / count:.1%})\n\n" + "\n".join(table) + "\n")
    return HEAD + "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(*(verdicts(Path(argument)) for argument in sys.argv[1:3])), "utf-8")
    sys.stdout.write(f"{PAGE}\n")
