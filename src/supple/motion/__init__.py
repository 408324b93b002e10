"""Motions: poses over time, and IK on top of them."""

from supple.model.motion import Motion
from supple.motion.checks import Budgets, Checked, Fault, Repaired, check, check_page, fix
from supple.motion.contacts import Contacts, contacts
from supple.motion.correct import Correction, Window, correct
from supple.motion.keyframes import keyframes
from supple.motion.limits import learn_limits
from supple.motion.planting import Planted, plant_feet
from supple.motion.retargeting import BodyMap, Retargeted, retarget

__all__ = [
    "Budgets",
    "Checked",
    "BodyMap",
    "Contacts",
    "Correction",
    "Fault",
    "Motion",
    "Planted",
    "Repaired",
    "Retargeted",
    "Window",
    "check",
    "check_page",
    "contacts",
    "correct",
    "fix",
    "keyframes",
    "learn_limits",
    "plant_feet",
    "retarget",
]
