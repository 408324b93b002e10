"""What a person has set."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Literal

from supple.viewer.messages.values import (
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
    damping: Amount | None = None
    stiffness: Annotated[float, Within(0.0, 1.0)] | None = None
    limits: Annotated[list[Range | None], Within(0, 6)] | None = None
    swing: Amount | None = None
    twist: Range | None = None


@message
class SolverChoice:
    """A solver by name, with the options that differ from its own."""

    name: Text = "auto"
    options: dict[Text, Option] = field(default_factory=dict)


@message
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

    id: Text
    kind: GoalKind = "reach"
    effector: Text
    depth: Serial = 0
    axis: AxisName = "x"


@message
class GoalPlace:
    """Where a goal is: world position, and orientation wxyz where it asks for one."""

    id: Text
    position: Vector
    orientation: Quaternion | None = None


@message
class Key:
    """A pose kept as a keyframe: its time [s] and all its coordinates."""

    time: KeyTime
    coordinates: list[Number]


@message
class Grown:
    """What rules grow from; what is not named is as the rules have it.

    Attributes:
        start: The first rule; "" for the rules' own.
        seed: What chance begins with.
        attributes: Values by name.
        targets: World positions of IK rules' targets, by the names of their effectors.
    """

    start: Text = ""
    seed: Serial = 0
    attributes: dict[Text, AttributeValue] = field(default_factory=dict)
    targets: dict[Text, Vector] = field(default_factory=dict)


@message
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
        motion: The motion that plays; None for none, "" for the first that the scene
            has, if any. "keyframes" is that of `keys`.
        correct: Whether the goals correct the motion.
        keys: The keyframes.
        grown: What the rules of a grammar's scene grow from.
    """

    scene: Text = "snake"
    links: Annotated[int, Within(1, MOST_LINKS)] = 8
    lengths: Annotated[list[Length], Within(0, MOST_LINKS)] | None = None
    flat: bool = False
    solver: SolverChoice = field(default_factory=SolverChoice)
    compare: SolverChoice | None = None
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
