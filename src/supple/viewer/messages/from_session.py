"""What the session tells in text."""

from __future__ import annotations

from typing import Literal

from supple.viewer.messages.setup import GoalPlace, GoalSetup, Key
from supple.viewer.messages.values import (
    AttributeKind,
    AttributeValue,
    Option,
    Quaternion,
    Range,
    Vector,
    message,
)


@message
class OptionInfo:
    """An option of a solver: its name, kind, default, choices, and a line about it."""

    name: str
    kind: Literal["number", "whole", "flag", "choice"]
    default: Option
    optional: bool
    choices: list[str]
    about: str


@message
class SolverInfo:
    """A solver: its name, a line about it, its options."""

    name: str
    about: str
    options: list[OptionInfo]


@message
class SceneInfo:
    """A scene that can be chosen."""

    name: str
    title: str


@message
class Hello:
    """What the session offers.

    Attributes:
        version: supple's version.
        scene: The scene to open with, if the page has not been told otherwise; "" for none.
        upload_limit: Most bytes of all files that are opened together.
        most_files: How many those may be.
        formats: Endings of files that can be opened.
    """

    type: Literal["hello"] = "hello"
    version: str
    scene: str
    scenes: list[SceneInfo]
    solvers: list[SolverInfo]
    upload_limit: int
    most_files: int
    formats: list[str]


@message
class JointInfo:
    """A joint as it is solved with.

    Attributes:
        kind: "Ball", "Hinge", ...
        labels: A label for each pair of limits: "", or "x", "y", ...
        limits: The pairs, None where open.
        axis: Of a hinge, slider or cone, in the joint's rest frame.
        swing: Of a cone.
        rest: Rest rotation in the parent's frame.
        bone: Where its first child or tip is, in the joint's frame.
        moves: Whether this solve may move it.
    """

    kind: str
    labels: list[str]
    limits: list[Range | None]
    axis: Vector | None
    swing: float | None
    rest: Quaternion
    bone: Vector
    moves: bool
    damping: float | None
    stiffness: float


@message
class MotionInfo:
    """A motion: its name, length [s], frames a second and number of frames."""

    name: str
    duration: float
    fps: float
    frames: int


@message
class AttributeField:
    """An attribute of rules, for a field of its own.

    Attributes:
        name: Its name.
        kind: What it is set with.
        value: What it was for this growth.
        least, greatest, step: Of a slider, for a number.
        choices: What to choose from.
        group: The heading it stands under.
        about: A line about it.
    """

    name: str
    kind: AttributeKind
    value: AttributeValue
    least: float | None
    greatest: float | None
    step: float | None
    choices: list[bool | float | str]
    group: str
    about: str


@message
class TargetInfo:
    """The target of an IK rule: its goal's id, and the attribute it is, or ""."""

    id: str
    effector: str
    attribute: str


@message
class GrownInfo:
    """What rules have grown.

    Attributes:
        starts: The rules to start with.
        start: The one that was.
        seed: What chance began with.
        fields: What can be set.
        targets: The targets that can be dragged.
        shapes: How many shapes there are.
        leaves: How many of them were left.
        seconds: What it took.
        printed: What the rules printed, the first lines.
    """

    starts: list[str]
    start: str
    seed: int
    fields: list[AttributeField]
    targets: list[TargetInfo]
    shapes: int
    leaves: int
    seconds: float
    printed: list[str]


@message
class Scene:
    """What there is to draw, after every setup.

    Attributes:
        seq: The setup it answers.
        revision: Counts up with the scene; frames of poses carry it.
        key: The same for the same skeleton, so that the page knows whether its goals still fit.
        title: What it is.
        names: Joints, then tips.
        parents: Of each, the place of its parent; -1 for a root.
        limbs: Of each, how many joints above it belong to its limb; 0: all.
        joints: The joints.
        goals: The goals being solved.
        places: Where they are to begin with.
        center: Middle of what there is, at rest.
        size: Its radius.
        box: The least and greatest coordinates of what is to be seen of it.
        ground: Height of the ground.
        up: "y" or "z".
        flat: Whether everything stays in the plane z = 0.
        pedestal: Whether its root stands on a pillar.
        motions: What can be played.
        motion: Which of them plays; None for none.
        meshes: Number of meshes that follow as packets.
        notes: What the reader of a file had to guess.
        tolerance: How near counts as reached.
        grown: What the rules of a grammar's scene have grown; None for any other.
    """

    type: Literal["scene"] = "scene"
    seq: int
    revision: int
    key: str
    title: str
    names: list[str]
    parents: list[int]
    limbs: list[int]
    joints: list[JointInfo]
    goals: list[GoalSetup]
    places: list[GoalPlace]
    center: Vector
    size: float
    box: tuple[Vector, Vector]
    ground: float
    up: Literal["y", "z"]
    flat: bool
    pedestal: bool
    motions: list[MotionInfo]
    motion: str | None
    meshes: int
    notes: list[str]
    tolerance: float
    grown: GrownInfo | None


@message
class Refused:
    """Something could not be done; what was shown stays.

    Attributes:
        seq: The setup that was refused; 0 for anything else.
        text: Why, in words.
    """

    type: Literal["refused"] = "refused"
    seq: int
    text: str


@message
class KeyTaken:
    """A keyframe for the page to keep."""

    type: Literal["key"] = "key"
    key: Key


@message
class Pong:
    """Yes."""

    type: Literal["pong"] = "pong"


FromSession = Hello | Scene | Refused | KeyTaken | Pong
