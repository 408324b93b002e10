"""Robots of the MuJoCo Menagerie for benchmarks: as supple reads them, and as MuJoCo and mink have them."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import supple
from supple import robot, rotations

TOUCHING_DEPTH = 1e-9  # [m]
DATA = Path(__file__).parents[2] / "shared/data/mjcf"


def folder(parser: Any) -> None:
    """Add the option that says where the robots are."""
    parser.add_argument("--robots", type=Path, default=DATA, help="a MuJoCo Menagerie")
    parser.add_argument("--g1", type=Path, help="the MJCF of a Unitree G1 with its meshes")


def compiled(path: Path) -> mujoco.MjModel:
    """A model as MuJoCo compiles it, without visual geoms and without those whose mesh is missing."""
    spec = mujoco.MjSpec.from_file(str(path))
    assets = path.parent / spec.meshdir
    files = {mesh.name or Path(mesh.file).stem: mesh for mesh in spec.meshes}
    lost = {name for name, mesh in files.items() if not (assets / mesh.file).is_file()}
    for geom in list(spec.geoms):
        if (geom.contype == 0 and geom.conaffinity == 0) or geom.meshname in lost:
            spec.delete(geom)
    used = {geom.meshname for geom in spec.geoms}
    for name, mesh in files.items():
        if name not in used:
            spec.delete(mesh)
    for some in (spec.skins, spec.textures, spec.materials):
        for one in list(some):
            spec.delete(one)
    for one in (*spec.geoms, *spec.sites, *spec.tendons):
        one.material = ""
    return spec.compile()


@dataclass
class Robot:
    """A robot in both worlds.

    Attributes:
        character: As supple reads it.
        model: As MuJoCo compiles it.
        data: A state of that.
    """

    character: supple.Character
    model: mujoco.MjModel
    data: mujoco.MjData

    @classmethod
    def load(cls, path: Path) -> Robot:
        """Read a robot."""
        logging.getLogger("supple").setLevel(logging.ERROR)
        model = compiled(path)
        return cls(supple.load(path), model, mujoco.MjData(model))

    @property
    def skeleton(self) -> supple.Skeleton:
        """As supple has it."""
        return self.character.skeleton

    def pose(self, q: np.ndarray) -> supple.Pose:
        """The pose of qpos."""
        return robot.from_qpos(self.character, q)

    def qpos(self, pose: supple.Pose) -> np.ndarray:
        """The qpos of a pose."""
        return robot.qpos(self.character, pose)

    def middle(self, joints: Iterable[str]) -> np.ndarray:
        """Some joints in the middle of their ranges, the others at qpos0."""
        q = self.model.qpos0.copy()
        for name in joints:
            one = self.model.joint(name)
            q[one.qposadr[0]] = one.range.mean()
        return q

    def random(self, rng: np.random.Generator, joints: Iterable[str]) -> np.ndarray:
        """Some joints spread over their ranges, the others at qpos0."""
        q = self.model.qpos0.copy()
        for name in joints:
            one = self.model.joint(name)
            q[one.qposadr[0]] = rng.uniform(*one.range)
        return q

    def depth(self, q: np.ndarray) -> float:
        """How deep geoms are in each other by MuJoCo's collision detection [m].

        0 if no two touch, or by less than rounding, as closed fingers do.
        """
        self.data.qpos[:] = q
        mujoco.mj_fwdPosition(self.model, self.data)
        deepest = max((-contact.dist for contact in self.data.contact), default=0.0)
        return deepest if deepest > TOUCHING_DEPTH else 0.0

    def frame(self, q: np.ndarray, kind: str, name: str) -> np.ndarray:
        """The world frame (4, 4) of a body or site by MuJoCo."""
        self.data.qpos[:] = q
        mujoco.mj_kinematics(self.model, self.data)
        one = getattr(self.data, kind)(name)
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = one.xmat.reshape(3, 3), one.xpos
        return T

    def misses(self, q: np.ndarray, kind: str, name: str, T: np.ndarray) -> tuple[float, float]:
        """How far a frame is from where it should be, and how much it is turned [m, rad]."""
        there = self.frame(q, kind, name)
        turn = rotations.angle_between(
            rotations.from_matrix(there[:3, :3]), rotations.from_matrix(T[:3, :3])
        )
        return float(np.linalg.norm(there[:3, 3] - T[:3, 3])), float(turn)


@dataclass
class Timed:
    """Answers, and the processor time that each took.

    Attributes:
        answers: Whatever the calls gave.
        seconds: Of each call, of this thread, shape (N,).
    """

    answers: list[Any]
    seconds: np.ndarray

    @property
    def words(self) -> list[str]:
        """Mean, median and 99th percentile in milliseconds."""
        ms = 1e3 * self.seconds
        return [f"{x:.3g}" for x in (ms.mean(), np.median(ms), np.percentile(ms, 99))]


def timed(call: Callable[[Any], Any], given: Sequence[Any]) -> Timed:
    """Call once for each, after a few calls that do not count."""
    for one in given[:3]:
        call(one)
    answers, seconds = [], []
    for one in given:
        began = time.thread_time()
        answers.append(call(one))
        seconds.append(time.thread_time() - began)
    return Timed(answers, np.array(seconds))


TIMES = ("mean ms", "median", "99%")


# mink, where it is installed ---------------------------------------------------------------------

PEER_STEPS = 200


def mink_or_none() -> Any:
    """The module of mink; None if it, or daqp, which solves its programmes, is not installed."""
    try:
        import daqp as _  # noqa: F401
        import mink
    except ImportError:
        return None
    return mink


def are_met(state: Any, tasks: Iterable[Any], tolerance: float, turn: float) -> bool:
    """Whether frames are as near to their targets as they should be [m, rad]."""
    errors = [task.compute_error(state) for task in tasks]
    return all(np.linalg.norm(e[:3]) <= tolerance and np.linalg.norm(e[3:]) <= turn for e in errors)


def descended(
    mink: Any,
    state: Any,
    tasks: Sequence[Any],
    done: Callable[[], bool],
    limits: Sequence[Any],
    constraints: Sequence[Any] | None = None,
) -> np.ndarray:
    """The qpos after steps of mink, until it is done, a programme has no answer, or PEER_STEPS are used."""
    for _ in range(PEER_STEPS):
        if done():
            break
        try:
            move = mink.solve_ik(
                state, tasks, 1.0, solver="daqp", limits=limits, constraints=constraints
            )
        except mink.MinkError:
            break
        state.integrate_inplace(move, 1.0)
    return state.q.copy()
