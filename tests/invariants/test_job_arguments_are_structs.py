"""Invariant 5: a job's arguments are a struct with named fields, never numbered slots of int64."""

from __future__ import annotations

import ast
from pathlib import Path

import ir_plugin.kernels

FOLDER = Path(ir_plugin.kernels.__file__).parent / "numba"
MODULES = sorted(FOLDER.rglob("*.py"))


def names_of_slots(tree: ast.Module) -> set[str]:
    """Return the constants of a module that number something: those of `A, B = range(2)`."""
    numbered: set[str] = set()
    for node in tree.body:
        if not isinstance(node, ast.Assign) or not ast.unparse(node.value).startswith("range("):
            continue
        for target in node.targets:
            numbered |= {name.id for name in ast.walk(target) if isinstance(name, ast.Name)}
    return numbered


def slots(source: str) -> list[str]:
    """Return what a module reads by the number of a slot, and the arguments that it reads as an array of integers."""
    tree = ast.parse(source)
    numbered = names_of_slots(tree)
    read = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript):
            names = {name.id for name in ast.walk(node.slice) if isinstance(name, ast.Name)}
            read += [ast.unparse(node)] if names & numbered else []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "carray":
            pointer = ast.unparse(node.args[0])
            is_integers = ast.unparse(node.args[2]) in ("np.int64", "np.uint64")
            is_arguments = pointer.startswith(("pointer(address", "pointer(tables"))
            read += [ast.unparse(node)] if is_integers and is_arguments else []
    return read


def jobs(tree: ast.Module) -> list[ast.FunctionDef]:
    """Return the functions of a module that are jobs."""
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and any(isinstance(name, ast.Name) and name.id == "job" for name in node.decorator_list)
    ]


def reads_a_struct(job: ast.FunctionDef) -> bool:
    """Return whether a job reads a struct, passes on the address of one for its part, or serves the control block."""
    source = ast.unparse(job)
    is_of_pool = job.args.args[0].arg == "control"
    return is_of_pool or "arguments_at(address, " in source or "address + part * _BYTES" in source


def test_no_module_reads_numbered_slots() -> None:
    assert len(MODULES) > 50
    assert {path.name: read for path in MODULES if (read := slots(path.read_text("utf-8")))} == {}


def test_every_job_reads_a_struct() -> None:
    found = [(path.name, job) for path in MODULES for job in jobs(ast.parse(path.read_text("utf-8")))]
    assert len(found) > 25
    assert {(name, job.name) for name, job in found if not reads_a_struct(job)} == set()


def test_slots_are_found() -> None:
    source = """
_DATA, _OUTPUT = range(2)

@job
def rows(address, part):
    a = carray(pointer(address), (2,), np.int64)
    first = a[_DATA]
"""
    assert slots(source) == ["carray(pointer(address), (2,), np.int64)", "a[_DATA]"]
    assert [job.name for job in jobs(ast.parse(source))] == ["rows"]
