"""The setup: everything a user can change that affects solving."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Literal

from supple.apps.viewer.messages.bodies import BodiesSetup
from supple.apps.viewer.messages.motions import MotionEdits, Retargeting
from supple.apps.viewer.messages.values import (
    MOST_GOALS,
    MOST_LINKS,
    Amount,
    AttributeValue,
    AxisName,
    GoalKind,
    KeyTime,
    Length,
    Number,
    Option,
    Quaternion,
    Range,
    Serial,
    Text,
    Vector,
    Within,
    message,
)


@message
class JointEdit:
    """Changes to a joint; None keeps the value of the scene.

    Attributes:
        lock: True if the solver may not move it.
        damping: Greatest change per iteration [rad]; 0 for no cap.
        stiffness: In [0, 1).
        limits: A (lo, hi) pair or None for each axis of a hinge, slider or Axes joint [rad].
        swing: Greatest swing of a cone [rad]; turns a ball into a cone.
        tilts: Half-angles down, up, left, right of a cone [rad], instead of the swing.
        twist: (lo, hi) of a cone's twist [rad].
    """

    lock: bool = False
    damping: Amount | None = None
    stiffness: Annotated[float, Within(0.0, 1.0)] | None = None
    limits: Annotated[list[Range | None], Within(0, 6)] | None = None
    swing: Amount | None = None
    tilts: tuple[Amount, Amount, Amount, Amount] | None = None
    twist: Range | None = None


@message
class SolverChoice:
    """A solver by name, with options that differ from its defaults."""

    name: Text = "auto"
    options: dict[Text, Option] = field(default_factory=dict)


@message
class GoalSetup:
    """A goal without its position.

    Attributes:
        id: Its id on the page.
        kind: "reach" a position; "pose", position and orientation; "look" at a point; a "pole"; "hold"
            in place; the "target" of an IK rule, which is grown again and not solved for.
        effector: The joint or tip.
        depth: Number of joints that may move; 0 for all up to the root.
        axis: The axis of the effector that a "look" points at the target.
        on: The joint or tip that carries the target, which then moves with it; "" for the world.
        point: The target in that one's frame.
    """

    id: Text
    kind: GoalKind = "reach"
    effector: Text
    depth: Serial = 0
    axis: AxisName = "x"
    on: Text = ""
    point: Vector = (0.0, 0.0, 0.0)


@message
class GoalPlace:
    """The position of a goal in world, and its orientation wxyz if it has one."""

    id: Text
    position: Vector
    orientation: Quaternion | None = None


@message
class Key:
    """A keyframe: its time [s] and the coordinates of the pose."""

    time: KeyTime
    coordinates: list[Number]


@message
class Grown:
    """The settings to grow rules with; others are the rules' own.

    Attributes:
        start: The start rule; "" for the rules' own.
        seed: The random seed.
        attributes: Values by name.
        targets: World positions of IK rules' targets, by the names of their effectors.
    """

    start: Text = ""
    seed: Serial = 0
    attributes: dict[Text, AttributeValue] = field(default_factory=dict)
    targets: dict[Text, Vector] = field(default_factory=dict)


@message
class Setup:
    """Everything a user can set that affects solving.

    Attributes:
        scene: "snake", "arm", ... or "file:" and the number of an upload.
        links: Number of links of the snake.
        lengths: Their lengths; None for the scene's own.
        flat: True if chains move in the plane z = 0.
        solver: The solver.
        compare: A second one, side by side, or None.
        race: True to have every solver that can side by side, instead of `compare`.
        limits: True if joint limits apply.
        damping: Greatest change per iteration of every joint [rad]; None for no cap.
        stretch: The greatest factor by which links may stretch; None for rigid links.
        joints: Changes to single joints, by name.
        goals: The goals; empty for those of the scene.
        tolerance: Distance that counts as reached [model units]; None for the default.
        unreachable: What to do with targets out of reach.
        start: What each solve starts from: the previous answer, or the rest pose.
        motion: The motion that plays; None for none, "" for the first that the scene
            has, if any. "keyframes" is that of `keys`.
        correct: True if goals correct the motion.
        keys: The keyframes.
        grown: Settings of a scene of grammar rules.
        edits: What is changed in motions before they play, by name.
        retarget: The motion of another scene that is retargeted onto this one; None for none.
        bodies: Collisions, balance and loops; None for those of the scene.
    """

    scene: Text = "snake"
    links: Annotated[int, Within(1, MOST_LINKS)] = 8
    lengths: Annotated[list[Length], Within(0, MOST_LINKS)] | None = None
    flat: bool = False
    solver: SolverChoice = field(default_factory=SolverChoice)
    compare: SolverChoice | None = None
    race: bool = False
    limits: bool = False
    damping: Amount | None = None
    stretch: Annotated[float, Within(1.0, 1000.0)] | None = None
    joints: dict[Text, JointEdit] = field(default_factory=dict)
    goals: Annotated[list[GoalSetup], Within(0, MOST_GOALS)] = field(default_factory=list)
    tolerance: Amount | None = None
    unreachable: Literal["approach", "keep"] = "approach"
    start: Literal["previous", "rest"] = "previous"
    motion: Text | None = None
    correct: bool = True
    keys: list[Key] = field(default_factory=list)
    grown: Grown = field(default_factory=Grown)
    edits: dict[Text, MotionEdits] = field(default_factory=dict)
    retarget: Retargeting | None = None
    bodies: BodiesSetup | None = None
