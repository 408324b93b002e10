"""The scenes of the playground: two chains, a character, bodies, and what grammar rules grow."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from supple.apps.data import humanoid
from supple.apps.viewer import body_scenes, grammar_rules
from supple.apps.viewer.library import Library
from supple.apps.viewer.messages import MOST_LINKS, GoalSetup, Grown, SceneInfo, Setup
from supple.apps.viewer.retargeted import retargeted_subject
from supple.apps.viewer.subject import Subject, character_subject, grown_subject, limb_depth
from supple.errors import SuppleError, one_of
from supple.model.joints import Cone, Hinge, Joint
from supple.model.skeleton import Pose, Skeleton, chain

ARM_LENGTHS = (9.0, 9.0, 9.0, 9.0, 4.0)  # Song & Hu 2011
SNAKE_LIMIT = math.radians(75)  # of each joint
SECOND_LIMIT, THIRD_LIMIT = (
    math.radians(120),
    math.radians(90),
)  # of the arm's joints 2 and 3 (Song & Hu 2011)


def available() -> list[SceneInfo]:
    """The scenes that can be chosen."""
    return [SceneInfo(name=name, title=title) for name, (title, _) in SCENES.items()]


def check_scene(name: str) -> None:
    """Raise a SuppleError if there is no such scene; "" and opened files are accepted."""
    if name and not name.startswith("file:"):
        one_of("scene", name, SCENES)


def build(setup: Setup, library: Library) -> Subject:
    """Build the scene of a setup.

    Raises:
        SuppleError: There is no such scene, or it cannot be built.
    """
    if setup.retarget is not None:
        source = build(Setup(scene=setup.retarget.source), library)
        target = build(replace(setup, retarget=None), library)
        return retargeted_subject(target, source, setup.retarget)
    if setup.scene.startswith("file:"):
        subject = library.subject(setup.scene.removeprefix("file:"))
        if subject.rules is None or setup.grown == Grown():
            return subject
        return grown_subject(subject.rules, setup.grown, name=setup.scene)
    return SCENES[one_of("scene", setup.scene, SCENES)][1](setup)


def scene_key(setup: Setup) -> tuple[Any, ...]:
    """The parts of a setup that the scene depends on."""
    shape = (setup.links, tuple(setup.lengths or ()), setup.flat)
    return (setup.scene, setup.grown, setup.retarget, *(shape if setup.scene in CHAINS else ()))


# Chains -------------------------------------------------------------------------------------------


def _snake(setup: Setup) -> Subject:
    lengths = _lengths(setup, [8.0 / max(setup.links, 1)] * setup.links)
    joint = (
        Hinge("z", limits=(-SNAKE_LIMIT, SNAKE_LIMIT))
        if setup.flat
        else Cone(SNAKE_LIMIT, axis="x")
    )
    return _chain("snake", f"Snake of {len(lengths)} links", lengths, joint, setup.flat)


def _arm(setup: Setup) -> Subject:
    lengths = _lengths(setup, list(ARM_LENGTHS))
    most = [math.pi, SECOND_LIMIT, THIRD_LIMIT, *[math.radians(100)] * len(lengths)][: len(lengths)]
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
    """A pose of a chain that rises and bends over."""
    names = skeleton.joint_names
    bend = -1.9 / max(len(names) - 1, 1)
    turns = {name: bend if flat else (0.0, 0.0, bend) for name in names[1:]}
    return skeleton.pose({**turns, names[0]: 1.25 if flat else (0.0, 0.0, 1.25)}).clamped()


# Characters and grammar rules ----------------------------------------------------------------------


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


def _growing(name: str) -> Callable[[Setup], Subject]:
    return lambda setup: grown_subject(grammar_rules.own(name), setup.grown, name=name)


SCENES: dict[str, tuple[str, Callable[[Setup], Subject]]] = {
    "snake": ("Snake", _snake),
    "arm": ("9-9-9-9-4 arm", _arm),
    "humanoid": ("Our character", _humanoid),
    **body_scenes.SCENES,
    **{name: (title, _growing(name)) for name, title in grammar_rules.TITLES.items()},
}
CHAINS = frozenset(("snake", "arm"))
