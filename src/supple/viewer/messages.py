"""What the page and the session say to each other, defined once.

Every message is a frozen dataclass; `typescript` writes the same types for the page, and a test
keeps the two files alike. Text messages are JSON with a `type`; poses and other numbers travel as
binary frames (see `frames`). Angles are in radians, quaternions wxyz, lengths in the model's unit.

The page owns the setup and the goals: it sends both whole, and again after a lost connection, so a
session holds nothing that a person would miss.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Range = tuple[float | None, float | None]
Option = bool | int | float | str | None

AttributeValue = bool | float | str | list[float]

GoalKind = Literal["reach", "pose", "look", "pole", "hold", "target"]
AttributeKind = Literal["number", "flag", "choice", "text", "color", "numbers"]
SaveFormat = Literal["glb", "bvh", "smd", "json", "trace"]


# What a person has set ----------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class JointEdit:
    """What was changed of one joint; None leaves what the scene has.

    Attributes:
        lock: Whether it keeps its place.
        damping: Greatest change per iteration [rad]; 0 for no cap.
        stiffness: In [0, 1).
        limits: A (lo, hi) pair or None for each axis of a hinge, slider or Axes joint [rad].
        swing: Greatest tilt of a cone [rad]; makes a cone of a ball.
        twist: (lo, hi) of a cone's twist [rad].
    """

    lock: bool = False
    damping: float | None = None
    stiffness: float | None = None
    limits: list[Range | None] | None = None
    swing: float | None = None
    twist: Range | None = None


@dataclass(frozen=True, kw_only=True)
class SolverChoice:
    """A solver by name, with the options that differ from its own."""

    name: str = "auto"
    options: dict[str, Option] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class GoalSetup:
    """A goal without its place.

    Attributes:
        id: What the page calls it.
        kind: A position; position and orientation; a direction; a pole; held where it is; the
            target of an IK rule, which is not solved for but grown anew with.
        effector: The joint or tip.
        depth: How many joints may move; 0 for all up to the root.
        axis: The looking axis of a "look".
    """

    id: str
    kind: GoalKind = "reach"
    effector: str
    depth: int = 0
    axis: str = "x"


@dataclass(frozen=True, kw_only=True)
class GoalPlace:
    """Where a goal is: world position, and orientation wxyz where it asks for one."""

    id: str
    position: Vector
    orientation: Quaternion | None = None


@dataclass(frozen=True, kw_only=True)
class Key:
    """A pose kept as a keyframe: its time [s] and all its coordinates."""

    time: float
    coordinates: list[float]


@dataclass(frozen=True, kw_only=True)
class Grown:
    """What rules grow from; what is not named is as the rules have it.

    Attributes:
        start: The first rule; "" for the rules' own.
        seed: What chance begins with.
        attributes: Values by name.
        targets: World positions of IK rules' targets, by the names of their effectors.
    """

    start: str = ""
    seed: int = 0
    attributes: dict[str, AttributeValue] = field(default_factory=dict)
    targets: dict[str, Vector] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Setup:
    """Everything a person can set that the solver has to know.

    Attributes:
        scene: "snake", "arm", ... or "file:" and the number of an upload.
        links: Number of links of the snake.
        lengths: Their lengths; None for the scene's own.
        flat: Whether chains move in the plane z = 0.
        solver: The solver.
        compare: A second one, side by side, or None.
        limits: Whether limits hold.
        damping: Greatest change per iteration of every joint [rad]; None for no cap.
        stretch: The factor by which links may grow; None for rigid ones.
        joints: What was changed of single joints, by name.
        goals: The goals; empty for the scene's own.
        tolerance: How near counts as reached, in model units; None for supple's own.
        unreachable: What to do with targets out of reach.
        start: What each solve starts from: the previous answer, or the rest pose.
        motion: The motion that plays; None for none. "keyframes" is that of `keys`.
        correct: Whether the goals correct the motion.
        keys: The keyframes.
        grown: What the rules of a grammar's scene grow from.
    """

    scene: str = "snake"
    links: int = 8
    lengths: list[float] | None = None
    flat: bool = False
    solver: SolverChoice = field(default_factory=SolverChoice)
    compare: SolverChoice | None = None
    limits: bool = False
    damping: float | None = None
    stretch: float | None = None
    joints: dict[str, JointEdit] = field(default_factory=dict)
    goals: list[GoalSetup] = field(default_factory=list)
    tolerance: float | None = None
    unreachable: Literal["approach", "keep"] = "approach"
    start: Literal["previous", "rest"] = "previous"
    motion: str | None = None
    correct: bool = True
    keys: list[Key] = field(default_factory=list)
    grown: Grown = field(default_factory=Grown)


# From the page ------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class SetupSent:
    """The whole setup, after every change and after connecting."""

    type: Literal["setup"] = "setup"
    seq: int
    setup: Setup


@dataclass(frozen=True, kw_only=True)
class Want:
    """Where the goals are, and what the time is; at most one in a frame, the latest counts.

    Attributes:
        seq: Counts up; the answer carries it back.
        goals: Their places.
        time: Seconds into the motion.
        revision: The scene that the goals belong to.
    """

    type: Literal["want"] = "want"
    seq: int
    revision: int
    goals: list[GoalPlace]
    time: float = 0.0


@dataclass(frozen=True, kw_only=True)
class TraceWanted:
    """Solve once more and tell how."""

    type: Literal["trace"] = "trace"
    rest: bool = True


@dataclass(frozen=True, kw_only=True)
class StepsWanted:
    """The poses after every step inside an iteration of the trace."""

    type: Literal["steps"] = "steps"
    iteration: int


@dataclass(frozen=True, kw_only=True)
class KeyWanted:
    """The coordinates of the pose that is shown, for a keyframe at a time [s]."""

    type: Literal["key"] = "key"
    time: float


@dataclass(frozen=True, kw_only=True)
class ResetWanted:
    """Go back to the rest pose."""

    type: Literal["reset"] = "reset"


@dataclass(frozen=True, kw_only=True)
class SaveWanted:
    """What is shown, as a file."""

    type: Literal["save"] = "save"
    format: SaveFormat


@dataclass(frozen=True, kw_only=True)
class Ping:
    """Is anybody there?"""

    type: Literal["ping"] = "ping"


FromPage = (
    SetupSent | Want | TraceWanted | StepsWanted | KeyWanted | ResetWanted | SaveWanted | Ping
)


# From the session ---------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class OptionInfo:
    """An option of a solver: its name, kind, default, choices, and a line about it."""

    name: str
    kind: Literal["number", "whole", "flag", "choice"]
    default: Option
    optional: bool
    choices: list[str]
    about: str


@dataclass(frozen=True, kw_only=True)
class SolverInfo:
    """A solver: its name, a line about it, its options."""

    name: str
    about: str
    options: list[OptionInfo]


@dataclass(frozen=True, kw_only=True)
class SceneInfo:
    """A scene that can be chosen."""

    name: str
    title: str


@dataclass(frozen=True, kw_only=True)
class Hello:
    """What the session offers.

    Attributes:
        version: supple's version.
        scene: The scene to open with, if the page has not been told otherwise; "" for none.
        upload_limit: Most bytes of a file.
        formats: Endings of files that can be opened.
    """

    type: Literal["hello"] = "hello"
    version: str
    scene: str
    scenes: list[SceneInfo]
    solvers: list[SolverInfo]
    upload_limit: int
    formats: list[str]


@dataclass(frozen=True, kw_only=True)
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


@dataclass(frozen=True, kw_only=True)
class MotionInfo:
    """A motion: its name, length [s], frames a second and number of frames."""

    name: str
    duration: float
    fps: float
    frames: int


@dataclass(frozen=True, kw_only=True)
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


@dataclass(frozen=True, kw_only=True)
class TargetInfo:
    """The target of an IK rule: its goal's id, and the attribute it is, or ""."""

    id: str
    effector: str
    attribute: str


@dataclass(frozen=True, kw_only=True)
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


@dataclass(frozen=True, kw_only=True)
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
        ground: Height of the ground.
        up: "y" or "z".
        flat: Whether everything stays in the plane z = 0.
        pedestal: Whether its root stands on a pillar.
        motions: What can be played.
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
    ground: float
    up: Literal["y", "z"]
    flat: bool
    pedestal: bool
    motions: list[MotionInfo]
    meshes: int
    notes: list[str]
    tolerance: float
    grown: GrownInfo | None


@dataclass(frozen=True, kw_only=True)
class Refused:
    """Something could not be done; what was shown stays.

    Attributes:
        seq: The setup that was refused; 0 for anything else.
        text: Why, in words.
    """

    type: Literal["refused"] = "refused"
    seq: int
    text: str


@dataclass(frozen=True, kw_only=True)
class KeyTaken:
    """A keyframe for the page to keep."""

    type: Literal["key"] = "key"
    key: Key


@dataclass(frozen=True, kw_only=True)
class Pong:
    """Yes."""

    type: Literal["pong"] = "pong"


FromSession = Hello | Scene | Refused | KeyTaken | Pong


# In binary frames ---------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Costs:
    """What an answer costs, counted from the rest pose: turns [rad], the tip's way."""

    sum_of_turns: float
    largest_turn: float
    tip_path: float


@dataclass(frozen=True, kw_only=True)
class Report:
    """How a solve ended: the tail of a pose frame.

    Attributes:
        status: "reached", "too far", ...; "" where nothing was solved.
        reason: In words.
        active: Joints at a limit, by number.
        solver: Who solved it.
        costs: With a second solver beside it.
    """

    status: str
    reason: str
    solver: str
    active: list[int]
    costs: Costs | None


@dataclass(frozen=True, kw_only=True)
class StepInfo:
    """A step inside an iteration; `joint` is -1 where an effector was put at a point."""

    iteration: int
    joint: int
    placed: bool
    change: list[float]


@dataclass(frozen=True, kw_only=True)
class TraceHead:
    """The head of a trace packet: arrays `frames` (iterations + 1, N, 7) and `errors`.

    `status` and `reason` are empty for a trace that came from a file.
    """

    kind: Literal["trace"] = "trace"
    solver: str
    effector: int
    goal: Vector | None
    status: str
    reason: str
    steps: list[StepInfo]


@dataclass(frozen=True, kw_only=True)
class StepsHead:
    """The head of a packet with `frames` (steps, N, 7): the poses after each turning step."""

    kind: Literal["steps"] = "steps"
    iteration: int


@dataclass(frozen=True, kw_only=True)
class MeshHead:
    """The head of a mesh packet.

    Arrays: `positions`, `normals`, `texcoords`, `colors`, `faces`; for a skin `first`, `joint`,
    `weight`, and `binds` (joints, 12), row by row. `texture` is an image.

    Attributes:
        revision: The scene it belongs to.
        joints: Of a skin: the places of its joints in the scene's names.
        joint: Where a mesh without a skin is attached; -1 for the world.
        color: RGBA.
    """

    kind: Literal["mesh"] = "mesh"
    revision: int
    index: int
    name: str
    joints: list[int]
    joint: int
    color: Quaternion
    roughness: float
    metallic: float
    double_sided: bool
    alpha: Literal["OPAQUE", "MASK", "BLEND"]
    texture_type: str


@dataclass(frozen=True, kw_only=True)
class MotionHead:
    """The head of a packet with a motion for the onion skin.

    Arrays: `positions` (frames, N, 3), and `contacts` (frames, feet): 1 where a foot stands.

    Attributes:
        name: The motion.
        duration: From its first to its last frame [s].
        feet: Places of the feet in the scene's names.
    """

    kind: Literal["motion"] = "motion"
    name: str
    duration: float
    feet: list[int]


@dataclass(frozen=True, kw_only=True)
class FileHead:
    """The head of a packet with a file to keep, its bytes in `data`."""

    kind: Literal["file"] = "file"
    name: str


PacketHead = TraceHead | StepsHead | MeshHead | MotionHead | FileHead
