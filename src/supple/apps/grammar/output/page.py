"""Write a self-contained HTML page: a 3D view that the mouse rotates, with the steps of IK."""

from __future__ import annotations

import base64
import html
import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from supple import files
from supple.apps.grammar.articulation.posed import PosedShapes
from supple.apps.grammar.output import meshes
from supple.errors import SuppleError
from supple.model.skeleton import Pose

TEMPLATE = Path(__file__).with_name("page.html")
MOST_VERTICES = 2_000_000  # not tuned
NO_JOINT = 65_535  # joint index of vertices without a joint, as in page.html


class PageText(NamedTuple):
    """Title of a page, and the summary below it."""

    title: str
    summary: str


def write_page(
    posed: PosedShapes,
    path: Path,
    *,
    text: PageText,
    steps: Pose | None,
    targets: list[np.ndarray],
) -> None:
    """Write the page.

    Args:
        posed: The shapes.
        path: The .html file.
        text: Title and summary.
        steps: The iteration poses, a batch; None for none.
        targets: The targets of the IK rules, world, shape (3,) each.

    Raises:
        SuppleError: There are too many vertices, or the file cannot be written.
    """
    page = TEMPLATE.read_text(encoding="utf-8")
    page = page.replace("__TITLE__", html.escape(text.title))
    page = page.replace("__SUMMARY__", html.escape(text.summary))
    data = json.dumps(_data(posed, steps, targets)).replace("</", "<\\/")
    files.write(path, page.replace("__DATA__", data), "page")


def _data(posed: PosedShapes, steps: Pose | None, targets: list[np.ndarray]) -> dict[str, Any]:
    positions, normals, colours, joints, indices = [], [], [], [], []
    count = 0

    def unmoved(group: meshes.LeafGroup, one: meshes.Vertices) -> tuple[np.ndarray, np.ndarray]:
        return one.positions, one.normals

    total = meshes.corner_count(meshes.leaf_groups(posed.store))
    if total > MOST_VERTICES:
        raise SuppleError(
            f"page: expected at most {MOST_VERTICES:,} vertices, got {total:,}; write a .glb instead"
        )
    for material, vertices, own in meshes.by_material(posed.store, unmoved, MOST_VERTICES):
        tint = np.array((*material.color, material.opacity))
        positions.append(vertices.positions)
        normals.append(vertices.normals)
        colours.append(np.tile(np.round(255 * tint), (len(vertices.positions), 1)))
        joints.append(np.where(own < 0, NO_JOINT, own))
        indices.append(vertices.triangles + count)
        count += len(vertices.positions)
    everything = np.concatenate(positions) if positions else np.zeros((1, 3))
    low, high = everything.min(axis=0), everything.max(axis=0)
    poses = [*steps, posed.pose] if steps is not None else [posed.pose]
    moves = [posed.displacements(pose) for pose in poses] if posed.figure.joints else []
    return {
        "positions": _packed(positions, "<f4"),
        "normals": _packed(normals, "<f4"),
        "colours": _packed(colours, "u1"),
        "joints": _packed(joints, "<u2"),
        "indices": _packed(indices, "<u4"),
        "moves": _packed(moves, "<f4"),
        "joint_count": len(posed.figure.joints),
        "targets": [target.tolist() for target in targets],
        "centre": ((low + high) / 2).tolist(),
        "radius": float(max(np.linalg.norm(high - low) / 2, 1e-6)),
    }


def _packed(parts: list[np.ndarray], kind: str) -> str:
    values = np.concatenate(parts) if parts else np.zeros(0)
    return base64.b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode()
