"""Measure Netron on the graphs of `benchmarks.page`: `python -m benchmarks.netron [--limit SECONDS] [BLOCKS …]`.

Needs `pip install netron selenium` and chromedriver. For decoders of some numbers of blocks, 625 layers each, prints
the seconds from the start of loading until Netron shows the graph, and until the page that `ir-plugin graph` writes
shows it, in the same headless Chromium. Netron's questions (cookies, a large graph) are confirmed at once.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import netron
from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.service import Service

from benchmarks.page import written
from tests.support.decoder import WEIGHTS, decoder

PORT = 8099
_CONFIRMED = ("Accept", "Continue", "OK", "Yes", "Wait")
_STATE = """
const confirmed = arguments[0];
for (const button of document.querySelectorAll('button'))
  if (button.offsetParent && confirmed.includes(button.innerText.trim())) button.click();
return [document.body.className, document.querySelectorAll('.node').length];
"""


def _browser(limit: float) -> Any:
    options = webdriver.ChromeOptions()
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1400,900"):
        options.add_argument(flag)
    options.binary_location = shutil.which("chromium") or ""
    browser = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    browser.set_script_timeout(limit)
    return browser


def seconds_until(browser: Any, address: str, is_shown: Callable[[Any], bool], limit: float) -> float:
    """Return the seconds from the start of loading until a page shows its graph; infinity after the limit."""
    start = time.perf_counter()
    browser.get(address)
    while time.perf_counter() - start < limit:
        try:
            if is_shown(browser):
                return time.perf_counter() - start
        except WebDriverException:
            return float("inf")
        time.sleep(0.02)
    return float("inf")


def _netron_shows(browser: Any) -> bool:
    state, nodes = browser.execute_script(_STATE, _CONFIRMED)
    return bool(state == "default" and nodes)


def _page_shows(browser: Any) -> bool:
    return bool(browser.execute_script("return typeof irGraph !== 'undefined' && irGraph.state.layout.count > 0"))


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("blocks", type=int, nargs="*", default=[1, 4, 32])
    parser.add_argument("--limit", type=float, default=300)
    arguments = parser.parse_args()
    print("| layers | Netron s | ir-plugin graph s |\n|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        for blocks in arguments.blocks:
            model = Path(name) / f"decoder{blocks}.xml"
            model.write_text(decoder(blocks, 625))
            model.with_suffix(".bin").write_bytes(WEIGHTS)
            page = written(model, Path(name))
            netron.start(str(model), PORT, browse=False)
            times = []
            for address, is_shown in ((f"http://localhost:{PORT}", _netron_shows), (page.as_uri(), _page_shows)):
                browser = _browser(arguments.limit)
                times.append(seconds_until(browser, address, is_shown, arguments.limit))
                browser.quit()
            netron.stop(("localhost", PORT))
            print(f"| {blocks * 625:,} | {times[0]:.2f} | {times[1]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
