"""supple: inverse kinematics for everything with joints.

Say where the hand must be; supple finds the pose, and says why when it cannot. Right-handed;
radians; quaternions wxyz; float64; lengths in the model's own unit.
"""

from supple import rotations
from supple.character import Character, Note
from supple.data import humanoid
from supple.errors import SuppleError
from supple.formats import load, save
from supple.goals import OPEN, Hold, LookAt, Pole, Reach, Rest
from supple.grammar import grow
from supple.joints import (
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
from supple.mesh import Material, Mesh, Morph, Skin, Texture
from supple.motion import Correction, Motion, Window, correct, keyframes
from supple.pose import Pose
from supple.prepare import Prepared, prepare
from supple.skeleton import Node, Skeleton, Tip, chain
from supple.skinning import skin
from supple.solution import Solution, Status
from supple.solve import solve
from supple.solvers import (
    CCD,
    FABRIK,
    LM,
    Jacobian,
    Optimize,
    Solver,
    TargetTriangle,
    TwoBone,
)
from supple.trace import Trace
from supple.track import track
from supple.tracked import Track
from supple.viewer import view

__version__ = "0.1.0"

__all__ = [
    "CCD",
    "FABRIK",
    "LM",
    "OPEN",
    "Axes",
    "Ball",
    "Character",
    "Cone",
    "Correction",
    "Fixed",
    "Free",
    "Hinge",
    "Hold",
    "Jacobian",
    "Joint",
    "LookAt",
    "Material",
    "Mesh",
    "Mimic",
    "Morph",
    "Motion",
    "Node",
    "Note",
    "Optimize",
    "Planar",
    "Pole",
    "Pose",
    "Prepared",
    "Reach",
    "Rest",
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
    "Window",
    "chain",
    "correct",
    "grow",
    "humanoid",
    "keyframes",
    "load",
    "prepare",
    "rotations",
    "save",
    "skin",
    "solve",
    "track",
    "view",
]
