"""A mechanism in the formats that other solvers read: URDF and MJCF."""

from __future__ import annotations

from collections.abc import Iterable

from contest.model import BALL, FREE, Model, Part

INERTIA = (
    '<inertial><mass value="0.1"/>'
    '<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>'
)  # some readers refuse links without
GEOM = '<geom type="sphere" size="0.01" mass="0.1"/>'
AXIS = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}
BASE = "ground"
OPEN_LIMIT = 6.283185307179586  # URDF hinges with limits are what every reader takes


def urdf(model: Model) -> str:
    """A URDF with a link for each part and tip, and one for each further hinge of a part.

    Balls and free parts are not in the format: take `Model.hinged` first.
    """
    links, joints = [BASE], []
    for part in (*model.parts, *model.tips):
        if part.motion in (BALL, FREE):
            raise ValueError(f"URDF has no {part.motion} joint: {part.name}")
        above, place = (
            part.parent or BASE,
            f'<origin xyz="{_text(part.offset)}" rpy="{_text(part.rpy)}"/>',
        )
        names = [*(f"{part.name}_{k}" for k in range(len(part.motion) - 1)), part.name]
        for k, name in enumerate(names):
            kind, moves = "fixed", ""
            if part.motion:
                lo, hi = part.limits[k] if part.limits else (-OPEN_LIMIT, OPEN_LIMIT)
                kind = "revolute"
                moves = f'<axis xyz="{AXIS[part.motion[k]]}"/>'
                moves += f'<limit lower="{lo!r}" upper="{hi!r}" effort="100" velocity="10"/>'
            joints.append(
                f'<joint name="to_{name}" type="{kind}"><parent link="{above}"/>'
                f'<child link="{name}"/>{place}{moves}</joint>'
            )
            links.append(name)
            above, place = name, '<origin xyz="0 0 0" rpy="0 0 0"/>'
    bodies = [f'<link name="{name}">{INERTIA}</link>' for name in links]
    return "\n".join(
        ['<?xml version="1.0"?>', '<robot name="bench">', *bodies, *joints, "</robot>\n"]
    )


def mjcf(model: Model) -> str:
    """An MJCF with a body for each part and tip, named alike; coordinates in the model's order."""
    inside = "".join(_body(model, part) for part in _below(model, ""))
    head = '<compiler angle="radian" eulerseq="XYZ"/><option gravity="0 0 0"/>'
    return f"<mujoco>{head}<worldbody>{inside}</worldbody></mujoco>\n"


def _body(model: Model, part: Part) -> str:
    joints = []
    if part.motion == BALL:
        joints.append('<joint type="ball"/>')
    elif part.motion == FREE:
        joints.append("<freejoint/>")
    else:
        for k, axis in enumerate(part.motion):
            lo, hi = part.limits[k] if part.limits else (0.0, 0.0)
            bound = f' limited="true" range="{lo!r} {hi!r}"' if part.limits else ""
            joints.append(f'<joint type="hinge" axis="{AXIS[axis]}"{bound}/>')
    inside = "".join(_body(model, one) for one in _below(model, part.name))
    place = f'pos="{_text(part.offset)}" euler="{_text(part.rpy)}"'
    return f'<body name="{part.name}" {place}>{"".join(joints)}{GEOM}{inside}</body>'


def _below(model: Model, name: str) -> list[Part]:
    return [part for part in (*model.parts, *model.tips) if part.parent == name]


def _text(numbers: Iterable[float]) -> str:
    return " ".join(repr(float(x)) for x in numbers)
