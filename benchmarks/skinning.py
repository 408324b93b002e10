"""Skinning: vertex-weights a second, beside the same sum in NumPy in the same run.

The NumPy sum is the fastest of those tried: gather the matrices of all influences, weigh and add them
with one einsum, apply them with another. (A dense product of weights and matrices took twice as long,
a transform for each column of influences three times.) Both give the same numbers, checked at the end.

    python benchmarks/skinning.py
    python benchmarks/skinning.py --vertices 50000 --frames 200
"""

from __future__ import annotations

import sys

import numpy as np
from measuring import median, parser, show
from rich.table import Table

import supple
from supple.apps.character.skinning import skin
from supple.model.mesh import Mesh, Skin
from supple.threads import cores

WANTED_RATE = 100e6  # vertex-weights a second on two cores
WANTED_RATIO = 5.0  # times as fast as NumPy


def figure(vertices: int, influences: int, joints: int) -> tuple[supple.Skeleton, Mesh]:
    """A chain with a mesh of random influences: as bad for caches as a mesh can be."""
    rng = np.random.default_rng(11)
    skeleton = supple.chain(np.ones(joints))
    binds = np.linalg.inv(skeleton.rest.frames[:joints])
    indices = np.argsort(rng.random((vertices, joints)), axis=1)[:, :influences]
    weights = rng.random((vertices, influences)) + 0.1
    own = Skin.from_table(skeleton.joint_names, binds, indices, weights)
    normals = np.tile((0.0, 0.0, 1.0), (vertices, 1))
    return skeleton, Mesh(
        "body", rng.random((vertices, 3)), np.zeros((0, 3), int), normals, skin=own
    )


def in_numpy(mesh: Mesh, pose: supple.Pose, indices: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The sum of w_i M_i, applied to the vertices, frame by frame so that it stays in the cache."""
    points = np.column_stack([mesh.positions, np.ones(len(mesh.positions))])
    at = [pose.skeleton.index(name) for name in mesh.skin.joints]
    matrices = np.ascontiguousarray((pose.frames[:, at] @ mesh.skin.T_joint_model)[:, :, :3])
    out = np.empty((len(matrices), len(points), 3))
    for frame, result in zip(matrices, out, strict=True):
        blend = np.einsum("vk,vkij->vij", weights, frame[indices])
        np.einsum("vij,vj->vi", blend, points, out=result)
    return out


def main() -> int:
    words = parser(__doc__)
    words.add_argument("--vertices", type=int, default=20000)
    words.add_argument("--influences", type=int, default=4)
    words.add_argument("--joints", type=int, default=65)
    words.add_argument("--frames", type=int, default=60)
    words.add_argument("--runs", type=int, default=5)
    args = words.parse_args()
    skeleton, mesh = figure(args.vertices, args.influences, args.joints)
    rng = np.random.default_rng(2)
    angles = rng.normal(size=(args.frames, len(skeleton.freedoms)))
    pose = supple.Pose.from_angles(skeleton, angles)
    few = pose[: max(1, args.frames // 10)]
    influences = mesh.skin.table()
    work = len(mesh.skin.weight) * args.frames
    table = Table("method", "threads", "million vertex-weights/s", "times NumPy")
    slow = median(lambda: in_numpy(mesh, few, *influences), args.runs) * args.frames / len(few)
    table.add_row("NumPy", "", f"{work / slow / 1e6:.1f}", "1")
    best = 0.0
    for method, normals in (("linear", False), ("linear", True), ("dual", False), ("dual", True)):
        skin(mesh, few, method=method, normals=normals)  # compiles
        for threads in sorted({1, cores()}):
            seconds = median(
                lambda m=method, n=normals, t=threads: skin(
                    mesh, pose, method=m, normals=n, threads=t
                ),
                args.runs,
            )
            if (method, normals) == ("linear", False):
                best = max(best, work / seconds)
            name = f"{method}{' with normals' if normals else ''}"
            rate = f"{work / seconds / 1e6:.0f}"
            table.add_row(name, str(threads), rate, f"{slow / seconds:.1f}")
    show(table)
    off = np.abs(skin(mesh, few) - in_numpy(mesh, few, *influences)).max()
    ratio = best * slow / work
    print(f"{best / 1e6:.0f} million a second (wanted {WANTED_RATE / 1e6:.0f}), "
          f"{ratio:.1f} times NumPy (wanted {WANTED_RATIO:g}), largest difference {off:.1e}")  # fmt: skip
    return 0 if best >= WANTED_RATE and ratio >= WANTED_RATIO and off < 1e-9 else 1


if __name__ == "__main__":
    sys.exit(main())
