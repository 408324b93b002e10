"""What `check` finds in the motion that plays, as a message for the page."""

from __future__ import annotations

import math
import re

from supple.apps.motion import Checked, Fault, Repaired
from supple.apps.motion.checks import MEANINGS
from supple.apps.viewer.messages import CheckReport, FaultInfo, FaultKind
from supple.apps.viewer.motion_edits import EditedMotion, checked
from supple.apps.viewer.subject import Subject
from supple.model.skeleton import Skeleton

MOST_FAULTS = 500
UNITS = {
    "leg/s": "leg lengths a second",
    "leg": "leg lengths",
    "of length": "of its length",
}


def report(subject: Subject, edited: EditedMotion) -> CheckReport:
    """Check a motion; of one that is repaired, with what was found before.

    Args:
        subject: Whose motion it is.
        edited: The motion.
    """
    repaired = edited.repaired
    found = checked(subject, edited.motion) if repaired is None else repaired.report
    kinds = [_kind(found, kind, repaired) for kind in found.measures]
    skeleton = edited.motion.skeleton
    return CheckReport(
        motion=found.motion.name,
        frames=len(found.motion),
        kinds=kinds,
        faults=[_fault(fault, skeleton) for fault in found.faults[:MOST_FAULTS]],
        total=len(found.faults),
        repaired=repaired is not None,
    )


def _kind(found: Checked, kind: str, repaired: Repaired | None) -> FaultKind:
    faults = found.of(kind)
    measure = found.measures[kind]
    worst, reason = "", measure.reason
    if faults:
        bad = max(faults, key=lambda one: one.value / one.budget)
        worst = f"{bad.joint}, frame {bad.frame}: {_amount(bad.value, bad.budget, bad.unit)}"
    elif measure.worst is not None:
        value, budget, joint, frame = measure.worst
        worst = f"{joint}, frame {frame}: {_amount(value, budget, measure.unit)}"
    before = None
    if repaired is not None:
        before = len(repaired.before.of(kind))
        left = [one.reason for one in repaired.repairs if one.kind == kind]
        reason = reason or next(iter(left), "")
    return FaultKind(
        kind=kind,
        meaning=MEANINGS[kind],
        count=len(faults),
        before=before,
        worst=worst,
        reason=reason,
    )


def _amount(value: float, budget: float, unit: str) -> str:
    if unit == "rad":
        return f"{math.degrees(value):.1f}°, {math.degrees(budget):.1f}° allowed"
    return f"{_short(value)} {UNITS.get(unit, unit)}, {_short(budget)} allowed"


def _short(value: float) -> str:
    """Two digits, without exponents."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.2g}" if value >= 0.001 else "0"


def _fault(fault: Fault, skeleton: Skeleton) -> FaultInfo:
    more = f" and {len(fault.joints) - 1} more" if len(fault.joints) > 1 else ""
    pair = re.split(" in | and ", fault.joint)  # of a collision, or of left and right
    first = next((one for one in (fault.joint, *pair) if one in skeleton), None)
    return FaultInfo(
        kind=fault.kind,
        joint=-1 if first is None else skeleton.index(first),
        label=f"{fault.joint}{more}",
        start=fault.start,
        stop=fault.stop,
        frame=fault.frame,
        value=_amount(fault.value, fault.budget, fault.unit),
    )
