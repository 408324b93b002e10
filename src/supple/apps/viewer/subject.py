"""`Subject`: what the playground shows, made from a character, a skeleton or grammar rules."""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from supple.apps.character.character import METRES, Character
from supple.apps.character.motion import Motion
from supple.apps.viewer import grammar_rules
from supple.apps.viewer.messages import BodiesSetup, GoalPlace, GoalSetup, Grown, GrownInfo
from supple.apps.viewer.source import Source
from supple.apps.viewer.stand_in import stand_in
from supple.errors import SuppleError
from supple.goals import Reach
from supple.model.capsules import masses_of
from supple.model.joints import Free
from supple.model.mesh import Mesh
from supple.model.mirror import partner
from supple.model.skeleton import Pose, Skeleton
from supple.solve.prepare import prepare
from supple.solve.trace import Trace


@dataclass(frozen=True)
class Subject:
    """What the playground shows.

    Attributes:
        key: Equal for equal skeletons.
        title: The title on the page.
        skeleton: The skeleton with its own limits, before edits.
        goals: The initial goals.
        start: The initial pose.
        up: The up axis.
        front: The axis that it faces; None for the one towards the viewer: z, or -y if z is up.
        unit: Metres in a unit of length; None if that is not known.
        pedestal: Height of the root above the ground, in chain lengths; None to put the ground below
            everything.
        flat: True if everything stays in the plane z = 0.
        meshes: The meshes to draw.
        motions: The motions that can be played, by name.
        notes: Notes of the reader.
        trace: The trace to show.
        character: The character to save, if there is one.
        rules: The grammar rules that it was grown from, if any.
        grown: Attributes and statistics of the growth.
        targets: The targets of the IK rules, as goals.
        places: Positions of those targets.
        ended: How the IK rules ended.
        source: The source of a motion that was retargeted, to be shown beside it.
        bodies: Collisions, balance and loops that are kept.
        about: What to try, in a sentence; "" for none.
    """

    key: str
    title: str
    skeleton: Skeleton
    goals: tuple[GoalSetup, ...]
    start: Pose
    up: Literal["y", "z"] = "y"
    front: Literal["x"] | None = None
    unit: float | None = None
    pedestal: float | None = None
    flat: bool = False
    meshes: tuple[Mesh, ...] = ()
    motions: Mapping[str, Motion] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    trace: Trace | None = None
    character: Character | None = None
    rules: grammar_rules.Rules | None = None
    grown: GrownInfo | None = None
    targets: tuple[GoalSetup, ...] = ()
    places: tuple[GoalPlace, ...] = ()
    ended: grammar_rules.Ended | None = None
    source: Source | None = None
    bodies: BodiesSetup = field(default_factory=BodiesSetup)
    about: str = ""

    @cached_property
    def solid(self) -> Skeleton:
        """The skeleton with capsules and masses: the model's own, or those of the skin or the bones."""
        skeleton, character = self.skeleton, self.character
        own = skeleton.physics
        if own is not None and own.masses is not None:
            return skeleton
        capsules = skeleton.capsules if character is None else character.capsules
        masses = masses_of(capsules, metres=self.unit or 1.0)
        return skeleton.with_physics(capsules=capsules, masses=masses)


def character_subject(
    character: Character, *, key: str, title: str, trace: Trace | None = None
) -> Subject:
    """Show a character.

    Args:
        character: The character.
        key: The key of the subject.
        title: The title on the page.
        trace: The trace to show.
    """
    skeleton: Skeleton = character.skeleton
    up = "z" if character.up == "z" else "y"
    robot = skeleton.physics is not None and bool(skeleton.geoms)
    floats = any(isinstance(one, Free) for one in skeleton.joints)  # legs, and a front
    meshes = tuple(character.meshes)
    goals = _first_goal(skeleton, _hand(skeleton))
    return Subject(
        key=key,
        title=title,
        skeleton=skeleton,
        goals=_both_sides(skeleton, goals) if robot else goals,
        start=character.pose,
        up=up,
        front="x" if robot and floats and up == "z" else None,
        unit=METRES.get(character.unit or ""),
        meshes=meshes or (stand_in(skeleton) if robot else ()),
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
    """Show a skeleton without meshes, in a pose."""
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
    """A goal for an effector that moves its limb; none if no joint can move it."""
    goal = GoalSetup(id="goal", effector=effector, depth=limb_depth(skeleton, effector))
    for one in (goal, replace(goal, depth=0)):
        try:
            prepare(skeleton, [Reach(effector, depth=one.depth)])
        except SuppleError:
            continue
        return (one,)
    return ()


def _both_sides(skeleton: Skeleton, goals: tuple[GoalSetup, ...]) -> tuple[GoalSetup, ...]:
    """A goal, and one for the other hand or foot."""
    if not goals:
        return goals
    (goal,) = goals
    other = partner(goal.effector, skeleton.names)
    if other == goal.effector:
        return goals
    second = replace(goal, id="other", effector=other)
    try:
        prepare(skeleton, [Reach(one.effector, depth=one.depth) for one in (goal, second)])
    except SuppleError:
        return goals
    return (goal, second)


def _hand(skeleton: Skeleton) -> str:
    """The name of the right hand or foot; if there is none, the tip or joint deepest in the tree."""
    for word in ("hand", "wrist", "tool", "gripper", "foot"):
        found = [n for n in skeleton.names if word in n.casefold() and _moves(skeleton, n)]
        right = [n for n in found if _is_right(n)]
        if found:
            return min(right or found, key=len)
    depth = {name: len(skeleton.path(None, name)) for name in skeleton.names}
    return max(depth, key=lambda name: depth[name])


def _is_right(name: str) -> bool:
    low = name.casefold()
    return "right" in low or low.startswith(("r ", "r_", "r.")) or low.endswith(("_r", ".r", " r"))


def _moves(skeleton: Skeleton, name: str) -> bool:
    """True if a joint above moves it."""
    return any(_can_move(skeleton, joint) for joint in skeleton.path(None, name)[:-1])


def _can_move(skeleton: Skeleton, joint: str) -> bool:
    return bool(skeleton.freedom_table.joints.freedoms[skeleton.index(joint)])


def limb_depth(skeleton: Skeleton, effector: str) -> int:
    """The number of joints above an effector up to where the skeleton branches.

    If that is fewer than two: those below the floating joint, or 0, which means all up to the root.
    """
    above = skeleton.path(None, effector)[:-1]
    tips = set(skeleton.tip_names)
    count = 0
    for name in reversed(above):
        if len([child for child in skeleton.children(name) if child not in tips]) > 1:
            break
        count += 1
    if 2 <= count < len(above):
        return count
    floating = {j for root in skeleton.free_roots for j in root.joints}
    below = itertools.takewhile(lambda name: skeleton.index(name) not in floating, reversed(above))
    limb = [name for name in below if _can_move(skeleton, name)]
    return len(limb) if len(limb) < sum(_can_move(skeleton, name) for name in above) else 0


def grown_subject(rules: grammar_rules.Rules, wanted: Grown, *, name: str) -> Subject:
    """Grow rules and show the result, in the pose that their IK rules produced.

    Args:
        rules: The rules.
        wanted: The start rule, seed, attributes and targets to grow with.
        name: The name of the scene.
    """
    growth, info, targets, places = grammar_rules.grown(rules, wanted)
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
        ended=grammar_rules.ended(growth),
    )
