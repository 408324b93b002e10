"""`Subject`: what the playground shows, made from a character, a skeleton or grammar rules."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from supple.errors import SuppleError
from supple.goals import Reach
from supple.model.character import METRES, Character
from supple.model.mesh import Mesh
from supple.model.skeleton import Pose, Skeleton
from supple.motion import Motion
from supple.solve.prepare import prepare
from supple.solve.trace import Trace
from supple.viewer import grammar_rules
from supple.viewer.messages import GoalPlace, GoalSetup, Grown, GrownInfo
from supple.viewer.source import Source


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
    """

    key: str
    title: str
    skeleton: Skeleton
    goals: tuple[GoalSetup, ...]
    start: Pose
    up: Literal["y", "z"] = "y"
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
    return Subject(
        key=key,
        title=title,
        skeleton=skeleton,
        goals=_first_goal(skeleton, _hand(skeleton)),
        start=character.pose,
        up=up,
        unit=METRES.get(character.unit or ""),
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


def _hand(skeleton: Skeleton) -> str:
    """The name of the right hand; if there is none, the tip or joint deepest in the tree."""
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
    """The number of joints above an effector up to where the skeleton branches.

    0, meaning all joints up to the root, if that would be fewer than two.
    """
    way = skeleton.path(None, effector)[:-1]
    tips = set(skeleton.tip_names)
    count = 0
    for name in reversed(way):
        if len([child for child in skeleton.children(name) if child not in tips]) > 1:
            break
        count += 1
    return count if 2 <= count < len(way) else 0


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
