"""The scenes of the playground: what is on the stage before anybody changes anything."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from supple.character import Character
from supple.data import humanoid
from supple.errors import SuppleError, one_of
from supple.goals import Reach
from supple.joints import Cone, Hinge, Joint
from supple.mesh import Mesh
from supple.motion import Motion
from supple.pose import Pose
from supple.prepare import prepare
from supple.skeleton import Skeleton, chain
from supple.trace import Trace
from supple.viewer import growing
from supple.viewer.messages import (
    MOST_LINKS,
    GoalPlace,
    GoalSetup,
    Grown,
    GrownInfo,
    SceneInfo,
    Setup,
)

if TYPE_CHECKING:
    from supple.viewer.library import Library

ARM = (9.0, 9.0, 9.0, 9.0, 4.0)
BEND = math.radians(75)  # of the snake, with limits
ELBOW, WRIST = math.radians(120), math.radians(90)  # of the second and third joint (Song & Hu 2011)


@dataclass(frozen=True)
class Subject:
    """What is on the stage.

    Attributes:
        key: The same for the same skeleton.
        title: What it is.
        skeleton: Its joints with the limits that it has by itself.
        goals: What is asked for, to begin with.
        start: The pose to begin with.
        up: Which way is up.
        pedestal: How far the ground is below the lowest root, in sizes; None: below everything.
        flat: Whether everything stays in the plane z = 0.
        meshes: What is drawn.
        motions: What can be played, by name.
        notes: What its reader guessed.
        trace: The trace to show.
        character: Where it all comes from, for saving.
        rules: The rules that it grew from, if it did.
        grown: What they have grown.
        targets: The targets of their IK rules, as goals.
        places: Where those are.
        ended: How the IK rules ended.
    """

    key: str
    title: str
    skeleton: Skeleton
    goals: tuple[GoalSetup, ...]
    start: Pose
    up: Literal["y", "z"] = "y"
    pedestal: float | None = None
    flat: bool = False
    meshes: tuple[Mesh, ...] = ()
    motions: Mapping[str, Motion] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    trace: Trace | None = None
    character: Character | None = None
    rules: growing.Rules | None = None
    grown: GrownInfo | None = None
    targets: tuple[GoalSetup, ...] = ()
    places: tuple[GoalPlace, ...] = ()
    ended: growing.Ended | None = None


def available() -> list[SceneInfo]:
    """The scenes that can be chosen."""
    return [SceneInfo(name=name, title=title) for name, (title, _) in SCENES.items()]


def check_scene(name: str) -> None:
    """Raise a SuppleError if there is no such scene; "" and opened files will do."""
    if name and not name.startswith("file:"):
        one_of("scene", name, SCENES)


def build(setup: Setup, library: Library) -> Subject:
    """The scene that a setup asks for.

    Raises:
        SuppleError: There is no such scene, or it cannot be built.
    """
    if setup.scene.startswith("file:"):
        subject = library.subject(setup.scene.removeprefix("file:"))
        if subject.rules is None or setup.grown == Grown():
            return subject
        return grown_subject(subject.rules, setup.grown, name=setup.scene)
    return SCENES[one_of("scene", setup.scene, SCENES)][1](setup)


def scene_key(setup: Setup) -> tuple[Any, ...]:
    """What of a setup the scene depends on."""
    shape = (setup.links, tuple(setup.lengths or ()), setup.flat)
    return (setup.scene, setup.grown, *(shape if setup.scene in CHAINS else ()))


# Chains -------------------------------------------------------------------------------------------


def _snake(setup: Setup) -> Subject:
    lengths = _lengths(setup, [8.0 / max(setup.links, 1)] * setup.links)
    joint = Hinge("z", limits=(-BEND, BEND)) if setup.flat else Cone(BEND, axis="x")
    return _chain("snake", f"Snake of {len(lengths)} links", lengths, joint, setup.flat)


def _arm(setup: Setup) -> Subject:
    lengths = _lengths(setup, list(ARM))
    most = [math.pi, ELBOW, WRIST, *[math.radians(100)] * len(lengths)][: len(lengths)]
    joints: list[Joint] = [
        Hinge("z", limits=(-a, a)) if setup.flat else Cone(a, axis="x") for a in most
    ]
    sizes = "-".join(f"{length:g}" for length in lengths)
    return _chain("arm", f"The {sizes} arm", lengths, joints, setup.flat)


def _lengths(setup: Setup, own: list[float]) -> list[float]:
    lengths = setup.lengths or own
    if not 1 <= len(lengths) <= MOST_LINKS:
        raise SuppleError(f"links: expected 1 to {MOST_LINKS}, got {len(lengths)}")
    if not all(length > 0 for length in lengths):
        raise SuppleError("lengths: expected positive numbers")
    return lengths


def _chain(
    name: str, title: str, lengths: list[float], joint: Joint | list[Joint], flat: bool
) -> Subject:
    skeleton = chain(lengths, joint=joint)
    key = f"{name}:{len(lengths)}:{sum(lengths):.6g}:{'2' if flat else '3'}"
    goals = (GoalSetup(id="tip", effector="tip"),)
    return Subject(
        key=key,
        title=title,
        skeleton=skeleton,
        goals=goals,
        start=_curl(skeleton, flat),
        pedestal=0.3,
        flat=flat,
    )


def _curl(skeleton: Skeleton, flat: bool) -> Pose:
    """A chain that rises and leans over, rather than a straight line."""
    names = skeleton.joint_names
    bend = -1.9 / max(len(names) - 1, 1)
    turns = {name: bend if flat else (0.0, 0.0, bend) for name in names[1:]}
    return skeleton.pose({**turns, names[0]: 1.25 if flat else (0.0, 0.0, 1.25)}).clamped()


# Characters ---------------------------------------------------------------------------------------


def character_subject(
    character: Character, *, key: str, title: str, trace: Trace | None = None
) -> Subject:
    """A character on the stage.

    Args:
        character: A `supple.Character`.
        key: What to call it.
        title: What people call it.
        trace: The trace to show.
    """
    skeleton: Skeleton = character.skeleton
    up = "z" if character.up == "z" else "y"
    return Subject(
        key=key,
        title=title,
        skeleton=skeleton,
        goals=_first_goal(skeleton, _hand(skeleton)),
        start=character.pose,
        up=up,
        meshes=tuple(character.meshes),
        motions=dict(character.motions),
        notes=tuple(note.text for note in character.notes),
        trace=trace,
        character=character,
    )


def skeleton_subject(
    skeleton: Skeleton,
    *,
    key: str,
    title: str,
    start: Pose | None = None,
    trace: Trace | None = None,
) -> Subject:
    """A bare skeleton on the stage, in a pose."""
    effector = next(iter(trace.goals), "") if trace is not None else ""
    effector = effector or (skeleton.tip_names or skeleton.joint_names)[-1]
    start = skeleton.rest if start is None else start
    return Subject(
        key=key,
        title=title,
        skeleton=skeleton,
        goals=_first_goal(skeleton, effector),
        start=start,
        trace=trace,
    )


def _first_goal(skeleton: Skeleton, effector: str) -> tuple[GoalSetup, ...]:
    """A goal for an effector and its limb; none if nothing can move it."""
    goal = GoalSetup(id="goal", effector=effector, depth=limb_depth(skeleton, effector))
    for one in (goal, replace(goal, depth=0)):
        try:
            prepare(skeleton, [Reach(effector, depth=one.depth)])
        except SuppleError:
            continue
        return (one,)
    return ()


def _hand(skeleton: Skeleton) -> str:
    """A hand on the right, if names tell; else the tip or joint that is farthest from its root."""
    for word in ("hand", "wrist", "tool", "gripper"):
        found = [n for n in skeleton.names if word in n.casefold()]
        right = [n for n in found if _is_right(n)]
        if found:
            return min(right or found, key=len)
    depth = {name: len(skeleton.path(None, name)) for name in skeleton.names}
    return max(depth, key=lambda name: depth[name])


def _is_right(name: str) -> bool:
    low = name.casefold()
    return "right" in low or low.startswith(("r ", "r_", "r.")) or low.endswith(("_r", ".r", " r"))


def limb_depth(skeleton: Skeleton, effector: str) -> int:
    """How many joints above an effector belong to its limb: up to where the body branches.

    0, all, where that would be fewer than two.
    """
    way = skeleton.path(None, effector)[:-1]
    tips = set(skeleton.tip_names)
    count = 0
    for name in reversed(way):
        if len([child for child in skeleton.children(name) if child not in tips]) > 1:
            break
        count += 1
    return count if 2 <= count < len(way) else 0


def _humanoid(setup: Setup) -> Subject:
    del setup
    character = humanoid()
    subject = character_subject(character, key="humanoid", title="Our character")
    limb = limb_depth(character.skeleton, "hand.R")
    hands = [
        GoalSetup(id=f"hand.{side}", effector=f"hand.{side}", depth=limb) for side in ("R", "L")
    ]
    look = GoalSetup(id="look", kind="look", effector="head", axis="z", depth=2)
    return replace(subject, goals=(*hands, look))


# What rules grow ----------------------------------------------------------------------------------


def grown_subject(rules: growing.Rules, wanted: Grown, *, name: str) -> Subject:
    """What rules grow, on the stage as their IK rules left it.

    Args:
        rules: The rules.
        wanted: What a person has set.
        name: The scene's name.
    """
    growth, info, targets, places = growing.grown(rules, wanted)
    character = growth.character()
    joints = "\n".join(growth.skeleton.names).encode()
    return Subject(
        key=f"{name}:{zlib.crc32(joints):08x}",
        title=rules.title,
        skeleton=growth.skeleton,
        goals=(),
        start=growth.pose,
        meshes=character.meshes,
        motions=dict(character.motions),
        character=character,
        rules=rules,
        grown=info,
        targets=targets,
        places=places,
        ended=growing.ended(growth),
    )


def _growing(name: str) -> Callable[[Setup], Subject]:
    return lambda setup: grown_subject(growing.own(name), setup.grown, name=name)


SCENES: dict[str, tuple[str, Callable[[Setup], Subject]]] = {
    "snake": ("Snake", _snake),
    "arm": ("9-9-9-9-4 arm", _arm),
    "humanoid": ("Our character", _humanoid),
    **{name: (title, _growing(name)) for name, title in growing.TITLES.items()},
}
CHAINS = frozenset(("snake", "arm"))
