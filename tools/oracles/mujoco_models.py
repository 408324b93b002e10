"""Hold MJCF models against MuJoCo: kinematics, centre of mass, qpos and loops at random configurations.

    python tools/oracles/mujoco_models.py FOLDER [-n 100]

Every XML file below FOLDER whose root element is `mujoco` is loaded, and compiled by MuJoCo, where meshes
are missing with mesh geoms, materials and skins taken away. Prints a table: the largest difference of any
body's or site's position [m] and rotation [rad], of the centre of mass, and of qpos there and back.
"""

from __future__ import annotations

import argparse
import logging
import re
import time
from pathlib import Path

import mujoco
import numpy as np

import supple
from supple import robot, rotations

FREE, BALL, SLIDE, HINGE = range(4)  # mjtJoint
COUPLING = 2  # mjtEq


def reference(path: Path) -> mujoco.MjModel:
    """The model as MuJoCo compiles it, or if meshes are missing, without meshes."""
    try:
        return mujoco.MjModel.from_xml_path(str(path))
    except ValueError:
        pass
    spec = mujoco.MjSpec.from_file(str(path))
    for geom in list(spec.geoms):
        if geom.meshname or geom.hfieldname:
            spec.delete(geom)
    for some in (spec.pairs, spec.meshes, spec.skins, spec.textures, spec.materials, spec.hfields):
        for one in list(some):
            spec.delete(one)
    for some in (spec.geoms, spec.sites, spec.tendons):
        for one in some:
            one.material = ""
    try:
        return spec.compile()
    except ValueError as error:
        if "mass and inertia" not in str(error):
            raise
        spec.compiler.boundmass = spec.compiler.boundinertia = 1e-6
        return spec.compile()


def configurations(model: mujoco.MjModel, count: int, rng: np.random.Generator) -> np.ndarray:
    """Random qpos, shape (count, nq), that satisfy the couplings of joints."""
    q = np.empty((count, model.nq))
    for j in range(model.njnt):
        at, kind = int(model.jnt_qposadr[j]), int(model.jnt_type[j])
        if kind in (HINGE, SLIDE):
            low, high = model.jnt_range[j] if model.jnt_limited[j] else (-np.pi, np.pi)
            q[:, at] = rng.uniform(low, high, count)
        else:
            if kind == FREE:
                q[:, at : at + 3] = rng.normal(size=(count, 3))
                at += 3
            turns = rng.normal(size=(count, 4))
            q[:, at : at + 4] = turns / np.linalg.norm(turns, axis=1, keepdims=True)
    for _ in range(model.neq):  # couplings of couplings settle
        for e in np.flatnonzero(model.eq_active0):
            a, b, c = model.eq_obj1id[e], model.eq_obj2id[e], model.eq_data[e]
            if int(model.eq_type[e]) == COUPLING:
                at = model.jnt_qposadr[a]
                x = np.zeros(count)
                if b >= 0:
                    x = q[:, model.jnt_qposadr[b]] - model.qpos0[model.jnt_qposadr[b]]
                q[:, at] = model.qpos0[at] + sum(c[k] * x**k for k in range(5))
    return q


def compared(path: Path, count: int) -> str:
    """A row of the table."""
    began = time.perf_counter()
    character = supple.load(path)
    took = time.perf_counter() - began
    skeleton = character.skeleton
    model = reference(path)
    data = mujoco.MjData(model)
    q = configurations(model, count, np.random.default_rng(0))
    poses = robot.from_qpos(character, q)
    back = np.abs(robot.qpos(character, poses) - q)
    frames = {}
    for kind, number, some in (
        (mujoco.mjtObj.mjOBJ_BODY, model.nbody, "body"),
        (mujoco.mjtObj.mjOBJ_SITE, model.nsite, "site"),
    ):
        for k in range(number):
            name = mujoco.mj_id2name(model, kind, k)
            for own in (f"{name} {some}", name):  # a joint of the same name has the name
                if name and own in skeleton and (own != name or not _is_joint(skeleton, name)):
                    frames[some, k] = skeleton.index(own)
                    break
    places = turns = masses = 0.0
    known = skeleton.masses and all(skeleton.masses.values())
    for row in range(count):
        data.qpos[:] = q[row]
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        pose = poses[row]
        for some, where in (("body", data.xpos), ("site", data.site_xpos)):
            pairs = [(k, at) for (kind, k), at in frames.items() if kind == some]
            if not pairs:
                continue
            theirs, ours = np.array(pairs).T
            places = max(places, np.abs(where[theirs] - pose.positions[ours]).max())
            R = (data.xmat if some == "body" else data.site_xmat)[theirs].reshape(-1, 3, 3)
            off = np.abs(rotations.to_matrix(pose.rotations[ours]) - R).max()
            turns = max(turns, off)
        if known:
            masses = max(masses, np.abs(pose.center_of_mass - data.subtree_com[0]).max())
    return (
        f"{len(skeleton):5} {len(frames):5} {places:9.1e} {turns:9.1e} "
        f"{f'{masses:9.1e}' if known else '        -'} {back.max(initial=0):9.1e} {took:6.2f}"
    )


def _is_joint(skeleton: supple.Skeleton, name: str) -> bool:
    """Whether a name is that of a joint that is not a body without joints."""
    at = skeleton.index(name)
    return at < len(skeleton) and not isinstance(skeleton.joints[at], supple.Fixed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("-n", type=int, default=100, help="configurations of each model")
    given = parser.parse_args()
    logging.getLogger("supple").setLevel(logging.ERROR)
    print(f"{'model':60} joints frames position  rotation      mass      qpos  load [s]")
    for path in sorted(given.folder.rglob("*.xml")):
        if not re.search(rb"<mujoco[\s>]", path.read_bytes()):
            continue
        name = str(path.relative_to(given.folder))
        try:
            print(f"{name:60} {compared(path, given.n)}", flush=True)
        except supple.SuppleError as error:
            print(f"{name:60} refused: {error}", flush=True)
        except Exception as error:  # MuJoCo refuses it
            print(f"{name:60} no reference: {type(error).__name__}: {error}", flush=True)


if __name__ == "__main__":
    main()
