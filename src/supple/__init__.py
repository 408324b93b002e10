"""supple: inverse kinematics for everything with joints.

Say where the hand must be; supple finds the pose, and says why when it cannot. Right-handed;
radians; quaternions wxyz; float64; lengths in the model's own unit.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from supple import moved, rotations
from supple.errors import SuppleError
from supple.goals import (
    OPEN,
    Avoid,
    Balance,
    Box,
    Connect,
    Hold,
    LookAt,
    On,
    Plane,
    Pole,
    Reach,
    Rest,
    Weld,
)
from supple.model.joints import (
    Axes,
    Ball,
    Cone,
    Fixed,
    Free,
    Hinge,
    Joint,
    Mimic,
    Planar,
    Slider,
)
from supple.model.skeleton import Node, Pose, Skeleton, Tip, chain
from supple.solve.prepare import Prepared, prepare
from supple.solve.solution import Solution, Status
from supple.solve.solve import solve
from supple.solve.trace import Trace
from supple.solve.track import track
from supple.solve.tracked import Track
from supple.solvers.base import Solver
from supple.version import __version__ as __version__

if TYPE_CHECKING:
    from supple import costs as costs
    from supple.apps import data as data
    from supple.apps import plot as plot
    from supple.apps import robot as robot
    from supple.apps.character.character import Character, Note
    from supple.apps.character.skinning import skin
    from supple.apps.data import humanoid
    from supple.apps.formats import load, save
    from supple.apps.grammar import grow
    from supple.apps.motion import (
        BodyMap,
        Budgets,
        Checked,
        Contacts,
        Correction,
        Fault,
        Motion,
        Planted,
        Repaired,
        Retargeted,
        Window,
        check,
        check_page,
        contacts,
        correct,
        fix,
        keyframes,
        learn_limits,
        plant_feet,
        retarget,
    )
    from supple.apps.viewer import page, view
    from supple.goals.own import goal
    from supple.model.capsules import Capsule
    from supple.model.geoms import Geom
    from supple.model.loops import Loop
    from supple.model.masses import Mass
    from supple.model.mesh import Material, Mesh, Morph, Skin, Texture
    from supple.solvers import CCD, FABRIK, LM, Jacobian, Optimize, TargetTriangle, TwoBone

__all__ = [
    "CCD",
    "FABRIK",
    "LM",
    "OPEN",
    "Avoid",
    "Axes",
    "Balance",
    "Ball",
    "Box",
    "Budgets",
    "BodyMap",
    "Capsule",
    "Character",
    "Checked",
    "Cone",
    "Connect",
    "Contacts",
    "Correction",
    "Fault",
    "Fixed",
    "Free",
    "Geom",
    "Hinge",
    "Hold",
    "Jacobian",
    "Joint",
    "LookAt",
    "Loop",
    "Mass",
    "Material",
    "Mesh",
    "Mimic",
    "Morph",
    "Motion",
    "Node",
    "Note",
    "On",
    "Optimize",
    "Planar",
    "Plane",
    "Planted",
    "Pole",
    "Pose",
    "Prepared",
    "Reach",
    "Repaired",
    "Rest",
    "Retargeted",
    "Skeleton",
    "Skin",
    "Slider",
    "Solution",
    "Solver",
    "Status",
    "SuppleError",
    "TargetTriangle",
    "Texture",
    "Tip",
    "Trace",
    "Track",
    "TwoBone",
    "Weld",
    "Window",
    "chain",
    "check",
    "check_page",
    "contacts",
    "correct",
    "fix",
    "goal",
    "grow",
    "humanoid",
    "keyframes",
    "learn_limits",
    "load",
    "page",
    "plant_feet",
    "prepare",
    "retarget",
    "rotations",
    "save",
    "skin",
    "solve",
    "track",
    "view",
]

# What is not needed to solve is imported when it is first asked for.
_LATER = {
    **dict.fromkeys(
        ("CCD", "FABRIK", "LM", "Jacobian", "Optimize", "TargetTriangle", "TwoBone"),
        "supple.solvers",
    ),
    "goal": "supple.goals.own",
    "Capsule": "supple.model.capsules",
    "Character": "supple.apps.character.character",
    "Geom": "supple.model.geoms",
    "Loop": "supple.model.loops",
    "Mass": "supple.model.masses",
    "Note": "supple.apps.character.character",
    "humanoid": "supple.apps.data",
    "load": "supple.apps.formats",
    "save": "supple.apps.formats",
    "grow": "supple.apps.grammar",
    "Material": "supple.model.mesh",
    "Mesh": "supple.model.mesh",
    "Morph": "supple.model.mesh",
    "Skin": "supple.model.mesh",
    "Texture": "supple.model.mesh",
    "Budgets": "supple.apps.motion",
    "Checked": "supple.apps.motion",
    "BodyMap": "supple.apps.motion",
    "Contacts": "supple.apps.motion",
    "Correction": "supple.apps.motion",
    "Fault": "supple.apps.motion",
    "Motion": "supple.apps.motion",
    "Planted": "supple.apps.motion",
    "Repaired": "supple.apps.motion",
    "Retargeted": "supple.apps.motion",
    "Window": "supple.apps.motion",
    "check": "supple.apps.motion",
    "check_page": "supple.apps.motion",
    "contacts": "supple.apps.motion",
    "correct": "supple.apps.motion",
    "fix": "supple.apps.motion",
    "keyframes": "supple.apps.motion",
    "learn_limits": "supple.apps.motion",
    "plant_feet": "supple.apps.motion",
    "retarget": "supple.apps.motion",
    "skin": "supple.apps.character.skinning",
    "page": "supple.apps.viewer",
    "view": "supple.apps.viewer",
}
_MODULES = {
    "costs": "supple.costs",
    **{name: f"supple.apps.{name}" for name in ("data", "formats", "grammar", "plot", "robot")},
}

moved.install()


def __getattr__(name: str) -> Any:
    if name in _LATER:
        value = getattr(import_module(_LATER[name]), name)
        globals()[name] = value
        return value
    if name in _MODULES:
        return import_module(_MODULES[name])
    raise AttributeError(f"module 'supple' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
