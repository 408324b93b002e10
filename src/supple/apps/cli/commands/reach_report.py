"""Report on a solution, as tables and as plain data."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from rich.table import Table
from rich.text import Text

from supple import costs
from supple.apps.cli.console import console, table
from supple.goals import Goal
from supple.model.skeleton import Pose
from supple.solve.outcome import counted
from supple.solve.solution import Solution
from supple.texts import short

LOOPS = {"meeting": "loops open by {}", "alignment": "turned by {} rad"}  # kinds of demand


def as_data(answer: Solution, goals: list[Goal]) -> dict[str, Any]:
    """Plain data of a solution: radians, world positions in model units."""
    skeleton = answer.skeleton
    return {
        "solver": answer.asked.solver,
        "goals": [goal.data() for goal in goals],
        "status": answer.status.name,
        "reached": answer.reached,
        "reason": answer.reason,
        "error": answer.error,
        "orientation_error": answer.orientation_error,
        "iterations": answer.iterations,
        "restarts": answer.restarts,
        "limited": list(answer.limited),
        **_constraint_data(answer, goals),
        "angles": dict(zip(skeleton.freedoms, answer.angles.tolist(), strict=True)),
        "positions": dict(zip(skeleton.names, answer.positions.tolist(), strict=True)),
        "coordinates": answer.pose.coordinates.tolist(),
        "alternatives": [
            {
                "angles": dict(zip(skeleton.freedoms, other.angles.tolist(), strict=True)),
                "coordinates": other.pose.coordinates.tolist(),
            }
            for other in answer.alternatives
        ],
    }


def _constraint_data(answer: Solution, goals: list[Goal]) -> dict[str, Any]:
    """Loops, collisions and balance, as far as they are asked or the model has them."""
    data: dict[str, Any] = {}
    loops = [
        {
            "bones": demand.effector,
            "kind": demand.kind,
            "error": error,
            "tolerance": demand.tolerance,
        }
        for demand, error in zip(answer.asked.demands, answer.errors.tolist(), strict=True)
        if demand.kind in LOOPS
    ]
    if loops:
        data["loops"] = loops
    kinds = {kind for goal in goals for kind in goal.kinds}
    if "avoid" in kinds:
        found = answer.collision
        data["collision"] = found._asdict() if found is not None else None
    if "balance" in kinds:
        data["off_balance"] = answer.off_balance
        data["center_of_mass"] = answer.pose.center_of_mass
    return data


def _constraint_facts(answer: Solution, goals: list[Goal]) -> list[str]:
    """The same in words."""
    data = _constraint_data(answer, goals)
    facts = []
    for kind, words in LOOPS.items():
        open_ = [loop["error"] for loop in data.get("loops", ()) if loop["kind"] == kind]
        facts += [words.format(short(max(open_)))] if open_ else []
    if "collision" in data:
        hit = answer.collision
        facts.append(f"{hit.a} and {hit.b} {short(hit.depth)} too near" if hit else "no collision")
    if "off_balance" in data:
        out = answer.off_balance
        facts.append(f"{short(out)} off balance" if out > 0 else "balanced")
    return facts


def show(answer: Solution, goals: list[Goal], written: dict[str, str]) -> None:
    """Print a solution: how it ended, then the pose, angles in degrees."""
    say = console()
    good = answer.reached
    status = answer.status.name.lower().replace("_", " ")
    say.print(Text.assemble((status, "bold green" if good else "bold red"), ": ", answer.reason))
    facts = [answer.asked.solver, counted(answer.iterations, "iteration")]
    if answer.restarts:
        facts.append(f"{answer.restarts} restart{'s' * (answer.restarts != 1)}")
    kinds = {demand.kind for demand in answer.asked.demands}
    if "position" in kinds:
        asked = min(d.tolerance for d in answer.asked.demands if d.kind == "position")
        facts.append(f"error {short(answer.error)} (tolerance {short(asked)})")
    if kinds & {"orientation", "direction"}:
        facts.append(f"turned {short(math.degrees(answer.orientation_error))}° off")
    facts += _constraint_facts(answer, goals)
    say.print(Text(", ".join(facts), style="dim"))
    say.print()
    say.print(_pose_table(answer, goals))
    hidden = len(answer.skeleton.names) - len(_shown(answer, goals))
    if hidden:
        say.print(Text(f"and {hidden} joints and tips that this solve does not free", style="dim"))
    if answer.alternatives:
        say.print()
        say.print(_choice_table(answer, goals))
    for what, path in written.items():
        say.print(Text(f"{what} written to {path}", style="dim"), soft_wrap=True)


def _shown(answer: Solution, goals: list[Goal]) -> list[str]:
    """The joints that may move and the effectors, in the order of the skeleton."""
    named_ = {name for goal in goals for name in goal.effectors} | set(answer.asked.moving)
    return [name for name in answer.skeleton.names if name in named_]


def _pose_table(answer: Solution, goals: list[Goal]) -> Table:
    skeleton, pose = answer.skeleton, answer.pose
    pressed = set(answer.limited)
    rows = []
    size = float(np.abs(pose.positions).max()) or 1.0
    digits = max(0, min(9, 3 - math.floor(math.log10(size)) + 1)) if size < 1e4 else 1
    for name in _shown(answer, goals):
        k = skeleton.index(name)
        joint = skeleton.joints[k] if k < len(skeleton.joints) else None
        angles = Text(_angle_words(pose, k)) if joint is not None else Text()
        if name in pressed and not answer.reached:
            angles.append("  at its limit", style="yellow")
        kind = type(joint).__name__.lower() if joint is not None else "tip"
        place = [f"{x + 0.0:.{digits}f}" for x in pose.position(name)]
        rows.append([name, Text(kind, style="dim"), angles, *place])
    heads = [("joint", "left"), ("", "left"), ("coordinates", "left")]
    return table([*heads, ("x", "right"), ("y", "right"), ("z", "right")], rows)


def _angle_words(pose: Pose, k: int) -> str:
    """The coordinates of a joint: angles in degrees, lengths and factors unchanged."""
    skeleton = pose.skeleton
    joint = skeleton.joints[k]
    first = sum(one.freedom_count for one in skeleton.joints[:k])
    lengths = [one.label for one in joint.scalars if one.slides]
    words = []
    for label, value in zip(joint.freedom_labels, pose.angles[first:], strict=False):
        length = label in lengths
        if label == "stretch":
            shown = f"×{value:.3f}"
        else:
            shown = f"{value + 0.0:.4g}" if length else f"{_tidy(math.degrees(value))}°"
        words.append(f"{label} {shown}" if label else shown)
    return "  ".join(words)


def _tidy(degrees: float) -> str:
    text = f"{degrees:.2f}"
    return "0.00" if text == "-0.00" else text


def _choice_table(answer: Solution, goals: list[Goal]) -> Table:
    """A table of all solutions with their costs."""
    placing = [
        goal for goal in goals if goal.frees and (goal.places or "orientation" in goal.kinds)
    ]
    effector = placing[0].effectors[0] if placing else None
    rows = []
    for k, one in enumerate((answer, *answer.alternatives)):
        path = costs.tip_path(answer.start, one.pose, effector) if effector else None
        rows.append(
            [
                str(k + 1),
                f"{math.degrees(costs.sum_of_turns(answer.start, one.pose)):.2f}°",
                f"{math.degrees(costs.largest_turn(answer.start, one.pose)):.2f}°",
                short(float(path), 4) if path is not None else "",
            ]
        )
    heads = (("answer", "left"), ("sum of turns", "right"), ("largest", "right"), ("path", "right"))
    return table(heads, rows)
