"""`supple reach` with whole machines: keyframes, loops, collisions, balance."""

import numpy as np
import pytest

import supple

CHAIN = "chain:1,1,1"
ROBOT = """
<mujoco model="arm">
  <compiler angle="radian"/>
  <worldbody>
    <body name="upper" pos="0 0 0.3">
      <joint name="shoulder" axis="0 1 0" range="-2 2"/>
      <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.04"/>
      <body name="lower" pos="0.4 0 0">
        <joint name="elbow" axis="0 1 0" range="-2.5 0"/>
        <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/>
        <site name="hand" pos="0.3 0 0"/>
      </body>
    </body>
  </worldbody>
  <keyframe><key name="home" qpos="0.3 -0.8"/></keyframe>
</mujoco>
"""


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    path = tmp_path_factory.mktemp("robot") / "arm.xml"
    path.write_text(ROBOT)
    return path


def test_a_keyframe_is_a_start(run, run_json, robot):
    model = supple.load(robot)
    at = model.poses["home"].position("hand")
    text = ",".join(map(str, at))
    code, data = run_json("reach", robot, "--start", "home", "-e", "hand", "--to", text)
    assert code == 0 and data["iterations"] <= 1
    assert list(data["angles"].values()) == pytest.approx([0.3, -0.8], abs=1e-6)
    result = run("reach", robot, "--start", "hom", "-e", "hand", "--to", text)
    assert result.exit_code == 2 and "did you mean 'home'" in result.stderr
    code, data = run_json(
        "reach", robot, "--start", "home", "--limits", "elbow=-100:0", "-e", "hand", "--to", text
    )
    assert list(data["angles"].values()) == pytest.approx([0.3, -0.8], abs=1e-6)


def test_a_robot_keeps_out_of_the_ground(run, run_json, robot):

    ask = ("reach", robot, "-e", "hand", "--to", "0.5,0,0.1")
    code, data = run_json(*ask)
    assert code == 0 and "collision" not in data
    code, data = run_json(*ask, "--avoid", "0.01", "--obstacle", "plane:0,0,0.15:z")
    assert code == 1 and data["collision"] is None
    assert data["positions"]["hand"][2] > 0.15
    assert {goal["kind"] for goal in data["goals"]} == {"Reach", "Avoid"}
    result = run(*ask, "--obstacle", "plane:0,0,0.15:z")
    assert "no collision" in result.stdout


def test_a_collision_is_named(run, run_json, tmp_path):
    ask = ("reach", "chain:1,1@hinge:z:-5:5", "--to", "2,0.05,0",
           "--obstacle", "capsule:1.5,0,0:1.6,0,0:0.4", "--lock", "j0")  # fmt: skip
    code, data = run_json(*ask, "--plot", tmp_path / "a.png")
    assert code == 1 and data["status"] == "COLLIDES"
    assert data["collision"]["a"] == "j1" and data["collision"]["b"] == "obstacle 0 (Capsule)"
    assert data["collision"]["depth"] > 0.3 and (tmp_path / "a.png").stat().st_size > 1000
    result = run(*ask)
    assert result.stdout.startswith("collides: j1 and obstacle 0 (Capsule) are")
    assert "j1 and obstacle 0 (Capsule) 0.456 too near" in result.stdout


def test_loops_are_closed_and_shown(run, run_json):
    code, data = run_json("reach", "chain:1,1,1,1", "--connect", "tip,j1")
    assert code == 0
    assert data["loops"][0]["bones"] == "tip and j1" and data["loops"][0]["error"] < 1e-6
    at = data["positions"]
    assert at["tip"] == pytest.approx(at["j1"], abs=1e-6)
    result = run("reach", "chain:1,1,1,1", "--weld", "tip,j0")
    assert result.exit_code == 0 and "loops open by" in result.stdout
    assert "turned by" in result.stdout
    code, data = run_json("reach", "chain:1,1,3", "--connect", "tip,j0")
    assert code == 1 and data["status"] == "OPEN_LOOP"


def test_balance_weighs_what_has_no_masses(run_json, tmp_path):
    hero = supple.humanoid()
    supple.save(hero, tmp_path / "hero.glb")
    out = tmp_path / "out.glb"
    ask = ("reach", tmp_path / "hero.glb", "-e", "hand.L", "--to", "0.3,1.2,0.55",
           "--hold", "foot.L", "--hold", "foot.R")  # fmt: skip
    code, data = run_json(
        *ask, "--balance", "foot.L,foot.R", "--balance-margin", "0.01", "--out", out
    )
    assert data["off_balance"] == 0.0 and len(data["center_of_mass"]) == 3
    saved = supple.load(out)
    assert saved.skeleton.masses is None
    assert saved.pose.position("hand.L") == pytest.approx(data["positions"]["hand.L"], abs=1e-5)


def test_a_bone_may_be_the_target(run_json):
    code, data = run_json("reach", CHAIN, "-e", "tip", "--to", "j1")
    assert code == 0
    assert np.linalg.norm(np.subtract(data["positions"]["tip"], data["positions"]["j1"])) < 4e-4
    assert data["goals"][0]["target"] == {"on": "j1", "point": [0, 0, 0]}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--to", "1,1,0", "--obstacle", "plne:0,0,0"], "did you mean 'plane'"),
        (["--connect", "tip,j9"], "joint or tip to connect 'j9'"),
        (["--connect", "tip,tip"], "expected two bones"),
        (["--avoid", "0"], "nothing to reach"),
        (["--to", "1,1,0", "--balance", "foot"], "foot to balance on 'foot'"),
        (["--to", "1,1,0", "--balance-margin", "1"], "expected --balance"),
        (["--to", "1,1,0", "--start", "home"], "home"),
        (["--to", "1,1,0", "--avoid", "0", "--solver", "CCD"], "CCD"),
    ],
)
def test_bad_options_are_refused(run, options, said):
    result = run("reach", CHAIN, *options)
    assert result.exit_code == 2
    assert said in result.stderr and "Traceback" not in result.stderr
