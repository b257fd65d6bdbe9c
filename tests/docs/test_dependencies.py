"""The page on dependencies names the packages of `pyproject.toml`, required and by extra."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "dependencies.md").read_text("utf-8")
PROJECT = (ROOT / "pyproject.toml").read_text("utf-8")
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
    required = re.findall(r'"(\w+)>=', PROJECT.partition("\ndependencies = [")[2].partition("]")[0])
    table = PAGE.partition("| required |")[2].split("\n\n")[0]
    named = [name for line in table.splitlines()[2:] for name in line.split(" | ")[0].removeprefix("| ").split(", ")]
    assert sorted(named) == sorted(required)
