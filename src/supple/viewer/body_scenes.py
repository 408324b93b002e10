"""Scenes of bodies: a figure that does not pass through itself, that stands, that holds on; a linkage."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np

from supple import rotations
from supple.data import humanoid
from supple.goals import OPEN, Reach, Weld
from supple.model.capsules import Capsule
from supple.model.character import Character
from supple.model.joints import Fixed, Free, Hinge
from supple.model.loops import Loop
from supple.model.mesh import Material
from supple.model.parts import Node, Tip
from supple.model.physics import Physics
from supple.model.skeleton import Pose, Skeleton
from supple.solve.prepare import prepare
from supple.viewer.capsule_mesh import capsule_mesh
from supple.viewer.messages import (
    AvoidSetup,
    BalanceSetup,
    BodiesSetup,
    GoalSetup,
    LoopSetup,
    Setup,
)
from supple.viewer.subject import Subject, character_subject, limb_depth

ARM = 4  # joints of an arm: collar bone, shoulder, elbow, wrist
CURLED = 1.1  # fingers around a stick [rad]
GRIP = (0.042, -0.05, 0.014)  # the middle of the left palm, in its hand's frame
APART = 0.46  # of the hands on the stick [m]
STICK = (-0.32, 0.86)  # its ends, from the right hand [m]
HELD = (0.0, 1.1, 0.36)  # where the middle of the stick is at first
# Its orientation: along x, the fingers of the right hand forwards and its palm down.
LEVEL = np.outer((1, 0, 0), (0, 0, 1)) + math.sqrt(0.5) * (
    np.outer((0, 0, 1), (-1, -1, 0)) + np.outer((0, -1, 0), (1, -1, 0))
)
BARS = 5  # crossings of the tongs
BAR, THICK, DEPTH = 1.0, 0.07, 0.075  # half a bar, its radius, and how far it is from the plane
TILT, SLOPE = 0.45, 0.65  # of the tongs at first, and of their bars against that [rad]
WOOD = Material("wood", color=(0.55, 0.33, 0.16, 1.0), roughness=0.7)
STEEL = (
    Material("steel", color=(0.42, 0.5, 0.62, 1.0), roughness=0.35, metallic=0.3),
    Material("brass", color=(0.78, 0.5, 0.16, 1.0), roughness=0.35, metallic=0.3),
)


@cache
def _figure() -> Character:
    """Our character with a mass and a capsule for every bone."""
    return humanoid().with_masses()


def crossing(setup: Setup) -> Subject:
    """The character reaches across its own body."""
    del setup
    subject = character_subject(_figure(), key="crossing", title="Reach across the body")
    start = _solved(_figure().skeleton, {"hand.R": (0.02, 1.18, 0.34)})
    return replace(
        subject,
        start=start,
        goals=(GoalSetup(id="hand.R", effector="hand.R", depth=ARM),),
        motions={},
        bodies=BodiesSetup(avoid=AvoidSetup(on=True, margin=0.01)),
        about="Pull the hand through the chest: the arm stays outside. Switch Avoid off to compare.",
    )


def standing(setup: Setup) -> Subject:
    """The character reaches with its whole body and stays on its feet."""
    del setup
    feet = ("foot.L", "foot.R")
    goals = [GoalSetup(id="hand.R", effector="hand.R"), *(_stand(one) for one in feet)]
    return replace(
        _whole_body("standing", "Reach without falling"),
        goals=tuple(goals),
        bodies=BodiesSetup(balance=BalanceSetup(on=True, margin=0.02, feet=list(feet))),
        about="Reach far out or down to the floor: the body leans the other way. Switch balance off to compare.",
    )


def one_leg(setup: Setup) -> Subject:
    """The character stands on one leg."""
    del setup
    goals = (
        GoalSetup(id="foot.R", effector="foot.R"),
        GoalSetup(id="hand.R", effector="hand.R", depth=ARM + 2),
        _stand("foot.L"),
    )
    return replace(
        _whole_body("one-leg", "Stand on one leg"),
        goals=goals,
        bodies=BodiesSetup(balance=BalanceSetup(on=True, margin=0.01, feet=["foot.L"])),
        about="Drag the free foot: the centre of mass stays over the other sole.",
    )


def _stand(foot: str) -> GoalSetup:
    return GoalSetup(id=foot, kind="hold", effector=foot)


def _whole_body(key: str, title: str) -> Subject:
    """The character whose pelvis the solver may move as well."""
    figure = _figure()
    skeleton = figure.skeleton.with_joints({"pelvis": Free()})
    freed = figure.with_(skeleton=skeleton, motions={})
    return character_subject(freed, key=key, title=title)


def wrist(setup: Setup) -> Subject:
    """One hand of the character holds the other arm."""
    del setup
    figure = _figure()
    subject = character_subject(figure, key="wrist", title="Hold your wrist")
    grip = GoalSetup(
        id="hand.L", effector="hand.L", depth=ARM, on="forearm.R", point=(-0.12, -0.12, 0.055)
    )
    drag = GoalSetup(id="hand.R", effector="hand.R", depth=ARM)
    return replace(
        subject,
        start=_solved(figure.skeleton, {"hand.R": (-0.08, 1.2, 0.4), "hand.L": (0.02, 1.2, 0.42)}),
        goals=(drag, grip),
        motions={},
        about="Drag the right hand: the goal of the left one is on the forearm, and moves with it.",
    )


def stick(setup: Setup) -> Subject:
    """The character holds a stick with both hands."""
    del setup
    figure = _figure()
    own = figure.skeleton
    right = np.array((-GRIP[0], GRIP[1], GRIP[2]))
    middle = right + (0.0, 0.0, APART / 2)
    nodes = [*own.nodes, Node("stick", "hand.R", middle, Fixed())]
    skeleton = Skeleton(nodes, own.tips, physics=own.physics)
    low, high = ((0.0, 0.0, end - APART / 2) for end in STICK)
    mesh = capsule_mesh("stick", "stick", Capsule(low, high, 0.014), WOOD)
    held = Weld(
        "stick",
        "hand.L",
        point_a=(0.0, 0.0, APART / 2),
        point_b=GRIP,
        rotation=(0.0, 0.0, 1.0, 0.0),
    )
    curled = {f"fingers.{side}": CURLED for side in "RL"}
    problem = prepare(skeleton, [Reach("stick", OPEN, orientation=OPEN, depth=ARM), held])
    start = problem(HELD, rotations.from_matrix(LEVEL), start=skeleton.pose(curled)).pose
    character = figure.with_(skeleton=skeleton, meshes=(*figure.meshes, mesh), motions={})
    subject = character_subject(character, key="stick", title="Both hands on one stick")
    weld = LoopSetup(
        kind="weld",
        a=held.a,
        b=held.b,
        point_a=held.point_a,
        point_b=held.point_b,
        rotation=held.rotation,
    )
    return replace(
        subject,
        start=start,
        goals=(GoalSetup(id="stick", effector="stick", depth=ARM),),
        bodies=BodiesSetup(loops=[weld]),
        about="Drag the stick: both arms follow, and neither hand lets go.",
    )


def _solved(skeleton: Skeleton, places: dict[str, tuple[float, float, float]]) -> Pose:
    """A pose with the hands at places."""
    goals = [Reach(name, place, depth=limb_depth(skeleton, name)) for name, place in places.items()]
    return prepare(skeleton, goals)().pose


# A linkage ----------------------------------------------------------------------------------------


def tongs(setup: Setup) -> Subject:
    """Lazy tongs: bars that cross in their middles and are joined at their ends."""
    del setup
    skeleton = _tongs()
    meshes = []
    for name in skeleton.joint_names:
        kind = name.startswith("q")
        begin = -BAR if name == "q1" else 0.0
        depth = -DEPTH if kind else DEPTH
        bar = Capsule((begin, 0.0, depth), (begin + 2 * BAR, 0.0, depth), THICK)
        meshes.append(capsule_mesh(name, name, bar, STEEL[kind]))
    turns = {"p1": TILT - SLOPE, "q1": 2 * SLOPE}
    for k in range(2, BARS + 1):
        turns |= {f"p{k}": -2 * SLOPE, f"q{k}": 2 * SLOPE}
    return Subject(
        key="tongs",
        title="Lazy tongs",
        skeleton=skeleton,
        goals=(GoalSetup(id="grip", effector="grip"),),
        start=skeleton.pose(turns),
        flat=True,
        meshes=tuple(meshes),
        about="Drag the far pin: ten bars with four loops stretch, fold and swing, and every pin stays in its hole.",
    )


def _tongs() -> Skeleton:
    """Bars p and q of every crossing; each begins where one of the crossing before ends.

    The first two are joined in their middles as joints of the tree, the others by loops.
    """
    end, middle = (2 * BAR, 0.0, 0.0), (BAR, 0.0, 0.0)
    nodes = [
        Node("p1", None, (0.0, 0.0, 0.0), Hinge("z")),
        Node("q1", "p1", middle, Hinge("z")),
    ]
    loops = []
    for k in range(2, BARS + 1):
        nodes.append(Node(f"p{k}", f"q{k - 1}", middle if k == 2 else end, Hinge("z")))
        nodes.append(Node(f"q{k}", f"p{k - 1}", end, Hinge("z")))
        loops.append(Loop("connect", f"p{k}", f"q{k}", middle, middle))
    tips = [
        Tip("grip", f"p{BARS}", middle),
        Tip("jaw", f"p{BARS}", end),
        Tip("other", f"q{BARS}", end),
    ]
    return Skeleton(nodes, tips, physics=Physics(loops=tuple(loops)))


SCENES: dict[str, tuple[str, Callable[[Setup], Subject]]] = {
    "crossing": ("Reach across the body", crossing),
    "standing": ("Reach without falling", standing),
    "one-leg": ("Stand on one leg", one_leg),
    "wrist": ("Hold your wrist", wrist),
    "stick": ("Both hands on one stick", stick),
    "tongs": ("Lazy tongs", tongs),
}
