"""The tokens of a prompt, and the inputs of a language model that read them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ir_plugin.errors import InputError
from ir_plugin.openvino.api import Core
from ir_plugin.openvino.api.lookup import names_of
from ir_plugin.openvino.genai import MODEL_FILE, Context, Tokenizer, token_ids
from ir_plugin.tensors import Array


def prompt_tokens(
    folder: Path, tokenizer: Any, prompt: str, *, use_template: bool = True, answer: int = 0
) -> list[int]:
    """Return the tokens of a prompt for the model of a folder by a tokenizer with openvino_genai's methods.

    Where the tokenizer has a chat template and it is wanted, the prompt is the first turn of a chat. Raises where the
    prompt and an answer of some tokens are longer than the context of the model.
    """
    is_turn = use_template and bool(tokenizer.chat_template)
    if is_turn:
        message = {"role": "user", "content": prompt}
        prompt = tokenizer.apply_chat_template([message], add_generation_prompt=True)
    ids = token_ids(tokenizer, prompt, add_special_tokens=not is_turn)
    if not ids:
        raise InputError("the prompt has no tokens")
    require_context(folder, ids, answer)
    return ids


def require_context(folder: Path, prompt: Sequence[int], answer: int) -> None:
    """Raise where the tokens of a prompt and an answer of some tokens are longer than the context of a model."""
    context = Context.of(folder)
    if context is not None:
        context.room(len(prompt), answer)


def prompt_inputs(folder: Path, prompt: str, *, use_template: bool = True) -> dict[str, Array]:
    """Return the inputs of the model of a folder for a prompt."""
    if not os.path.isdir(folder):
        raise InputError(f"a prompt needs the folder of a language model; {folder} is none")
    return token_inputs(folder, prompt_tokens(folder, Tokenizer(folder), prompt, use_template=use_template))


def token_inputs(folder: Path, tokens: Sequence[int]) -> dict[str, Array]:
    """Return the inputs of the model of a folder that reads tokens at its beginning."""
    ids = np.array([tokens], np.int64)
    inputs: dict[str, Array] = {
        "input_ids": ids,
        "attention_mask": np.ones_like(ids),
        "position_ids": np.arange(ids.size)[None],
        "beam_idx": np.zeros(1, np.int32),
    }
    ports = Core().read_model(folder / MODEL_FILE).inputs
    names = {name for port in ports for name in names_of(port)}
    if "input_ids" not in names:
        raise InputError("a model that reads a prompt has an input 'input_ids'; this one has not")
    return {name: array for name, array in inputs.items() if name in names}
