"""Families of problems: which joints, goals and extras they have, in the words of the solvers' matrix.

Every solver that is registered meets every family that it claims.
"""

from __future__ import annotations

from dataclasses import dataclass

from supple.solvers import Takes

TURNING = ("Ball", "Hinge", "Cone", "Axes")
EVERY = ("Fixed", "Hinge", "Slider", "Ball", "Cone", "Axes", "Free", "Planar")
SEVERAL = {"two", "hold", "many"}
NEEDS = {
    "position": {"position"},
    "point": {"position"},
    "joint": {"position"},
    "orientation": {"orientation"},
    "pose": {"position", "orientation"},
    "direction": {"direction"},
    "pole": {"position", "pole"},
    "rest": {"position", "rest"},
    "two": {"position"},
    "hold": {"position", "hold"},
    "many": {"position", "orientation", "direction", "hold", "rest"},
}


@dataclass(frozen=True, slots=True)
class Family:
    """Problems that ask the same of a solver.

    Attributes:
        name: What it is called in tables.
        joints: Kinds of joints it draws from.
        goals: What is asked, a key of NEEDS.
        links: Least and greatest number of joints.
        extras: Of "stretch", "mimic", "locked", "depth", "scaled" (unit 1e-6 to 1e6), "zero" (bones of no length),
            "own" (poses with translations and scales of their own), "soft" (damping, stiffness), "plain" (the joints in
            the order given, along +X).
    """

    name: str
    joints: tuple[str, ...]
    goals: str = "position"
    links: tuple[int, int] = (1, 8)
    extras: frozenset[str] = frozenset()

    def suits(self, takes: Takes) -> bool:
        """Whether a row of the matrix claims it."""
        return (
            set(self.joints) - {"Fixed"} <= takes.joints
            and NEEDS[self.goals] <= takes.goals
            and (takes.several or self.goals not in SEVERAL)
            and (takes.stretch or "stretch" not in self.extras)
            and (takes.mimic or "mimic" not in self.extras)
        )


def _families() -> tuple[Family, ...]:
    usual = frozenset({"scaled", "zero", "soft"})
    plain = frozenset({"plain"})
    found = [
        Family("limb, balls", ("Ball", "Ball"), links=(2, 2), extras=plain),
        Family("limb, ball and hinge", ("Ball", "Hinge"), links=(2, 2), extras=plain),
        Family("limb, hinges", ("Hinge", "Hinge"), links=(2, 2), extras=plain),
        Family("limb with a pole", ("Ball", "Hinge"), "pole", links=(2, 2), extras=plain),
        Family("limb, scaled", ("Ball", "Hinge"), links=(2, 2), extras=plain | {"scaled", "zero"}),
        Family("limb, turned", ("Ball", "Hinge"), "pose", links=(2, 3), extras=plain),
    ]
    for kind in ("Ball", "Hinge", "Cone", "Axes"):
        found += [
            Family(f"one {kind}", (kind,), links=(1, 1), extras=frozenset({"scaled"})),
            Family(f"plain {kind}", (kind,), extras=plain),
            Family(f"{kind} chain", (kind,), extras=usual),
            Family(f"{kind} chain, turned", (kind,), "pose", extras=usual),
        ]
    for kind in ("Slider", "Free", "Planar"):
        found += [
            Family(f"one {kind}", (kind,), links=(1, 1), extras=frozenset({"scaled"})),
            Family(f"{kind} and Hinge", (kind, "Hinge"), links=(2, 6), extras=usual),
            Family(f"{kind} and Hinge, turned", (kind, "Hinge"), "pose", (2, 6), usual),
        ]
    turning = (*TURNING, "Fixed")
    found += [
        Family("plain mixed", ("Ball", "Cone"), links=(2, 12), extras=plain | {"scaled", "zero"}),
        Family("mixed", ("Ball", "Hinge", "Cone"), links=(2, 16), extras=usual),
        Family("turning", turning, links=(2, 12), extras=usual | {"locked", "depth"}),
        Family("turning, own translations", turning, extras=frozenset({"own", "locked"})),
        Family("turning, a point", turning, "point", (1, 6), usual | {"own"}),
        Family("stretch, a point", turning, "point", (1, 6), usual | {"stretch"}),
        Family("turning, a joint", turning, "joint", (2, 8), usual),
        Family("turning, oriented", turning, "orientation", (1, 8), usual),
        Family("turning, looking", turning, "direction", (1, 6), usual | {"depth"}),
        Family("turning, with a rest", turning, "rest", (2, 8), usual),
        Family("turning, with a pole", turning, "pole", (2, 8), usual),
        Family("stretch", turning, links=(1, 6), extras=usual | {"stretch"}),
        Family("stretch, turned", turning, "pose", (1, 6), usual | {"stretch", "own"}),
        Family("mimic", ("Hinge",), links=(3, 9), extras=usual | {"mimic"}),
        Family("everything", EVERY, links=(2, 10), extras=usual | {"stretch", "mimic", "depth"}),
        Family("everything, turned", EVERY, "pose", (2, 10), usual | {"stretch", "locked", "own"}),
        Family("tree, two reaches", turning, "two", (4, 14), usual | {"locked"}),
        Family("tree, hold", turning, "hold", (4, 14), usual),
        Family("tree, many goals", turning, "many", (4, 14), usual),
        Family("tree, everything", EVERY, "many", (4, 14), usual | {"stretch", "mimic", "own"}),
        Family("long", ("Ball", "Hinge", "Cone"), links=(40, 120), extras=usual),
    ]
    return tuple(found)


FAMILIES = _families()
HUGE = Family("1,000 bones", ("Ball", "Hinge", "Cone"), links=(1000, 1000), extras=frozenset({"zero"}))  # fmt: skip
