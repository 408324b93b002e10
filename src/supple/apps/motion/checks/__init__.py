"""Checks of motions: one file for each family of faults, budgets, repairs and the report."""

from supple.apps.motion.checks.baseline import Baseline
from supple.apps.motion.checks.budgets import PROFILES, Budgets
from supple.apps.motion.checks.check import Checked, check
from supple.apps.motion.checks.fix import Repair, Repaired, fix
from supple.apps.motion.checks.html import check_page
from supple.apps.motion.checks.measure import KINDS, MEANINGS, Fault, Measure

__all__ = [
    "KINDS",
    "MEANINGS",
    "PROFILES",
    "Baseline",
    "Budgets",
    "Checked",
    "Fault",
    "Measure",
    "Repair",
    "Repaired",
    "check",
    "check_page",
    "fix",
]
