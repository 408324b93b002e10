"""The report of a check as a self-contained HTML page, with pictures as inline SVG."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

from supple.apps.character.character import DAMAGE
from supple.apps.motion.checks.check import Checked
from supple.apps.motion.checks.clip import Clip
from supple.apps.motion.checks.measure import KINDS, MEANINGS, Fault, Measure
from supple.apps.motion.checks.pops import PLACE
from supple.errors import instance, listed, mapping, text

Floats = NDArray[np.float64]

# Sizes of the page; not tuned.
DRAWN_FAULTS = 6  # of a clip, the worst of each kind first
FIGURE_WIDTH, FIGURE_HEIGHT = 150, 170  # [px]
PLOT_WIDTH, PLOT_HEIGHT = 420, 90  # [px]
LONGEST_NAME_CHARS = 40  # of a clip in the table
MOST_CURVE_POINTS = 400

STYLE = """
body{font:15px/1.45 system-ui,sans-serif;margin:2em auto;max-width:1060px;padding:0 1em;color:#1b2733;background:#fff}
h1{font-size:1.5em}h2{font-size:1.15em;margin:2em 0 .4em;border-top:1px solid #d8dee4;padding-top:1em}
h3{font-size:1em;margin:1.2em 0 .2em}table{border-collapse:collapse;font-size:.93em}
td,th{padding:.25em .8em;text-align:right;border-bottom:1px solid #e6eaee}td:first-child,th:first-child{text-align:left}
.bad{color:#b42318;font-weight:600}.ok{color:#9aa7b3}.none{color:#8794a1}td.text,th.text{text-align:left}
a{color:#0b57b0;text-decoration:none}a:hover{text-decoration:underline}
.fault{display:flex;gap:10px;flex-wrap:wrap;align-items:flex-end;margin:.3em 0 1em}
.wide{overflow-x:auto}svg{background:#f6f8fa;border-radius:6px}p{margin:.3em 0}
"""


def check_page(
    clips: Checked | Mapping[str, Checked | Sequence[Checked]], *, title: str = "supple check"
) -> str:
    """A self-contained HTML page about reports of `check`, with pictures of the faults.

    Args:
        clips: A report, or by the name of each clip its report, or those of its motions.
        title: The heading.
    """
    if isinstance(clips, Checked):
        clips = {clips.motion.name: clips}
    text("title", title)
    expected = "a report of supple.check, or a list of them"
    clips = {
        name: [one] if isinstance(one, Checked) else listed(f"clip {name!r}", one, expected)
        for name, one in mapping(
            "clips", clips, "a report of supple.check, or reports by name"
        ).items()
    }
    for name, several in clips.items():
        for report in several:
            instance(f"clip {text('name of a clip', name)!r}", report, Checked)
    rows = [(name, summary(report)) for name, several in clips.items() for report in several]
    parts = [section(name, report) for name, several in clips.items() for report in several]
    return assembled(title, rows, parts)


def assembled(
    title: str, rows: Sequence[tuple[str, Mapping[str, int | None]]], parts: Iterable[str]
) -> str:
    """A page of a table, a row for each clip, and of sections.

    Args:
        title: The heading.
        rows: Names of clips, and for each the number of faults of each kind; None if it could not be measured.
        parts: Sections, as `section` makes them.
    """
    good = sum(not any(counts.values()) for _, counts in rows)
    kinds = [kind for kind in (*DAMAGE, *KINDS) if any(kind in counts for _, counts in rows)]
    head = "".join(f'<th title="{escape(MEANINGS[kind])}">{kind}</th>' for kind in kinds)
    body = "".join(
        f"<tr><td>{_link(name, short, any(counts.values()))}</td>"
        f"{''.join(_cell(counts.get(kind)) for kind in kinds)}</tr>"
        for (name, counts), short in zip(rows, _short([name for name, _ in rows]), strict=True)
    )
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{STYLE}</style><h1>{escape(title)}</h1>"
        f"<p>{good} of {len(rows)} clips without faults.</p>"
        f'<div class="wide"><table><tr><th>clip</th>{head}</tr>{body}</table></div>'
        f"{''.join(parts)}</html>\n"
    )


def summary(report: Checked) -> dict[str, int | None]:
    """The number of faults of each kind; None if it could not be measured."""
    return {kind: len(report.of(kind)) for kind in DAMAGE if report.of(kind)} | {
        kind: None if one.reason else len(report.of(kind)) for kind, one in report.measures.items()
    }


def _short(names: Sequence[str]) -> list[str]:
    """Names without their common folders."""
    folders = [name.replace("\\", "/").split("/")[:-1] for name in names]
    shared = 0
    if len(names) > 1:
        while len({tuple(one[: shared + 1]) for one in folders}) == 1 and shared < len(folders[0]):
            shared += 1
    shown = ["/".join(name.replace("\\", "/").split("/")[shared:]) for name in names]
    return [
        name if len(name) <= LONGEST_NAME_CHARS else f"…{name[1 - LONGEST_NAME_CHARS :]}"
        for name in shown
    ]


def _link(name: str, short: str, faults: bool) -> str:
    text = f'<span title="{escape(name)}">{escape(short)}</span>'
    return f'<a href="#{_anchor(name)}">{text}</a>' if faults else text


def _anchor(name: str) -> str:
    return f"clip-{zlib.crc32(name.encode()):08x}"


def _cell(count: int | None) -> str:
    if count is None:
        return '<td class="none">–</td>'
    return f'<td class="{"bad" if count else "ok"}">{count}</td>'


def section(name: str, report: Checked) -> str:
    """The section on one motion: its measures, and pictures of its worst faults; "" if it has none."""
    if report.ok:
        return ""
    rows = []
    for kind, one in report.measures.items():
        worst = one.worst
        if worst is None:
            rows.append(
                f'<tr class="none"><td>{kind}</td><td colspan="5" class="text">{escape(one.reason)}</td></tr>'
            )
            continue
        value, budget, joint, frame = worst
        value = value if value > 1e-6 * budget else 0.0
        mark = "bad" if report.of(kind) else "ok"
        where = f"{escape(joint)}, frame {frame}" if value else ""
        rows.append(
            f'<tr><td title="{escape(MEANINGS[kind])}">{kind}</td><td>{value:.3g}</td><td>{budget:.3g}</td>'
            f'<td class="text">{one.unit}</td><td class="text">{where}</td>'
            f'<td class="{mark}">{len(report.of(kind))}</td></tr>'
        )
    shown = _shown(report)
    pictures = "".join(f'<p class="bad">{escape(str(one))}</p>' for one in report.damage)
    pictures += "".join(_fault(report, fault) for fault in shown)
    more = len(report.faults) - len(report.damage) - len(shown)
    tail = f"<p>and {more} more</p>" if more else ""
    motion = report.motion
    notes = "".join(f"; {escape(one)}" for one in report.notes)
    return (
        f'<h2 id="{_anchor(name)}">{escape(name)}</h2>'
        f"<p>motion {escape(repr(motion.name))}, {len(motion)} frames at {motion.fps:.6g} a second{notes}</p>"
        "<table><tr><th>kind</th><th>worst</th><th>allowed</th>"
        '<th class="text">unit</th><th class="text">where</th><th>faults</th></tr>'
        f"{''.join(rows)}</table>{pictures}{tail}"
    )


def _shown(report: Checked) -> list[Fault]:
    """The faults to draw: the worst of each kind, then the others."""
    rows = [
        sorted(report.of(kind), key=lambda one: -one.value / one.budget)
        for kind in report.kinds
        if kind in report.measures
    ]
    turns = max((len(row) for row in rows), default=0)
    return [row[k] for k in range(turns) for row in rows if k < len(row)][:DRAWN_FAULTS]


def _fault(report: Checked, fault: Fault) -> str:
    clip = report.clip
    count = len(report.motion)
    around = max(2, clip.frames(0.15))
    frames = [max(0, fault.start - around), fault.frame, min(count - 1, fault.stop - 1 + around)]
    figures = "".join(_figure(clip, frame, fault) for frame in frames)
    seconds = fault.frame / report.motion.fps
    return (
        f"<h3>{fault.kind}: {escape(MEANINGS[fault.kind])}</h3>"
        f"<p>{escape(str(fault))}, at {seconds:.2f} s</p>"
        f'<div class="fault">{figures}{_curve(report.measures[fault.kind], fault)}</div>'
    )


def _figure(clip: Clip, frame: int, fault: Fault) -> str:
    """The skeleton in a frame, the joints at fault in red, the ground as a line."""
    skeleton = clip.motion.skeleton
    x, y = _seen(clip, clip.positions[frame])
    ground = clip.ground
    if clip.terrain is not None:
        ground = float(clip.terrain.heights(clip.positions[frame, :1])[0])
    middle, low = 0.5 * (x.min() + x.max()), min(y.min(), ground)
    scale = min((FIGURE_HEIGHT - 34) / max(y.max() - low, 0.5 * clip.leg),
                (FIGURE_WIDTH - 16) / max(np.ptp(x), 0.5 * clip.leg))  # fmt: skip
    px, py = FIGURE_WIDTH / 2 + scale * (x - middle), FIGURE_HEIGHT - 24 - scale * (y - low)
    bad = {skeleton.index(name) for name in _names(clip, fault)}
    parents = [*skeleton.parents.tolist(), *skeleton.packed_tips[0].tolist()]
    lines, red = [], []
    for k, parent in enumerate(parents):
        if parent >= 0:
            line = f"M{px[parent]:.1f} {py[parent]:.1f}L{px[k]:.1f} {py[k]:.1f}"
            (red if parent in bad and frame == fault.frame else lines).append(line)
    floor = FIGURE_HEIGHT - 24 - scale * (ground - low)
    dots = "".join(f'<circle cx="{px[k]:.1f}" cy="{py[k]:.1f}" r="4" fill="#d92d20"/>'
                   for k in sorted(bad) if frame == fault.frame)  # fmt: skip
    return (
        f'<svg width="{FIGURE_WIDTH}" height="{FIGURE_HEIGHT}" viewBox="0 0 {FIGURE_WIDTH} {FIGURE_HEIGHT}" role="img" '
        f'aria-label="frame {frame}"><path d="M0 {floor:.1f}H{FIGURE_WIDTH}" stroke="#98a2ad"/>'
        f'<path d="{"".join(lines)}" stroke="#33475b" stroke-width="2.4" fill="none" stroke-linecap="round"/>'
        f'<path d="{"".join(red)}" stroke="#d92d20" stroke-width="3" fill="none" stroke-linecap="round"/>'
        f'{dots}<text x="8" y="{FIGURE_HEIGHT - 6}" font-size="12" fill="#5b6b7b">frame {frame}</text></svg>'
    )


def _names(clip: Clip, fault: Fault) -> set[str]:
    known = clip.motion.skeleton.names
    words = [part for name in fault.joints[:4] for part in
             name.removesuffix(PLACE).replace(" and ", " in ").split(" in ")]  # fmt: skip
    return {name for name in words if name in known}


def _seen(clip: Clip, points: Floats) -> tuple[Floats, Floats]:
    """Points (N, 3) projected for a view from the front and a little from the side: right and up [model units]."""
    across = np.eye(3)[int(np.argmin(np.abs(clip.up)))]
    if clip.feet and len(clip.feet) > 1:
        ends = [clip.positions[:, clip.column(foot.leg)] for foot in clip.feet[:2]]
        mean = (ends[1] - ends[0]).mean(axis=0)
        mean = mean - (mean @ clip.up) * clip.up
        if np.linalg.norm(mean) > 1e-6 * clip.leg:
            across = mean / np.linalg.norm(mean)
    depth = np.cross(across, clip.up)
    right = np.cos(0.7) * across + np.sin(0.7) * depth
    return points @ right, points @ clip.up


def _curve(measure: Measure, fault: Fault) -> str:
    """A plot of the joint's measure over time, with its budget."""
    k = measure.names.index(fault.joint)
    values, budget = measure.values[:, k], float(measure.budget[k])
    count = len(values)
    step = max(1, count // MOST_CURVE_POINTS)
    edges = np.arange(0, count, step)
    tops = np.maximum.reduceat(values, edges)
    most = max(float(tops.max()), 1.2 * budget)
    w, h = PLOT_WIDTH, PLOT_HEIGHT
    px = 4 + (w - 8) * edges / max(count - 1, 1)
    py = h - 20 - (h - 28) * tops / most
    line = "L".join(f"{x:.1f} {y:.1f}" for x, y in zip(px, py, strict=True))
    level = h - 20 - (h - 28) * budget / most
    x0 = 4 + (w - 8) * fault.start / max(count - 1, 1)
    wide = max(2.0, (w - 8) * (fault.stop - fault.start) / max(count - 1, 1))
    return (
        f'<svg width="{w}" height="{h}" viewBox="0 0 {w} {h}" role="img" aria-label="{fault.kind} over time">'
        f'<rect x="{x0:.1f}" y="4" width="{wide:.1f}" height="{h - 24}" fill="#fbd5d0"/>'
        f'<path d="M4 {level:.1f}H{w - 4}" stroke="#d92d20" stroke-dasharray="4 3"/>'
        f'<path d="M{line}" stroke="#1f6feb" stroke-width="1.6" fill="none"/>'
        f'<text x="6" y="{h - 6}" font-size="12" fill="#5b6b7b">frame 0</text>'
        f'<text x="{w - 6}" y="{h - 6}" font-size="12" fill="#5b6b7b" text-anchor="end">{count - 1}</text>'
        f'<text x="{w - 6}" y="{max(12.0, level - 4):.1f}" font-size="12" fill="#d92d20" text-anchor="end">'
        f"allowed {budget:.3g} {measure.unit}</text></svg>"
    )
