"""Print the report on one corrected clip, from its plain data."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.text import Text

from supple.apps.cli.console import console, say_warnings
from supple.apps.clips import Ended
from supple.solve.outcome import counted
from supple.texts import short


def show(one: Ended) -> None:
    """Print the report on a corrected clip, and its warnings on stderr."""
    say, data = console(), one.done.data
    say_warnings(data["notes"])
    motions = data["motions"]
    for row in motions:
        found = data if len(motions) == 1 else row
        if len(motions) > 1:
            say.print(Text(row["motion"], style="bold"))
        if "feet" in found:
            _show_feet(found)
        if "feet" not in found or len(row["corrections"]) > 1:
            _show_goals(found, row["corrections"][-1]["reached"])
    say.print(Text(f"written to {one.out}"), soft_wrap=True)


def _show_feet(found: dict[str, Any]) -> None:
    say = console()
    for foot in found["feet"]:
        share = float(np.mean(np.array(foot["heel"]) | np.array(foot["toe"])))
        words = f": stands {share:.0%} of the time; slid {short(foot['before'])} a second, now "
        say.print(
            Text.assemble((foot["foot"], "bold"), words, f"{short(foot['after'])}"), soft_wrap=True
        )
    if found["missing"]:
        say.print(Text.assemble(("not reached", "bold red"), f": {found['missing']}"))
    for kind, style in (("unplanted", "yellow"), ("jumps", "red")):
        for one in found[kind]:
            say.print(Text(one["words"], style=style), soft_wrap=True)
    if found["lowered"] > 0:
        say.print(Text(f"hips lowered by {short(found['lowered'])} at most", style="dim"))


def _show_goals(found: dict[str, Any], good: bool) -> None:
    say = console()
    head = ("reached", "bold green") if good else ("not reached", "bold red")
    say.print(Text.assemble(head, ": ", found["reason"]))
    errors = [error for error in found["error"] if error is not None]
    if errors:
        say.print(Text(f"largest error {short(max(errors))}", style="dim"))
    if found["reasons"]:
        frame, reason = next(iter(found["reasons"].items()))
        say.print(Text(f"frame {frame}: {reason}", style="dim"), soft_wrap=True)
    if found["collisions"]:
        frame, hit = max(found["collisions"].items(), key=lambda one: one[1]["depth"])
        words = f"deepest collision: {hit['a']} and {hit['b']} in frame {frame}, "
        say.print(Text(words + f"{short(hit['depth'])} too near", style="dim"), soft_wrap=True)
    if max(found["off_balance"], default=0.0) > 0:
        frame = int(np.argmax(found["off_balance"]))
        words = f"farthest off balance: {short(found['off_balance'][frame])} in frame {frame}"
        say.print(Text(words, style="dim"), soft_wrap=True)
    if found["limited"] and not good:
        say.print(Text(f"at their limits: {', '.join(found['limited'])}", style="dim"))
    if found["seams"]:
        fastest = max(found["seams"], key=lambda seam: seam["added"])
        spread = sum(seam["spread"] for seam in found["seams"])
        words = (
            f"{counted(len(found['seams']), 'seam')}; at most {fastest['added']:.3g} rad/s added, "
        )
        words += f"to {fastest['joint']} after frame {fastest['frame']}"
        words += f"; {counted(spread, 'jump')} spread out" if spread else ""
        say.print(Text(words, style="dim"), soft_wrap=True)
