"""Judging answers without the solvers' own arithmetic: errors, costs, limits and statuses, row by row of a batch.

Everything here is worked out from the poses' world frames and the goals as the user wrote them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from tests.support.problems import Case, demands_of, effector_point
from tests.support.random_skeletons import columns_of

import supple
from supple import rotations as rot
from supple.kernels import layout
from supple.problem.lowering import LENGTHS_PER_RADIAN
from supple.solve.outcome import BlockInfo

LIMIT_TOLERANCE = (
    1e-9  # the most by which an answer may be outside a limit [rad, or the model's unit]
)
ERROR_AGREEMENT = 1e-9  # how well errors must agree, in chain lengths or radians
Status = supple.Status
SHIFTING = (supple.Slider, supple.Free, supple.Planar)


@dataclass(frozen=True, slots=True)
class Fault:
    """A law that an answer breaks: which, in which row of the batch, and how."""

    law: str
    row: int
    detail: str


def _angle(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The angle between unit vectors, good near 0 and near pi; 0 where one of them is not defined."""
    angle = 2.0 * np.arctan2(np.linalg.norm(a - b, axis=-1), np.linalg.norm(a + b, axis=-1))
    return np.where(np.isfinite(angle), angle, 0.0)


def _direction(v: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore", divide="ignore"):
        return v / np.linalg.norm(v, axis=-1, keepdims=True)


def _targets_of(case: Case, demand: BlockInfo) -> np.ndarray:
    """What a demand asks for: the target given at the call or, held, the effector's own place in the start."""
    goal = case.goals[demand.goal]
    if isinstance(goal, supple.Hold):
        if demand.kind == "position":
            return case.start.position(goal.effector)
        return case.start.rotation(goal.effector)
    open_now = [(g, kind) for g, kind in demands_of(case.goals)]
    place = next(i for i, (g, kind) in enumerate(open_now) if g is goal and kind == demand.kind)
    return case.targets[place]


def errors(case: Case, demands: tuple[BlockInfo, ...], pose: supple.Pose) -> np.ndarray:
    """The error of every demand, model units or radians, shape (B, demands); 0 for poles."""
    found = []
    for demand in demands:
        goal = case.goals[demand.goal]
        if demand.kind == "pole":
            found.append(np.zeros(pose.batch_shape))
            continue
        target = _targets_of(case, demand)
        if demand.kind == "position":
            found.append(np.linalg.norm(effector_point(goal, pose) - target, axis=-1))
        elif demand.kind == "orientation":
            found.append(rot.angle_between(pose.rotation(goal.effector), target))
        else:
            seen = rot.rotate(pose.rotation(goal.effector), goal.axis)
            found.append(_angle(seen, _direction(target - effector_point(goal, pose))))
    return np.stack(found, axis=-1)


def cost(case: Case, demands: tuple[BlockInfo, ...], amounts: np.ndarray) -> np.ndarray:
    """Half the weighted sum of squares that solvers lower, from the errors, in chain lengths squared."""
    total = np.zeros(amounts.shape[:-1])
    for i, demand in enumerate(demands):
        if demand.kind == "pole":
            continue
        if demand.kind == "position":
            size = amounts[..., i] / case.problem.length
        elif demand.kind == "orientation":
            size = LENGTHS_PER_RADIAN * amounts[..., i]
        else:
            size = LENGTHS_PER_RADIAN * 2.0 * np.sin(0.5 * amounts[..., i])
        total += 0.5 * case.goals[demand.goal].weight * size**2
    return total


def start_in_limits(case: Case) -> supple.Pose:
    """The start with the joints that may move put into their limits."""
    start = case.start
    moving = columns_of(case.skeleton, case.problem.moving)
    q = np.array(start.coordinates)
    q[..., moving] = start.clamped().coordinates[..., moving]
    return supple.Pose._wrap(case.skeleton, q, start.translations, start.scales)


def beyond_reach(case: Case, demand: BlockInfo) -> np.ndarray | None:
    """By how much a position is farther from its chain's beginning than the chain is long, shape (B,).

    The chain begins at the last point on the way, a joint or the effector, that no joint above it can move.
    Its bones are distances in the start that no joint changes: from each joint that moves the point after it
    to that point. None where a joint on the way can slide, or nothing on it moves.
    """
    goal, skeleton, start = case.goals[demand.goal], case.skeleton, case.start
    way = skeleton.path(None, goal.effector)
    joints = [name for name in way if name in skeleton.joint_names]
    moving = {skeleton.joint_names[j] for j in case.problem.moving}
    turning = [i for i, name in enumerate(joints) if name in moving]
    if not turning:
        return None
    first = turning[0]
    if any(isinstance(skeleton.joints[skeleton.index(n)], SHIFTING) for n in joints[first:]):
        return None
    nodes = [start.position(name) for name in way]
    points = [*nodes[: len(joints)], effector_point(goal, start)]
    # The bone after each node; a joint that is the effector has none.
    bones = [*np.diff(nodes, axis=0), np.zeros(3)]

    def moves(i: int, p: int) -> bool:
        return _moves(case, joints[i], points[p] - points[i], bones[i])

    base = max(
        p for p in range(first, len(points)) if not any(moves(i, p) for i in turning if i < p)
    )
    longest = np.zeros(start.batch_shape)
    end = len(points) - 1
    for i in reversed(turning):
        if i >= base and i < end and moves(i, end):
            stretched = _free_stretch(case, joints[i], bones[i])
            arm = points[end] - points[i]
            if stretched is not None:
                longest, arm = longest + stretched, arm - bones[i]
            longest = longest + np.linalg.norm(arm, axis=-1)
            end = i
    longest = longest + np.linalg.norm(points[end] - points[base], axis=-1)
    return np.linalg.norm(_targets_of(case, demand) - points[base], axis=-1) - longest


def _free_stretch(case: Case, name: str, bone: np.ndarray) -> np.ndarray | None:
    """The greatest length of a joint's bone (xyz in the start), shape (B,); None if the joint does not stretch it."""
    skeleton, start = case.skeleton, case.start
    joint = skeleton.index(name)
    stretch, length = skeleton.joints[joint].stretch, np.linalg.norm(bone, axis=-1)
    if stretch is None or not length.any():
        return None
    at = skeleton.packed_ints[joint, layout.STRETCH_Q]
    return length * stretch[1] / start.coordinates[..., at]


def _moves(case: Case, name: str, arm: np.ndarray, bone: np.ndarray) -> bool:
    """True if a joint that does not slide moves a point at `arm` from it (xyz in the start), on or after its bone."""
    own = case.skeleton.joints[case.skeleton.index(name)]
    if _free_stretch(case, name, bone) is not None:
        return True
    across = arm
    if isinstance(own, supple.Hinge):
        across = np.cross(rot.rotate(case.start.rotation(name), np.asarray(own.axis)), arm)
    size = np.linalg.norm(arm, axis=-1)
    return bool((np.linalg.norm(across, axis=-1) > 1e-9 * size).any())


def violation(case: Case, answer: supple.Solution) -> float:
    """The most by which a joint that was free to move is outside a limit; kept starts are not."""
    judged = np.asarray(answer.reached) | (not answer.asked.kept)
    excess = answer.pose.violations()[judged][:, case.problem.moving]
    return float(excess.max(initial=0.0))


def judge(case: Case, prepared: supple.Prepared, answer: supple.Solution) -> list[Fault]:
    """Every law that a batch of answers breaks, at most a few rows of each."""
    faults: list[Fault] = []

    def blame(law: str, wrong: np.ndarray, *shown: Any) -> None:
        for b in np.flatnonzero(wrong)[:3]:
            detail = ", ".join(f"{what} {np.asarray(value)[b]}" for what, value in shown)
            faults.append(Fault(law, int(b), detail))

    demands, keep = answer.asked.demands, answer.asked.kept
    pose, status = answer.pose, np.asarray(answer.status)
    reached = status == Status.REACHED
    finite = np.isfinite(pose.coordinates).all(axis=-1) & np.isfinite(answer.errors).all(axis=-1)
    blame("finite", ~finite, ("status", status))
    if not finite.all():
        return faults

    mine = errors(case, demands, pose)
    length = case.problem.length
    far = np.max([np.abs(target).max(axis=-1) for target in case.targets], axis=0)
    far = far + 10.0 * np.abs(pose.positions).max(axis=(-2, -1))  # slides may go far out and back
    slack = np.empty(mine.shape)
    for i, demand in enumerate(demands):
        slack[:, i] = (
            ERROR_AGREEMENT * length + 1e-13 * far if demand.kind == "position" else ERROR_AGREEMENT
        )
        if demand.kind == "direction":  # seen from very near, a direction is not much of a number
            away = _targets_of(case, demand) - effector_point(case.goals[demand.goal], pose)
            slack[:, i] += 1e-12 * (length + far) / (np.linalg.norm(away, axis=-1) + 1e-300)
        theirs = answer.errors[..., i] if demand.kind != "pole" else 0.0
        off = np.abs(theirs - mine[:, i]) > slack[:, i]
        blame("the error is the distance", off, ("says", answer.errors[..., i]), ("is", mine[:, i]))

    counted = [i for i, demand in enumerate(demands) if demand.kind != "pole"]
    tolerance = np.array([demands[i].tolerance for i in counted])
    over = (mine[:, counted] - slack[:, counted] > tolerance).any(axis=-1)
    under = (mine[:, counted] + slack[:, counted] <= tolerance).all(axis=-1)
    blame("reached means within tolerance", reached & over, ("errors", mine))
    if not keep:
        blame("within tolerance means reached", ~reached & under, ("errors", mine))

    first = start_in_limits(case)
    moving = columns_of(case.skeleton, case.problem.moving)
    still = np.setdiff1d(np.arange(pose.coordinates.shape[-1]), moving)
    moved = (pose.coordinates[:, still] != case.start.coordinates[:, still]).any(axis=-1)
    blame("what is not free stays", moved)
    frozen = _frozen(case)
    moved = (pose.coordinates[:, frozen] != case.start.coordinates[:, frozen]).any(axis=-1)
    blame("frozen axes stay", moved)
    if keep:
        differs = (pose.coordinates != case.start.coordinates).any(axis=-1)
        blame("kept means untouched", ~reached & differs, ("status", status))
    judged = reached | (not keep)
    violated = pose.violations()[:, case.problem.moving].max(axis=-1)
    blame("limits hold", judged & (violated > LIMIT_TOLERANCE), ("by", violated))
    before = cost(case, demands, errors(case, demands, first))
    after = cost(case, demands, mine)
    rounding = (1e-15 * (1.0 + far / length)) ** 2
    worse = after > before * (1.0 + 1e-9) + 1e3 * rounding
    for i, demand in enumerate(demands):
        if demand.kind == "direction":  # on the effector itself, every direction is right
            way = _targets_of(case, demand) - effector_point(case.goals[demand.goal], first)
            worse &= np.linalg.norm(way, axis=-1) > ERROR_AGREEMENT * (length + far)
            # And seen from near, its last digits are rounding: d(size^2 / 2) = size d(size).
            weight = case.goals[demand.goal].weight
            worse &= after - before > weight * LENGTHS_PER_RADIAN**2 * mine[:, i] * slack[:, i]
    shown = ("before", before), ("after", after), ("status", status)
    blame("never worse", judged & ~reached & worse, *shown)

    beyond = [beyond_reach(case, d) for d in demands if d.kind == "position"]
    for amount, demand in zip(beyond, [d for d in demands if d.kind == "position"], strict=True):
        if amount is None:
            continue
        out = amount > demand.tolerance + ERROR_AGREEMENT * length + 1e-13 * far
        told = (status == Status.TOO_FAR) | (status == Status.TOO_NEAR)
        blame("too far is told", out & ~told, ("by", amount), ("status", status))
        whole = len(case.problem.moving) == _joints_below(case, demand)
        pointed = getattr(case.goals[demand.goal], "point", None) is not None
        if len(beyond) == 1 and whole and not pointed:
            near = amount < demand.tolerance - ERROR_AGREEMENT * length - 1e-13 * far
            blame("too far is true", near & (status == Status.TOO_FAR), ("by", amount))
    lost = case.reachable & ((status == Status.TOO_FAR) | (status == Status.TOO_NEAR))
    blame("what is in reach is not too far", lost, ("status", status))
    faults += _limited_faults(answer, status)
    last = prepared.solvers[-1]
    used = np.asarray(answer.iterations)
    if last.name != "TargetTriangle":  # which turns a damped link once, and is then not done
        cut = (status == Status.BUDGET) & (used < last.max_iterations)
        blame("budget means used up", cut, ("used", used))
    blame("no more than the budget", used > last.most_iterations, ("used", used))
    return faults


def _joints_below(case: Case, demand: BlockInfo) -> int:
    """How many joints there are on the way to a goal's effector, from the first that moves on."""
    way = case.skeleton.path(None, case.goals[demand.goal].effector)
    joints = [case.skeleton.index(name) for name in way if name in case.skeleton.joint_names]
    top = min(case.problem.moving)
    return len(joints) - joints.index(top) if top in joints else -1


def _frozen(case: Case) -> np.ndarray:
    """Places of the coordinates that are frozen axes of joints."""
    ints = case.skeleton.packed_ints
    found = [row[layout.Q] + i for row in ints for i in range(3) if (row[layout.FROZEN] >> i) & 1]
    return np.array(found, int)


def _limited_faults(answer: supple.Solution, status: np.ndarray) -> list[Fault]:
    """LIMITED names joints that have limits; STALLED names none."""
    faults = []
    for b in np.flatnonzero((status == Status.LIMITED) | (status == Status.STALLED))[:8]:
        named = answer[int(b)].limited
        if (status[b] == Status.LIMITED) != bool(named):
            faults.append(Fault("limited names joints", int(b), f"{Status(status[b]).name}: {named}"))  # fmt: skip
        for name in named:
            joint = answer.skeleton.joints[answer.skeleton.index(name)]
            if not (np.isfinite(np.array(joint.limit_rows)).any() or joint.stretch):
                faults.append(Fault("limited names joints with limits", int(b), name))
    return faults
