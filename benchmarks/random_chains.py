"""Random constrained chains: four groups, free, hinge, cone and mixed, with targets that can be reached.

The protocol of the GHIK thesis: chains of 4 to 20 joints, targets in a discontinuous path (every solve starts from the
last answer), at most 50 iterations a target, restarts included; the measure is the mean error in % of chain length. The
thesis does not give its ranges at second hand, so ours are written down here: bones 0.5 to 1.5 long, hinges about any
axis with 30 to 150 degrees to each side, cones with 20 to 90 degrees of swing and 10 to 90 of twist to each side.
"""

import numpy as np

import supple

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
    group: str, solver: supple.Solver | str, *, chains: int, targets: int, seed: int = 1
) -> np.ndarray:
    """Errors in % of chain length, shape (chains, targets), every solve from the last answer."""
    rng = np.random.default_rng([GROUPS.index(group), seed])
    errors = np.empty((chains, targets))
    for c in range(chains):
        skeleton = random_chain(group, rng)
        points = random_pose(skeleton, targets, rng).position("tip")
        length = skeleton.length("tip", root="j0")
        ik = supple.prepare(skeleton, [supple.Reach("tip")], solver=solver, tolerance=1e-6 * length)
        pose = None
        for t in range(targets):
            answer = ik(points[t], start=pose)
            errors[c, t] = 100.0 * answer.error / length
            pose = answer.pose
    return errors
