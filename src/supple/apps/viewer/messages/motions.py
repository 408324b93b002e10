"""Messages about motions: contacts, planted feet, what `check` finds, and retargeting."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from supple.apps.viewer.messages.values import Serial, Text, message

FrameRange = tuple[Serial, Serial]
"""Frames [start, stop): the first, and the first after the last."""


# In a setup ---------------------------------------------------------------------------------------


@message
class MotionEdits:
    """What is changed in a motion before it plays.

    Attributes:
        contacts: When joints are in contact with the ground, by joint; None for what is found.
        plant: True to have feet stand still while they are in contact.
        repair: True to repair what `check` finds, after planting.
    """

    contacts: dict[Text, list[FrameRange]] | None = None
    plant: bool = False
    repair: bool = False


@message
class Retargeting:
    """The motion of another scene, retargeted onto the body of this one.

    Attributes:
        source: The scene of the motion, as in `Setup.scene`.
        motion: The motion; "" for the first that the source has.
        edits: Changes that are made to it first.
        source_map: Joints by role, instead of those that are recognized; empty for a role that the
            body does not have.
        target_map: The same for the target.
    """

    source: Text
    motion: Text = ""
    edits: MotionEdits = field(default_factory=MotionEdits)
    source_map: dict[Text, list[Text]] = field(default_factory=dict)
    target_map: dict[Text, list[Text]] = field(default_factory=dict)


# From the page ------------------------------------------------------------------------------------


@message
class CheckWanted:
    """Check the motion that plays; answered by `CheckReport`."""

    type: Literal["check"] = "check"


# Parts of a scene ---------------------------------------------------------------------------------


@message
class SlideInfo:
    """How fast a foot slides while it stands, before and after planting [model units a second]."""

    foot: str
    before: float
    after: float


@message
class ContactsInfo:
    """The contacts of the motion that plays.

    Attributes:
        frames: Number of frames of the motion.
        joints: Contacts of feet and hands, by joint, also of those without any.
        edited: True if they are not those that were found.
        slides: One for each foot, if feet are planted.
    """

    frames: int
    joints: dict[str, list[FrameRange]]
    edited: bool
    slides: list[SlideInfo]


@message
class RoleInfo:
    """The joints that play a part of the body; none where it has no such part.

    Attributes:
        role: Such as "left_upper_arm".
        needed: True if retargeting is not possible without.
        source: Joints of the source.
        target: Joints of the target.
    """

    role: str
    needed: bool
    source: list[str]
    target: list[str]


@message
class RetargetInfo:
    """What retargeting made.

    Attributes:
        motion: The name of the motion that it made.
        source: The title of the source.
        roles: Which joint is which part of the body.
        source_joints: All joints of the source.
        scale: The target's leg length over the source's.
        seconds: Duration of retargeting [s].
        frames: Number of frames of the motion.
        notes: What was guessed or left out.
    """

    motion: str
    source: str
    roles: list[RoleInfo]
    source_joints: list[str]
    scale: float
    seconds: float
    frames: int
    notes: list[str]


# From the session ---------------------------------------------------------------------------------


@message
class FaultInfo:
    """A fault of a motion.

    Attributes:
        kind: Such as "skate".
        joint: Index in the scene's names of the joint where it is worst; -1 for none.
        label: The joint or pair of joints, and how many more.
        start: The first frame.
        stop: The first frame after it.
        frame: Where it is worst.
        value: How bad it is there, in words: "0.81 leg lengths a second, 0.4 allowed".
    """

    kind: str
    joint: int
    label: str
    start: int
    stop: int
    frame: int
    value: str


@message
class FaultKind:
    """The faults of a kind.

    Attributes:
        kind: Such as "skate".
        meaning: What it means, in words.
        count: How many there are.
        before: How many there were before the repair; None without one.
        worst: The worst of them in words; without faults, the worst that was measured.
        reason: Why it could not be checked, or not be repaired; "" if it was.
    """

    kind: str
    meaning: str
    count: int
    before: int | None
    worst: str
    reason: str


@message
class CheckReport:
    """What is wrong with a motion.

    Attributes:
        motion: Its name.
        frames: Number of its frames.
        kinds: All kinds that were checked.
        faults: The faults, by kind, each in the order of frames.
        total: Number of faults; those above a limit are not listed.
        repaired: True if the motion plays repaired.
    """

    type: Literal["checked"] = "checked"
    motion: str
    frames: int
    kinds: list[FaultKind]
    faults: list[FaultInfo]
    total: int
    repaired: bool


@message
class Working:
    """The session has begun something that may take seconds; the answer to what it was asked ends it."""

    type: Literal["working"] = "working"
    what: str


@message
class SourceHead:
    """The head of a packet with the source of a retargeted motion, to be drawn beside the target.

    Array: `positions` (samples, joints, 3), at even times, in the target's world and size.

    Attributes:
        motion: The name of the retargeted motion.
        title: What the source is called.
        parents: The index of the parent of each joint; -1 for a root.
        duration: From the first to the last sample [s].
    """

    kind: Literal["source"] = "source"
    motion: str
    title: str
    parents: list[int]
    duration: float
