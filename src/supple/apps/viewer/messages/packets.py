"""Heads of binary messages from the session to its page."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from supple.apps.viewer.messages.motions import SourceHead
from supple.apps.viewer.messages.values import Quaternion, Vector, message


@message
class Costs:
    """Costs of a solution relative to the start pose: turns [rad], path of the tip."""

    sum_of_turns: float
    largest_turn: float
    tip_path: float


@message
class Report:
    """How a solve ended: the tail of a pose frame.

    Attributes:
        status: "reached", "too far", ...; "" if nothing was solved.
        reason: The reason in words.
        solver: The name of the solver.
        active: Indices of joints at a limit.
        costs: Costs, if two solvers are compared.
        morphs: Morph weights at this time of the motion, by mesh name.
        touching: The two that are nearest to each other, if they are nearer than they may be: joints, or
            a joint and an obstacle.
    """

    status: str
    reason: str
    solver: str
    active: list[int]
    costs: Costs | None
    morphs: dict[str, list[float]] = field(default_factory=dict)
    touching: list[str] = field(default_factory=list)


@message
class StepInfo:
    """A step of an iteration; `joint` is -1 if an effector was placed at a point."""

    iteration: int
    joint: int
    placed: bool
    change: list[float]


@message
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


@message
class StepsHead:
    """The head of a packet with `frames` (steps, N, 7): the poses after each rotation step."""

    kind: Literal["steps"] = "steps"
    iteration: int


@message
class MeshHead:
    """The head of a mesh packet.

    Arrays: `positions`, `normals`, `texcoords`, `colors`, `faces`; for a skin `first`, `joint`,
    `weight`, and `binds` (joints, 12), row by row; for morph targets `morph_positions` and, where
    there are normals, `morph_normals` (morphs, V, 3), to be added. `texture` and `normal_map` are
    images.

    Attributes:
        revision: The scene it belongs to.
        joints: Indices of the skin's joints in the scene's names.
        joint: Index of the joint of a mesh without a skin; -1 for the world.
        color: RGBA.
        cutoff: For "MASK", the alpha below which nothing is drawn.
        emissive: Emitted color, RGB.
        morphs: Names of the morph targets.
        weights: Their weights at rest.
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
    cutoff: float
    emissive: Vector
    texture_type: str
    normal_map_type: str
    morphs: list[str]
    weights: list[float]


@message
class MotionHead:
    """The head of a packet with a motion for the onion skin.

    Arrays: `positions` (frames, N, 3), and `contacts` (frames, feet): 1 if a foot is on the ground.

    Attributes:
        name: The motion.
        duration: From its first to its last frame [s].
        feet: Indices of the feet in the scene's names.
    """

    kind: Literal["motion"] = "motion"
    name: str
    duration: float
    feet: list[int]


@message
class ProblemHead:
    """The head of a packet with what the page needs to solve by itself.

    Arrays: `data`, the lowered problem; `steady`, the same without restarts, to solve with while a goal is
    held, if it differs; and the initial pose of the scene as float64 in bytes: `rest`,
    and where poses have them `rest_translations`, `rest_scales` and `rest_offsets`. `start`, likewise,
    if it is not the start of the lowered problem.

    Attributes:
        revision: The scene it belongs to.
        slot: Which of the solvers side by side.
        problems: How many problems the scene has.
        clip: The number of the motion that plays; 0 for none.
    """

    kind: Literal["problem"] = "problem"
    revision: int
    slot: int
    problems: int
    clip: int


@message
class ClipHead:
    """The head of a packet with a motion, as samples at even times.

    Arrays: `coordinates` (samples, Q), and where poses have them `translations`, `scales` and `offsets`.

    Attributes:
        number: What problems refer to it by.
        name: The motion.
        duration: The time of the last sample [s].
        turns: The first coordinate of every quaternion.
        morphs: Morph weights of each sample, by mesh name.
    """

    kind: Literal["clip"] = "clip"
    number: int
    name: str
    duration: float
    turns: list[int]
    morphs: dict[str, list[list[float]]]


@message
class FileHead:
    """The head of a packet with a file to save, its bytes in `data`."""

    kind: Literal["file"] = "file"
    name: str


PacketHead = (
    TraceHead | StepsHead | MeshHead | MotionHead | SourceHead | ProblemHead | ClipHead | FileHead
)
