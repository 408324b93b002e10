"""JSON messages from the session to its page."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from supple.apps.viewer.messages.bodies import (
    BodiesSetup,
    CapsuleInfo,
    LoopSetup,
    MassInfo,
    SoleInfo,
)
from supple.apps.viewer.messages.motions import CheckReport, ContactsInfo, RetargetInfo, Working
from supple.apps.viewer.messages.setup import GoalPlace, GoalSetup, Key, Setup
from supple.apps.viewer.messages.values import (
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
    """The first message: available scenes, solvers and file formats.

    Attributes:
        version: The version of supple.
        scene: The first scene, unless the page has another in its address; "" for none.
        scenes: The built-in scenes.
        solvers: The solvers.
        upload_limit: Size limit of all files of an upload together [B].
        most_files: Most files of an upload.
        formats: Extensions of files that can be opened.
        kernels: Where the kernels for browsers are (supple.wasm); "" if there are none.
    """

    type: Literal["hello"] = "hello"
    version: str
    scene: str
    scenes: list[SceneInfo]
    solvers: list[SolverInfo]
    upload_limit: int
    most_files: int
    formats: list[str]
    kernels: str = ""


@message
class JointInfo:
    """A joint of the edited skeleton.

    Attributes:
        kind: "Ball", "Hinge", ...
        labels: A label for each pair of limits: "", or "x", "y", ...
        limits: The pairs, None where open.
        axes: The axis of each pair of limits, in the joint's rest frame.
        slides: How many of the pairs, the first ones, are lengths; the others are angles [rad].
        swings: True if it turns in every direction, so that it can be given a cone.
        swing: The greatest swing of a cone [rad].
        tilts: Half-angles down, up, left, right of a cone that is not round [rad].
        up: The direction of up for these, in the joint's rest frame, square to its axis.
        rest: Rest rotation in the parent's frame, wxyz.
        bone: Offset of its first child or tip, in the joint's frame.
        moves: True if the solver may move it.
        damping: Greatest change per iteration [rad]; None for no cap.
        stiffness: In [0, 1).
    """

    kind: str
    labels: list[str]
    limits: list[Range | None]
    axes: list[Vector]
    slides: int
    swings: bool
    swing: float | None
    tilts: tuple[float, float, float, float] | None
    up: Vector
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
    """An attribute of rules that can be edited.

    Attributes:
        name: Its name.
        kind: The kind of control.
        value: Its value in this growth.
        least, greatest, step: Range and step of a slider, for a number.
        choices: The values to choose from.
        group: The heading of its group.
        about: Its description.
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
    """The target of an IK rule: the id of its goal, and the attribute that sets it, or ""."""

    id: str
    effector: str
    attribute: str


@message
class GrownInfo:
    """The result of growing rules.

    Attributes:
        starts: The possible start rules.
        start: The start rule.
        seed: The random seed.
        fields: The attributes that can be edited.
        targets: The targets that can be dragged.
        shapes: Number of shapes.
        leaves: Number of leaf shapes.
        seconds: Duration [s].
        printed: The first lines that the rules printed.
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
class SolverUse:
    """A solver, and why it cannot take the scene; "" if it can."""

    name: str
    why: str


@message
class Scene:
    """The scene to draw, sent after every setup.

    Attributes:
        seq: The number of the setup it answers.
        revision: The number of the scene; pose frames refer to it.
        key: Equal for equal skeletons, so that the page can keep its goals.
        title: The title.
        names: Joints, then tips.
        parents: The index of the parent of each; -1 for a root.
        limbs: The limb depth of each: number of joints above it up to a branch; 0 for all.
        joints: The joints.
        slots: How many solvers are side by side.
        goals: The goals being solved.
        places: Their initial positions.
        center: Center of the subject.
        size: Its radius.
        box: Least and greatest coordinates of the box to be visible.
        ground: Height of the ground.
        up: "y" or "z".
        front: The axis that the figure faces, if it is not that towards the viewer: z, or -y if z is up.
        flat: True if everything stays in the plane z = 0.
        pedestal: True if the root is on a pedestal.
        motions: The motions that can be played.
        motion: The motion that plays; None for none.
        meshes: Number of meshes that follow as packets.
        notes: Notes of the file's reader.
        tolerance: Distance that counts as reached.
        unit: Metres in a unit of length; None if that is not known.
        solvers: The solvers, and which of them can take the scene.
        grown: The result of growing, for a scene of grammar rules; else None.
        contacts: The contacts of the motion that plays; None if it has no feet.
        retargeted: What retargeting made; None if nothing is retargeted.
        bodies: Collisions, balance and loops that are kept.
        loops: The loops of the model itself, which are kept too.
        switches: Which of them can be switched on and off.
        feet: Joints that can stand on the ground, by their names.
        about: What to try, in a sentence; "" for none.
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
    slots: int
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
    unit: float | None
    solvers: list[SolverUse]
    grown: GrownInfo | None
    contacts: ContactsInfo | None
    retargeted: RetargetInfo | None
    bodies: BodiesSetup = field(default_factory=BodiesSetup)
    loops: list[LoopSetup] = field(default_factory=list)
    switches: list[Literal["avoid", "balance"]] = field(
        default_factory=lambda: ["avoid", "balance"]
    )
    feet: list[str] = field(default_factory=list)
    about: str = ""
    front: Literal["x"] | None = None


@message
class Bodies:
    """Capsules, masses and soles of a figure's bones.

    Attributes:
        key: The key of the scene.
        capsules: What stands for the bones in collisions.
        masses: What they weigh; empty if that is not known.
        soles: What stands on the ground, if there are feet.
        up: Away from the ground.
    """

    type: Literal["bodies"] = "bodies"
    key: str
    capsules: list[CapsuleInfo]
    masses: list[MassInfo]
    soles: list[SoleInfo]
    up: Vector


@message
class Offer:
    """A setup like a refused one that would work, and how it differs, in words."""

    label: str
    setup: Setup


@message
class Refused:
    """A message failed; what is shown does not change.

    Attributes:
        seq: The number of the setup that was refused; 0 for other messages.
        text: The reason.
        offers: What would make the setup possible.
    """

    type: Literal["refused"] = "refused"
    seq: int
    text: str
    offers: list[Offer] = field(default_factory=list)


@message
class KeyTaken:
    """The keyframe that `KeyWanted` asked for."""

    type: Literal["key"] = "key"
    key: Key


@message
class Pong:
    """The answer to `Ping`."""

    type: Literal["pong"] = "pong"


FromSession = Hello | Scene | Bodies | Refused | KeyTaken | CheckReport | Working | Pong
