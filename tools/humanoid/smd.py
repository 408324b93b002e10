"""SMD files with few digits, to be small; `supple.save` writes all of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from supple import Pose, Skeleton
from supple.apps.character.character import Character
from supple.apps.character.motion import Motion
from supple.rotations import to_euler


def _number(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def _row(values: np.ndarray, digits: int) -> str:
    return " ".join(_number(float(value), digits) for value in values)


def _head(skeleton: Skeleton) -> list[str]:
    lines = ["version 1", "nodes"]
    for k, name in enumerate(skeleton.joint_names):
        lines.append(f'{k} "{name}" {skeleton.parents[k]}')
    return [*lines, "end", "skeleton"]


def _frame(pose: Pose, time: int) -> list[str]:
    # SMD turns by Rz Ry Rx, angles written x, y, z.
    angles = to_euler("zyx", pose.local_rotations)[:, ::-1]
    lines = [f"time {time}"]
    for k, (place, turn) in enumerate(zip(pose.local_translations, angles, strict=True)):
        lines.append(f"{k} {_row(place, 5)} {_row(turn, 4)}")
    return lines


def write_reference(path: Path, character: Character) -> None:
    """The skeleton at rest and its triangles."""
    lines = [*_head(character.skeleton), *_frame(character.skeleton.rest, 0), "end", "triangles"]
    for mesh in character.meshes:
        index = {name: character.skeleton.index(name) for name in mesh.skin.joints}
        bones = [index[name] for name in mesh.skin.joints]
        joints, weights = mesh.skin.table(3)
        for face in mesh.faces:
            lines.append(mesh.material.name)
            for v in face:
                u, w = mesh.texcoords[v]
                links = [
                    (bones[j], a) for j, a in zip(joints[v], weights[v], strict=True) if a > 0.01
                ]
                # In thousandths, of which the first has what the others leave.
                shares = [round(1000 * amount / sum(a for _, a in links)) for _, amount in links]
                shares[0] = 1000 - sum(shares[1:])
                pairs = " ".join(
                    f"{bone} {_number(share / 1000, 3)}"
                    for (bone, _), share in zip(links, shares, strict=True)
                )
                uv = f"{_number(u, 4)} {_number(1.0 - w, 4)}"
                point, normal = _row(mesh.positions[v], 4), _row(mesh.normals[v], 2)
                lines.append(f"{links[0][0]} {point} {normal} {uv} {len(links)} {pairs}")
    path.write_text("\n".join([*lines, "end", ""]))


def write_motion(path: Path, motion: Motion) -> None:
    """The frames of a motion."""
    lines = _head(motion.skeleton)
    for time, pose in enumerate(motion.poses):
        lines += _frame(pose, time)
    path.write_text("\n".join([*lines, "end", ""]))
