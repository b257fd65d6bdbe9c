"""Classify the held-out handwritten digits with ir_plugin, and show a few beside their predictions.

Run it with `python samples/digits/classify.py`, where ir_plugin is installed.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

import ir_plugin as ov

HERE = Path(__file__).parent
SHADES = " .:-=+*#%@"
SHOWN = 6


def picture(image: npt.NDArray[np.float32]) -> list[str]:
    """Return an image in [0, 1] as lines of text, darker where there is more ink."""
    levels = np.clip(image * len(SHADES), 0, len(SHADES) - 1).astype(int)
    return ["".join(2 * SHADES[level] for level in row) for row in levels]


def main() -> None:
    """Read, compile and run the model, and print what it makes of the images."""
    images, labels = np.load(HERE / "images.npy"), np.load(HERE / "labels.npy")
    core = ov.Core()
    model = core.read_model(HERE / "digits.xml")
    compiled = core.compile_model(model)
    probabilities = compiled({"images": images})["probabilities"]
    predicted = probabilities.argmax(axis=1)
    right = predicted == labels

    wrong = np.flatnonzero(~right)[: SHOWN // 3]
    chosen = [*np.flatnonzero(right)[: SHOWN - len(wrong)], *wrong]
    for row in zip(*(picture(images[index, 0]) for index in chosen), strict=True):
        print("   ".join(row))
    notes = [f"says {predicted[i]} ({probabilities[i].max():.0%}), is {labels[i]}" for i in chosen]
    print("   ".join(f"{note:16}" for note in notes))
    print(f"\n{right.sum()} of {len(labels)} held-out digits are right: {right.mean():.2%}")


if __name__ == "__main__":
    main()
