"""Random constrained chains: four groups, free, hinge, cone and mixed, with targets that can be reached.

The protocol of the GHIK thesis: chains of 4 to 20 joints, targets in a discontinuous path (every solve starts from the
last answer), at most 50 iterations a target, restarts included; the measure is the mean error in % of chain length.
Ranges are of two sorts:

- "authors": those of the benchmark program that the authors published. Bones 50 (1 - 0.4 U) long. Hinges about a
  random direction, square to the bone; cones with four half-angles and no limit of the twist; each limit is
  clamp(N m + 20, least, 120) degrees with one m = 20 (3 U + 1) a joint, least 10 for hinges and 5 for cones; mixed:
  either with equal chance. Targets: half of the joints turned at random about z, y and x in turn, then put into limits.
- "ours", wider: bones 0.5 to 1.5 long, hinges about any axis with 30 to 150 degrees to each side, cones with 20 to 90
  degrees of swing and 10 to 90 of twist to each side, mixed of all three; targets anywhere in the limits.
"""

import numpy as np

import supple
from supple import rotations

RANGES = ("authors", "ours")
GROUPS = ("free", "hinge", "cone", "mixed")


def random_joint(group: str, rng: np.random.Generator) -> supple.Joint:
    """A joint of the group's kind with random limits."""
    kind = group if group != "mixed" else str(rng.choice(["free", "hinge", "cone"]))
    if kind == "hinge":
        low, high = np.radians(rng.uniform(30, 150, 2))
        return supple.Hinge(tuple(rng.normal(size=3)), limits=(-low, high))
    if kind == "cone":
        low, high = np.radians(rng.uniform(10, 90, 2))
        return supple.Cone(np.radians(rng.uniform(20, 90)), twist=(-low, high))
    return supple.Ball()


def random_chain(group: str, rng: np.random.Generator) -> supple.Skeleton:
    """A chain of 4 to 20 joints of the group."""
    lengths = rng.uniform(0.5, 1.5, rng.integers(4, 21))
    return supple.chain(lengths, joint=[random_joint(group, rng) for _ in lengths])


def authors_joint(group: str, rng: np.random.Generator) -> supple.Joint:
    """A joint of the group's kind with the authors' ranges, on a bone along +x."""
    kind = group if group != "mixed" else str(rng.choice(["hinge", "cone"]))
    middle = 20.0 * (3.0 * rng.random() + 1.0)
    if kind == "hinge":
        _, y, z = rng.uniform(-1.0, 1.0, 3)
        low, high = np.radians(np.clip(middle * rng.normal(size=2) + 20.0, 10.0, 120.0))
        return supple.Hinge((0.0, y, z), limits=(-low, high))
    if kind == "cone":
        four = np.radians(np.clip(middle * rng.normal(size=4) + 20.0, 5.0, 120.0))
        return supple.Cone(four.tolist())
    return supple.Ball()


def authors_chain(group: str, rng: np.random.Generator) -> supple.Skeleton:
    """A chain of 4 to 20 joints of the group with the authors' ranges."""
    lengths = 50.0 * (1.0 - 0.4 * rng.random(rng.integers(4, 21)))
    return supple.chain(lengths, joint=[authors_joint(group, rng) for _ in lengths])


def authors_pose(skeleton: supple.Skeleton, count: int, rng: np.random.Generator) -> supple.Pose:
    """Poses with half of the joints turned at random about z, y and x in turn, then put into their limits."""
    columns = []
    turned = np.zeros((count, len(skeleton.joints)), bool)
    for row in turned:
        row[rng.permutation(len(row))[: (len(row) + 1) // 2]] = True
    for joint, moves in zip(skeleton.joints, turned.T, strict=True):
        angles = rng.uniform(-np.pi, np.pi, (count, 3)) * moves[:, None]
        turn = rotations.from_euler("zyx", angles)
        if isinstance(joint, supple.Hinge):
            # What of the turn is about its axis.
            along = turn[:, 1:] @ np.asarray(joint.axis)
            twist = 2.0 * np.arctan2(along, turn[:, 0])
            columns.append((np.mod(twist + np.pi, 2.0 * np.pi) - np.pi)[:, None])
        else:
            columns.append(turn)
    return supple.Pose(skeleton, np.concatenate(columns, axis=1)).clamped()


def random_pose(skeleton: supple.Skeleton, count: int, rng: np.random.Generator) -> supple.Pose:
    """Poses spread over the joints' whole ranges, inside their limits."""
    columns = []
    for joint in skeleton.joints:
        if isinstance(joint, supple.Hinge):
            low, high = joint.limits or (-np.pi, np.pi)
            columns.append(rng.uniform(low, high, (count, 1)))
        else:
            q = rng.normal(size=(count, 4))
            columns.append(q / np.linalg.norm(q, axis=1, keepdims=True))
    return supple.Pose(skeleton, np.concatenate(columns, axis=1)).clamped()


def run(
    group: str,
    solver: supple.Solver | str,
    *,
    chains: int,
    targets: int,
    seed: int = 1,
    ranges: str = "ours",
) -> np.ndarray:
    """Errors in % of chain length, shape (chains, targets), every solve from the last answer.

    The authors stop at 0.001 of their unit of length, which is that of their bones; ours at 1e-6 of the chain.
    """
    theirs = ranges == "authors"
    draw_chain, draw_pose = (authors_chain, authors_pose) if theirs else (random_chain, random_pose)
    rng = np.random.default_rng([GROUPS.index(group), seed])
    errors = np.empty((chains, targets))
    for c in range(chains):
        skeleton = draw_chain(group, rng)
        points = draw_pose(skeleton, targets, rng).position("tip")
        length = skeleton.length("tip", root="j0")
        near = 1e-3 if theirs else 1e-6 * length
        ik = supple.prepare(skeleton, [supple.Reach("tip")], solver=solver, tolerance=near)
        pose = None
        for t in range(targets):
            answer = ik(points[t], start=pose)
            errors[c, t] = 100.0 * answer.error / length
            pose = answer.pose
    return errors
