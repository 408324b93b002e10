"""A page that shows what grew: one HTML file, to be turned with the mouse, with the steps of IK."""

from __future__ import annotations

import base64
import html
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from supple import files
from supple.errors import SuppleError
from supple.grammar.output import meshes as meshing

if TYPE_CHECKING:
    from supple.grammar.output.growth import Growth

TEMPLATE = Path(__file__).with_name("page.html")
MOST = 2_000_000  # vertices that a page holds
STILL = 65_535  # the joint of what does not move


def write_page(growth: Growth, path: Path) -> None:
    """Write the page.

    Args:
        growth: What to show.
        path: An .html file.

    Raises:
        SuppleError: There is too much to show, or it cannot be written.
    """
    title = f"{growth.shapes[0].name} of {Path(growth.source).name}"
    text = TEMPLATE.read_text(encoding="utf-8")
    told = html.escape(repr(growth)[7:-1])
    text = text.replace("__TITLE__", html.escape(title)).replace("__TOLD__", told)
    data = json.dumps(_data(growth)).replace("</", "<\\/")
    files.write(path, text.replace("__DATA__", data), "page")


def _data(growth: Growth) -> dict[str, Any]:
    positions, normals, colours, joints, indices = [], [], [], [], []
    count = 0

    def still(group: meshing.Alike, one: meshing.Vertices) -> tuple[np.ndarray, np.ndarray]:
        return one.positions, one.normals

    for look, vertices, own in meshing.by_look(growth.store, still):
        tint = np.array((*look.color, look.opacity))
        positions.append(vertices.positions)
        normals.append(vertices.normals)
        colours.append(np.tile(np.round(255 * tint), (len(vertices.positions), 1)))
        joints.append(np.where(own < 0, STILL, own))
        indices.append(vertices.triangles + count)
        count += len(vertices.positions)
        if count > MOST:
            raise SuppleError(
                f"page: expected at most {MOST:,} vertices, got more; write a .glb instead"
            )
    everything = np.concatenate(positions) if positions else np.zeros((1, 3))
    low, high = everything.min(axis=0), everything.max(axis=0)
    steps = growth.steps
    poses = [*steps, growth.pose] if steps is not None else [growth.pose]
    moves = [growth._moved(pose) for pose in poses] if growth.figure.joints else []
    return {
        "positions": _packed(positions, "<f4"),
        "normals": _packed(normals, "<f4"),
        "colours": _packed(colours, "u1"),
        "joints": _packed(joints, "<u2"),
        "indices": _packed(indices, "<u4"),
        "moves": _packed(moves, "<f4"),
        "joint_count": len(growth.figure.joints),
        "targets": [touch.target.tolist() for touch in growth.touches],
        "centre": ((low + high) / 2).tolist(),
        "radius": float(max(np.linalg.norm(high - low) / 2, 1e-6)),
    }


def _packed(parts: list[np.ndarray], kind: str) -> str:
    values = np.concatenate(parts) if parts else np.zeros(0)
    return base64.b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode()
