"""Scenes, motions and traces as messages and packets for the page."""

from __future__ import annotations

import math

import numpy as np

from supple.apps.motion import Contacts, Motion
from supple.apps.viewer.bodies import feet_of, own_loops
from supple.apps.viewer.bounds import Bounds
from supple.apps.viewer.found_contacts import found_contacts
from supple.apps.viewer.messages import (
    ContactsInfo,
    GoalPlace,
    JointInfo,
    MotionHead,
    MotionInfo,
    Range,
    Scene,
    StepInfo,
    StepsHead,
    TraceHead,
    Vector,
)
from supple.apps.viewer.messages.binary import packet, rigid
from supple.apps.viewer.model import KEYFRAMES, Model, bone, own_place
from supple.apps.viewer.solvers import uses
from supple.apps.viewer.subject import Subject, limb_depth
from supple.kernels import layout
from supple.model.skeleton import Pose, Skeleton
from supple.solve.solution import Solution
from supple.solve.trace import Trace

MOST_GHOSTS = 600  # most frames of a motion sent for the onion skin


def scene(
    subject: Subject,
    model: Model,
    *,
    seq: int,
    revision: int,
    pose: Pose,
    around: Bounds,
    contacts: ContactsInfo | None = None,
) -> Scene:
    """Describe a scene: skeleton, goals and extent.

    Args:
        subject: What is shown.
        model: What is solved.
        seq: The number of the setup that is answered.
        revision: The number of the scene.
        pose: The pose that gives the initial positions of goals.
        around: The extent.
        contacts: The contacts of the motion that plays.
    """
    skeleton = model.skeleton
    problem = model.prepared[0].problem if model.prepared else None
    moving = set(problem.moving.tolist()) if problem is not None else set()
    blocks = problem.blocks if problem is not None else ()
    tolerance = next((b.tolerance for b in blocks if b.kind == layout.POSITION), 0.0)
    places = [
        GoalPlace(
            id=goal.id,
            position=_vector(own_place(goal, pose, around.size)),
            orientation=tuple(pose.rotation(goal.effector).tolist()),
        )
        for goal in model.goals
    ]
    parents = [*skeleton.parents.tolist(), *skeleton.packed_tips[0].tolist()]
    return Scene(
        seq=seq,
        revision=revision,
        key=subject.key,
        title=subject.title,
        names=list(skeleton.names),
        parents=parents,
        limbs=[limb_depth(skeleton, name) for name in skeleton.names],
        joints=[_joint(skeleton, j, j in moving) for j in range(len(skeleton.joints))],
        slots=max(len(model.prepared), 1),
        goals=[*subject.targets, *model.goals],
        places=[*subject.places, *places],
        center=around.center,
        size=around.size,
        box=(around.low, around.high),
        ground=around.ground,
        up=subject.up,
        flat=subject.flat,
        pedestal=subject.pedestal is not None,
        motions=_motions(subject, model),
        motion=model.playing,
        meshes=len(subject.meshes),
        notes=list(subject.notes),
        tolerance=tolerance,
        unit=subject.unit,
        solvers=uses(problem),
        grown=subject.grown,
        contacts=contacts,
        retargeted=None if subject.source is None else subject.source.info,
        bodies=model.bodies,
        loops=own_loops(skeleton),
        feet=feet_of(skeleton),
        about=subject.about,
        front=subject.front,
    )


def _vector(values: np.ndarray) -> Vector:
    x, y, z = values.tolist()
    return (x, y, z)


def _motions(subject: Subject, model: Model) -> list[MotionInfo]:
    listed = dict(subject.motions)
    if model.motion is not None and model.playing == KEYFRAMES:
        listed[KEYFRAMES] = model.motion
    return [
        MotionInfo(
            name=name,
            duration=one.period if one.loop else one.duration,
            fps=one.fps,
            frames=len(one),
        )
        for name, one in listed.items()
    ]


def _joint(skeleton: Skeleton, j: int, moves: bool) -> JointInfo:
    joint, table = skeleton.joints[j], skeleton.freedom_table
    rows, cone = table.rows_of(j), table.cones.of(j)
    numbers = rows.take(rows.is_scalar & (not joint.has_quaternion))
    labels = [joint.scalars[k].label for k in numbers.part.tolist()]
    limits = [_range(*pair) for pair in zip(numbers.low, numbers.high, strict=True)]
    axes = [_vector(axis) for axis in numbers.axis]
    if len(cone):
        labels, limits = ["twist"], [_range(cone.twist_low[0], cone.twist_high[0])]
        axes = [_vector(cone.axis[0])]
    return JointInfo(
        kind=type(joint).__name__,
        labels=labels,
        limits=limits,
        axes=axes,
        slides=int(numbers.is_slide.sum()),
        swings=joint.has_quaternion and not joint.scalars,
        swing=getattr(joint, "swing", None)
        if joint.half_angles is None
        else max(joint.half_angles),
        tilts=joint.half_angles,
        up=_vector(cone.up[0]) if len(cone) else (0.0, 0.0, 0.0),
        rest=tuple(skeleton.rotations[j].tolist()),
        bone=bone(skeleton, skeleton.joint_names[j]),
        moves=moves,
        damping=joint.damping,
        stiffness=joint.stiffness,
    )


def _range(low_limit: float, high_limit: float) -> Range | None:
    low, high = (float(x) if math.isfinite(x) else None for x in (low_limit, high_limit))
    return None if low is None and high is None else (low, high)


# Packets ------------------------------------------------------------------------------------------


def motion(value: Motion, name: str, *, up: str, contacts: Contacts | None = None) -> bytes:
    """A motion's joint positions and contacts, for the onion skin; contacts are found if not given."""
    every = max(1, math.ceil(len(value) / MOST_GHOSTS))
    contacts = contacts or found_contacts(value, up=up) or Contacts(len(value), {})
    feet = [value.skeleton.index(joint) for joint in contacts.joints]
    flags = [contacts.flags(joint)[::every] for joint in contacts.joints]
    positions = value.poses[::every].positions
    arrays = {
        "positions": positions,
        "contacts": np.array(flags, dtype=np.int64).reshape(-1, len(positions)).T,
    }
    return packet(MotionHead(name=name, duration=value.duration, feet=feet), arrays)


def trace(value: Trace, effector: str, solution: Solution | None = None) -> bytes:
    """A trace: the pose of every iteration, and the steps of each."""
    skeleton = value.skeleton
    goal = value.goals.get(effector)
    rows = value.events
    steps = [
        StepInfo(
            iteration=int(row[layout.V_ITERATION]),
            joint=int(row[layout.V_JOINT]),
            placed=bool(row[layout.V_KIND] == layout.PLACED),
            change=[float(f"{x:.7g}") for x in row[layout.V_CHANGE :]],
        )
        for row in rows
    ]
    head = TraceHead(
        solver=value.solver,
        effector=skeleton.index(effector),
        goal=None if goal is None else tuple(goal.tolist()),
        status="" if solution is None else solution.status.words,
        reason="" if solution is None else solution.reason,
        steps=steps,
    )
    return packet(head, {"frames": rigid(value.poses), "errors": value.errors})


def steps(value: Trace, iteration: int) -> bytes:
    """The poses after each rotation step of one iteration."""
    poses = [rigid(pose) for step, pose in value.walk() if step.iteration == iteration]
    count = len(value.skeleton.names)
    frames = np.stack(poses) if poses else np.zeros((0, count, 7))
    return packet(StepsHead(iteration=iteration), {"frames": frames})
