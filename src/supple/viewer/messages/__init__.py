"""What the page and the session say to each other, defined once.

Every message is a frozen dataclass; `typescript` writes the same types for the page, and a test
keeps the two files alike. Text messages are JSON with a `type`; poses and other numbers travel as
binary frames (see `frames`). Angles are in radians, quaternions wxyz, lengths in the model's unit.

The page owns the setup and the goals: it sends both whole, and again after a lost connection, so a
session holds nothing that a person would miss.
"""

from supple.viewer.messages.asked import (
    FromPage,
    KeyWanted,
    Ping,
    ResetWanted,
    SaveWanted,
    SetupSent,
    StepsWanted,
    TraceWanted,
    Want,
)
from supple.viewer.messages.packets import (
    Costs,
    FileHead,
    MeshHead,
    MotionHead,
    PacketHead,
    Report,
    StepInfo,
    StepsHead,
    TraceHead,
)
from supple.viewer.messages.setup import (
    GoalPlace,
    GoalSetup,
    Grown,
    JointEdit,
    Key,
    Setup,
    SolverChoice,
)
from supple.viewer.messages.told import (
    AttributeField,
    FromSession,
    GrownInfo,
    Hello,
    JointInfo,
    KeyTaken,
    MotionInfo,
    OptionInfo,
    Pong,
    Refused,
    Scene,
    SceneInfo,
    SolverInfo,
    TargetInfo,
)
from supple.viewer.messages.values import (
    AttributeKind,
    AttributeValue,
    GoalKind,
    Option,
    Quaternion,
    Range,
    SaveFormat,
    Vector,
    message,
)

__all__ = [
    "AttributeField",
    "AttributeKind",
    "AttributeValue",
    "Costs",
    "FileHead",
    "FromPage",
    "FromSession",
    "GoalKind",
    "GoalPlace",
    "GoalSetup",
    "Grown",
    "GrownInfo",
    "Hello",
    "JointEdit",
    "JointInfo",
    "Key",
    "KeyTaken",
    "KeyWanted",
    "MeshHead",
    "MotionHead",
    "MotionInfo",
    "Option",
    "OptionInfo",
    "PacketHead",
    "Ping",
    "Pong",
    "Quaternion",
    "Range",
    "Refused",
    "Report",
    "ResetWanted",
    "SaveFormat",
    "SaveWanted",
    "Scene",
    "SceneInfo",
    "Setup",
    "SetupSent",
    "SolverChoice",
    "SolverInfo",
    "StepInfo",
    "StepsHead",
    "StepsWanted",
    "TargetInfo",
    "TraceHead",
    "TraceWanted",
    "Vector",
    "Want",
    "message",
]
