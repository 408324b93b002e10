"""supple beside Blender, three.js and gltf-validator, over the files of a folder.

    python tools/oracles/compare.py FOLDER --blender PYTHON --node-modules FOLDER

PYTHON is one that has `bpy` (pip install bpy); the folder of Node modules is one with `three` and
`gltf-validator` (npm install three gltf-validator). Either may be left out.
"""

from __future__ import annotations

import argparse
import base64
import json
import logging
import os
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import supple
from supple.apps.character.skinning import skin

HERE = Path(__file__).parent
WRITTEN = ("glb", "gltf")


def beside_blender(files: Sequence[Path], python: str, folder: Path) -> None:
    """Joint positions of BVH files, as shares of the extent."""
    out = folder / "blender.json"
    command = [python, str(HERE / "blender_bvh.py"), str(out), *map(str, files)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    errors = {}
    for path, frames in json.loads(out.read_text()).items():
        hero = supple.load(path)
        motion = next(iter(hero.motions.values()))
        size = max(
            np.linalg.norm(np.ptp(pose.positions, axis=0)) for pose in (motion[0], hero.pose)
        )
        errors[path] = max(
            float(np.abs(motion[int(frame)].position(bone) - place).max()) / size
            for frame, bones in frames.items()
            for bone, place in bones.items()
            if bone in hero.skeleton and int(frame) < len(motion)
        )
    for path, error in errors.items():
        if error > 1e-4:
            print(f"  {path}: {error:.1e}")
    print(f"Blender: {len(errors)} of {len(files)} BVH files read; joints agree within "
          f"{max(errors.values()):.1e} of the extent, median {np.median(list(errors.values())):.1e}")  # fmt: skip


def embedded(path: Path, out: Path) -> Path:
    """A glTF file with its data inside and without looks, which three.js reads without a browser."""
    data = path.read_bytes()
    if data[:4] == b"glTF":
        size = struct.unpack_from("<I", data, 12)[0]
        root, blobs = json.loads(data[20 : 20 + size]), [data[28 + size :]]
    else:
        root = json.loads(data)
        blobs = [
            None if one["uri"].startswith("data:") else (path.parent / one["uri"]).read_bytes()
            for one in root.get("buffers", [])
        ]
    for one, blob in zip(root.get("buffers", []), blobs, strict=False):
        if blob is not None:
            text = base64.b64encode(blob).decode()
            one["uri"] = f"data:application/octet-stream;base64,{text}"
    for table in ("images", "textures", "materials", "samplers"):
        root.pop(table, None)
    for mesh in root.get("meshes", []):
        for part in mesh["primitives"]:
            part.pop("material", None)
    out.write_text(json.dumps(root))
    return out


def apart(ours: list[Any], theirs: list[Any]) -> float:
    """The greatest distance of vertices, over the greatest coordinate; meshes in any order."""
    left = [np.array(one).reshape(-1, 3) for one in theirs]
    worst = 0.0
    for mesh in ours:
        errors = [
            (float(np.abs(mesh - one).max() / max(1.0, np.abs(mesh).max())), k)
            for k, one in enumerate(left)
            if len(one) == len(mesh)
        ]
        error, k = min(errors)
        left.pop(k)
        worst = max(worst, error)
    return worst


def shown(hero: supple.Character, motion: supple.Motion, time: float) -> list[Any]:
    """The vertices of all meshes at a time of a motion, morphs included."""
    found = []
    for mesh in hero.meshes:
        track = motion.tracks.get(f"morphs:{mesh.name}")
        if track is not None:
            weights = [np.interp(time, motion.times, column) for column in track.T]
            mesh = replace(
                mesh,
                morphs=tuple(
                    replace(morph, weight=float(weight))
                    for morph, weight in zip(mesh.morphs, weights, strict=True)
                ),
            )
        found.append(skin(mesh, motion.at(time)))
    return found


def beside_three(files: Sequence[Path], modules: Path, folder: Path) -> None:
    """Skinned vertices of glTF files, at rest and along all clips."""
    plain = {str(embedded(path, folder / f"{k}.gltf")): path for k, path in enumerate(files)}
    out = folder / "three.json"
    script = folder / "three_gltf.mjs"
    shutil.copy(HERE / "three_gltf.mjs", script)
    _link(folder, modules)
    subprocess.run(["node", str(script), str(out), *plain], check=True, capture_output=True)
    rest, straight, curved = {}, {}, {}
    for name, theirs in json.loads(out.read_text()).items():
        path = plain[name]
        hero = supple.load(path)
        rest[path] = apart([skin(mesh, hero.pose) for mesh in hero.meshes], theirs["rest"])
        curves = hero.extras["gltf"].get("curves", {})
        for (key, motion), frames in zip(hero.motions.items(), theirs["clips"], strict=False):
            error = max(apart(shown(hero, motion, f["time"]), f["meshes"]) for f in frames)
            channels = curves[key].channels if key in curves else ()
            bent = any(channel.mode == "CUBICSPLINE" for _, channel in channels)
            (curved if bent else straight)[path, key] = error
    for what, errors in (("at rest", rest), ("along motions", straight), ("along curves", curved)):
        if errors:
            print(
                f"three.js: {len(errors)} {what}: vertices agree within {max(errors.values()):.1e}"
            )
            for key, error in errors.items():
                if error > 1e-5:
                    print(f"  {key}: {error:.1e}")


def valid(files: Sequence[Path], modules: Path, folder: Path) -> None:
    """What gltf-validator says of everything that is written."""
    made = []
    for k, path in enumerate(files):
        try:
            hero = supple.load(path)
        except supple.SuppleError:
            continue
        for ending in WRITTEN:
            for way, options in (("as is", {}), ("turned", {"up": "y", "unit": "m"})):
                if way == "turned" and (hero.up is None or hero.unit is None):
                    continue
                made.append(folder / f"{k}_{way[0]}_{path.stem}.{ending}")
                supple.save(hero, made[-1], **options)
    script = folder / "validate.mjs"
    shutil.copy(HERE / "validate.mjs", script)
    _link(folder, modules)
    done = subprocess.run(
        ["node", str(script), *map(str, made)], check=True, capture_output=True, text=True
    )
    print("gltf-validator:", done.stdout.strip())


def _link(folder: Path, modules: Path) -> None:
    link = folder / "node_modules"
    if not link.exists():
        os.symlink(modules.resolve(), link)


def main() -> None:
    """Compare all that can be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--blender", metavar="PYTHON")
    parser.add_argument("--node-modules", type=Path, metavar="FOLDER")
    given = parser.parse_args()
    logging.getLogger("supple").setLevel(logging.ERROR)
    files = {
        ending: sorted(path for path in given.folder.rglob(f"*{ending}"))
        for ending in (".bvh", ".smd", ".glb", ".gltf")
    }
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        if given.blender:
            beside_blender(files[".bvh"], given.blender, folder)
        if given.node_modules:
            beside_three([*files[".glb"], *files[".gltf"]], given.node_modules, folder)
            valid([path for many in files.values() for path in many], given.node_modules, folder)


if __name__ == "__main__":
    main()
