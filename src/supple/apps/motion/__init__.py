"""Motions: poses over time, and IK on top of them."""

from supple.apps.character.motion import Motion
from supple.apps.motion.checks import Budgets, Checked, Fault, Repaired, check, check_page, fix
from supple.apps.motion.contacts import Contacts, contacts
from supple.apps.motion.correct import Correction, Window, correct
from supple.apps.motion.keyframes import keyframes
from supple.apps.motion.limits import learn_limits
from supple.apps.motion.planting import Planted, plant_feet
from supple.apps.motion.retargeting import BodyMap, Retargeted, retarget

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
