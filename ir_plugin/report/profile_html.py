"""A profile as HTML: the time by type of layer as bars, and a table of the slowest layers."""

from __future__ import annotations

from ir_plugin.report.page import text
from ir_plugin.report.profile_data import ProfileData, ProfiledLayer

_MAX_TYPES = 12
_BAR = 240
_STYLE = (
    ".ir-plugin-profile td, .ir-plugin-profile th { text-align: left; white-space: nowrap; padding: .15rem .6rem; } "
    ".ir-plugin-profile td.n, .ir-plugin-profile th.n { text-align: right; font-variant-numeric: tabular-nums; } "
    ".ir-plugin-profile td.wide { white-space: normal; } .ir-plugin-profile rect { fill: #3b82c4; } "
    ".ir-plugin-profile table { margin: .6rem 0; }"
)
_HEAD = (
    ("layer", ""),
    ("operation", ""),
    ("kernel", ""),
    ("ms", "n"),
    ("share", "n"),
    ("MMAC", "n"),
    ("fused into it", ""),
)


def cell_of(profile: ProfileData, most: int = 20) -> str:
    """Return a profile as HTML for a notebook or a page, with its slowest layers in the order of execution."""
    total = sum(layer.milliseconds for layer in profile.layers) or 1.0
    title = f"<p><b>one run: {profile.milliseconds:.3f} ms</b> (median of {profile.runs}), "
    title += f"{len(profile.layers)} steps, {profile.arena_bytes:,} bytes for outputs, "
    title += f"{profile.constant_bytes:,} bytes of constants</p>"
    slowest = sorted(range(len(profile.layers)), key=lambda index: -profile.layers[index].milliseconds)[:most]
    rows = "".join(_row(profile.layers[index], total) for index in sorted(slowest))
    head = "".join(f'<th class="{kind}" scope="col">{name}</th>' for name, kind in _HEAD)
    more = f"<p>the slowest {len(slowest)} of {len(profile.layers):,} steps</p>" if len(profile.layers) > most else ""
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return f'<div class="ir-plugin-profile"><style>{_STYLE}</style>{title}{_types(profile, total)}{table}{more}</div>'


def _types(profile: ProfileData, total: float) -> str:
    """Return the time of each type of layer as a bar with its share in figures."""
    types = list(profile.by_type().items())[:_MAX_TYPES]
    rows = "".join(
        f'<tr><td>{text(type)}</td><td class="n">{steps}</td><td class="n">{milliseconds:.3f}</td>'
        f'<td class="n">{milliseconds / total:.1%}</td><td><svg width="{_BAR}" height="10" aria-hidden="true">'
        f'<rect width="{max(_BAR * milliseconds / total, 1):.0f}" height="10"/></svg></td></tr>'
        for type, (steps, milliseconds, _) in types
    )
    names = (("operation", ""), ("steps", "n"), ("ms", "n"), ("share", "n"))
    head = "".join(f'<th class="{kind}" scope="col">{name}</th>' for name, kind in names)
    return f"<table><thead><tr>{head}<th></th></tr></thead><tbody>{rows}</tbody></table>"


def _row(layer: ProfiledLayer, total: float) -> str:
    macs = f"{layer.macs / 1e6:,.2f}" if layer.macs else ""
    figures = (f"{layer.milliseconds:.3f}", f"{layer.milliseconds / total:.1%}", macs)
    names = "".join(f"<td>{text(name, 120)}</td>" for name in (layer.name, layer.type, layer.kernel))
    numbers = "".join(f'<td class="n">{figure}</td>' for figure in figures)
    return f'<tr>{names}{numbers}<td class="wide">{text(", ".join(layer.fused))}</td></tr>'
