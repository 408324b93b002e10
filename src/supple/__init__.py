"""supple: inverse kinematics for everything with joints.

Say where the hand must be; supple finds the pose, and says why when it cannot. Right-handed;
radians; quaternions wxyz; float64; lengths in the model's own unit.
"""

from supple import rotations
from supple.errors import SuppleError
from supple.goals import OPEN, Hold, LookAt, Pole, Reach, Rest
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
from supple.pose import Pose
from supple.prepare import Prepared, prepare
from supple.skeleton import Node, Skeleton, Tip, chain
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

__version__ = "0.1.0"

__all__ = [
    "CCD",
    "FABRIK",
    "LM",
    "OPEN",
    "Axes",
    "Ball",
    "Cone",
    "Fixed",
    "Free",
    "Hinge",
    "Hold",
    "Jacobian",
    "Joint",
    "LookAt",
    "Mimic",
    "Node",
    "Optimize",
    "Planar",
    "Pole",
    "Pose",
    "Prepared",
    "Reach",
    "Rest",
    "Skeleton",
    "Slider",
    "Solution",
    "Solver",
    "Status",
    "SuppleError",
    "TargetTriangle",
    "Tip",
    "Trace",
    "Track",
    "TwoBone",
    "chain",
    "prepare",
    "rotations",
    "solve",
    "track",
]
