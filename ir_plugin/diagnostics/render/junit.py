"""Findings as JUnit XML, which CI servers show as tests, one for each file."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree import ElementTree

from ir_plugin.diagnostics.escape import safe
from ir_plugin.diagnostics.finding import Finding
from ir_plugin.diagnostics.render.text import UNNAMED, concise, full_finding
from ir_plugin.diagnostics.render.tool import NAME


def to_junit(findings: Iterable[Finding], files: Iterable[str] = ()) -> str:
    """Return a test suite with a test for each of `files` and each file with a finding.

    A test fails with all errors of its file, and prints the other findings.
    """
    by_file: dict[str, list[Finding]] = {file: [] for file in files}
    for finding in findings:
        by_file.setdefault(finding.span.file, []).append(finding)
    cases = [_case(file, listed) for file, listed in by_file.items()]
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
        failure.text = "\n" + "\n".join(map(full_finding, errors))
    remaining = [finding for finding in findings if finding.severity != "error"]
    if remaining:
        ElementTree.SubElement(case, "system-out").text = "\n" + concise(remaining)
    return case
