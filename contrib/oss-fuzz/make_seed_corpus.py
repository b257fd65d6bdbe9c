"""Writes the seed corpora: `python make_seed_corpus.py REPOSITORY FOLDER` makes a zip for each target.

They hold the IRs of the repository's samples and of its findings, and the models of ONNX's own tests of nodes.
"""

import sys
import zipfile
from pathlib import Path

from onnx.backend.test.case.node import collect_testcases

LARGEST = 1 << 16
"""Bytes of weights; larger ones slow the fuzzer down and say nothing more."""


def irs(repository: Path) -> list[bytes]:
    """Return IRs as the targets read them: the XML, a 0 byte and the weights."""
    seeds = []
    for path in sorted([*repository.glob("samples/**/*.xml"), *repository.glob("tests/findings/*.xml")]):
        weights = path.with_suffix(".bin")
        data = weights.read_bytes() if weights.is_file() else b""
        if len(data) <= LARGEST:
            seeds.append(path.read_bytes() + b"\0" + data)
    return seeds


def onnx_models() -> list[bytes]:
    """Return small models, one for each case of ONNX's tests of nodes."""
    cases = (case.model.SerializeToString() for case in collect_testcases(None))
    return [model for model in cases if len(model) <= LARGEST]


def main() -> None:
    """Write the zips of all targets."""
    repository, folder = map(Path, sys.argv[1:])
    files, models = irs(repository), onnx_models()
    for target, inputs in {"fuzz_read": files, "fuzz_check": files, "fuzz_onnx": models}.items():
        with zipfile.ZipFile(folder / f"{target}_seed_corpus.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for number, data in enumerate(inputs):
                archive.writestr(f"{number:04d}", data)
        sys.stdout.write(f"{target}: {len(inputs)} seeds\n")


if __name__ == "__main__":
    main()
