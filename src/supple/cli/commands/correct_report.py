"""Report on corrected clips, as text and as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from rich.text import Text

from supple.cli.console import console
from supple.motion import Correction
from supple.motion.correct import FADING, UNTOUCHED
from supple.motion.planting import Planted
from supple.solve.outcome import Status, counted
from supple.texts import short


def as_data(steps: Sequence[Correction]) -> dict[str, Any]:
    """Plain data of corrections: of one motion, or of several in a list."""
    motions = _by_motion(steps)
    if len(motions) == 1:
        return _motion_data(steps)
    reached = all(bool(np.all(one.reached)) for one in steps)
    return {"reached": reached, "motions": [_motion_data(one) for one in motions.values()]}


def _by_motion(steps: Sequence[Correction]) -> dict[str, list[Correction]]:
    found: dict[str, list[Correction]] = {}
    for one in steps:
        found.setdefault(one.motion.name, []).append(one)
    return found


def _motion_data(steps: Sequence[Correction]) -> dict[str, Any]:
    """Plain data of a motion: its last correction, and its feet if they were planted."""
    found = steps[-1]
    names = {int(one): one.name for one in Status} | {FADING: "FADING", UNTOUCHED: "UNTOUCHED"}
    data = {
        "motion": found.motion.name,
        "frames": len(found.motion),
        "reason": found.reason,
        "reached": all(bool(np.all(one.reached)) for one in steps),
        "status": [names[value] for value in found.status.tolist()],
        "error": found.error,
        "weight": found.weight,
        "limited": list(found.limited),
        "reasons": found.reasons,
        "collisions": {frame: one._asdict() for frame, one in found.collisions.items()},
        "off_balance": found.off_balance,
        "seams": [
            {
                "frame": seam.frame,
                "time": seam.time,
                "joint": seam.joint,
                "added": seam.added,
                "speed": seam.speed,
                "spread": seam.spread,
                "too_fast": seam.too_fast,
            }
            for seam in found.seams
        ],
    }
    for one in steps:
        if isinstance(one, Planted):
            data["lowered"] = one.lowered
            data["feet"] = [
                {
                    "foot": slide.foot,
                    "before": slide.before,
                    "after": slide.after,
                    "heel": slide.heel.tolist(),
                    "toe": slide.toe.tolist(),
                }
                for slide in one.slides
            ]
            data["unplanted"] = [asdict(stance) for stance in one.unplanted]
            data["jumps"] = [asdict(jump) for jump in one.jumps]
    return data


def show(steps: Sequence[Correction], out: Path) -> None:
    """Print the report on a corrected clip."""
    say = console()
    motions = _by_motion(steps)
    for name, several in motions.items():
        if len(motions) > 1:
            say.print(Text(name, style="bold"))
        for one in several:
            if isinstance(one, Planted):
                _show_feet(one)
            else:
                _show_goals(one)
    say.print(Text(f"written to {out}"), soft_wrap=True)


def _show_feet(found: Planted) -> None:
    say = console()
    for slide in found.slides:
        share = float(np.mean(slide.heel | slide.toe))
        words = f": stands {share:.0%} of the time; slid {short(slide.before)} a second, now "
        say.print(
            Text.assemble((slide.foot, "bold"), words, f"{short(slide.after)}"), soft_wrap=True
        )
    if np.any(found.status > Status.REACHED):
        say.print(Text.assemble(("not reached", "bold red"), f": {_missing(found)}"))
    for stance in found.unplanted:
        say.print(Text(str(stance), style="yellow"), soft_wrap=True)
    for jump in found.jumps:
        say.print(Text(str(jump), style="red"), soft_wrap=True)
    if found.lowered > 0:
        say.print(Text(f"hips lowered by {short(found.lowered)} at most", style="dim"))


def _missing(found: Planted) -> str:
    """In how many frames feet miss their places, and by how much."""
    missed = found.status > Status.REACHED
    far = short(float(found.error[missed].max()))
    return f"feet miss their places in {counted(int(missed.sum()), 'frame')}, by {far} at most"


def _show_goals(found: Correction) -> None:
    say = console()
    good = bool(np.all(found.reached))
    head = ("reached", "bold green") if good else ("not reached", "bold red")
    say.print(Text.assemble(head, ": ", found.reason))
    errors = found.error[np.isfinite(found.error)]
    if len(errors):
        say.print(Text(f"largest error {short(float(errors.max()))}", style="dim"))
    if found.reasons:
        frame = next(iter(found.reasons))
        say.print(Text(f"frame {frame}: {found.reasons[frame]}", style="dim"), soft_wrap=True)
    if found.collisions:
        frame, hit = max(found.collisions.items(), key=lambda one: one[1].depth)
        words = (
            f"deepest collision: {hit.a} and {hit.b} in frame {frame}, {short(hit.depth)} too near"
        )
        say.print(Text(words, style="dim"), soft_wrap=True)
    if found.off_balance.max(initial=0.0) > 0:
        frame = int(found.off_balance.argmax())
        words = f"farthest off balance: {short(float(found.off_balance[frame]))} in frame {frame}"
        say.print(Text(words, style="dim"), soft_wrap=True)
    if found.limited and not good:
        say.print(Text(f"at their limits: {', '.join(found.limited)}", style="dim"))
    if found.seams:
        fastest = max(found.seams, key=lambda seam: seam.added)
        spread = sum(seam.spread for seam in found.seams)
        words = f"{counted(len(found.seams), 'seam')}; at most {fastest.added:.3g} rad/s added, to {fastest.joint}"
        words += f" after frame {fastest.frame}"
        words += f"; {counted(spread, 'jump')} spread out" if spread else ""
        say.print(Text(words, style="dim"), soft_wrap=True)


def words_of(steps: Sequence[Correction]) -> str:
    """What a line about a clip says."""
    words = []
    several = len(_by_motion(steps)) > 1
    for one in steps:
        if several:
            words.append(one.motion.name)
        if isinstance(one, Planted):
            if not any((slide.heel | slide.toe).any() for slide in one.slides):
                words.append("no foot stands")
                continue
            slid = [np.mean([getattr(s, when) for s in one.slides]) for when in ("before", "after")]
            words.append(f"feet slid {short(float(slid[0]))} a second, now {short(float(slid[1]))}")
            words += [_missing(one)] if np.any(one.status > Status.REACHED) else []
            words += one.notes
        else:
            words.append(one.reason)
    return "; ".join(words)
