"""From a setup to a `Model`: the skeleton with edited joints, goals, prepared problems.

A `Model` is immutable and rebuilt when the setup changes; moving goals and playing a motion do not
change it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

import numpy as np

from supple import rotations
from supple.apps.motion import Motion, keyframes
from supple.apps.viewer import bodies
from supple.apps.viewer.limits import Limited
from supple.apps.viewer.messages import (
    BodiesSetup,
    GoalPlace,
    GoalSetup,
    JointEdit,
    Setup,
    SolverChoice,
)
from supple.apps.viewer.solvers import racing
from supple.apps.viewer.subject import Subject
from supple.errors import SuppleError, one_of
from supple.goals import OPEN, Goal, LookAt, On, Pole, Reach
from supple.model.joints import Ball, Cone, Joint
from supple.model.skeleton import Pose, Skeleton
from supple.solve.prepare import Prepared, prepare
from supple.solvers import ALL, Solver

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])
KEYFRAMES = "keyframes"  # name of the motion made of a setup's keyframes
KEY_FPS = 30.0
HOLD_WEIGHT = 10.0  # of a "hold"; goals that are dragged have 1
MOST_NUMBERS = 20_000_000  # size limit of that motion: frames times coordinates


@dataclass(frozen=True)
class Model:
    """What is solved.

    Attributes:
        skeleton: The subject's skeleton with edited joints.
        goals: The goals, without positions.
        prepared: The prepared problem of each solver: one, or several side by side; none without goals.
        motion: The motion that plays, if any.
        playing: Its name, or None.
        limited: The limits of the skeleton, for `active`.
        bodies: Collisions, balance and loops that are kept.
    """

    skeleton: Skeleton
    goals: tuple[GoalSetup, ...]
    prepared: tuple[Prepared, ...]
    motion: Motion | None
    playing: str | None
    limited: Limited
    bodies: BodiesSetup

    def targets(self, places: Mapping[str, GoalPlace], pose: Pose) -> list[np.ndarray]:
        """The arguments of a prepared problem.

        Args:
            places: Positions of goals, by id.
            pose: A pose or a batch; goals without a position get theirs from it, batched like it.
        """
        out = []
        for number, slot in self.prepared[0].arguments:
            goal = self.goals[number]
            place = places.get(goal.id)
            if slot == "orientation":
                given = place.orientation if place is not None else None
                turn = pose.rotation(goal.effector) if given is None else np.array(given)
                size = np.linalg.norm(turn, axis=-1, keepdims=True)
                out.append(np.where(size > 1e-9, turn / np.maximum(size, 1e-9), IDENTITY))
            else:
                out.append(
                    own_place(goal, pose, 1.0) if place is None else np.array(place.position)
                )
        return out

    def active(self, pose: Pose) -> list[int]:
        """The joints that are at one of their limits."""
        return self.limited.active(pose)


def own_place(goal: GoalSetup, pose: Pose, distance: float) -> np.ndarray:
    """The position of a goal in a pose: its effector; for a "look" a point ahead, at a distance.

    A goal on another bone is where that is.
    """
    if goal.on:
        frame = pose.frames[..., pose.skeleton.index(goal.on), :3, :]
        return frame[..., :3] @ np.array(goal.point) + frame[..., 3]
    at = np.array(pose.position(goal.effector))
    if goal.kind == "look":
        axis = "xyz".index(goal.axis[-1])
        ahead = -distance if goal.axis.startswith("-") else distance
        at = at + ahead * pose.frames[..., pose.skeleton.index(goal.effector), :3, axis]
    return at


def build(subject: Subject, setup: Setup) -> Model:
    """Build the model of a setup.

    Raises:
        SuppleError: The setup is inconsistent; the message says why.
    """
    kept = bodies.chosen(subject, setup)
    heavy = bodies.has_weight(kept)
    skeleton = edited(subject.solid if heavy else subject.skeleton, setup)
    goals = chosen_goals(subject, setup)
    limited, playing = Limited.of(skeleton), _playing(subject, setup)
    motion = _motion(subject, setup, playing)
    if not goals:
        return Model(skeleton, (), (), motion, playing, limited, kept)
    lock = [name for name, edit in setup.joints.items() if edit.lock and name in skeleton]
    first = prepare(
        skeleton,
        [*(_goal(goal) for goal in goals), *bodies.kept(subject, kept)],
        solver=read_solver(setup.solver),
        tolerance=setup.tolerance,
        lock=lock,
        unreachable=setup.unreachable,
    )
    others: list[Solver | str] = []
    if setup.race:
        taken = first.solvers[0].name  # what "auto" has chosen does not run twice
        others = [name for name in racing(first.problem) if name != taken]
    elif setup.compare is not None:
        others = [read_solver(setup.compare)]
    prepared = (first, *(first.with_solver(one) for one in others))
    return Model(skeleton, goals, prepared, motion, playing, limited, kept)


# Joints -------------------------------------------------------------------------------------------


def edited(skeleton: Skeleton, setup: Setup) -> Skeleton:
    """Apply the joint edits of a setup to a skeleton; without any, the same skeleton is returned."""
    changed: dict[str, Joint] = {}
    for name, joint in zip(skeleton.joint_names, skeleton.joints, strict=True):
        edit = setup.joints.get(name, JointEdit())
        new = _with_edit(skeleton, name, joint, edit)
        if not setup.limits:
            new = unlimited(new)
        damping = setup.damping if edit.damping is None else edit.damping
        if damping is not None or new.damping is not None and setup.damping is None:
            new = replace(new, damping=damping or None)
        if edit.stiffness is not None:
            new = replace(new, stiffness=edit.stiffness)
        if setup.stretch is not None and joint.mimic is None:
            new = replace(new, stretch=(1.0, max(setup.stretch, 1.0)))
        if new != joint:
            changed[name] = new
    return skeleton.with_joints(changed) if changed else skeleton


def unlimited(joint: Joint) -> Joint:
    """The same joint without limits; sliders keep theirs."""
    common = {f.name: getattr(joint, f.name) for f in fields(Joint)}
    if isinstance(joint, Cone):
        return Ball(**common)
    if joint.slide_count == len(joint.scalars):
        return joint
    return joint.with_limits([None] * len(joint.scalars))


def _with_edit(skeleton: Skeleton, name: str, joint: Joint, edit: JointEdit) -> Joint:
    bend = edit.swing if edit.tilts is None else edit.tilts
    if bend is not None or edit.twist is not None:
        if isinstance(joint, Cone):
            swing = joint.swing if bend is None else bend
            twist = joint.twist if edit.twist is None else edit.twist
            return replace(joint, swing=swing, twist=twist)
        if isinstance(joint, Ball):
            common = {f.name: getattr(joint, f.name) for f in fields(Joint)}
            swing = math.pi if bend is None else bend
            return Cone(swing, edit.twist, axis=bone(skeleton, name), **common)
    if edit.limits is not None:
        return joint.with_limits(edit.limits)
    return joint


def bone(skeleton: Skeleton, name: str) -> tuple[float, float, float]:
    """The offset of a joint's first child or tip, in the joint's rest frame; +x if it has none."""
    rest = skeleton.rest
    for child in skeleton.children(name):
        offset = rotations.rotate(
            rotations.conjugate(rest.rotation(name)), rest.position(child) - rest.position(name)
        )
        if np.linalg.norm(offset) > 1e-9:
            x, y, z = offset.tolist()
            return (x, y, z)
    return (1.0, 0.0, 0.0)


def carried(pose: Pose, skeleton: Skeleton) -> Pose:
    """Convert a pose to the same skeleton with edited joints.

    Edits do not change the meaning of a joint's coordinates (a cone is a ball with limits), except
    that a stretch appends one.
    """
    if pose.skeleton is skeleton:
        return pose
    old, at, rows = pose.coordinates, 0, []
    for before, after in zip(pose.skeleton.joints, skeleton.joints, strict=True):
        own = len(before.rest_coordinates) - (before.stretch is not None)
        part = old[..., at : at + own]
        at += before.coordinate_count
        rows.append(part)
        if after.stretch is not None:
            factor = old[..., at - 1 : at] if before.stretch is not None else None
            rows.append(np.ones((*old.shape[:-1], 1)) if factor is None else factor)
    coordinates = np.concatenate(rows, axis=-1)
    return Pose(skeleton, coordinates, pose.translations, pose.scales)


# Goals and solvers --------------------------------------------------------------------------------


def chosen_goals(subject: Subject, setup: Setup) -> tuple[GoalSetup, ...]:
    """The goals of a setup; those of the subject if it has none of its own."""
    names = subject.skeleton
    known = [
        goal if goal.on in names and goal.on != goal.effector else replace(goal, on="")
        for goal in setup.goals
        if goal.effector in names and goal.kind != "target"
    ]
    return tuple(known) or subject.goals


def _goal(goal: GoalSetup) -> Goal:
    if goal.kind == "look":
        return LookAt(goal.effector, OPEN, axis=goal.axis, depth=goal.depth or 1)
    if goal.kind == "pole":
        return Pole(goal.effector, OPEN)
    turned = OPEN if goal.kind in ("pose", "hold") else None
    place = On(goal.on, goal.point) if goal.on else OPEN
    weight = HOLD_WEIGHT if goal.kind == "hold" else 1.0
    return Reach(goal.effector, place, orientation=turned, depth=goal.depth, weight=weight)


def read_solver(choice: SolverChoice) -> Solver | str:
    """The solver of a choice, with its options; "auto" stays a string."""
    names = {solver.name: solver for solver in ALL}
    one_of("solver", choice.name, ["auto", *names])
    if choice.name == "auto":
        return "auto"
    solver = names[choice.name]
    known = {field.name for field in fields(solver)}
    for option in choice.options:
        one_of(f"{choice.name} option", option, sorted(known))
    return solver(**choice.options)  # type: ignore[arg-type]


def _playing(subject: Subject, setup: Setup) -> str | None:
    """The name of the motion that plays."""
    if setup.motion == "" and "" not in subject.motions:
        return next(iter(subject.motions), None)
    return setup.motion


def _motion(subject: Subject, setup: Setup, playing: str | None) -> Motion | None:
    if playing is None:
        return None
    if playing == KEYFRAMES:
        return keyframe_motion(subject, setup)
    return subject.motions[one_of("motion", playing, list(subject.motions))]


def keyframe_motion(subject: Subject, setup: Setup) -> Motion:
    """The smooth motion through the keyframes of a setup, starting at 0."""
    skeleton = edited(subject.skeleton, setup)
    if len(setup.keys) < 2:
        raise SuppleError("keyframes: expected at least two to play; set another one")
    poses = []
    for key in sorted(setup.keys, key=lambda one: one.time):
        if len(key.coordinates) != skeleton.freedom_table.coordinate_count:
            raise SuppleError("keyframes: they belong to another skeleton; remove them first")
        poses.append((key.time, Pose(skeleton, np.array(key.coordinates))))
    first, last = poses[0][0], poses[-1][0]
    if (last - first) * KEY_FPS * skeleton.freedom_table.coordinate_count > MOST_NUMBERS:
        raise SuppleError(
            f"keyframes: {last - first:g} s are too long for a skeleton of {len(skeleton)} joints"
        )
    return keyframes([(time - first, pose) for time, pose in poses], fps=KEY_FPS)
