"""Models written as ONNX and run by onnxruntime, against our results: `python -m benchmarks.onnx_written PATH …`.

A path is an IR with inputs beside it, as `benchmarks.architectures --write` leaves them, a decoder with states, as
`benchmarks.exported_decoders` writes them, an ONNX file, or a folder of such. An IR is written as ONNX and its results
are compared with ours, those of a decoder for a prompt and the tokens behind it. An ONNX file is read, saved as an IR,
read and written again, and both files are run by onnxruntime. Prints the largest difference relative to the output's
largest value, and the sizes and the numbers of nodes of both files.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import ir_plugin as ov
from benchmarks.decoders import PROMPT, step
from benchmarks.onnx_files import difference, feeds_of

Array = npt.NDArray[Any]
TOLERANCE = 1e-4
TOKENS = 4
"""Tokens that a decoder is run for after its prompt, one at a time."""
_ONE = {"INFERENCE_NUM_THREADS": 1}
_DTYPES = {"tensor(float)": np.float32, "tensor(float16)": np.float16, "tensor(int64)": np.int64,
           "tensor(int32)": np.int32, "tensor(bool)": np.bool_}  # fmt: skip


def session_of(path: Path) -> Any:
    """Return a session of onnxruntime in one thread."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def checked(path: Path) -> Any:
    """Return a written model without its weights after onnx's checks."""
    import onnx

    onnx.checker.check_model(str(path), full_check=True)
    return onnx.load(path, load_external_data=False)


def sized_inputs(path: Path) -> list[list[Array]]:
    """Return the inputs beside an IR, a list a size."""
    with np.load(path.with_suffix(".npz")) as arrays:
        sizes = sorted({int(name.split(".")[0]) for name in arrays.files})
        return [[arrays[f"{size}.{port}"] for port in range(len(arrays.files) // len(sizes))] for size in sizes]


def network_difference(model: ov.Model, written: Path, sizes: list[list[Array]]) -> float:
    """Return the largest difference of a network's outputs for all sizes of its inputs."""
    compiled, session = ov.Core().compile_model(model, "CPU", _ONE), session_of(written)
    names = [port.name for port in session.get_inputs()]
    worst = 0.0
    for inputs in sizes:
        ours = compiled(inputs).to_tuple()
        theirs = session.run(None, dict(zip(names, inputs, strict=True)))
        worst = max(worst, *map(difference, ours, theirs))
    return worst


def empty_state(shape: list[Any], dtype: Any) -> Array:
    """Return zeros for one sample and no tokens."""
    return np.zeros([side if isinstance(side, int) else int(axis == 0) for axis, side in enumerate(shape)], dtype)


def decoder_difference(model: ov.Model, written: Path) -> float:
    """Return the largest difference of a decoder's outputs for a prompt and the tokens behind it."""
    request, session = ov.Core().compile_model(model, "CPU", _ONE).create_infer_request(), session_of(written)
    types = {port.name: _DTYPES[port.type] for port in session.get_inputs()}
    names = [port.name for port in session.get_outputs()]
    own = [name for name in names if not name.startswith("present.")]
    states = {
        port.name: empty_state(port.shape, types[port.name])
        for port in session.get_inputs()
        if port.name.startswith("past.")
    }
    worst = 0.0
    for number in range(TOKENS + 1):
        inputs = step(PROMPT + number - 1, 1) if number else step(0, PROMPT)
        feeds: dict[str, Array] = {name: array.astype(types[name]) for name, array in inputs.items() if name in types}
        ours = request.infer(feeds).to_tuple()
        theirs = dict(zip(names, session.run(None, {**feeds, **states}), strict=True))
        states = {name: theirs[name.replace("past.", "present.", 1)] for name in states}
        worst = max(worst, *(difference(left, theirs[name]) for left, name in zip(ours, own, strict=True)))
    return worst


def ir_row(path: Path, folder: Path, opset: int) -> tuple[float, str]:
    """Return the difference of an IR, and one line of the table."""
    model, written = ov.Core().read_model(path), folder / "written.onnx"
    ov.save_onnx(model, written, opset)
    proto = checked(written)
    has_inputs = path.with_suffix(".npz").exists()
    worst = network_difference(model, written, sized_inputs(path)) if has_inputs else decoder_difference(model, written)
    return worst, f"| {path.stem} | {worst:.0e} | {len(list(model.get_ops()))} layers | {len(proto.graph.node)} | |"


def onnx_row(path: Path, folder: Path, opset: int) -> tuple[float, str]:
    """Return the difference of an ONNX file that became an IR and ONNX again, and one line of the table."""
    xml, written = folder / "model.xml", folder / "written.onnx"
    ov.save_model(ov.Core().read_model(path), xml, compress_to_fp16=False)
    ov.save_onnx(ov.Core().read_model(xml), written, opset)
    nodes = [len(proto.graph.node) for proto in (loaded(path), checked(written))]
    sessions = session_of(path), session_of(written)
    before, after = (sum(file.stat().st_size for file in files_of(file)) for file in (path, written))
    for feeds in feeds_of(sessions[0], {}):
        try:
            expected = sessions[0].run(None, feeds)
        except Exception:  # noqa: BLE001, S112  # onnxruntime refuses lengths with exceptions of its own
            continue
        worst = max(map(difference, expected, sessions[1].run(None, feeds)))
        text = f"| {path.stem} | {worst:.0e} | {nodes[0]} nodes | {nodes[1]} | {after / before:.3f} |"
        return worst, text
    raise RuntimeError("onnxruntime takes none of the lengths that are tried")


def loaded(path: Path) -> Any:
    """Return a model without its weights."""
    import onnx

    return onnx.load(path, load_external_data=False)


def files_of(path: Path) -> Iterator[Path]:
    """Yield a written file, and that of its weights where there is one."""
    yield path
    data = path.with_name(f"{path.name}.data")
    if data.exists():
        yield data


def models_of(paths: list[Path]) -> Iterator[Path]:
    """Yield the models among paths and in folders."""
    for path in paths:
        if path.is_dir():
            yield from sorted(file for file in path.rglob("*") if file.suffix in (".xml", ".onnx"))
        else:
            yield path


def main() -> None:
    """Print the table of the models in the arguments, and how many of them agree."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--opset", type=int, default=21)
    arguments = parser.parse_args()
    print("| model | difference | before | nodes | size |\n|---|---|---|---|---|")
    agree = total = 0
    for path in models_of(arguments.paths):
        total += 1
        with tempfile.TemporaryDirectory() as folder:
            try:
                row = ir_row if path.suffix == ".xml" else onnx_row
                worst, text = row(path, Path(folder), arguments.opset)
            except Exception as fault:  # noqa: BLE001  # onnx and onnxruntime raise exceptions of their own
                reason = " ".join(str(fault).split())[:400]
                worst, text = float("inf"), f"| {path.stem} | {type(fault).__name__}: {reason} |"
        agree += worst <= TOLERANCE
        print(text, flush=True)
    print(f"\n{agree} of {total} within {TOLERANCE:.0e}")


if __name__ == "__main__":
    main()
