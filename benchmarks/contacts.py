"""Contacts beside another rule: python benchmarks/contacts.py PEERS.

PEERS is a folder with evaluate.py, maps/cmu.json and data/bvh/cmu. Its evaluator has its own rule for when heels and
balls of the feet touch the ground; prints in how many of all frames `supple.contacts` says the same.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import logging
from pathlib import Path

import numpy as np

import supple


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("peers", type=Path)
    peers = words.parse_args().peers
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


if __name__ == "__main__":
    main()
