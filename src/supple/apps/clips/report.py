"""The report on a clip after a plan: one line, and plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from supple.apps.character.character import Note
from supple.apps.clips.done import DONE, NOT_REACHED, Done
from supple.apps.clips.steps import Work
from supple.apps.motion import Correction
from supple.apps.motion.correct import FADING, UNTOUCHED
from supple.apps.motion.planting import Planted
from supple.files import plain
from supple.solve.outcome import Status, counted
from supple.texts import short


def done(works: Sequence[Work], warnings: Sequence[str], full: bool) -> Done:
    """The result of a clip.

    Args:
        works: Its motions after a plan.
        warnings: Of the writer.
        full: Whether to include data on each frame.
    """
    reached = all(_reached(one) for work in works for one in work.made)
    good = reached and all(work.ok for work in works)
    notes = [note for work in works for note in work.notes]
    motions = [_summary(work) for work in works]
    data: dict[str, Any] = {"state": "done" if good else "faults" if reached else "not reached"}
    if full and any(work.made for work in works):
        rows = [_frames(work.made) if work.made else {} for work in works]
        if len(works) == 1:
            data |= rows[0]
        else:
            data["reached"] = reached
            motions = [{**one, **row} for one, row in zip(motions, rows, strict=True)]
    data |= {"motions": motions, "notes": list(dict.fromkeys([*notes, *warnings]))}
    # Plain numbers and lists, as the journal stores them.
    return Done(DONE if good else NOT_REACHED, _line(works), plain(data))


def warnings_of(notes: Sequence[Note]) -> list[str]:
    """The warnings among notes, in words."""
    return [str(note) for note in notes if note.level == "warning"]


def _reached(one: Correction) -> bool:
    return bool(np.all(one.reached))


def _line(works: Sequence[Work]) -> str:
    """The line about a clip."""
    lines = ["; ".join(text for one in work.said for text in words_of(one)) for work in works]
    if len(works) > 1:
        lines = [f"{work.name}: {line}" for work, line in zip(works, lines, strict=True)]
    return "; ".join(filter(None, lines)) or "nothing to do"


def words_of(one: str | Correction) -> list[str]:
    """The report of a step, in words."""
    if isinstance(one, str):
        return [one]
    if not isinstance(one, Planted):
        return [one.reason]
    if not any((slide.heel | slide.toe).any() for slide in one.slides):
        return ["no foot stands"]
    before, after = (
        np.mean([getattr(s, when) for s in one.slides]) for when in ("before", "after")
    )
    slid = f"feet slid {short(float(before))} a second, now {short(float(after))}"
    return [slid, *filter(None, [missing(one)]), *one.notes]


def missing(one: Planted) -> str:
    """The number of frames in which feet miss their targets, and by how much; "" if in none."""
    missed = one.status > Status.REACHED
    if not missed.any():
        return ""
    far = short(float(one.error[missed].max()))
    return f"feet miss their targets in {counted(int(missed.sum()), 'frame')}, by {far} at most"


def _summary(work: Work) -> dict[str, Any]:
    made = [{"reason": one.reason, "reached": _reached(one)} for one in work.made]
    return {"motion": work.name, "frames": len(work.motion), "corrections": made,
            "steps": work.data}  # fmt: skip


def _frames(steps: Sequence[Correction]) -> dict[str, Any]:
    """Data on each frame of a motion after its last correction, and on its feet if they were planted."""
    found = steps[-1]
    names = {int(one): one.name for one in Status} | {FADING: "FADING", UNTOUCHED: "UNTOUCHED"}
    data = {
        "motion": found.motion.name,
        "frames": len(found.motion),
        "reason": found.reason,
        "reached": all(_reached(one) for one in steps),
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
            data["unplanted"] = [
                {**asdict(stance), "words": str(stance)} for stance in one.unplanted
            ]
            data["jumps"] = [{**asdict(jump), "words": str(jump)} for jump in one.jumps]
            data["missing"] = missing(one)
    return data
