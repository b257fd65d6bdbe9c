"""What the tokenizer refuses, and says so."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ir_plugin as ov
from ir_plugin import genai as ov_genai
from ir_plugin.errors import AbsentError
from ir_plugin.openvino.genai import chat_template
from tests.genai.cases import TINY


@pytest.fixture(scope="module")
def tokenizer() -> ov_genai.Tokenizer:
    return ov_genai.Tokenizer(TINY)


def test_refuses_what_is_no_text(tokenizer: ov_genai.Tokenizer) -> None:
    for call in (lambda: tokenizer.encode(5), lambda: tokenizer.encode([5]), lambda: tokenizer.decode("text")):
        with pytest.raises(ov.errors.ArgumentTypeError):
            call()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"padding_side": "top"}, "padding_side is 'top'; it must be 'left' or 'right'"),
        ({"truncate": True}, "unexpected keyword argument 'truncate'"),
        ({"max_length": "9"}, "argument 'max_length': a number of tokens is needed, not str"),
    ],
)
def test_refuses_unknown_options(tokenizer: ov_genai.Tokenizer, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ov.errors.InputError, match=message):
        tokenizer.encode("a", **options)


def test_refuses_pairs_no_texts_and_other_tensors(tokenizer: ov_genai.Tokenizer) -> None:
    with pytest.raises(ov.errors.InputError, match="takes no pairs"):
        tokenizer.encode([["a", "b"]])
    with pytest.raises(ov.errors.InputError, match="takes no pairs"):
        tokenizer.encode(["a"], ["b"])
    with pytest.raises(ov.errors.InputError, match="no text"):
        tokenizer.encode([])
    with pytest.raises(ov.errors.InputError, match="i64 and has two axes"):
        tokenizer.decode(ov.Tensor(np.zeros(3, np.int64)))


def test_keeps_zeros_in_a_text(tokenizer: ov_genai.Tokenizer) -> None:
    assert tokenizer.decode(tokenizer.encode("a\0\0").input_ids)[0] == "a\0\0"


def test_names_the_file_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="is no folder"):
        ov_genai.Tokenizer(tmp_path / "none")
    with pytest.raises(FileNotFoundError, match=r"neither openvino_tokenizer\.xml"):
        ov_genai.Tokenizer(tmp_path)
    for name in ("openvino_tokenizer.xml", "openvino_tokenizer.bin"):
        (tmp_path / name).write_bytes((TINY / name).read_bytes())
    with pytest.raises(FileNotFoundError, match=r"no openvino_detokenizer\.xml"):
        ov_genai.Tokenizer(tmp_path).decode([1])


def test_reads_special_tokens_of_added_tokens(tmp_path: Path) -> None:
    for name in ("openvino_detokenizer.xml", "openvino_detokenizer.bin"):
        (tmp_path / name).write_bytes((TINY / name).read_bytes())
    (tmp_path / "tokenizer_config.json").write_text(
        '{"eos_token": {"content": "</s>"}, "bos_token": "<s>",'
        ' "chat_template": [{"name": "default", "template": "x"}],'
        ' "added_tokens_decoder": {"1": {"content": "<s>"}, "2": {"content": "</s>"}}}'
    )
    tokenizer = ov_genai.Tokenizer(tmp_path)
    assert (tokenizer.get_bos_token_id(), tokenizer.get_eos_token_id(), tokenizer.get_pad_token_id()) == (1, 2, 2)
    assert (tokenizer.get_eos_token(), tokenizer.get_pad_token(), tokenizer.chat_template) == ("</s>", "</s>", "x")


def test_takes_models_in_memory(tokenizer: ov_genai.Tokenizer) -> None:
    texts = [(TINY / f"openvino_{name}.xml").read_text("utf-8") for name in ("tokenizer", "detokenizer")]
    weights = [
        ov.Tensor(np.frombuffer((TINY / f"openvino_{name}.bin").read_bytes(), np.uint8))
        for name in ("tokenizer", "detokenizer")
    ]
    other = ov_genai.Tokenizer(texts[0], weights[0], texts[1], weights[1])
    assert other.encode("Once").input_ids.data.tolist() == tokenizer.encode("Once").input_ids.data.tolist()
    assert other.decode([130, 38, 90]) == tokenizer.decode([130, 38, 90])
    assert (other.get_eos_token_id(), other.get_eos_token()) == (2, "</s>")
    named = ov_genai.Tokenizer(
        tokenizer_model=texts[0],
        tokenizer_weights=weights[0],
        detokenizer_model=texts[1],
        detokenizer_weights=weights[1],
    )
    assert named.get_vocab() == tokenizer.get_vocab()
    with pytest.raises(ov.errors.UnsupportedError, match="number_of_inputs=2"):
        ov_genai.Tokenizer(TINY, add_second_input=True)


def test_says_what_is_wrong_with_a_template(tokenizer: ov_genai.Tokenizer) -> None:
    for template, message in (
        ("{{ raise_exception('no system role') }}", "no system role"),
        ("{% for %}", "cannot be read"),
        ("{{ messages.append(1) }}", "cannot be applied"),
        ("{# nothing #}", "empty text"),
    ):
        with pytest.raises(ov.errors.InputError, match=message):
            tokenizer.apply_chat_template([], True, template)


def test_names_the_package_where_jinja2_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    imported = builtins.__import__

    def without(name: str, *arguments: Any) -> Any:
        if name.partition(".")[0] == "jinja2":
            raise ImportError("No module named 'jinja2'")
        return imported(name, *arguments)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ov.errors.UnsupportedError, match="pip install jinja2"):
        chat_template.apply_template("{{ 'a template of this test' }}", {})


def test_absent_classes_say_so() -> None:
    for name in ("VLMPipeline", "WhisperPipeline", "Text2ImagePipeline"):
        with pytest.raises(AbsentError, match=f"ir_plugin.genai.{name} is not offered"):
            getattr(ov_genai, name)("folder", "CPU")
