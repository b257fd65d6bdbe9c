"""Every public method is called with arguments of wrong kinds: what it refuses, it refuses with an error of ours."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import openvino
import pytest

import ir_plugin
from ir_plugin.errors import Error
from tests.api.names import objects, public

ARGUMENTS: tuple[tuple[Any, ...], ...] = (
    (),
    (None,),
    (7,),
    (-1,),
    (1.5,),
    (True,),
    ("nonsense",),
    (b"",),
    ([],),
    ({},),
    ({"a": 1},),
    (np.zeros((2, 2)),),
    (np.array(3),),
    (ir_plugin.Tensor(np.zeros(3)),),
    (ir_plugin.Dimension(3),),
    (object(),),
    (print,),
    (0, ir_plugin.Tensor(np.zeros(3))),
    ("", np.zeros((2, 2))),
    (print, 1),
    (np.zeros(2), np.zeros(2)),
)
HELD = list(zip(objects(ir_plugin), objects(openvino), strict=True))


def methods(ours: Any, theirs: Any) -> Iterator[tuple[str, Any]]:
    """Yield the methods that both libraries have, which are those that scripts call."""
    for name in sorted(public(ours) & public(theirs)):
        with suppress(Error):  # a property that this object does not have
            member = getattr(ours, name)
            if callable(member) and not isinstance(member, (str, list, enum.EnumMeta)):
                yield name, member


def takes(method: Any, arguments: tuple[Any, ...]) -> bool:
    """Return whether a call has as many arguments as it must have; Python itself refuses others."""
    try:
        inspect.signature(method).bind(*arguments)
    except (TypeError, ValueError):
        return False
    return True


def fault_of(method: Any, arguments: tuple[Any, ...]) -> Exception | None:
    """Return what a call raises that is no error of ours."""
    try:
        method(*arguments)
    except Error:
        return None
    except Exception as fault:  # noqa: BLE001 (any other is what the test looks for)
        return fault
    return None


@pytest.mark.parametrize(("ours", "theirs"), HELD, ids=[f"{ours[0]}{at}" for at, (ours, _) in enumerate(HELD)])
@pytest.mark.filterwarnings("ignore")
def test_only_errors_of_ours_are_raised(
    ours: tuple[str, Any], theirs: tuple[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    calls = [
        (name, method, arguments)
        for name, method in methods(ours[1], theirs[1])
        for arguments in filter(partial(takes, method), ARGUMENTS)
    ]
    raised = [(name, arguments, fault_of(method, arguments)) for name, method, arguments in calls]
    assert [member for member in raised if member[2] is not None] == []
