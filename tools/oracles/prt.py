"""Run rule packages in CityEngine's engine (PRT, by Esri's `pyprt`), and compare supple with it.

A tool to run by hand, never a dependency and never in CI: pyprt is free for personal, educational and
non-commercial use only. In an environment of its own (`pip install pyprt py7zr numpy`):

    python tools/oracles/prt.py models PACKAGES OUT.npz --count 200

draws attributes and lots for the packages of a folder and keeps the engine's vertices; packages are also
unpacked beside OUT.npz. Then, with supple's environment:

    python tools/oracles/prt.py compare OUT.npz

grows the same models and says how many have the same vertices, in both directions.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import Any

import numpy as np

RULES = {
    "candler": "rules/candler.cga",
    "dynamic_imports": "rules/prt3_dynamic_imports/ruleA.cga",
    "extrusion_rule": "rules/extrusion_rule.cga",
    "FacesHolesVerticesrule": "rules/FacesHolesVerticesrule.cga",
    "identity": "rules/identity.cga",
}
"""The packages that make geometry, with the rule file of each."""

RANGES = {
    "BuildingHeight": (28, 100), "FloorHeight": (2.5, 5), "GroundfloorHeight": (3, 6),
    "TileWidth": (2.5, 5), "CorniceOverhang": (0.5, 3), "WindowHeight": (1.3, 2.4),
    "FrontWindowWidth": (1, 2.2), "RearWindowWidth": (0.5, 2), "SillSize": (0, 0.7),
    "CornerWallWidth": (0, 2),
}  # fmt: skip
"""Ranges of the attributes of candler, as its annotations have them or narrower, so that windows fit."""


def drawn(package: str, rng: random.Random) -> tuple[dict[str, Any], tuple[float, float]]:
    """Random attributes of a package, and the sides of a lot."""
    lot = (round(rng.uniform(12, 60), 2), round(rng.uniform(12, 45), 2))
    if package == "candler":
        found: dict[str, Any] = {
            name: round(rng.uniform(*ends), 2)
            for name, ends in RANGES.items()
            if rng.random() < 0.6
        }
        if rng.random() < 0.2:
            found["Mode"] = "3DPrint"
        return found, lot
    if package == "extrusion_rule":  # equal ends: the engine's random numbers are its own
        height = round(rng.uniform(5, 40), 2)
        return {"minBuildingHeight": height, "maxBuildingHeight": height}, lot
    return {}, lot


def models(folder: Path, out: Path, count: int, seed: int) -> None:
    """Generate models with the engine: `out` has the vertices, and a list of cases."""
    import py7zr
    import pyprt

    rng = random.Random(seed)
    names = [name for name in RULES if (folder / f"{name}.rpk").is_file()]
    for name in names:
        with py7zr.SevenZipFile(folder / f"{name}.rpk") as archive:
            archive.extractall(out.parent / name)
    cases, vertices = [], {}
    for k in range(count):
        name = "candler" if rng.random() < 0.7 else rng.choice(names)
        attributes, (wide, deep) = drawn(name, rng)
        lot = pyprt.InitialShape([0, 0, deep, wide, 0, deep, wide, 0, 0, 0, 0, 0])
        exact = {
            key: float(v) if isinstance(v, (int, float)) else v for key, v in attributes.items()
        }
        (model,) = pyprt.ModelGenerator([lot]).generate_model(
            [{"seed": 0, **exact}],
            str(folder / f"{name}.rpk"),
            "com.esri.pyprt.PyEncoder",
            {"emitGeometry": True},
        )
        cases.append({"package": name, "attributes": attributes, "lot": [wide, deep]})
        points = np.array(model.get_vertices(), dtype=np.float32).reshape(-1, 3)
        vertices[f"v{k}"] = np.unique(points, axis=0)
    np.savez_compressed(out, cases=np.array(json.dumps(cases)), **vertices)
    print(f"{out}: {count} models")


def compare(path: Path, near: float) -> None:
    """Grow the cases of a file and report the models whose vertices differ."""
    from scipy.spatial import KDTree

    import supple

    data = np.load(path)
    cases = json.loads(str(data["cases"]))
    same: dict[str, list[int]] = {}
    for k, case in enumerate(cases):
        root = path.parent / case["package"]
        rules = _beside_assets(root, RULES[case["package"]])
        wide, deep = case["lot"]
        grown = supple.grow(rules, folder=root, size=(wide, 0, deep), attributes=case["attributes"])
        ours = np.concatenate([np.asarray(mesh.positions) for mesh in grown.meshes()])
        theirs = data[f"v{k}"]
        there = KDTree(ours).query(theirs)[0]
        back = KDTree(theirs).query(ours)[0]
        done = same.setdefault(case["package"], [0, 0])
        done[1] += 1
        if max(there.max(), back.max()) <= near:
            done[0] += 1
            continue
        off, extra = int((there > near).sum()), int((back > near).sum())
        print(f"{k} {case}: {off} of {len(theirs)} of the engine's vertices missing, {extra} extra")
    for name, (good, every) in sorted(same.items()):
        print(f"{name}: {good} of {every} models have the same vertices within {near * 1e3:g} mm")


def _beside_assets(root: Path, name: str) -> Path:
    """The rule file, copied beside the package's assets if there are any."""
    path = root / name
    if not (root / "assets").is_dir():
        return path
    beside = root / "assets" / path.name
    beside.write_bytes(path.read_bytes())
    return beside


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("models")
    make.add_argument("packages", type=Path)
    make.add_argument("out", type=Path)
    make.add_argument("--count", type=int, default=200)
    make.add_argument("--seed", type=int, default=1)
    check = commands.add_parser("compare")
    check.add_argument("models", type=Path)
    check.add_argument("--near", type=float, default=1e-3, help="distance that counts as same [m]")
    given = parser.parse_args()
    if given.command == "models":
        models(given.packages, given.out, given.count, given.seed)
    else:
        compare(given.models, given.near)
