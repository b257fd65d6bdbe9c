"""Images of bytes are resized as OpenVINO's CPU resizes them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.preprocess.recipes import OURS, THEIRS, Recipe, built, outputs_of

MODES = ["LINEAR", "CUBIC", "NEAREST", "BILINEAR_PILLOW", "BICUBIC_PILLOW"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("size", [(10, 12), (3, 9), (16, 5)])
def test_bytes_are_resized_alike(mode: str, size: tuple[int, int]) -> None:
    recipe: Recipe = [
        ("input.tensor", "set_element_type", "Type.u8"),
        ("input.tensor", "set_layout", "NHWC"),
        ("input.tensor", "set_spatial_static_shape", *size),
        ("input.model", "set_layout", "NCHW"),
        ("input.preprocess", "resize", f"ResizeAlgorithm.RESIZE_{mode}"),
    ]
    image = np.random.default_rng(5).integers(0, 256, (1, *size, 3)).astype(np.uint8)
    theirs, ours = (
        outputs_of(library, built(library, library.network("relu", [1, 3, 8, 8]), recipe)[1], [image])[0]
        for library in (THEIRS, OURS)
    )
    differing = np.abs(theirs - ours)
    assert differing.max() <= 1
    assert (differing > 0).mean() < 0.1  # halves that one library rounds up
