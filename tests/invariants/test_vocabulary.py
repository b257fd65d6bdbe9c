"""Names that the project has replaced by the field's words do not come back."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import ir_plugin

PACKAGE = Path(ir_plugin.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))

REPLACED = {
    "Program": "Graph", "Call": "Op", "Stage": "EpilogueOp", "post": "epilogue", "split_post": "split_epilogue",
    "apply_late": "the unfused epilogue", "Prepared": "Kernel", "Preparer": "KernelSelector",
    "Tuned": "BoundOperation", "tune": "bind", "Declined": "FallbackRequired", "Life": "LiveRange",
    "Home": "BufferAlias", "find_homes": "alias_concat_inputs", "Kept": "WeightCache", "Lease": "BufferPool",
    "maker": "result_allocator", "opened": "generalize", "Length": "SymbolicDim",
    "Bound": "ExecutableInstance", "Act": "StepFunction", "Team": "ThreadPool", "Crew": "SpinPool", "team": "pool",
    "crew": "spin_pool", "_Gang": "workers", "_Yard": "registry", "board": "control block", "Task": "JobKernel",
    "told": "report_progress",
    "telling": "progress_listener", "joint": "qkv_fusion", "growing": "kv_cache", "attend": "attention_fusion",
    "slopes": "prelu_layout", "patterns": "activation_fusion", "maker_of": "producer",
    "only_for": "sole_consumer", "gone": "replaced",
}  # fmt: skip
"""Names that are no identifier anywhere in the package, and the field's word for each."""

REPLACED_DEFINITIONS = {
    "place": ("assign_offsets", "English for a position; `numpy.place`"),
    "share": ("reuse_in_place", "English for the part of one thread; OpenVINO's `share_inputs`"),
    "form": ("kernel", "English for the form of a file or of an equation"),
    "cell": ("worker slot", "the cells of recurrent networks (LSTMCell) and of tables"),
    "tiles": ("micro_kernel", "the tiles of Winograd's algorithm; the specification's Tile and `tiles`"),
    "moves": ("transpose", "windows that move over data, in the specification of poolings and convolutions"),
    "response": ("lrn", "the specification's local response normalization"),
    "heads": ("grouped_query_attention", "the specification's heads of an attention"),
    "normal": ("normalization_fusion", "the normal distribution, a value of the specification's attributes"),
    "squares": ("power_to_multiply", "the squares that a norm or LRN sums"),
    "scale": ("scale_folding", "an attribute or input of many operations in the specification"),
    "identity": ("dead_code", "the specification's Identity; the identity of an object"),
    "transforms": ("winograd", "the Fourier transforms of STFT and the transforms of Winograd's algorithm"),
    "Lengths": ("ShapeSpecializer", "a type alias for tuples of lengths"),
    "panels": ("packed_weights", "the micro-panels of BLIS that packed weights consist of"),
    "pairs": ("commuted_operands", "English for tuples of two, such as keys and values"),
}
"""Names that no module, class or function has, the field's word, and the reason why variables may have them."""

PREFIXES = {"prepare_": "select_"}
"""Beginnings of names of functions in `compiler`, and the field's."""

OPENVINOS = {"preprocess": frozenset(["scale"]), "input_model": frozenset(["place"])}
"""Names that a package or module has because OpenVINO's functions and parameters have them."""

FILLERS = frozenset(["found", "given", "made", "one", "wanted", "known", "told", "place", "places", "thing", "kept"])
"""Names that say nothing of a variable's role."""

FILLERS_BUT_IN = {"one": ("frontends", "kernels/numba", "operations", "openvino/passes")}
"""Folders in which a variable may have a filler's name: for the number 1."""


def nodes_of(path: Path) -> list[ast.AST]:
    """Return all nodes of a file's syntax tree."""
    return list(ast.walk(ast.parse(path.read_text("utf-8"))))


def identifiers(path: Path, nodes: list[ast.AST]) -> Iterator[tuple[str, int]]:
    """Yield the name of a file's module and its identifiers, with their lines."""
    yield path.stem, 1
    for node in nodes:
        for field, value in ast.iter_fields(node):
            if field in ("id", "attr", "arg", "name", "asname", "module") and isinstance(value, str):
                yield from ((name, getattr(node, "lineno", 1)) for name in value.split("."))


def definitions(path: Path, nodes: list[ast.AST]) -> Iterator[tuple[str, int]]:
    """Yield the names of a file's classes and functions with their lines, and its own unless it is an operation's."""
    if not path.is_relative_to(PACKAGE / "operations"):
        yield path.stem, 1
    for node in nodes:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, node.lineno


def where(path: Path, line: int) -> str:
    """Return a line of a file as editors open it."""
    return f"{path.relative_to(PACKAGE.parent).as_posix()}:{line}"


def replaced_names(path: Path, nodes: list[ast.AST]) -> list[str]:
    """Return the uses of replaced names in a file."""
    uses = [
        f"{where(path, line)} {name} (the field's word: {REPLACED[name]})"
        for name, line in identifiers(path, nodes)
        if name in REPLACED
    ]
    uses += [
        f"{where(path, line)} {name} (the field's word: {REPLACED_DEFINITIONS[name][0]})"
        for name, line in definitions(path, nodes)
        if name in REPLACED_DEFINITIONS and name not in OPENVINOS.get(path.parent.name, ())
    ]
    if path.is_relative_to(PACKAGE / "compiler"):
        uses += [
            f"{where(path, line)} {name} (the field's word: {word}…)"
            for name, line in definitions(path, nodes)
            for prefix, word in PREFIXES.items()
            if name.startswith(prefix)
        ]
    return uses


def fillers(path: Path, nodes: list[ast.AST]) -> list[str]:
    """Return the uses of names in a file that say nothing of a variable's role."""
    allowed = OPENVINOS.get(path.stem, frozenset())
    folder = path.relative_to(PACKAGE).as_posix()
    return [
        f"{where(path, line)} {name}"
        for name, line in identifiers(path, nodes)
        if name in FILLERS - allowed and not folder.startswith(FILLERS_BUT_IN.get(name, ("/",)))
    ]


def test_replaced_names_do_not_come_back_and_variables_are_named_by_their_roles() -> None:
    assert len(FILES) > 900
    uses: list[str] = []
    for path in FILES:
        nodes = nodes_of(path)
        uses += replaced_names(path, nodes) + fillers(path, nodes)
    assert not uses, "\n".join(uses)


def test_a_replaced_name_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "cell.py"
    path.write_text('"""The team waits."""\nclass Crew:\n    def place(self, scale):\n        return scale\n', "utf-8")
    nodes = nodes_of(path)
    assert [name for name, _ in identifiers(path, nodes) if name in REPLACED] == ["Crew"]
    assert [name for name, _ in definitions(path, nodes) if name in REPLACED_DEFINITIONS] == ["cell", "place"]
