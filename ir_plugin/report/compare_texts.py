"""Where two runtimes part on a prompt: the first token that differs, and the layers of the run that chose it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ir_plugin.errors import InputError
from ir_plugin.executor import LayerRun
from ir_plugin.openvino import genai
from ir_plugin.openvino.api import Core, Tensor
from ir_plugin.openvino.genai.language_model import LanguageModel
from ir_plugin.report.compare import compare
from ir_plugin.report.comparison import Comparison
from ir_plugin.report.openvino_reference import EXACT
from ir_plugin.report.prompts import prompt_tokens, token_inputs
from ir_plugin.report.references import OPENVINO_GENAI
from ir_plugin.report.strict_json import json_text


@dataclass(frozen=True)
class DifferingToken:
    """The first place where two lists of tokens differ: a list that ends there has neither id nor piece."""

    position: int
    id: int | None
    piece: str
    reference_id: int | None
    reference_piece: str


@dataclass(frozen=True)
class TextComparison:
    """How the tokens of a prompt and of its answer compare with a reference's, and the layers of the run."""

    folder: str
    reference: str
    prompt: tuple[int, ...]
    """The reference's tokens of the prompt, which both runtimes go on from."""
    tokens: tuple[int, ...]
    """The answer, of greedy search."""
    prompt_difference: DifferingToken | None
    difference: DifferingToken | None
    margin: float | None
    """By how much the logit of the chosen token is above the logit of the reference's token."""
    layers: Comparison
    """The layers on the prompt and the tokens before the one that differs, or all but the last."""

    @property
    def agrees(self) -> bool:
        """Whether all tokens are the same and all layers agree."""
        return self.prompt_difference is None and self.difference is None and self.layers.agrees

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain data."""
        differences = {"prompt_difference": self.prompt_difference, "difference": self.difference}
        return {
            "folder": self.folder,
            "reference": self.reference,
            "agrees": self.agrees,
            "prompt": list(self.prompt),
            "tokens": list(self.tokens),
            **{name: None if item is None else vars(item) for name, item in differences.items()},
            "margin": self.margin,
            "layers": self.layers.to_dict(),
        }

    def to_json(self) -> str:
        """Return the comparison as a JSON document, with non-finite numbers as text."""
        return json_text(self.to_dict())

    def verdict(self) -> list[str]:
        """Return what the tokens say in a few sentences, before the verdict on the layers."""
        lines = [f"the prompt has {_counted(self.prompt)}, {_same(self.prompt_difference)}"]
        lines.append(f"the answer has {_counted(self.tokens)}, {_same(self.difference)}")
        if self.margin is not None:
            lines[-1] += f"; here its logit is {self.margin:.3g} above the other's"
        before = "the prompt and the tokens before it" if self.difference else "the prompt and the answer"
        return [*lines, f"the layers run on {before}", ""]


def _counted(tokens: Sequence[int]) -> str:
    return f"{len(tokens)} token{'' if len(tokens) == 1 else 's'}"


def _same(difference: DifferingToken | None) -> str:
    if difference is None:
        return "the same in both"
    sides = ((difference.id, difference.piece, "here"), (difference.reference_id, difference.reference_piece, "there"))
    here, there = (f"it ends {where}" if id is None else f"{piece!r} ({id}) {where}" for id, piece, where in sides)
    return f"of which number {difference.position} differs first: {here}, {there}"


class _Runtime:
    """The pipeline of a folder in a library with openvino_genai's names."""

    def __init__(self, library: Any, tensor: Any, folder: Path, properties: Mapping[str, str]) -> None:
        self._tensor = tensor
        self.pipeline = library.LLMPipeline(str(folder), "CPU", **properties)
        self.tokenizer = self.pipeline.get_tokenizer()

    def greedy(self, prompt: Sequence[int], count: int) -> list[int]:
        """Return the most probable tokens after a prompt."""
        config = self.pipeline.get_generation_config()
        config.do_sample, config.num_beams, config.num_return_sequences = False, 1, 1
        config.max_new_tokens = count
        ids = self._tensor(np.array([prompt], np.int64))
        tokens: list[int] = self.pipeline.generate(ids, config).tokens[0]
        return tokens

    def piece(self, token: int) -> str:
        """Return the text of a token."""
        return str(self.tokenizer.decode([token], skip_special_tokens=False))


def compare_texts(
    folder: Path,
    reference: str,
    prompt: str,
    *,
    max_new_tokens: int = 32,
    use_template: bool = True,
    listener: Callable[[LayerRun], None] | None = None,
    **options: Any,
) -> TextComparison:
    """Compare the greedy answer to a prompt, then the layers, with `"openvino-genai"` or the model of another folder.

    `options` are those of `compare` for the layers. The other runtime's are compared with the compiled plan, as neither
    rounds decompressed weights to f16. Both runtimes compute in f32.
    """
    own, other = _Runtime(genai, Tensor, folder, {}), _reference_runtime(reference, folder)
    asked: dict[str, Any] = {"use_template": use_template, "answer": max_new_tokens}
    prompts = [prompt_tokens(folder, runtime.tokenizer, prompt, **asked) for runtime in (own, other)]
    ids = prompts[1]
    answers = [runtime.greedy(ids, max_new_tokens) for runtime in (own, other)]
    difference = _difference(own, other, *answers)
    end = len(answers[0]) - 1 if difference is None else difference.position
    path, read = folder / genai.MODEL_FILE, [*ids, *answers[0][:end]]
    is_runtime = reference == OPENVINO_GENAI
    against = "openvino" if is_runtime else Path(reference) / genai.MODEL_FILE
    layers = compare(path, against, token_inputs(folder, read), planned=is_runtime, listener=listener, **options)
    return TextComparison(
        str(folder), reference, tuple(ids), tuple(answers[0]), _difference(own, other, *prompts), difference,
        _margin(path, read, difference), layers,
    )  # fmt: skip


def _reference_runtime(reference: str, folder: Path) -> _Runtime:
    if reference != OPENVINO_GENAI:
        return _Runtime(genai, Tensor, Path(reference), {})
    try:
        import openvino
        import openvino_genai
    except ImportError:
        raise InputError(
            "openvino_genai is not installed, which a comparison with it needs; pip install openvino-genai"
        ) from None
    try:
        return _Runtime(openvino_genai, openvino.Tensor, folder, {"ATTENTION_BACKEND": "SDPA", **EXACT})
    except RuntimeError as fault:
        raise InputError(f"openvino_genai cannot read {folder}: {fault}") from None


def _difference(own: _Runtime, other: _Runtime, tokens: Sequence[int], theirs: Sequence[int]) -> DifferingToken | None:
    """Return the first place where the tokens of two runtimes differ, or where one of them ends."""
    if list(tokens) == list(theirs):
        return None
    pairs = zip(tokens, theirs, strict=False)
    position = next((at for at, (here, there) in enumerate(pairs) if here != there), min(len(tokens), len(theirs)))
    here, there = ((list_[position] if position < len(list_) else None) for list_ in (tokens, theirs))
    pieces = ["" if id is None else runtime.piece(id) for runtime, id in ((own, here), (other, there))]
    return DifferingToken(position, here, pieces[0], there, pieces[1])


def _margin(path: Path, read: Sequence[int], difference: DifferingToken | None) -> float | None:
    """Return how far the logit of the chosen token is above the reference's, after the same tokens."""
    if difference is None or difference.id is None or difference.reference_id is None:
        return None
    logits = LanguageModel(Core().read_model(path), "CPU", {}).prefill(read)[0]
    is_known = max(difference.id, difference.reference_id) < len(logits)
    return float(logits[difference.id] - logits[difference.reference_id]) if is_known else None
