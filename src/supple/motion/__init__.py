"""Motions: poses over time, and IK on top of them."""

from supple.motion.correct import Correction, Window, correct
from supple.motion.keyframes import keyframes
from supple.motion.motion import Motion

__all__ = ["Correction", "Motion", "Window", "correct", "keyframes"]
