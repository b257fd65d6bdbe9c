"""The smallest change of `samples/story` that gives each code of folders."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

SAMPLE = Path(__file__).parents[2] / "samples" / "story"


def _set(name: str, **values: Any) -> Callable[[Path], object]:
    """Return a function that sets values of a configuration in a folder."""

    def change(folder: Path) -> None:
        path = folder / name
        path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | values), "utf-8")

    return change


def _without_endfor(folder: Path) -> None:
    """Leave out the end of the loop in the chat template, which the tokenizer's model has too."""
    for name in ("chat_template.jinja", "openvino_tokenizer.xml"):
        text = (folder / name).read_text("utf-8")
        (folder / name).write_text(text.replace("{% endfor %}", ""), "utf-8")


FOLDERS: dict[str, Callable[[Path], object]] = {
    "LM001": lambda folder: (folder / "openvino_detokenizer.xml").unlink(),
    "LM002": _set("generation_config.json", max_new_tokens="20"),
    "LM003": _set("config.json", vocab_size=32000),
    "LM004": _set("generation_config.json", eos_token_id=[7]),
    "LM005": _without_endfor,
}


def write(code: str, folder: Path) -> Path:
    """Write the folder of a code into a folder, and return it."""
    changed = Path(shutil.copytree(SAMPLE, folder / code))
    FOLDERS[code](changed)
    return changed


def without(folder: Path, *names: str) -> Path:
    """Write a copy of the sample that lacks some files into a folder, and return it."""
    copied = Path(shutil.copytree(SAMPLE, folder / "story"))
    for name in names:
        (copied / name).unlink()
    return copied
