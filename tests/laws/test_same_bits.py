"""The library of kernels gives the same bits as the kernels compiled just in time.

Just-in-time compilation takes most of a minute for a solver: here poses are compared, and with
SUPPLE_SAME_BITS=all every solver, too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from supple.kernels import library

SCRIPT = """
import hashlib, json, sys
import numpy as np
import supple
from supple.kernels import decorators

rng = np.random.default_rng(5)
limited = supple.chain([1.0] * 4, joint=supple.Cone(swing=1.0, twist=(-0.5, 0.5)))
flat = supple.chain([1.0, 0.8, 0.6, 0.4], joint=supple.Hinge("z", limits=(-2.0, 2.0)))
skeletons = {
    "two": supple.chain([1.0, 1.0]), "five": supple.chain([1.0] * 5), "cones": limited, "flat": flat,
}
digests = {}
hero = supple.humanoid()
for name, skeleton in {**skeletons, "hero": hero.skeleton}.items():
    free = supple.Pose.from_angles(skeleton, rng.normal(size=len(skeleton.freedoms)))
    held = free.clamped()
    parts = [part for pose in (free, held) for part in (pose.positions, pose.local_rotations, pose.angles)]
    if name == "hero":
        parts += [supple.skin(mesh, held, method=how) for mesh in hero.meshes for how in ("linear", "dual")]
    text = b"".join(np.ascontiguousarray(part).tobytes() for part in parts)
    digests[f"poses {name}"] = hashlib.sha256(text).hexdigest()
for solver in sys.argv[1:]:
    for name, skeleton in skeletons.items():
        targets = rng.normal(size=(60, 3)) * 1.5
        if name == "flat":
            targets[:, 2] = 0.0
        try:
            problem = supple.prepare(skeleton, [supple.Reach("tip")], solver=solver)
        except supple.SuppleError:
            continue
        answer = problem.solve(targets, threads=1)
        single = problem(targets[0])
        assert single.pose.coordinates.tobytes() == answer.pose.coordinates[0].tobytes()
        world = answer.pose.positions, answer.pose.local_rotations, answer.error
        text = b"".join(np.ascontiguousarray(x).tobytes() for x in (answer.pose.coordinates, *world))
        digests[f"{solver} {name}"] = hashlib.sha256(text).hexdigest()

@supple.goal(values=1)
def level(frames, values, out):
    out[0] = frames[0, 2, 3] - frames[1, 2, 3] - values[0]


hips = supple.Node("hips", None, joint=supple.Cone(swing=(0.5, 0.9, 0.3, 0.4), axis="z"))
arms = [
    supple.Node(f"{side}{n}", f"{side}{n - 1}" if n else "hips", (0.5, 0.3 * sign * (n == 0), 0), supple.Ball())
    for side, sign in (("L", 1), ("R", -1))
    for n in range(3)
]
tips = [supple.Tip("hand.L", "L2", (0.5, 0, 0)), supple.Tip("hand.R", "R2", (0.5, 0, 0))]
body = supple.Skeleton([hips, *arms], tips)
capsule = supple.Capsule((0, 0, 0), (0.5, 0, 0), 0.05)
body = body.with_physics(capsules=dict.fromkeys(body.joint_names[1:], capsule))
hands = ["hand.L", "hand.R"]
machines = {
    "own": [level(hands, 0.2)],
    "loop": [supple.Connect(*hands)],
    "moving": [supple.LookAt("R0", supple.On("hand.L"))],
    "avoid": [supple.Avoid(0.02)],
}
for solver in sys.argv[1:]:
    for name, goals in machines.items():
        try:
            problem = supple.prepare(body, [supple.Reach("hand.L"), *goals], solver=solver)
        except supple.SuppleError:
            continue
        answer = problem.solve(rng.normal(size=(10, 3)), threads=1)
        digests[f"{solver} {name}"] = hashlib.sha256(answer._rows.tobytes()).hexdigest()
print(json.dumps([decorators.MODE, digests]))
"""
SOLVERS = ("TwoBone", "CCD", "TargetTriangle", "FABRIK", "Jacobian", "LM", "auto", "Optimize")


def digests(solvers, **environment):
    as_a_user = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA", "SUPPLE"))}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *solvers],
        env=as_a_user | environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.skipif(library.functions() is None, reason="there is no library")
@pytest.mark.skipif(sys.platform != "linux", reason="other platforms have other math libraries")
def test_the_library_gives_the_bits_of_just_in_time_kernels():
    solvers = SOLVERS if os.environ.get("SUPPLE_SAME_BITS") == "all" else ()
    mode, ahead = digests(solvers)
    assert mode == "library"
    mode, now = digests(solvers, SUPPLE_JIT="1")
    assert mode == "jit"
    assert len(ahead) >= 5 + len(solvers)
    assert ahead == now
