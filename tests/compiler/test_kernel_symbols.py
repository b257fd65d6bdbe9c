"""Machine code of functions of one name calls the function that is meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.skips import COMPILED

pytest.importorskip("numba", reason=COMPILED)

TWINS = """
from ir_plugin.kernels.numba.runtime.jit import compiled

def adds(term):
    def twin(x):
        return x + term
    return compiled("f8(f8)")(twin)

one, hundred = adds(1.0), adds(100.0)

@compiled("f8(f8)")
def both(x):
    return one(x) + 2 * hundred(x)
"""
RUN = """
import itertools
from numba.core.bytecode import FunctionIdentity
FunctionIdentity._unique_ids = itertools.count({first})
from ir_plugin.kernels.numba import twins
print(twins.one(1.0), twins.hundred(1.0), twins.both(1.0))
"""


@pytest.mark.parametrize("missing", [0, 1])
def test_functions_of_one_name_are_told_apart(missing: int, tmp_path: Path) -> None:
    """Each process counts what it compiles: two that compile a part each may give two functions one symbol."""
    from tests.compiler.test_kernel_cache import FOLDER, Copy

    copy = Copy(tmp_path, "NUMBA_CACHE_DIR")
    (tmp_path / FOLDER / "twins.py").write_text(TWINS, "utf-8")
    assert copy.run(RUN.format(first=1000))[0] == "2.0 101.0 204.0"
    twins = sorted(copy.cache_folder.glob("*/twins.adds.twin-*"))
    for file in (twins[missing], *copy.cache_folder.glob("*/twins.both-*")):
        file.unlink()
    assert copy.run(RUN.format(first=1000 + missing))[0] == "2.0 101.0 204.0"
