"""Equalities between joints with one coordinate, as mimic joints.

MJCF couples joints by polynomials, q1 - ref1 = c0 + c1 (q2 - ref2) + ..., and tendons by the sums of their
joints, each times a coefficient. An equality that is linear in two joints becomes a mimic joint, one that
fixes a single joint becomes its limits; every other is left out, with a note.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from supple.apps.formats.mjcf.compiling import Compiled
from supple.apps.formats.source import Source, shown
from supple.model.joints import Mimic

EQ_JOINT, EQ_TENDON = 2, 3  # mjtEq
WRAP_JOINT = 1  # mjtWrap
POLYNOMIAL_TERMS = 5  # of an equality, in eq_data


@dataclass
class Coupled:
    """Couplings of joints.

    Attributes:
        mimics: By joint, how it follows another.
        locked: By joint, its fixed coordinate.
    """

    mimics: dict[int, Mimic]
    locked: dict[int, float]


def coupled(source: Source, model: Compiled, names: Sequence[str]) -> Coupled:
    """The couplings of a model's joints, by their index.

    Args:
        source: Where notes go.
        model: The model.
        names: The joints' names in the skeleton.
    """
    rows: list[tuple[dict[int, float], float, str]] = []  # sum of factor * q = value
    open_: list[str] = []
    for e in np.flatnonzero(model.eq_active0).tolist():
        kind = int(model.eq_type[e])
        if kind not in (EQ_JOINT, EQ_TENDON):
            continue
        name = model.names["equality"][e] or f"equality {e}"
        c = model.eq_data[e, :POLYNOMIAL_TERMS]
        second = int(model.eq_obj2id[e])
        if second >= 0 and np.any(c[2:]):
            open_.append(name)
            continue
        side = _joint if kind == EQ_JOINT else _tendon
        factors, value = side(model, int(model.eq_obj1id[e]))
        value += c[0]
        if second >= 0:
            other, at = side(model, second)
            for j, factor in other.items():
                factors[j] = factors.get(j, 0.0) - c[1] * factor
            value -= c[1] * at
        factors = {j: factor for j, factor in factors.items() if factor != 0}
        if len(factors) in (1, 2):
            rows.append((factors, value, name))
        else:
            open_.append(name)
    found = _followed(rows, names, open_)
    if open_:
        few = ", ".join(map(shown, open_[:4])) + (", ..." if len(open_) > 4 else "")
        source.warn(
            f"{len(open_)} coupling{'s' * (len(open_) > 1)} of joints ({few}): not linear in two joints, "
            "or redundant: the joints are read as free of each other"
        )
    return found


def _joint(model: Compiled, j: int) -> tuple[dict[int, float], float]:
    """A joint as a sum of joints, and its value at rest."""
    return {j: 1.0}, float(model.qpos0[model.jnt_qposadr[j]])


def _tendon(model: Compiled, t: int) -> tuple[dict[int, float], float]:
    """A fixed tendon as a sum of joints times factors, and its length at rest."""
    first, count = int(model.tendon_adr[t]), int(model.tendon_num[t])
    factors: dict[int, float] = {}
    for w in range(first, first + count):
        if model.wrap_type[w] == WRAP_JOINT:
            j = int(model.wrap_objid[w])
            factors[j] = factors.get(j, 0.0) + float(model.wrap_prm[w])
    return factors, float(model.tendon_length0[t])


def _followed(
    rows: list[tuple[dict[int, float], float, str]], names: Sequence[str], open_: list[str]
) -> Coupled:
    """Choose which joint follows which: one joint of every connected group is free."""
    locked: dict[int, float] = {}
    links: dict[int, list[tuple[int, float, float]]] = {}  # q_other = multiplier * q_own + offset
    group: dict[int, int] = {}
    follower: set[int] = set()

    def top(j: int) -> int:
        while group.get(j, j) != j:
            j = group[j]
        return j

    for factors, value, name in rows:
        if len(factors) == 1:
            ((j, factor),) = factors.items()
            if j in locked:
                open_.append(name)
            locked[j] = value / factor
            continue
        (a, fa), (b, fb) = factors.items()
        if top(a) == top(b):
            open_.append(name)  # they are coupled already
            continue
        group[top(a)] = top(b)
        follower.add(a)
        links.setdefault(b, []).append((a, -fb / fa, value / fa))
        links.setdefault(a, []).append((b, -fa / fb, value / fb))
    mimics: dict[int, Mimic] = {}
    seen: set[int] = set()
    for start in sorted(links, key=lambda j: (j in follower, j)):
        if start in seen:
            continue
        seen.add(start)
        line = [start]
        for own in line:
            for other, multiplier, offset in links[own]:
                if other not in seen:
                    seen.add(other)
                    mimics[other] = Mimic(names[own], multiplier, offset)
                    line.append(other)
    return Coupled(mimics, locked)
