"""A source motion for retargeting: positions and rotations of its body, contacts of its feet."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.apps.character.motion import Motion
from supple.apps.motion.contacts import Contacts, find_contacts
from supple.apps.motion.feet import Foot, up_vector
from supple.apps.motion.retargeting.body import Body, mid, unit
from supple.apps.motion.retargeting.body_map import SIDES
from supple.errors import SuppleError
from supple.model.skeleton import Pose
from supple.rotations import (
    conjugate,
    from_axis_angle,
    from_matrix,
    multiply,
    normalize,
    rotate,
)

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

# Wider than those of `contacts`, since feet may slide before they are made to stand; not tuned.
CONTACT_SPEED = 0.33  # below which a foot may stand [leg lengths a second]
CONTACT_HEIGHT = 0.055  # above its lowest height up to which a foot may stand [leg lengths]

PARALLEL_SINE = 1e-3  # of the angle below which two directions do not determine a third; not tuned

# Parts besides feet that bear on the ground: the role of the joint, and its greatest height above the lowest height of
# the feet when the part touches the ground [leg lengths]. In CMU's 111_03 (crawling) knees and wrists that bear are
# 0.02 to 0.09 above it; hips of sitting figures are 0.1 to 0.13.
BEARING_PARTS = {
    **{f"{side}_knee": (f"{side}_shin", 0.12) for side in SIDES},
    **{f"{side}_elbow": (f"{side}_forearm", 0.1) for side in SIDES},
    **{f"{side}_wrist": (f"{side}_hand", 0.12) for side in SIDES},
    "seat": ("hips", 0.17),
}

# Grid to which a clip seen from its stand is rounded [leg lengths; parts of a quaternion]: about a micrometre, and a
# billion times what turning a clip about the vertical changes by rounding.
GRID_STEP = 2.0**-20
# Horizontal part of a body's forward direction below which its left side gives its heading; not tuned.
LEAST_FORWARD = 0.5


class Stand(NamedTuple):
    """A coordinate frame on the ground, z up: its origin and its rotation about the vertical.

    Attributes:
        turn: T_world_stand's rotation, wxyz.
        place: Its origin, shape (3,), on the ground.
    """

    turn: Floats
    place: Floats


def _on_grid(values: Floats | float, grain: float) -> Floats:
    """Values rounded to multiples of `grain`."""
    return np.round(values / grain) * grain


@dataclass(frozen=True)
class Performance:
    """A source motion with z up, in the source's unit of length.

    Attributes:
        body: The source's body.
        fps: Frames a second.
        at: Positions (F, 3) of the points of the body.
        turned: Rotations from the reference of joints with a role, by role, world, wxyz (F, 4).
        touches: Whether the heel and the ball of each foot are in contact, "left_heel" and so on, and other parts that
            bear on the ground (`BEARING_PARTS`), (F,).
        level: Height of the ankles in contact, by side [model units].
        flat: Elevation of the toes above the ankle while a foot stands flat [rad], by side.
        others: Rotations from the reference of joints without a role, by name, (F, 4).
        spine_turns: Rotations of the hips and the joints of the spine, from the hips up.
    """

    body: Body
    fps: float
    at: dict[str, Floats]
    turned: dict[str, Floats]
    touches: dict[str, Flags]
    level: dict[str, float]
    flat: dict[str, float]
    others: dict[str, Floats]
    spine_turns: list[Floats]

    def about_trunk(self, body: Body) -> Performance:
        """The same relative to the trunk, for a body with a fixed root.

        The middle of the shoulders stays at that of the body, and the trunk has the orientation of the body's at rest.
        """
        theirs = frame_axes(self.at["left_shoulder"] - self.at["right_shoulder"], self.trunk())
        mine = frame_axes(body.facing[1][None], np.array(((0.0, 0.0, 1.0),)))
        turn = from_matrix(mine @ np.swapaxes(theirs, -1, -2))
        middle, place = mid(self.at, "shoulder"), mid(body.at_reference, "shoulder")
        scale = self.body.sizes["arm"] / body.sizes["arm"]
        return replace(
            self,
            at={name: rotate(turn, at - middle) + scale * place for name, at in self.at.items()},
            turned={role: multiply(turn, own) for role, own in self.turned.items()},
        )

    def stand(self) -> Stand:
        """The position and heading of the body in the first frame."""
        role = "hips" if "hips" in self.turned else next(iter(self.turned))
        forward, left = (rotate(self.turned[role][0], axis) for axis in self.body.facing)
        upright = np.hypot(forward[0], forward[1]) > LEAST_FORWARD
        x, y = forward[:2] if upright else (left[1], -left[0])
        place = np.array((*mid(self.at, "hip")[0, :2], 0.0))
        return Stand(from_axis_angle("z", float(np.arctan2(y, x))), place)

    def seen_from(self, stand: Stand) -> Performance:
        """The same in the frame of a stand, on a grid (`GRID_STEP`)."""
        back, grain = conjugate(stand.turn), GRID_STEP * self.body.sizes["leg"]

        def turned(rotations: Floats) -> Floats:
            return normalize(_on_grid(multiply(back, rotations), GRID_STEP))

        return replace(
            self,
            at={k: _on_grid(rotate(back, at - stand.place), grain) for k, at in self.at.items()},
            turned={role: turned(own) for role, own in self.turned.items()},
            level={side: float(_on_grid(height, grain)) for side, height in self.level.items()},
            flat={side: float(_on_grid(angle, GRID_STEP)) for side, angle in self.flat.items()},
            others={name: turned(own) for name, own in self.others.items()},
            spine_turns=[turned(own) for own in self.spine_turns],
        )

    def trunk(self) -> Floats:
        """From the middle of the hips to that of the shoulders, (F, 3)."""
        return mid(self.at, "shoulder") - mid(self.at, "hip")

    def spine(self) -> tuple[list[Floats], Floats]:
        """Rotations of hips and spine, from the hips up, and their positions along the spine, from 0 to 1."""
        return self.spine_turns, np.concatenate([[0.0], spine_parts(self.body)])

    def __len__(self) -> int:
        return len(self.at["left_hip"])

    @classmethod
    def of(
        cls, motion: Motion, body: Body, contacts: Contacts, rows: NDArray[np.int64]
    ) -> Performance:
        """The performance in the frames `rows` of a motion with known contacts."""
        frames = body.frames(motion.poses)
        at = body.places(frames)
        touches = {}
        level, flat = {}, {}
        for side in body.map.legs:
            ankle, toe = foot_names(body, side)
            heel = (
                contacts.flags(ankle)
                if ankle in contacts.joints
                else np.zeros(len(motion), dtype=bool)
            )
            ball = contacts.flags(toe) if toe in contacts.joints else heel
            touches[f"{side}_heel"], touches[f"{side}_ball"] = heel[rows], ball[rows]
            height = at[f"{side}_ankle"][:, 2]
            level[side] = (
                float(np.median(height[heel])) if heel.any() else float(np.percentile(height, 5.0))
            )
            flat[side] = _flat(body, at, side, heel & ball)
        for part, (role, _) in BEARING_PARTS.items():
            name = body.map[role][-1:]
            if name and name[0] in contacts.joints:
                touches[part] = contacts.flags(name[0])[rows]
        rotations = frames[1][rows]
        turned = {}
        for role in body.map.joints:
            j = body.carrier(role)
            turned[role] = multiply(rotations[:, j], conjugate(body.reference[1][j]))
        roles = {name for group in body.map.joints.values() for name in group}
        others = {
            name: multiply(rotations[:, j], conjugate(body.reference[1][j]))
            for j, name in enumerate(motion.skeleton.joint_names)
            if name not in roles
        }
        spine = [turned["hips"]] if "hips" in turned else []
        for name in body.map["spine"]:
            j = motion.skeleton.index(name)
            spine.append(multiply(rotations[:, j], conjugate(body.reference[1][j])))
        return cls(
            body,
            motion.fps,
            {name: place[rows] for name, place in at.items()},
            turned,
            touches,
            level,
            flat,
            others,
            spine,
        )


def frame_axes(left: Floats, up: Floats) -> Floats:
    """Rotation matrices (F, 3, 3) with columns forward, left, up from two directions.

    If the second is parallel to the first, forward is any direction perpendicular to them.
    """
    left, up = np.broadcast_arrays(unit(left), unit(up))
    left = np.where(np.linalg.norm(left, axis=-1, keepdims=True) > 0.5, left, np.eye(3)[1])
    up = up - (up * left).sum(-1, keepdims=True) * left
    spare = np.eye(3)[np.argmin(np.abs(left), axis=-1)]
    spare = spare - (spare * left).sum(-1, keepdims=True) * left
    up = unit(np.where(np.linalg.norm(up, axis=-1, keepdims=True) > PARALLEL_SINE, up, spare))
    return np.stack([np.cross(left, up), left, up], axis=-1)


def spine_parts(body: Body) -> Floats:
    """Positions of the spine's joints along it, from 0 at the hips to 1 at the shoulders."""
    positions = body.reference[0]
    joints = [body.carrier("hips"), *(body.skeleton.index(name) for name in body.map["spine"])]
    places = np.concatenate([positions[joints], mid(body.at_reference, "shoulder")[None]])
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(places, axis=0), axis=1))])
    return along[1:-1] / max(float(along[-1]), 1e-12)


def foot_names(body: Body, side: str) -> tuple[str, str | None]:
    """The names of the ankle and the toe of a foot."""
    names = body.skeleton.joint_names
    toe = body.map[f"{side}_toe"]
    return names[body.carrier(f"{side}_foot")], toe[-1] if toe else None


def elevation(at: dict[str, Floats], side: str) -> Floats:
    """Elevation of the toes of a foot above the ankle [rad]."""
    along = unit(at[f"{side}_toe"] - at[f"{side}_ankle"])
    return np.arcsin(np.clip(along[..., 2], -1.0, 1.0))


def _flat(body: Body, at: dict[str, Floats], side: str, both: Flags) -> float:
    if f"{side}_toe" not in at:
        return 0.0
    if both.sum() >= 3:
        return float(np.median(elevation(at, side)[both]))
    return float(elevation(body.at_reference, side))


def find_source_contacts(motion: Motion, body: Body, up: str) -> Contacts:
    """Contacts of the source's ankles, toes, knees, hands, elbows and seat, which may still slide a little."""
    feet, names = [], []
    for side in body.map.legs:
        ankle, toe = foot_names(body, side)
        feet.append(Foot(ankle, toe, body.map[f"{side}_thigh"][0], body.sizes["leg"]))
        names += [ankle, toe] if toe is not None else [ankle]
    highest = {
        body.map[role][-1]: most for role, most in BEARING_PARTS.values() if role in body.map
    }
    names += [name for name in highest if name not in names]
    return find_contacts(
        motion,
        feet,
        names,
        up=up_vector(up),
        speed=CONTACT_SPEED,
        height=CONTACT_HEIGHT,
        highest=highest,
    )


def filtered(motion: Motion, seconds: float) -> Motion:
    """Smooth a motion by a binomial filter, so that downsampling does not alias fast motion.

    Args:
        motion: Its coordinates and offsets are filtered, quaternions by their normalized mean.
        seconds: Standard deviation of the filter [s]; without effect if it is less than half a frame.
    """
    passes = round(2.0 * (seconds * motion.fps) ** 2)
    if passes < 1 or len(motion) < 3:
        return motion
    poses = motion.poses
    turns = motion.skeleton.freedom_table.quaternions.coordinate
    q = np.array(poses.coordinates)
    for at in turns:
        flips = np.cumprod(np.where((q[1:, at] * q[:-1, at]).sum(1) < 0, -1.0, 1.0))
        q[1:, at] *= flips[:, None]
    q = _binomial(q, passes)
    if len(turns):
        q[:, turns] = normalize(q[:, turns])
    offsets = poses.translations
    if offsets is not None and offsets.ndim == 3:
        offsets = _binomial(offsets.reshape(len(q), -1), passes).reshape(offsets.shape)
    return motion.with_(poses=Pose(motion.skeleton, q, offsets, poses.scales))


def _binomial(values: Floats, passes: int) -> Floats:
    for _ in range(passes):
        inner = 0.25 * values[:-2] + 0.5 * values[1:-1] + 0.25 * values[2:]
        values = np.concatenate([values[:1], inner, values[-1:]])
    return values


def sampled(
    motion: Motion, fps: float | None, first: int
) -> tuple[Motion, NDArray[np.int64], float]:
    """The motion to take frames from, the indices of these frames, and their rate.

    If the rate divides that of the motion, every n-th frame is taken; otherwise the motion is resampled.
    """
    if not motion.even:
        motion = motion.resampled(motion.fps)
    if fps is None:
        return motion, np.arange(first, len(motion)), motion.fps
    step = motion.fps / fps
    whole = round(step)
    if whole >= 1 and abs(step - whole) < 0.01 * whole:
        return motion, np.arange(first, len(motion), whole), motion.fps / whole
    if fps <= 0:
        raise SuppleError(f"fps: expected a number above 0, got {fps:g}")
    again = motion[first:].resampled(fps)
    return again, np.arange(len(again)), again.fps
