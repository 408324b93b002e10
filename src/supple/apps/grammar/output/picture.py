"""Draw grown shapes as Matplotlib figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from supple.apps.grammar.articulation.ik import Touch
from supple.apps.grammar.output.raster import Triangles, rendered
from supple.apps.plot import style
from supple.apps.plot.figures import headline, styled
from supple.apps.plot.view import View
from supple.errors import SuppleError
from supple.model.mesh import Mesh
from supple.model.skeleton import Pose

MOST_TRIANGLES = 600_000  # not tuned
PIXELS_PER_INCH = 110.0  # not tuned
TALLEST_SHAPE = 1.4  # height of a drawing over its width, at most; not tuned
TARGET = "#e53935"


class Drawable(Protocol):
    """What is drawn: meshes in a pose, and the results of IK rules. A `Growth` is one."""

    @property
    def pose(self) -> Pose:
        """The pose after IK."""
        ...

    @property
    def touches(self) -> tuple[Touch, ...]:
        """The results of the IK rules."""
        ...

    def meshes(self, pose: Pose | None = None) -> tuple[Mesh, ...]:
        """The meshes in world in a pose, by default the one after IK."""
        ...


def look_from(yaw: float = 35.0, pitch: float = 20.0) -> View:
    """An orthographic view, y up.

    Args:
        yaw: Angle of the eye to the right of the front (+z), degrees.
        pitch: Angle of the view downwards, degrees.
    """
    a, b = np.radians([yaw, pitch])
    right = np.array([np.cos(a), 0.0, -np.sin(a)])
    out = np.array([np.sin(a), 0.0, np.cos(a)])
    up = np.cos(b) * np.array([0.0, 1.0, 0.0]) - np.sin(b) * out
    return View(right, up, False)


@styled
def picture(
    growth: Drawable,
    *,
    title: str = "",
    detail: str = "",
    yaw: float = 35.0,
    pitch: float = 20.0,
    width: float = 7.0,
    targets: bool = True,
) -> Figure:
    """Draw grown shapes as a figure.

    Args:
        growth: The result of `supple.grow`.
        title: Title of the figure.
        detail: A smaller line below the title.
        yaw: Angle of the eye to the right of the front (+z), degrees.
        pitch: Angle of the view downwards, degrees.
        width: Of the figure, inches.
        targets: True to mark the targets of the IK rules.
    """
    view = look_from(yaw, pitch)
    low, high = common_bounds([growth], view)
    slope = float((high[1] - low[1]) / (high[0] - low[0]))
    height = float(np.clip(width * slope, 0.3 * width, TALLEST_SHAPE * width))
    top = 0.7 if title or detail else 0.0
    fig = Figure(figsize=(width, height + top))
    if title or detail:
        headline(fig, title, detail)
    ax = fig.add_axes((0.0, 0.0, 1.0, height / (height + top)))
    draw(ax, growth, view=view, targets=targets, bounds=(low, high), width=width)
    return fig


def draw(
    ax: Axes,
    growth: Drawable,
    *,
    view: View,
    pose: Pose | None = None,
    targets: bool = True,
    bounds: Any = None,
    width: float = 4.0,
) -> None:
    """Draw grown shapes on axes.

    Args:
        ax: The axes.
        growth: The result of `supple.grow`.
        view: The view direction.
        pose: The pose; by default the one after IK.
        targets: True to mark the targets of the IK rules.
        bounds: The corners from `common_bounds`, to give several axes one scale.
        width: Of the drawing, inches; sets the resolution. A drawing higher than 1.4 widths gets
            the resolution for that height.
    """
    low, high = common_bounds([growth], view, [pose]) if bounds is None else bounds
    triangles = _triangles(growth, growth.pose if pose is None else pose, view)
    if len(triangles.corners) > MOST_TRIANGLES:
        raise SuppleError(
            f"picture: expected at most {MOST_TRIANGLES:,} triangles, got {len(triangles.corners):,}; "
            "write a .glb instead"
        )
    image = rendered(triangles, low, high, _pixels(low, high, width))
    white = image[..., :3] * image[..., 3:] + 1.0 - image[..., 3:]
    # The image has whole pixels, so it is slightly higher than the page.
    tall = (high[0] - low[0]) * image.shape[0] / image.shape[1]
    ax.imshow(white, extent=(low[0], high[0], high[1] - tall, high[1]), interpolation="antialiased")
    if targets:
        for touch in growth.touches:
            x, y = view(touch.target)
            met = style.STATUS[touch.reached]
            ax.plot(x, y, "o", ms=5.5, mfc=TARGET, mec="white", mew=1.0, zorder=5)
            ax.plot(x, y, "o", ms=9, mfc="none", mec=met, mew=1.0, zorder=5)
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])
    ax.set_aspect("equal")
    ax.set_axis_off()


def _pixels(low: np.ndarray, high: np.ndarray, width: float) -> int:
    """The image's width in pixels, for the size at which the page is shown."""
    wide, tall = (float(value) for value in high - low)
    return max(int(PIXELS_PER_INCH * width * min(1.0, TALLEST_SHAPE * wide / tall)), 1)


def common_bounds(
    growths: Sequence[Drawable], view: View, poses: list[Pose | None] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The lower left and upper right corner of a view that fits all drawings, shape (2,) each."""
    points = []
    for growth in growths:
        for pose in poses or [None]:
            for mesh in growth.meshes(pose):
                points.append(view(mesh.positions))
        points += [view(touch.target)[None] for touch in growth.touches]
    flat = np.concatenate(points or [np.array([[0.0, 0.0], [1.0, 1.0]])])
    low, high = flat.min(axis=0), flat.max(axis=0)
    extent = float(max(np.max(high - low), 1e-9))
    middle = (low + high) / 2
    half = np.maximum((high - low) / 2 + 0.05 * extent, 0.1 * extent)
    return middle - half, middle + half


def _triangles(growth: Drawable, pose: Pose, view: View) -> Triangles:
    """All triangles on the page, with normals towards the eye."""
    corners, normals, colours = [], [], []
    for mesh in growth.meshes(pose):
        assert mesh.material is not None and mesh.normals is not None
        at = mesh.positions[mesh.faces]
        corners.append(np.concatenate([view(at), view.depth(at)[..., None]], axis=-1))
        own = mesh.normals[mesh.faces]
        away = np.einsum("ijk,k->ij", own, view.toward).sum(axis=1) < 0
        normals.append(np.where(away[:, None, None], -own, own))
        rgb = srgb(np.array(mesh.material.color[:3]))
        colours.append(np.tile(np.append(rgb, mesh.material.color[3]), (len(at), 1)))
    if not corners:
        return Triangles(np.zeros((0, 3, 3)), np.zeros((0, 3, 3)), np.zeros((0, 4)))
    return Triangles(np.concatenate(corners), np.concatenate(normals), np.concatenate(colours))


def srgb(rgb: np.ndarray) -> np.ndarray:
    """Convert linear light to sRGB."""
    return np.where(
        rgb <= 0.0031308, 12.92 * rgb, 1.055 * np.maximum(rgb, 1e-9) ** (1 / 2.4) - 0.055
    )
