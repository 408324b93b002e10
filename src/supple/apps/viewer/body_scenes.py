"""Scenes of bodies: a figure that does not pass through itself, that stands, that holds on; a linkage."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from supple import rotations
from supple.apps.character.character import Character
from supple.apps.data import humanoid
from supple.apps.viewer.capsule_mesh import capsule_mesh
from supple.apps.viewer.messages import (
    AvoidSetup,
    BalanceSetup,
    BodiesSetup,
    GoalSetup,
    LoopSetup,
    Setup,
)
from supple.apps.viewer.subject import Subject, character_subject, limb_depth
from supple.goals import OPEN, Reach, Weld
from supple.model.capsules import Capsule
from supple.model.joints import Fixed, Free, Hinge
from supple.model.loops import Loop
from supple.model.mesh import Material
from supple.model.parts import Node, Tip
from supple.model.physics import Physics
from supple.model.skeleton import Pose, Skeleton
from supple.solve.prepare import prepare

ARM_JOINTS = 4  # collar bone, shoulder, elbow, wrist
FINGER_CURL = 1.1  # of the hands around the stick [rad]
PALM_CENTER = (0.042, -0.05, 0.014)  # of the left hand, in the hand's frame [m]
HAND_SPACING = 0.46  # between the hands on the stick [m]
STICK_ENDS = (-0.32, 0.86)  # along the stick, from the right hand [m]
STICK_POSITION = (0.0, 1.1, 0.36)  # start position of the stick's middle, world [m]
# Start orientation of the stick: along x, the fingers of the right hand forwards and its palm down.
STICK_ROTATION = np.outer((1, 0, 0), (0, 0, 1)) + math.sqrt(0.5) * (
    np.outer((0, 0, 1), (-1, -1, 0)) + np.outer((0, -1, 0), (1, -1, 0))
)
WOOD = Material("wood", color=(0.55, 0.33, 0.16, 1.0), roughness=0.7)
STEEL = (
    Material("steel", color=(0.42, 0.5, 0.62, 1.0), roughness=0.35, metallic=0.3),
    Material("brass", color=(0.78, 0.5, 0.16, 1.0), roughness=0.35, metallic=0.3),
)


@dataclass(frozen=True)
class Tongs:
    """Dimensions of the lazy tongs; not tuned.

    Attributes:
        crossings: Number of pairs of bars that cross.
        half_bar: Half the length of a bar [model units].
        radius: Radius of a bar [model units].
        depth: Distance of each bar's axis from the plane z = 0 [model units].
        tilt: Direction of the tongs in the start pose, from x [rad].
        slope: Angle of the bars to that direction in the start pose [rad].
    """

    crossings: int = 5
    half_bar: float = 1.0
    radius: float = 0.07
    depth: float = 0.075
    tilt: float = 0.45
    slope: float = 0.65


TONGS = Tongs()


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
        goals=(GoalSetup(id="hand.R", effector="hand.R", depth=ARM_JOINTS),),
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
        GoalSetup(id="hand.R", effector="hand.R", depth=ARM_JOINTS + 2),
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
        id="hand.L",
        effector="hand.L",
        depth=ARM_JOINTS,
        on="forearm.R",
        point=(-0.12, -0.12, 0.055),
    )
    drag = GoalSetup(id="hand.R", effector="hand.R", depth=ARM_JOINTS)
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
    right = np.array((-PALM_CENTER[0], PALM_CENTER[1], PALM_CENTER[2]))
    middle = right + (0.0, 0.0, HAND_SPACING / 2)
    nodes = [*own.nodes, Node("stick", "hand.R", middle, Fixed())]
    skeleton = Skeleton(nodes, own.tips, physics=own.physics)
    low, high = ((0.0, 0.0, end - HAND_SPACING / 2) for end in STICK_ENDS)
    mesh = capsule_mesh("stick", "stick", Capsule(low, high, 0.014), WOOD)
    held = Weld(
        "stick",
        "hand.L",
        point_a=(0.0, 0.0, HAND_SPACING / 2),
        point_b=PALM_CENTER,
        rotation=(0.0, 0.0, 1.0, 0.0),
    )
    curled = {f"fingers.{side}": FINGER_CURL for side in "RL"}
    problem = prepare(skeleton, [Reach("stick", OPEN, orientation=OPEN, depth=ARM_JOINTS), held])
    start = problem(
        STICK_POSITION, rotations.from_matrix(STICK_ROTATION), start=skeleton.pose(curled)
    ).pose
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
        goals=(GoalSetup(id="stick", effector="stick", depth=ARM_JOINTS),),
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
        begin = -TONGS.half_bar if name == "q1" else 0.0
        depth = -TONGS.depth if kind else TONGS.depth
        bar = Capsule((begin, 0.0, depth), (begin + 2 * TONGS.half_bar, 0.0, depth), TONGS.radius)
        meshes.append(capsule_mesh(name, name, bar, STEEL[kind]))
    turns = {"p1": TONGS.tilt - TONGS.slope, "q1": 2 * TONGS.slope}
    for k in range(2, TONGS.crossings + 1):
        turns |= {f"p{k}": -2 * TONGS.slope, f"q{k}": 2 * TONGS.slope}
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
    end, middle = (2 * TONGS.half_bar, 0.0, 0.0), (TONGS.half_bar, 0.0, 0.0)
    nodes = [
        Node("p1", None, (0.0, 0.0, 0.0), Hinge("z")),
        Node("q1", "p1", middle, Hinge("z")),
    ]
    loops = []
    for k in range(2, TONGS.crossings + 1):
        nodes.append(Node(f"p{k}", f"q{k - 1}", middle if k == 2 else end, Hinge("z")))
        nodes.append(Node(f"q{k}", f"p{k - 1}", end, Hinge("z")))
        loops.append(Loop("connect", f"p{k}", f"q{k}", middle, middle))
    tips = [
        Tip("grip", f"p{TONGS.crossings}", middle),
        Tip("jaw", f"p{TONGS.crossings}", end),
        Tip("other", f"q{TONGS.crossings}", end),
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
