"""Feet in captured clips: how they slide, before and after planting, and when they touch the ground.

    python benchmarks/feet.py slide FOLDER      # FOLDER has clips in BVH
    python benchmarks/feet.py contacts PEERS    # PEERS has the evaluator of retargeting, and its clips

Each part has arguments of its own: `PART --help`.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from measuring import parser, run_part

import supple
from supple.apps.motion.feet import find_feet
from supple.runs import true_runs

# Slide ---------------------------------------------------------------------------------------------


def measured(path: Path, folder: Path) -> dict[str, float] | None:
    """The figures of one clip; None if it has no feet, or no motion."""
    began = time.perf_counter()
    hero = supple.load(path)
    if not hero.motions or hero.up is None:
        return None
    motion = next(iter(hero.motions.values()))
    read = time.perf_counter() - began
    try:
        feet = find_feet(motion.skeleton)
    except supple.SuppleError:
        return None
    if len(motion) < 10:
        return None
    began = time.perf_counter()
    found = supple.plant_feet(motion, up=hero.up)
    planted = time.perf_counter() - began
    began = time.perf_counter()
    supple.save(hero.with_(motions={motion.name: found.motion}), folder / path.name)
    written = time.perf_counter() - began
    again = next(iter(supple.load(folder / path.name).motions.values()))
    length = feet[0].length
    legs = [motion.skeleton.index(j) for f in feet for j in motion.skeleton.path(f.leg, f.ankle)]

    def fastest(one: supple.Motion) -> float:
        # The first frame of many clips is a T-pose, from which everything jumps.
        turns = one.poses[1:-1].turns(one.poses[2:])[:, legs]
        return float(turns.max()) * one.fps

    def drift(one: supple.Motion) -> float:
        """How far a heel or toe goes from where it is in the middle of its stance, at most [leg lengths]."""
        far = 0.0
        for foot, stood in zip(feet, found.slides, strict=True):
            for name, flags in ((foot.ankle, stood.heel), (foot.toe, stood.toe)):
                for run in true_runs(flags) if name is not None else ():
                    at = one.poses.position(name)[run]
                    gaps = np.linalg.norm(at - at[len(at) // 2], axis=1)
                    far = max(far, float(gaps.max()) / foot.length)
        return far

    def accelerated(one: supple.Motion) -> float:
        """The greatest second difference of the place of a leg's joint over time [leg lengths a second^2]."""
        at = one.poses.positions[1:, legs]
        return float(np.linalg.norm(np.diff(at, n=2, axis=0), axis=-1).max()) * one.fps**2 / length

    return {
        "drift": drift(found.motion),
        "drifted": drift(motion),
        "acceleration": accelerated(found.motion) / max(accelerated(motion), 1e-12),
        "frames": len(motion),
        "stands": float(np.mean([s.heel | s.toe for s in found.slides])),
        "before": float(np.mean([s.before for s in found.slides])) / length,
        "after": float(np.mean([s.after for s in found.slides])) / length,
        "lowered": found.lowered / length,
        "turn": fastest(motion),
        "turned": fastest(again),
        "cost": planted / (read + written),
    }


def slide(arguments: Sequence[str] | None = None) -> int:
    """Foot slide before and after `plant_feet`, over the BVH clips of a folder.

    For each clip: how far heels and toes go a second while they stand, and how far from one place in any stance, in
    leg lengths; the fastest turn of a leg's joint and the greatest acceleration of one, as they were and planted;
    how long it takes against reading and writing the clip.
    """
    words = parser(slide.__doc__, "slide")
    words.add_argument("folder", type=Path)
    folder = words.parse_args(arguments).folder
    logging.getLogger("supple").setLevel(logging.ERROR)
    print("clip | frames | stands | slide before | after | drift before | after | hips lowered | rad/s | then | "
          "acceleration, times | cost")  # fmt: skip
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        clips = sorted(folder.rglob("*.bvh"))
        for path in clips[:1] + clips:  # the first twice: it is compiled
            row = measured(path, Path(temporary))
            if row is not None:
                rows.append((path.name, row))
    for name, r in rows[1:]:
        print(
            f"{name} | {r['frames']} | {r['stands']:.0%} | {r['before']:.3f} | {r['after']:.1e} | "
            f"{r['drifted']:.3f} | {r['drift']:.1e} | {r['lowered']:.3f} | {r['turn']:.1f} | {r['turned']:.1f} | "
            f"{r['acceleration']:.2f} | {r['cost']:.1f}"
        )
    stands = [r for _, r in rows[1:] if r["before"] > 0]
    print(
        f"{len(stands)} clips with standing feet: slide {np.median([r['before'] for r in stands]):.3f} "
        f"leg lengths a second, then at most {max(r['after'] for r in stands):.1e}; drift in a stance at most "
        f"{max(r['drift'] for r in stands):.1e}; acceleration at most "
        f"{max(r['acceleration'] for r in stands):.2f} times the clip's own; leg joints turn at "
        f"most {max(r['turned'] / r['turn'] for r in stands):.2f} times as fast as before; "
        f"{np.median([r['cost'] for r in stands]):.1f} times as long as reading and writing"
    )
    return 0


# Contacts ------------------------------------------------------------------------------------------


def contacts(arguments: Sequence[str] | None = None) -> int:
    """Contacts beside another rule: in how many of all frames `supple.contacts` says the same.

    PEERS is a folder with evaluate.py, maps/cmu.json and data/bvh/cmu. Its evaluator has its own rule for when heels
    and balls of the feet touch the ground.
    """
    words = parser(contacts.__doc__, "contacts")
    words.add_argument("peers", type=Path)
    peers = words.parse_args(arguments).peers
    logging.disable(logging.CRITICAL)
    given = importlib.util.spec_from_file_location("evaluate", peers / "evaluate.py")
    assert given is not None and given.loader is not None
    evaluate = importlib.util.module_from_spec(given)
    given.loader.exec_module(evaluate)
    body = json.loads((peers / "maps" / "cmu.json").read_text())
    first = body.get("skip", 0)
    print("clip | frames | heels | balls | only here | only there")
    same, count, worst = 0, 0, 1.0
    for path in sorted((peers / "data" / "bvh" / "cmu").glob("*.bvh")):
        bvh = evaluate.read_bvh(path)
        theirs = evaluate.source_contacts(bvh, body, np.arange(len(bvh["data"])))
        motion = next(iter(supple.load(path).motions.values()))[first:]
        points = {f"{side}_{key}": body["points"][f"{side}_{joint}"]
                  for side in "lr" for key, joint in (("heel", "ankle"), ("toe", "toe"))}  # fmt: skip
        ours = supple.contacts(motion, list(points.values()))
        shares, more, less = {}, [], []
        for key, name in points.items():
            a, b = ours.flags(name), theirs[key][first:]
            shares[key] = float(np.mean(a == b))
            more.append(np.mean(a & ~b))
            less.append(np.mean(b & ~a))
            same, count = same + int(np.sum(a == b)), count + len(a)
        heels, balls = (
            np.mean([shares[f"{side}_{key}"] for side in "lr"]) for key in ("heel", "toe")
        )
        worst = min(worst, *shares.values())
        print(
            f"{path.stem} | {len(motion)} | {heels:.1%} | {balls:.1%} | {np.mean(more):.1%} | {np.mean(less):.1%}"
        )
    print(
        f"the same in {same / count:.2%} of {count} (point, frame) pairs; the least of any point {worst:.1%}"
    )
    return 0


PARTS = {"slide": slide, "contacts": contacts}


if __name__ == "__main__":
    sys.exit(run_part(__doc__, PARTS))
