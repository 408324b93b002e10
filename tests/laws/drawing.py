"""What the laws of solvers share: which solvers there are, what they are given, how it is moved."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
from hypothesis import reject, settings
from hypothesis import strategies as st
from tests.support.families import FAMILIES
from tests.support.problems import PLACES, Case, draw_case
from tests.support.random_skeletons import STARTS

import supple
from supple import rotations as rot
from supple.kernels import layout
from supple.solvers import ALL, choose

SOLVERS = ["auto", *(solver.name for solver in ALL)]
ORDINARY = ("reach", "near", "ball", "beyond")
MIRROR = np.array([1.0, 1.0, -1.0])
MIRROR_TURN = np.array([1.0, -1.0, -1.0, 1.0])
SHIFTING = ("Slider", "Free", "Planar")


def examples(few):
    """How many examples a law draws: a few, unless SUPPLE_EXAMPLES asks for more."""
    return settings(max_examples=int(os.environ.get("SUPPLE_EXAMPLES", few)))


def solver_of(name):
    """ "auto", or the solver of that name with its default options."""
    return name if name == "auto" else next(s for s in ALL if s.name == name)()


def families(name, *, without=(), goals=None):
    """The families that a solver claims, but for some joints and goals."""
    solver = solver_of(name)
    return [
        family
        for family in FAMILIES
        if (name == "auto" or family.suits(solver.takes))
        and not set(family.joints) & set(without)
        and (goals is None or family.goals in goals)
        and family.links[1] < 20
    ]


# Solvers that are drawn round cones only. Inside four half-angles FABRIK can end elsewhere after a change in
# the last bits, and the chart of Optimize has a kink at rest.
ROUND = ("FABRIK", "Optimize")


@st.composite
def cases(draw, name, choice, *, rows=8, places=PLACES, starts=STARTS, own=True):
    """A case of one of the families in `choice` that the named solver takes."""
    family = draw(st.sampled_from(choice))
    if name in ROUND:
        family = replace(family, extras=family.extras | {"round"})
    if not own:
        family = replace(family, extras=family.extras - {"own"})
    case = draw_case(
        draw(st.randoms(use_true_random=False)), family, rows, places=places, starts=starts
    )
    if case is None:
        reject()
    try:
        choose(solver_of(name), case.problem)
    except supple.SuppleError:
        reject()
    return case


def solved(case, name, **settings):
    """The answers of a case and the prepared problem."""
    prepared = case.prepared(solver_of(name), **settings)
    return prepared.solve(*case.targets, start=case.start), prepared


# The same problem elsewhere ----------------------------------------------------------------------


def _goal_with(goal, **changes):
    return replace(goal, **{k: v for k, v in changes.items() if getattr(goal, k, None) is not None})


def _rebuilt(case, skeleton, coordinates, targets, goals=None):
    return Case(
        case.family,
        skeleton,
        case.goals if goals is None else goals,
        case.lock,
        tuple(targets),
        supple.Pose(skeleton, coordinates),
        case.reachable,
        case.places,
    )


def moved(case, turn, shift):
    """A case with its root and its targets turned (wxyz) and shifted."""

    def place(point):
        return rot.rotate(turn, point) + shift

    nodes = [
        node
        if node.parent is not None
        else node._replace(offset=place(node.offset), rotation=rot.multiply(turn, node.rotation))
        for node in case.skeleton.nodes
    ]
    skeleton = supple.Skeleton(nodes, case.skeleton.tips)
    targets = [
        rot.multiply(turn, target) if target.shape[-1] == 4 else place(target)
        for target in case.targets
    ]
    return _rebuilt(case, skeleton, case.start.coordinates, targets)


def scaled(case, factor):
    """A case with all lengths multiplied."""
    ints = case.skeleton.packed_ints
    nodes = []
    for node in case.skeleton.nodes:
        joint = node.joint
        if isinstance(joint, supple.Slider):
            limits = None if joint.limits is None else tuple(factor * x for x in joint.limits)
            damping = None if joint.damping is None else factor * joint.damping
            joint = replace(joint, limits=limits, damping=damping)
        nodes.append(node._replace(offset=factor * np.asarray(node.offset), joint=joint))
    tips = [tip._replace(offset=factor * np.asarray(tip.offset)) for tip in case.skeleton.tips]
    coordinates = np.array(case.start.coordinates)
    coordinates[..., ints[ints[:, layout.KIND] == layout.SLIDER, layout.Q]] *= factor
    targets = [target if target.shape[-1] == 4 else factor * target for target in case.targets]
    goals = tuple(
        _goal_with(goal, point=None if goal.point is None else factor * goal.point)
        if isinstance(goal, supple.Reach)
        else goal
        for goal in case.goals
    )
    return _rebuilt(case, supple.Skeleton(nodes, tips), coordinates, targets, goals)


def mirrored(case):
    """A case seen in a mirror that turns z to -z."""
    skeleton = case.skeleton
    nodes = []
    coordinates = np.array(case.start.coordinates)
    for node in skeleton.nodes:
        joint = node.joint
        at = skeleton.packed_ints[skeleton.index(node.name), layout.Q]
        if isinstance(joint, supple.Hinge):
            joint = replace(joint, axis=tuple(-MIRROR * joint.axis))
        elif isinstance(joint, supple.Slider):
            joint = replace(joint, axis=tuple(MIRROR * joint.axis))
        elif isinstance(joint, supple.Cone):
            low, high = joint.twist
            axis = None if joint.axis is None else tuple(MIRROR * joint.axis)
            joint = replace(joint, twist=(-high, -low), axis=axis)
            if joint.half_angles is not None:
                down, up, left, right = joint.swing
                row = skeleton.packed_floats[skeleton.index(node.name)]
                above = tuple(MIRROR * row[layout.AXIS + 3 : layout.AXIS + 6])
                joint = replace(joint, swing=(down, up, right, left), up=above)
        elif isinstance(joint, supple.Axes):
            signs = [1.0 if letter == "z" else -1.0 for letter in joint.order]
            pairs = [joint.limits[k] if joint.limits else None for k in range(len(signs))]
            limits = [
                pair if sign > 0 or pair is None else (-pair[1], -pair[0])
                for sign, pair in zip(signs, pairs, strict=True)
            ]
            joint = replace(joint, limits=limits)
            coordinates[..., at : at + len(signs)] *= signs
        if isinstance(joint, (supple.Ball, supple.Cone)):
            coordinates[..., at : at + 4] *= MIRROR_TURN
        nodes.append(
            node._replace(
                offset=MIRROR * node.offset, joint=joint, rotation=MIRROR_TURN * node.rotation
            )
        )
    tips = [
        tip._replace(offset=MIRROR * tip.offset, rotation=MIRROR_TURN * tip.rotation)
        for tip in skeleton.tips
    ]
    targets = [
        target * (MIRROR_TURN if target.shape[-1] == 4 else MIRROR) for target in case.targets
    ]
    goals = tuple(
        _goal_with(goal, point=MIRROR * goal.point)
        if isinstance(goal, supple.Reach) and goal.point is not None
        else replace(goal, axis=MIRROR * goal.axis)
        if isinstance(goal, supple.LookAt)
        else goal
        for goal in case.goals
    )
    return _rebuilt(case, supple.Skeleton(nodes, tips), coordinates, targets, goals)
