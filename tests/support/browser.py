"""Pages in a headless browser: what a script of the page returns, and pictures kept in `.artifacts/`."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
NO_BROWSER = "chromium is not installed: apt-get install chromium"
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason=NO_BROWSER)
ARTIFACTS = Path(__file__).parents[2] / ".artifacts"
SIZE = (1400, 900)
DARK = "--blink-settings=preferredColorScheme=0"
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    f"--window-size={SIZE[0]},{SIZE[1]}",
)  # fmt: skip


def in_browser(page: Path, script: str, folder: Path, hash: str = "", *flags: str) -> Any:
    """Return what a script returns that runs when the page is loaded."""
    probe = _with_script(
        page,
        f"let found; try {{ found = (() => {{ {script} }})(); }} catch (fault) {{ found = String(fault.stack); }}"
        " const box = document.createElement('pre'); box.id = 'probe'; box.textContent = JSON.stringify(found);"
        " document.body.append(box);",
        folder,
    )
    done = _run(folder, "--dump-dom", *flags, f"{probe.as_uri()}{hash}")
    found = re.search(r'<pre id="probe">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found is not None, done.stderr[-2000:]
    return json.loads(unescape(found[1]))


def picture(page: Path, name: str, script: str, folder: Path, *flags: str) -> Path:
    """Keep a picture of a page as it is after a script, and return where it is."""
    ARTIFACTS.mkdir(exist_ok=True)
    target = ARTIFACTS / f"{name}.png"
    target.unlink(missing_ok=True)
    probe = _with_script(page, f"{{ {script} }}", folder)
    done = _run(folder, f"--screenshot={target}", "--virtual-time-budget=3000", *flags, probe.as_uri())
    assert target.is_file(), done.stderr[-2000:]
    return target


def _with_script(page: Path, script: str, folder: Path) -> Path:
    probe = folder / "probe.html"
    text = page.read_text("utf-8").replace("</body></html>", f"<script>{script}</script></body></html>")
    probe.write_text(text, "utf-8")
    return probe


def _run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    profile = folder / "profile"
    done = subprocess.run(
        [str(CHROMIUM), *_FLAGS, f"--user-data-dir={profile}", *arguments],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    shutil.rmtree(profile, ignore_errors=True)
    return done
