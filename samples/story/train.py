"""Train the language model of this folder on `tales.txt`, and write it as optimum-intel exports it.

Run: python samples/story/train.py (needs torch, transformers, tokenizers, optimum-intel, nncf, openvino and
openvino-tokenizers; about three minutes on one core).
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
SEED = 39
VOCABULARY = 768
STEPS, BATCH, LENGTH = 450, 24, 160
"""Steps of training, rows of a step, and tokens of a row."""
CHARACTERS = 8 * LENGTH
"""Characters that are encoded for a row; they give more than its tokens, or end the tale."""
SPECIAL = ("<pad>", "<s>", "</s>")
PAD, BEGIN, END = range(3)
UNLABELLED = -100
SIZES = {
    "vocab_size": VOCABULARY, "hidden_size": 128, "intermediate_size": 384, "num_hidden_layers": 2,
    "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 8192, "tie_word_embeddings": True,
    "pad_token_id": PAD, "bos_token_id": BEGIN, "eos_token_id": END,
}  # fmt: skip
TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}"
    "{% if message['role'] == 'user' and not loop.first %}{{ '\\n' }}{% endif %}{{ message['content'] }}"
    "{% endfor %}"
)
"""A chat is a tale: each answer goes on with it, and each later turn of the user begins a paragraph."""
WRITTEN = (
    "openvino_model", "openvino_tokenizer", "openvino_detokenizer", "config", "generation_config", "tokenizer_config",
    "special_tokens_map", "chat_template",
)  # fmt: skip


def tales() -> list[str]:
    """Return the tales without their titles."""
    return [tale.split("\n", 1)[1] for tale in (FOLDER / "tales.txt").read_text("utf-8").strip().split("\n\n")]


def train_tokenizer() -> Any:
    """Return a byte-level BPE tokenizer, trained on the tales, that begins rows with <s>."""
    tokenizers, transformers = import_module("tokenizers"), import_module("transformers")
    trained = tokenizers.Tokenizer(tokenizers.models.BPE())
    trained.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    trained.decoder = tokenizers.decoders.ByteLevel()
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=VOCABULARY, special_tokens=list(SPECIAL), initial_alphabet=alphabet, show_progress=False
    )
    trained.train_from_iterator(tales(), trainer)
    trained.post_processor = tokenizers.processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", BEGIN)])
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=trained,
        pad_token="<pad>",
        bos_token="<s>",
        eos_token="</s>",
        padding_side="left",
        model_max_length=SIZES["max_position_embeddings"],
        chat_template=TEMPLATE,
    )


def rows(tokenizer: Any) -> Iterator[list[int]]:
    """Yield rows of tokens without end: each begins at a word of a tale, a quarter of them at its first."""
    draw = random.Random(SEED)
    texts = tales()
    starts = [[match.start() for match in re.finditer(r"(?<!\S)\S", text)] for text in texts]
    while True:
        tale = draw.choices(range(len(texts)), [len(text) for text in texts])[0]
        start = 0 if draw.random() < 0.25 else draw.choice(starts[tale])
        end = start + CHARACTERS
        row = tokenizer.encode(texts[tale][start:end]) + [END] * (end >= len(texts[tale]))
        yield row[:LENGTH] + [PAD] * (LENGTH - len(row))


def train_model(tokenizer: Any) -> Any:
    """Return the trained decoder."""
    torch, transformers = import_module("torch"), import_module("transformers")
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**SIZES))
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3, betas=(0.9, 0.98), weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, total_steps=STEPS, pct_start=0.1)
    source = rows(tokenizer)
    for step in range(STEPS):
        batch = torch.tensor([next(source) for _ in range(BATCH)])
        labels = batch.masked_fill(batch == PAD, UNLABELLED)
        loss = model(input_ids=batch, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 50 == 49:
            print(f"step {step + 1} of {STEPS}: loss {loss.item():.3f}", flush=True)
    return model


def export(model: Any, tokenizer: Any, folder: Path) -> None:
    """Write a model and its tokenizer as IRs, its weights in int8."""
    source = folder / "source"
    model.generation_config.max_new_tokens = 60
    model.save_pretrained(str(source))
    tokenizer.save_pretrained(str(source))
    command = ["optimum-cli", "export", "openvino", "--model", str(source), "--task", "text-generation-with-past"]
    subprocess.run([*command, "--weight-format", "int8", str(folder / "ir")], check=True)


def main() -> None:
    """Write the folder."""
    tokenizer = train_tokenizer()
    model = train_model(tokenizer)
    with tempfile.TemporaryDirectory() as scratch:
        export(model, tokenizer, Path(scratch))
        for path in sorted((Path(scratch) / "ir").iterdir()):
            if path.name.split(".")[0] in WRITTEN:
                shutil.copy(path, FOLDER)


if __name__ == "__main__":
    main()
