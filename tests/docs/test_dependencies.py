"""The page on dependencies names the packages of `pyproject.toml` and the platforms of `dev.py platforms`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support import platforms

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "dependencies.md").read_text("utf-8")
PROJECT = (ROOT / "pyproject.toml").read_text("utf-8")
REQUIRED = PROJECT.partition("\ndependencies = [")[2].partition("]")[0]
EXTRAS = dict(
    re.findall(
        r"^(\w+) = \[(.*?)\](?: #[^\n]*)?$",
        PROJECT.partition("[project.optional-dependencies]")[2].partition("\n[")[0],
        re.MULTILINE | re.DOTALL,
    )
)


def packages(extra: str) -> set[str]:
    """Return the packages that an extra installs, those of the extras that it names among them."""
    names: set[str] = set()
    for requirement in re.findall(r'"(.*?)"', EXTRAS[extra]):
        own = re.fullmatch(r"ir-plugin\[([\w,]+)\]", requirement)
        names |= set().union(*map(packages, own[1].split(","))) if own else {re.split(r"[\[<>=]", requirement)[0]}
    return names


def rows() -> list[tuple[set[str], list[str]]]:
    """Return the packages and the extras of each row of the table of optional packages."""
    table = PAGE.partition("| optional |")[2].split("\n\n")[0]
    cells = [line.split(" | ")[:2] for line in table.splitlines()[2:]]
    return [(set(names.removeprefix("| ").split(", ")), re.findall(r"`(\w+)`", extras)) for names, extras in cells]


@pytest.mark.parametrize(("names", "extras"), rows())
def test_a_row_names_the_extras_that_install_its_packages(names: set[str], extras: list[str]) -> None:
    assert [extra for extra in extras if not names <= packages(extra)] == []


def test_every_extra_for_users_stands_on_the_page() -> None:
    developers = {"test", "clusters", "benchmarks", "docs", "release", "dev"}
    assert {extra for _, extras in rows() for extra in extras} == EXTRAS.keys() - developers


def test_fast_limits_the_threads_of_blas() -> None:
    assert packages("fast") == {"numba", "threadpoolctl"}


def test_the_required_packages_stand_on_the_page() -> None:
    required = re.findall(r'"(\w+)>=', REQUIRED)
    table = PAGE.partition("| required |")[2].split("\n\n")[0]
    named = [name for line in table.splitlines()[2:] for name in line.split(" | ")[0].removeprefix("| ").split(", ")]
    assert sorted(named) == sorted(required)


def test_the_platforms_are_the_rows_of_the_command() -> None:
    table = PAGE.partition("| platform |")[2].strip()
    lines = [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]
    assert [name for name, _, _ in lines] == [*platforms.ROWS]
    assert [
        name for name, result, _ in lines if "fails" in result or re.search(r"[1-9]\d* faults|failed", result)
    ] == []


def test_the_packages_that_platforms_install_are_the_required_ones() -> None:
    assert sorted(platforms.NEEDED) == sorted(re.findall(r'"(\w+>=[\d.]+)"', REQUIRED))


def test_a_row_replaces_the_one_of_its_platform() -> None:
    name = next(iter(platforms.ROWS))
    page = platforms.with_row(PAGE, name, f"| {name} | it ran | today |")
    assert f"\n| {name} | it ran | today |\n" in page
    assert len(page.splitlines()) == len(PAGE.splitlines())


@pytest.mark.parametrize(
    ("text", "result"),
    [
        (
            "x\n12 samples computed, 3 wrong ones checked: 0 faults\n",
            "12 samples computed, 3 wrong ones checked: 0 faults",
        ),
        ("1 failed, 20 passed in 3.20s\n", "tests: 1 failed, 20 passed"),
        ("20 passed, 1 skipped in 63.20s (0:01:03)\n", "tests: 20 passed, 1 skipped"),
        ("! KeyboardInterrupt !\n3 passed in 3.20s\n", "tests: 3 passed, then interrupted"),
        ("Traceback\nImportError: no numpy\n\n", "fails: ImportError: no numpy"),
        ("", "fails: it prints nothing"),
    ],
)
def test_counts_are_what_a_run_prints(text: str, result: str) -> None:
    assert platforms.counts(text) == result


def test_a_row_says_why_it_is_untried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platforms, "interpreter", lambda _version: Path("/nowhere/python"))
    monkeypatch.setattr(platforms, "FOLDER", Path("/nowhere"))
    assert "untried: " in platforms.tried("CPython 3.14t")


def test_no_names_differ_by_case_alone() -> None:
    assert "fails" not in platforms.other_case()
