"""The motions, made with the library's own solver: where feet and hands go, and the rest follows.

Each frame says where the pelvis is and how the trunk turns; then feet, hands and gaze are goals, with
every limit on. Coordinates of the frame before are where the next one starts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

import supple
from supple import Pose, Reach, Skeleton
from supple.apps.character.motion import Motion
from supple.rotations import from_axis_angle, multiply

Floats = NDArray[np.float64]

FPS = 30
STRIDE, STAND = 0.50, 0.6  # how far a foot goes back while it stands [m]; so much of the cycle
HEEL_UP = 0.75  # how far a foot is pitched when its toes leave the ground [rad]
SIDES = ((".L", 1.0), (".R", -1.0))


def solved(skeleton: Skeleton, frame: Mapping[str, Any], start: Pose) -> Pose:
    """A pose from a frame: "pelvis" (offset), "turns" by joint, "feet" and "hands" (places)."""
    pose = start.with_(frame["turns"])
    offsets = np.array(skeleton.offsets)
    offsets[skeleton.index("pelvis")] += frame["pelvis"]
    pose = Pose(skeleton, pose.coordinates, offsets)
    goals = []
    for suffix, (place, pitch) in frame["feet"].items():
        turn = from_axis_angle("x", pitch)
        goals.append(Reach(f"foot{suffix}", place, orientation=turn, root=f"thigh{suffix}"))
    for suffix, place in frame.get("hands", {}).items():
        goals.append(Reach(f"hand{suffix}", place, root=f"clavicle{suffix}"))
    answer = supple.solve(skeleton, goals, start=pose, tolerance=1e-6, orientation_tolerance=1e-5)
    if answer.error > 0.02:
        raise RuntimeError(f"a frame is out of reach: {answer.reason}")
    return answer.pose


def motion(
    skeleton: Skeleton, name: str, frames: int, at: Callable[[float], dict[str, Any]], *, loop: bool
) -> Motion:
    """A motion of frames at shares 0 to 1 of its length; a loop ends one frame before it begins."""
    pose = skeleton.rest
    poses = []
    shares = np.arange(frames) / (frames if loop else frames - 1)
    if loop:  # once around first, so that the first frame follows the last
        for share in shares[-8:]:
            pose = solved(skeleton, at(float(share)), pose)
    for share in shares:
        pose = solved(skeleton, at(float(share)), pose)
        poses.append(pose)
    return Motion(name, Pose.stack(poses), fps=FPS, loop=loop)


def smooth(t: float) -> float:
    """From 0 to 1 with no speed at the ends."""
    t = min(max(t, 0.0), 1.0)
    return t * t * (3.0 - 2.0 * t)


def ankle(skeleton: Skeleton, suffix: str) -> Floats:
    """Where an ankle is at rest."""
    return skeleton.rest.position(f"foot{suffix}")


def turned(*parts: tuple[str, float]) -> Floats:
    """The product of turns about axes, first to last."""
    q = np.array((1.0, 0.0, 0.0, 0.0))
    for axis, angle in parts:
        q = multiply(q, from_axis_angle(axis, angle))
    return q


def foot_at(skeleton: Skeleton, suffix: str, phase: float) -> tuple[Floats, float]:
    """Where an ankle is in a step, and how the foot is pitched; phase 0 is the heel's strike.

    Six tenths of the cycle it stands and goes back with the ground, then it swings forward, leaving
    and meeting the ground at the ground's speed.
    """
    stride, stand = STRIDE, STAND
    place = np.array(ankle(skeleton, suffix))
    place[0] *= 0.75  # feet come under the body
    phase %= 1.0
    if phase < stand:
        t = phase / stand
        forward, lift = stride * (0.5 - t), 0.0
        pitch = -0.32 * (1.0 - smooth(t / 0.22)) + HEEL_UP * smooth((t - 0.62) / 0.38)
    else:
        t = (phase - stand) / (1.0 - stand)
        back = (1.0 - stand) / stand  # how far the ground goes meanwhile, in strides
        along = smooth(t) - 0.5 - back * (t - 3.0 * t * t + 2.0 * t * t * t)
        forward, lift = stride * along, 0.10 * math.sin(math.pi * t) ** 1.2
        pitch = HEEL_UP * (1.0 - smooth(t / 0.55)) - 0.32 * smooth((t - 0.55) / 0.45)
    # The foot rolls over its heel, and about the joint of its toes, which carries the ankle along.
    heel, toe = np.array((0.0, -0.084, -0.045)), np.array((0.0, -0.060, 0.127))
    pivot = heel if pitch < 0 else toe
    c, s = math.cos(pitch), math.sin(pitch)
    rolled = np.array((0.0, c * pivot[1] - s * pivot[2], s * pivot[1] + c * pivot[2]))
    place += pivot - rolled
    place[1] -= 0.010 * min(1.0, max(0.0, -pitch / 0.32))  # its heel is round
    return place + (0.0, lift, forward), pitch


def walk(skeleton: Skeleton) -> Motion:
    """A walk on the spot, one cycle of two steps."""

    def at(share: float) -> dict[str, Any]:
        swing = math.cos(2 * math.pi * share)  # 1: the left foot is in front
        bob = math.cos(4 * math.pi * share + 0.5)
        turns: dict[str, Any] = {
            "pelvis": {"y": -0.09 * swing, "z": 0.045 * math.sin(2 * math.pi * share), "x": 0.03},
            "spine": turned(("y", 0.08 * swing), ("x", 0.02)),
            "chest": turned(("y", 0.12 * swing), ("x", 0.0)),
            "neck": turned(("y", -0.06 * swing)),
            "head": turned(("y", -0.05 * swing), ("x", -0.03 + 0.02 * bob)),
        }
        for suffix, side in SIDES:
            # Arms hang, and swing against the legs.
            ahead = -side * swing
            turns[f"clavicle{suffix}"] = turned(("z", -0.06 * side))
            turns[f"upperarm{suffix}"] = turned(("x", -0.38 * ahead - 0.02), ("z", -0.62 * side))
            turns[f"forearm{suffix}"] = 0.26 + 0.14 * max(0.0, ahead) + 0.06 * ahead
            turns[f"hand{suffix}"] = turned(("x", -0.1))
            turns[f"fingers{suffix}"] = 0.45
            phase = (share + (0.0 if side > 0 else 0.5)) % 1.0
            # Toes lie flat while the heel goes up, and follow the foot into its swing.
            pitch = max(0.0, foot_at(skeleton, suffix, phase)[1])
            turns[f"toe{suffix}"] = pitch * (1.0 - smooth((phase - STAND) / (0.55 * (1 - STAND))))
        feet = {
            suffix: foot_at(skeleton, suffix, share + (0.0 if side > 0 else 0.5))
            for suffix, side in SIDES
        }
        side_step = 0.018 * math.sin(2 * math.pi * share)
        return {"pelvis": (side_step, -0.032 - 0.019 * bob, 0.0), "turns": turns, "feet": feet}

    return motion(skeleton, "walk", 32, at, loop=True)


def standing(skeleton: Skeleton, crouch: float = 0.0, apart: float = 1.0) -> dict[str, Any]:
    """A frame that stands with its arms down."""
    turns: dict[str, Any] = {}
    for suffix, side in SIDES:
        turns[f"upperarm{suffix}"] = turned(("x", -0.05), ("z", -0.62 * side))
        turns[f"forearm{suffix}"] = 0.22
        turns[f"fingers{suffix}"] = 0.35
        turns[f"clavicle{suffix}"] = turned(("z", -0.05 * side))
    feet = {s: (ankle(skeleton, s) * (apart, 1.0, 1.0), 0.0) for s, _ in SIDES}
    return {"pelvis": (0.0, -0.01 - crouch, 0.0), "turns": turns, "feet": feet}


def wave(skeleton: Skeleton) -> Motion:
    """Standing, the right hand goes up, waves three times and comes down again."""
    low = solved(skeleton, standing(skeleton), skeleton.rest).position("hand.R")
    high = np.array((-0.43, 1.64, 0.15))

    def at(share: float) -> dict[str, Any]:
        up = smooth(share / 0.2) * (1.0 - smooth((share - 0.8) / 0.2))
        beat = math.sin(2 * math.pi * 3.0 * (share - 0.2) / 0.6) if 0.2 < share < 0.8 else 0.0
        frame = standing(skeleton)
        breath = 0.5 - 0.5 * math.cos(2 * math.pi * share)
        frame["turns"] |= {
            "pelvis": {"z": -0.03 * up, "y": 0.0, "x": 0.0},
            "spine": turned(("z", 0.05 * up), ("x", -0.02 * breath)),
            "chest": turned(("z", 0.04 * up), ("y", -0.08 * up)),
            "neck": turned(("z", -0.10 * up)),
            "head": turned(("z", -0.12 * up), ("y", -0.18 * up), ("x", -0.05 * up)),
            "hand.R": turned(("z", -0.35 * beat * up), ("y", 0.5 * up)),
            "fingers.R": 0.35 - 0.45 * up,
            "upperarm.R": turned(("z", 0.62 * (1 - up)), ("x", -0.05)),
        }
        out = np.array((-0.16, 0.0, 0.22)) * math.sin(math.pi * min(1.0, up))
        place = low + up * (high - low) + out + (-0.11 * beat * up, -0.015 * beat * beat, 0.0)
        frame["pelvis"] = (0.012 * up, -0.01, 0.0)
        frame["hands"] = {".R": place}
        return frame

    return motion(skeleton, "wave", 75, at, loop=False)


def reach_ready(skeleton: Skeleton) -> Motion:
    """From standing into a crouch with both hands in front, ready to take something."""
    low = solved(skeleton, standing(skeleton), skeleton.rest)
    begin = {s: low.position(f"hand{s}") for s, _ in SIDES}

    def at(share: float) -> dict[str, Any]:
        go = smooth(share / 0.7)
        sway = math.sin(2 * math.pi * share) * go
        frame = standing(skeleton, crouch=0.075 * go)
        frame["turns"] |= {
            "pelvis": {"x": 0.16 * go, "y": 0.0, "z": 0.0},
            "spine": turned(("x", 0.12 * go)),
            "chest": turned(("x", 0.06 * go), ("y", 0.02 * sway)),
            "neck": turned(("x", -0.14 * go)),
            "head": turned(("x", -0.12 * go)),
        }
        hands = {}
        for suffix, side in SIDES:
            frame["turns"][f"fingers{suffix}"] = 0.35 - 0.2 * go
            frame["turns"][f"hand{suffix}"] = turned(("y", -0.5 * side * go), ("x", -0.3 * go))
            ready = np.array((0.235 * side, 1.08, 0.36)) + (0.0, 0.008 * sway, 0.0)
            arc = np.array((0.05 * side, 0.0, 0.05)) * math.sin(math.pi * go)
            hands[suffix] = begin[suffix] + go * (ready - begin[suffix]) + arc
        frame["pelvis"] = (0.0, -0.01 - 0.075 * go, -0.03 * go)
        frame["hands"] = hands
        return frame

    return motion(skeleton, "reach-ready", 40, at, loop=False)
