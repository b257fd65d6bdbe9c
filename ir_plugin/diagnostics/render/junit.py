"""Findings as JUnit XML, which CI servers show as tests: one test a file."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree import ElementTree

from ir_plugin.diagnostics.escape import safe
from ir_plugin.diagnostics.finding import Finding
from ir_plugin.diagnostics.render.text import UNNAMED, concise, one
from ir_plugin.diagnostics.render.tool import NAME


def to_junit(findings: Iterable[Finding], files: Iterable[str] = ()) -> str:
    """Return a test suite with a test for each of `files` and for each file that has a finding.

    A test fails with all errors of its file; what is not an error is its output.
    """
    by_file: dict[str, list[Finding]] = {file: [] for file in files}
    for finding in findings:
        by_file.setdefault(finding.span.file, []).append(finding)
    cases = [_case(file, found) for file, found in by_file.items()]
    failures = sum(case.find("failure") is not None for case in cases)
    counts = {"tests": str(len(cases)), "failures": str(failures), "errors": "0"}
    root = ElementTree.Element("testsuites", {"name": NAME, **counts})
    ElementTree.SubElement(root, "testsuite", {"name": "check", **counts}).extend(cases)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _case(file: str, findings: list[Finding]) -> ElementTree.Element:
    case = ElementTree.Element("testcase", {"classname": f"{NAME}.check", "name": safe(file) or UNNAMED})
    errors = [finding for finding in findings if finding.severity == "error"]
    if errors:
        more = f" (and {len(errors) - 1:,} more)" if len(errors) > 1 else ""
        message = f"{safe(errors[0].code, 24)}: {safe(errors[0].message)}{more}"
        failure = ElementTree.SubElement(case, "failure", {"type": safe(errors[0].code, 24), "message": message})
        failure.text = "\n" + "\n".join(map(one, errors))
    others = [finding for finding in findings if finding.severity != "error"]
    if others:
        ElementTree.SubElement(case, "system-out").text = "\n" + concise(others)
    return case
