"""Names of layers in the panel of a graph page: shortened to one line, and still different."""

from __future__ import annotations

import json
from pathlib import Path

from tests.report.test_graph import CLICK, draw
from tests.support.browser import in_browser, needs_browser
from tests.support.changed import DIGITS

NAMES = [
    f"/model/model.layers.{layer}/{part}/MatMul/WithoutBiases"
    for layer in range(5)
    for part in ("self_attn/q_proj", "mlp/up_proj")
]


@needs_browser
def test_the_slowest_layers_have_different_names(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    draw(DIGITS, "--out", page, "--input", f"images={DIGITS.with_name('images.npy')}")
    text = page.read_text("utf-8")
    for old, new in zip(("conv1", "conv2", "conv3", "pool", "mean", "linear", "softmax"), NAMES, strict=False):
        assert f'"name":"{old}"' in text
        text = text.replace(f'"name":"{old}"', f'"name":"{new}"')
    page.write_text(text, "utf-8")
    script = """
    const slow = [...document.querySelectorAll("#panel h3")].find((title) => title.innerText === "slowest layers");
    const cells = [...slow.nextElementSibling.querySelectorAll("td:first-child a")];
    """
    script += f"return [cells.map((cell) => cell.innerText), apart({json.dumps(NAMES)}, 16), apart(['a', 'a'], 9)];"
    shown, short, same = in_browser(page, CLICK + script, tmp_path)
    assert len(set(shown)) == len(shown) >= 5
    assert len(set(short)) == len(NAMES)
    assert max(map(len, short)) <= 16
    assert "…0/self_attn/q_…" in short
    assert same == ["a", "a"]
