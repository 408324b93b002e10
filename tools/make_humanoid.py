"""Make the humanoid that supple ships: skeleton with limits, skin, images and motions.

Everything comes from the files in `tools/humanoid`: a solid of melted capsules around the bones
(`body`), a light mesh of its surface (`surface`), weights (`skinning`), an unrolled image (`atlas`,
`paint`) and motions found with the library's own solver (`motions`).

    python tools/make_humanoid.py                 # into src/supple/apps/data/humanoid
    python tools/make_humanoid.py --out elsewhere
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import supple  # noqa: E402
from humanoid import atlas, body, motions, paint, skinning, smd, surface  # noqa: E402
from supple.apps.character.character import Character  # noqa: E402
from supple.model.mesh import Material, Mesh, Texture  # noqa: E402

STEP = 0.0125  # the grid that the surface is first found on [m]
VERTICES, FEWER = 2000, 430  # of the GLB and of the SMD, before seams are cut
LOW, HIGH = np.array((-0.76, -0.02, -0.2)), np.array((0.76, 1.82, 0.24))


def detail(points: np.ndarray) -> np.ndarray:
    """Face and hands count for more."""
    weight = np.ones(len(points))
    weight[points[:, 1] > 1.45] = 6.0
    weight[np.abs(points[:, 0]) > 0.5] = 4.0
    return weight


def meshes(skeleton: supple.Skeleton) -> tuple[Mesh, Mesh]:
    """The body with its images, and a lighter one for the SMD."""
    points, faces = surface.surface_nets(body.distance, LOW, HIGH, STEP)
    points = surface.settled(body.distance, body.gradient, points)
    made = []
    looks = None
    for count in (VERTICES, FEWER):
        points, faces = surface.decimated(points, faces, count, detail)
        points = surface.settled(body.distance, body.gradient, points, 2)
        normals = body.gradient(points)
        names, share = skinning.influences(skeleton, points)
        cut = atlas.unrolled(points, faces, [names[k] for k in share.argmax(axis=1)])
        if looks is None:
            color, normal = (paint.png(image) for image in paint.rendered(points, normals, cut))
            looks = Material(
                "humanoid.png",
                texture=Texture("humanoid.png", color, "image/png"),
                normal_map=Texture("humanoid_normal.png", normal, "image/png"),
                roughness=0.85,
            )
        own = skinning.skin(skeleton, points[cut.source])
        made.append(
            Mesh("body", points[cut.source], cut.faces, normals[cut.source], cut.texcoords,
                 material=looks, skin=own)
        )  # fmt: skip
    return made[0], made[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=HERE.parent / "src/supple/apps/data/humanoid")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    skeleton = body.skeleton()
    moves = [make(skeleton) for make in (motions.walk, motions.wave, motions.reach_ready)]
    fine, light = meshes(skeleton)
    figure = Character(skeleton, (fine,), {move.name: move for move in moves}, unit="m", up="y")
    supple.save(figure, out / "humanoid.glb")
    smd.write_reference(out / "humanoid.smd", figure.with_(meshes=(light,)))
    smd.write_motion(out / "walk.smd", moves[0])
    for path in sorted(out.iterdir()):
        print(f"{path.name:20} {path.stat().st_size / 1000:7.1f} kB")


if __name__ == "__main__":
    main()
