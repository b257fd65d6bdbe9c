"""Self-contained HTML pages that load nothing from a network and escape all text from files."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from ir_plugin.diagnostics.escape import safe

STYLE = """
:root { color-scheme: light dark; --fore: #1f2328; --back: #fff; --soft: #59636e; --line: #d1d9e0; --bad: #c62828;
  --badback: #fdecea; --good: #1a7f37; --accent: #0969da; }
@media (prefers-color-scheme: dark) { :root { --fore: #e6edf3; --back: #0d1117; --soft: #9198a1; --line: #3d444d;
  --bad: #ff7b72; --badback: #3a1618; --good: #3fb950; --accent: #58a6ff; } }
body { font: 14px/1.45 system-ui, sans-serif; color: var(--fore); background: var(--back); margin: 1.5rem; }
h1 { font-size: 1.25rem; } table { border-collapse: collapse; font-size: 13px; }
th, td { padding: .2rem .6rem; border-bottom: 1px solid var(--line); text-align: left; white-space: nowrap; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
tr.bad td { background: var(--badback); } .bad b { color: var(--bad); } .good b { color: var(--good); }
.soft { color: var(--soft); }
"""


def text(value: object, limit: int = 400) -> str:
    """Return text from a file escaped for HTML, with a limited length."""
    return escape(safe(str(value), limit))


def data(value: Any) -> str:
    """Return data as JSON that is safe inside a <script> element."""
    document = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return document.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def page(title: str, body: str, style: str = "") -> str:
    """Return a whole HTML document."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "script-src 'unsafe-inline'; img-src data:\">"
        f"<title>{text(title)}</title><style>{STYLE}{style}</style></head>\n<body>{body}</body></html>\n"
    )
