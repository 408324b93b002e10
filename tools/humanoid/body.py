"""The figure: its joints with their limits, and the smooth solid that clothes them.

Metres, y up, facing +z; the figure's left is +x. It stands with its arms half lowered. Bones are
aligned with the world at rest, so that limits read as they look.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import supple
from supple import Axes, Ball, Cone, Fixed, Hinge, Node, Skeleton, Tip

Floats = NDArray[np.float64]

DOWN = math.sqrt(0.5)  # the arms slope by 45 degrees
UPPER, FORE, PALM, FINGERS = 0.265, 0.235, 0.085, 0.085  # lengths along an arm

CENTRE = {  # joints on the middle line: name, parent, place
    "root": (None, (0.0, 0.0, 0.0)),
    "pelvis": ("root", (0.0, 0.94, 0.0)),
    "spine": ("pelvis", (0.0, 1.06, 0.0)),
    "chest": ("spine", (0.0, 1.21, -0.008)),
    "neck": ("chest", (0.0, 1.435, -0.02)),
    "head": ("neck", (0.0, 1.52, -0.005)),
}
SHOULDER = np.array((0.168, 1.375, -0.012))
ALONG = np.array((DOWN, -DOWN, 0.0))
ELBOW = SHOULDER + UPPER * ALONG
WRIST = ELBOW + FORE * ALONG + (0.0, 0.0, 0.012)
KNUCKLES = WRIST + PALM * ALONG + (0.0, 0.0, 0.004)
FINGERTIP = KNUCKLES + FINGERS * ALONG
THUMB = WRIST + 0.028 * ALONG + (0.0, 0.0, 0.026)
THUMBTIP = THUMB + (0.03, -0.045, 0.042)
SIDE = {  # joints of the left side
    "clavicle": ("chest", (0.035, 1.385, 0.0)),
    "upperarm": ("clavicle", tuple(SHOULDER)),
    "forearm": ("upperarm", tuple(ELBOW)),
    "hand": ("forearm", tuple(WRIST)),
    "fingers": ("hand", tuple(KNUCKLES)),
    "thumb": ("hand", tuple(THUMB)),
    "thigh": ("pelvis", (0.092, 0.90, 0.0)),
    "shin": ("thigh", (0.098, 0.495, 0.012)),
    "foot": ("shin", (0.102, 0.088, -0.022)),
    "toe": ("foot", (0.11, 0.028, 0.105)),
}
TIPS = {"fingertip": ("fingers", FINGERTIP), "thumbtip": ("thumb", THUMBTIP),
        "toetip": ("toe", np.array((0.114, 0.026, 0.185)))}  # fmt: skip


def joint_of(name: str, side: float) -> supple.Joint:
    """How a joint moves, and how far; `side` is 1 on the left and -1 on the right."""
    arm = np.array((side * DOWN, -DOWN, 0.0))
    bend = np.cross(arm, (0.0, 0.0, 1.0))  # brings the forearm forward
    limits = {
        "root": Fixed(),
        # Motions move the pelvis, and solving leaves it where they put it.
        "pelvis": Axes("yxz", frozen="yxz"),
        "spine": Cone(0.45, (-0.4, 0.4), "y"),
        "chest": Cone(0.35, (-0.4, 0.4), "y"),
        "neck": Cone(0.5, (-0.7, 0.7), "y"),
        "head": Cone(0.5, (-0.7, 0.7), "y"),
        "clavicle": Cone(0.35, (-0.1, 0.1), tuple(arm * (1.0, 0.3, 0.0))),
        "upperarm": Cone(2.0, (-1.3, 1.3), tuple(arm)),
        "forearm": Hinge(tuple(bend), limits=(0.0, 2.5)),
        "hand": Cone(1.0, (-1.4, 1.4), tuple(arm)),
        "fingers": Hinge((0.0, 0.0, -side), limits=(-0.3, 1.7)),
        "thumb": Cone(0.6, (-0.3, 0.3), (side * 0.44, -0.66, 0.61)),
        "thigh": Cone(1.7, (-0.7, 0.7), (0.0, -1.0, 0.0)),
        "shin": Hinge("x", limits=(0.0, 2.5)),
        "foot": Cone(0.8, (-0.5, 0.5), (0.0, -0.35, 0.94)),
        "toe": Hinge("-x", limits=(-0.4, 1.0)),
    }
    return limits.get(name, Ball())


def skeleton() -> Skeleton:
    """The joints, parents before children, and the tips."""
    places: dict[str, tuple[str | None, Floats]] = {}
    kinds: dict[str, supple.Joint] = {}
    for name, (parent, place) in CENTRE.items():
        places[name], kinds[name] = (parent, np.array(place)), joint_of(name, 1.0)
    for suffix, side in ((".L", 1.0), (".R", -1.0)):
        for name, (parent, place) in SIDE.items():
            above = parent if parent in CENTRE else parent + suffix
            places[name + suffix] = (above, np.array(place) * (side, 1.0, 1.0))
            kinds[name + suffix] = joint_of(name, side)
    nodes = []
    for name, (parent, place) in places.items():
        origin = np.zeros(3) if parent is None else places[parent][1]
        nodes.append(Node(name, parent, place - origin, kinds[name]))
    tips = [Tip("crown", "head", (0.0, 0.245, 0.0)), Tip("eyes", "head", (0.0, 0.095, 0.11))]
    for suffix, side in ((".L", 1.0), (".R", -1.0)):
        for name, (joint, place) in TIPS.items():
            offset = place * (side, 1.0, 1.0) - places[joint + suffix][1]
            tips.append(Tip(name + suffix, joint + suffix, offset))
    return Skeleton(nodes, tips)


# The solid: distances to its surface, negative inside ---------------------------------------------


@dataclass(frozen=True)
class Lump:
    """A capsule whose radius goes from one end to the other, pressed flat along z.

    Attributes:
        cloth: What it is made of: "skin", "hair", "shirt", "trousers" or "shoe".
        ends: Where it begins and ends, shape (2, 3).
        radii: At both ends.
        flat: How thick it is along z for its width.
        blend: Over what width it melts into what is there already.
        above: Nothing of it is below this height: a hem.
    """

    cloth: str
    ends: tuple[tuple[float, ...], tuple[float, ...]]
    radii: tuple[float, float]
    flat: float = 1.0
    blend: float = 0.02
    above: float = -1.0

    def distance(self, p: Floats) -> Floats:
        """How far points (..., 3) are from it."""
        press = np.array((1.0, 1.0, 1.0 / self.flat))
        a, b = np.array(self.ends[0]) * press, np.array(self.ends[1]) * press
        q, axis = p * press, b - a
        t = np.clip((q - a) @ axis / max(float(axis @ axis), 1e-12), 0.0, 1.0)
        radius = self.radii[0] + t * (self.radii[1] - self.radii[0])
        found = np.linalg.norm(q - a - t[..., None] * axis, axis=-1) - radius
        return np.maximum(found * min(1.0, self.flat), self.above - p[..., 1])


def _both(lumps: list[Lump]) -> list[Lump]:
    """Lumps of the left side, and their mirror images."""
    mirror = np.array((-1.0, 1.0, 1.0))
    other = [
        Lump(one.cloth, tuple(tuple(np.array(e) * mirror) for e in one.ends), one.radii, one.flat,
             one.blend, one.above)
        for one in lumps
    ]  # fmt: skip
    return lumps + other


def _at(a: Floats, b: Floats, t: float) -> tuple[float, ...]:
    return tuple(np.asarray(a) + t * (np.asarray(b) - np.asarray(a)))


KNEE, ANKLE = np.array(SIDE["shin"][1]), np.array(SIDE["foot"][1])
HIP = np.array(SIDE["thigh"][1])
LUMPS = [
    # Torso: a loose pullover over a chest that narrows to the waist.
    Lump("shirt", ((0.0, 1.345, -0.012), (0.0, 1.22, -0.008)), (0.118, 0.122), 0.82, 0.03),
    Lump("shirt", ((-0.095, 1.36, -0.014), (0.095, 1.36, -0.014)), (0.075, 0.075), 0.95, 0.05),
    Lump("shirt", ((0.0, 1.22, -0.006), (0.0, 1.03, 0.0)), (0.124, 0.126), 0.80, 0.05),
    Lump("shirt", ((-0.04, 0.985, 0.0), (0.04, 0.985, 0.0)), (0.122, 0.122), 0.82, 0.05, 0.93),
    *_both(
        [
            Lump("shirt", (tuple(SHOULDER - (0.02, -0.004, 0.0)), tuple(ELBOW)), (0.066, 0.050), 1.0, 0.05),
            Lump("shirt", (tuple(ELBOW), _at(ELBOW, WRIST, 0.86)), (0.050, 0.041), 1.0, 0.02),
            Lump("shirt", (_at(ELBOW, WRIST, 0.84), _at(ELBOW, WRIST, 0.88)), (0.0445, 0.0445), 0.92, 0.008),
        ]
    ),
    # Legs: trousers that end above the shoes.
    *_both(
        [
            Lump("trousers", (tuple(HIP - (0.012, -0.02, 0.004)), tuple(KNEE)), (0.098, 0.066), 1.0, 0.03),
            Lump("trousers", (tuple(KNEE), _at(KNEE, ANKLE, 0.86)), (0.066, 0.053), 1.0, 0.03),
            Lump("trousers", (_at(KNEE, ANKLE, 0.84), _at(KNEE, ANKLE, 0.9)), (0.058, 0.060), 1.0, 0.01),
        ]
    ),
    Lump("trousers", ((-0.05, 0.905, -0.004), (0.05, 0.905, -0.004)), (0.108, 0.108), 0.88, 0.04),
    Lump("shirt", ((-0.046, 0.955, 0.0), (0.046, 0.955, 0.0)), (0.127, 0.127), 0.86, 0.006, 0.922),
    # Shoes.
    *_both(
        [
            Lump("shoe", (tuple(ANKLE + (0.0, -0.035, -0.012)), (0.112, 0.046, 0.10)), (0.047, 0.044), 1.0, 0.012),
            Lump("shoe", ((0.110, 0.040, 0.06), (0.115, 0.036, 0.145)), (0.047, 0.038), 1.0, 0.02),
            Lump("shoe", (tuple(ANKLE + (0.0, 0.0, -0.004)), tuple(ANKLE + (0.0, -0.03, -0.012))),
                 (0.045, 0.047), 1.0, 0.02),
        ]
    ),
    # Neck and head.
    Lump("skin", ((0.0, 1.40, -0.022), (0.0, 1.54, -0.006)), (0.055, 0.050), 1.0, 0.018),
    Lump("shirt", ((-0.022, 1.428, -0.022), (0.022, 1.428, -0.022)), (0.058, 0.058), 0.95, 0.012),
    Lump("skin", ((0.0, 1.625, 0.0), (0.0, 1.655, -0.004)), (0.095, 0.094), 1.06, 0.02),
    Lump("skin", ((0.0, 1.565, 0.034), (0.0, 1.60, 0.03)), (0.058, 0.072), 1.0, 0.05),
    Lump("skin", ((0.0, 1.523, 0.064), (0.0, 1.535, 0.072)), (0.024, 0.026), 1.0, 0.04),
    Lump("skin", ((0.0, 1.612, 0.100), (0.0, 1.592, 0.116)), (0.009, 0.0135), 1.0, 0.018),
    *_both(
        [
            Lump("skin", ((0.098, 1.612, -0.004), (0.099, 1.592, 0.002)), (0.018, 0.013), 1.0, 0.012),
            Lump("skin", ((0.0, 1.555, 0.098), (0.016, 1.555, 0.096)), (0.010, 0.008), 1.0, 0.02),
        ]
    ),
    # Hands: a mitten and a thumb.
    *_both(
        [
            Lump("skin", (_at(ELBOW, WRIST, 0.8), tuple(WRIST)), (0.027, 0.026), 1.0, 0.008),
            Lump("skin", (tuple(WRIST), _at(WRIST, KNUCKLES, 0.9)), (0.026, 0.027), 1.35, 0.02),
            Lump("skin", (_at(WRIST, KNUCKLES, 0.85), _at(KNUCKLES, FINGERTIP, 0.82)), (0.025, 0.017), 1.55, 0.02),
            Lump("skin", (_at(WRIST, THUMB, 0.7), tuple(THUMB)), (0.019, 0.0165), 1.0, 0.02),
            Lump("skin", (tuple(THUMB), _at(THUMB, THUMBTIP, 0.85)), (0.0165, 0.012), 1.0, 0.012),
        ]
    ),
]  # fmt: skip
# Hair: a cap around the skull, above a plane that slopes from the brow down to the neck.
CAP = Lump("hair", ((0.0, 1.633, -0.006), (0.0, 1.668, -0.010)), (0.106, 0.106), 1.06, 0.004)
LOCKS = [
    Lump("hair", ((-0.062, 1.728, 0.064), (0.03, 1.742, 0.085)), (0.026, 0.034), 1.0, 0.025),
    Lump("hair", ((0.03, 1.742, 0.08), (0.07, 1.728, 0.05)), (0.034, 0.022), 1.0, 0.025),
]
BROW = (np.array((0.0, 0.80, -0.60)), 0.80 * 1.655 - 0.60 * 0.055)
FLOOR = 0.004  # soles are flat
CLOTHS = ("skin", "hair", "shirt", "trousers", "shoe")


def melt(a: Floats, b: Floats, width: float) -> Floats:
    """The smaller of two distances, with a fillet of a width where they meet."""
    h = np.maximum(width - np.abs(a - b), 0.0) / width
    return np.minimum(a, b) - h * h * width * 0.25


def distances(p: Floats) -> tuple[Floats, Floats]:
    """The distance of points (..., 3) to the figure, and to each of `CLOTHS`, shape (..., 5)."""
    whole = np.full(p.shape[:-1], 9.0)
    cloth = np.full((*p.shape[:-1], len(CLOTHS)), 9.0)

    def put(distance: Floats, name: str, width: float) -> None:
        nonlocal whole
        whole = melt(whole, distance, width)
        k = CLOTHS.index(name)
        cloth[..., k] = np.minimum(cloth[..., k], distance)

    for lump in LUMPS:
        put(lump.distance(p), lump.cloth, lump.blend)
    normal, level = BROW
    cap = np.maximum(CAP.distance(p), level - p @ normal)
    for lock in LOCKS:
        cap = melt(cap, lock.distance(p), lock.blend)
    put(cap, "hair", CAP.blend)
    return np.maximum(whole, FLOOR - p[..., 1]), cloth


def distance(p: Floats) -> Floats:
    """The distance of points (..., 3) to the figure."""
    return distances(p)[0]


def gradient(p: Floats, step: float = 1e-4) -> Floats:
    """Unit vectors (..., 3) away from the figure."""
    parts = [
        distance(p + step * np.eye(3)[k]) - distance(p - step * np.eye(3)[k]) for k in range(3)
    ]
    found = np.stack(parts, axis=-1)
    return found / np.maximum(np.linalg.norm(found, axis=-1, keepdims=True), 1e-12)
