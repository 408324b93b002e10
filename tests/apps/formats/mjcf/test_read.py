"""MJCF models, compared with MuJoCo itself."""

import mujoco
import numpy as np
import pytest

import supple
from supple import SuppleError, robot, rotations

EVERYTHING = """<mujoco model="everything">
  <compiler angle="degree" autolimits="true" eulerseq="XYZ"/>
  <default>
    <joint axis="0 1 0"/>
    <default class="stiff"><joint stiffness="5"/><geom rgba="1 0 0 1"/></default>
  </default>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1"/>
    <site name="mark" pos="1 0 0"/>
    <body name="base" pos="0.1 0.2 0.3" euler="10 20 30">
      <freejoint name="root"/>
      <inertial pos="0 0 0.1" mass="2" diaginertia="0.1 0.2 0.15"/>
      <geom type="box" size="0.1 0.2 0.05"/>
      <frame pos="0 0 0.5" euler="0 90 0">
        <body name="thigh" pos="0.1 0 0" childclass="stiff">
          <joint name="hip x" axis="1 0 0" pos="0 0.05 0.02" range="-30 50"/>
          <joint name="hip y" pos="0.03 0 -0.01" ref="20" range="-40 60"/>
          <joint name="hip z" axis="0 0 1" type="slide" ref="0.1" range="-1 1"/>
          <geom name="shank" type="capsule" fromto="0 0 0 0.4 0 0" size="0.04"/>
          <body name="ball" pos="0.4 0 0" quat="0.5 0.5 0.5 0.5">
            <joint name="socket" type="ball" pos="0 0 0.03"/>
            <geom type="ellipsoid" size="0.05 0.06 0.2"/>
            <site name="toe" pos="0 0 0.2" euler="0 0 45"/>
            <body name="nail" pos="0 0 0.25"><geom size="0.01"/></body>
          </body>
        </body>
      </frame>
    </body>
    <body name="crank" pos="2 0 0">
      <joint name="a" ref="15"/>
      <geom type="cylinder" size="0.1 0.02"/>
      <body name="rod" pos="0.3 0 0">
        <joint name="b" ref="-5" pos="0.1 0 0"/>
        <geom type="box" size="0.1 0.1 0.1"/>
      </body>
    </body>
  </worldbody>
  <contact><exclude body1="thigh" body2="ball"/></contact>
  <equality>
    <joint joint1="b" joint2="a" polycoef="0.2 -0.5 0 0 0"/>
  </equality>
  <keyframe>
    <key name="home" qpos="0 0 1 1 0 0 0 0.1 0.2 0.3 1 0 0 0 0.4 0.1"/>
  </keyframe>
</mujoco>
"""


@pytest.fixture
def write(tmp_path):
    def put(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return put


def random_qpos(model, count, rng):
    q = rng.uniform(-1, 1, (count, model.nq))
    for j in range(model.njnt):
        at, kind = int(model.jnt_qposadr[j]), int(model.jnt_type[j])
        if kind < 2:  # free, ball
            at += 3 * (kind == 0)
            q[:, at : at + 4] = rotations.normalize(rng.normal(size=(count, 4)))
    return q


def held_against_mujoco(character, model, q):
    """Largest differences of bodies, sites and the centre of mass."""
    data = mujoco.MjData(model)
    poses = robot.from_qpos(character, q)
    skeleton = character.skeleton
    largest = 0.0
    for k, row in enumerate(q):
        data.qpos[:] = row
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        pose = poses[k]
        for count, name_of, where, how in (
            (model.nbody, lambda k: model.body(k).name, data.xpos, data.xmat),
            (model.nsite, lambda k: model.site(k).name, data.site_xpos, data.site_xmat),
        ):
            for i in range(count):
                name = name_of(i)
                R = rotations.to_matrix(pose.rotation(name))
                largest = max(largest, np.abs(pose.position(name) - where[i]).max())
                largest = max(largest, np.abs(R - how[i].reshape(3, 3)).max())
        if all((skeleton.masses or {"": None}).values()):
            off = pose.center_of_mass - data.subtree_com[0]
            largest = max(largest, np.abs(off).max())
    return largest


FINGERS = """<mujoco><worldbody>
    <body><joint name="left" axis="0 1 0" range="0 45"/><geom size="0.1"/></body>
    <body pos="1 0 0"><joint name="right" axis="0 1 0" range="%s"/><geom size="0.1"/></body>
  </worldbody><equality><joint joint1="right" joint2="left" polycoef="0 -1 0 0 0"/></equality></mujoco>"""


def test_limits_of_coupled_joints_hold_for_both_unless_they_lock_them(tmp_path):
    path = tmp_path / "fingers.xml"
    path.write_text(FINGERS % "-30 10")
    both = supple.load(path)
    held = both.skeleton.pose({"left": 1.0}).clamped()
    assert np.allclose(held.coordinates, np.radians([30, -30]))
    path.write_text(FINGERS % "0 45")
    free = supple.load(path)
    assert free.skeleton.pose({"left": 0.7}).violations().max() == 0
    assert any("'right': its limits [0, 0.785398] would leave [0, 0]" in n.text for n in free.notes)


def test_kinematics_and_center_of_mass_are_mujocos(write):
    character = supple.load(write("robot.xml", EVERYTHING))
    model = mujoco.MjModel.from_xml_string(EVERYTHING)
    q = random_qpos(model, 50, np.random.default_rng(1))
    a, b = (int(model.joint(name).qposadr[0]) for name in "ab")
    q[:, b] = np.radians(-5) + 0.2 - 0.5 * (q[:, a] - np.radians(15))
    assert held_against_mujoco(character, model, q) < 1e-12
    assert np.array_equal(robot.qpos(character, robot.from_qpos(character, q)), q)
    assert np.allclose(robot.qpos(character, character.pose)[:7], model.qpos0[:7], atol=0)


def test_joints_keep_names_limits_and_order(write):
    character = supple.load(write("robot.xml", EVERYTHING))
    skeleton = character.skeleton
    assert skeleton.joint_names == (
        *("world", "root", "hip x", "hip y", "hip z", "socket", "nail", "a", "b"),
    )
    assert skeleton.joints[skeleton.index("hip x")].limits == pytest.approx(
        (np.radians(-30), np.radians(50))
    )
    assert skeleton.joints[skeleton.index("hip y")].limits[1] == pytest.approx(np.radians(60))
    assert isinstance(skeleton.joints[skeleton.index("root")], supple.Free)
    assert isinstance(skeleton.joints[skeleton.index("socket")], supple.Ball)
    assert skeleton.joints[skeleton.index("b")].mimic.joint == "a"
    assert set(skeleton.tip_names) == {"base", "thigh", "ball", "crank", "rod", "mark", "toe"}
    assert (character.unit, character.up) == ("m", "z")
    assert robot.joint_names(character, to="nail") == ("hip x", "hip y", "hip z")


def test_keyframes_are_poses(write):
    character = supple.load(write("robot.xml", EVERYTHING))
    home = character.poses["home"]
    qpos = robot.qpos(character, home)
    assert qpos[:10] == pytest.approx([0, 0, 1, 1, 0, 0, 0, 0.1, 0.2, 0.3])
    assert home.skeleton == character.skeleton
    assert supple.load(write("again.xml", EVERYTHING)).poses == character.poses


def test_geoms_masses_and_excluded_pairs(write):
    skeleton = supple.load(write("robot.xml", EVERYTHING)).skeleton
    kinds = [geom.kind for geom in skeleton.geoms]
    assert kinds == ["plane", "box", "capsule", "ellipsoid", "sphere", "cylinder", "box"]
    shank = next(geom for geom in skeleton.geoms if geom.name == "shank")
    assert shank.joint == "hip z" and shank.size == pytest.approx((0.04, 0.2))
    assert skeleton.physics.excludes == (("hip z", "socket"),)
    assert skeleton.masses["root"].mass == 2
    assert set(skeleton.capsules) == {"root", "hip z", "socket", "nail", "a", "b"}


def test_includes_defaults_and_attached_models(write):
    write(
        "parts/joints.xml",
        '<mujocoinclude><default><default class="d"><joint axis="1 0 0"/></default></default></mujocoinclude>',
    )
    write(
        "parts/arm.xml",
        '<mujoco><compiler angle="radian" meshdir="m"/><asset><mesh name="t" file="t.obj"/></asset>'
        '<worldbody><body name="arm"><joint name="j" range="-1 1"/><geom type="mesh" mesh="t"/>'
        "</body></worldbody></mujoco>",
    )
    write(
        "parts/m/t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
    )
    text = """<mujoco>
  <include file="parts/joints.xml"/>
  <asset><model name="arm" file="parts/arm.xml"/></asset>
  <worldbody>
    <body name="trunk"><joint name="turn" class="d"/><geom size="0.1"/>
      <frame pos="0 0 1"><attach model="arm" body="arm" prefix="left "/></frame>
      <replicate count="2" offset="0 1 0" sep=" "><body name="toe"><joint/><geom size="1"/></body></replicate>
    </body>
  </worldbody></mujoco>"""
    character = supple.load(write("robot.xml", text))
    skeleton = character.skeleton
    assert skeleton.joints[skeleton.index("turn")].axis == (1, 0, 0)
    assert "left j" in skeleton and "toe 1" in skeleton
    mesh = next(geom for geom in skeleton.geoms if geom.kind == "mesh")
    corners = mesh.to_joint(mesh.vertices)
    expected = [(0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0)]
    assert np.allclose(sorted(map(tuple, corners.round(6).tolist())), expected, atol=1e-6)


def test_couplings_of_joints_and_tendons(write):
    text = """<mujoco><compiler angle="radian"/><worldbody>
      {bodies}
      </worldbody>
      <tendon><fixed name="t"><joint joint="c" coef="2"/><joint joint="d" coef="1"/></fixed>
      <fixed name="u"><joint joint="a" coef="2"/></fixed></tendon>
      <equality>
        <joint joint1="b" joint2="a" polycoef="0 2 0 0 0"/>
        <joint joint1="b" joint2="c" polycoef="0.5 -1 0 0 0"/>
        <tendon tendon1="t" polycoef="0.3 0 0 0 0"/>
        <joint joint1="e" joint2="a" polycoef="0 1 0.5 0 0"/>
        <joint joint1="f" polycoef="0.25 0 0 0 0"/>
        <joint joint1="g" joint2="a" active="false"/>
      </equality></mujoco>"""
    bodies = "".join(
        f'<body pos="{k} 0 0"><joint name="{name}"/><geom size="0.1"/></body>'
        for k, name in enumerate("abcdefg")
    )
    character = supple.load(write("robot.xml", text.format(bodies=bodies)))
    pose = character.skeleton.pose({"a": 0.1})
    b = 0.2
    c = 0.5 - b
    found = dict(zip("abcd", robot.qpos(character, pose)[:4], strict=True))
    assert found == pytest.approx({"a": 0.1, "b": b, "c": c, "d": 0.3 - 2 * c})
    assert robot.joint_names(character) == ("a", "e", "f", "g")
    assert character.skeleton.joints[character.skeleton.index("f")].limits == (0.25, 0.25)
    assert any("not linear" in note.text for note in character.notes)
    q = robot.qpos(character, pose)
    assert np.array_equal(robot.qpos(character, robot.from_qpos(character, q)), q)
    exact = q.copy()
    q[1] += 0.1  # couplings are soft in MuJoCo, so states of a simulation are off them
    state = robot.from_qpos(character, q)
    assert np.array_equal(robot.qpos(character, state), q)
    assert robot.qpos(character, robot.from_qpos(character, q, project=True)) == pytest.approx(
        exact
    )


def test_keyframes_off_a_coupling_are_kept(write):
    path = write(
        "robot.xml",
        """<mujoco><worldbody>
        <body><joint name="a"/><geom size="0.1"/></body>
        <body pos="1 0 0"><joint name="b"/><geom size="0.1" pos="0 0.2 0"/><site name="s" pos="0 1 0"/></body>
        </worldbody><equality><joint joint1="a" joint2="b"/></equality>
        <keyframe><key name="home" qpos="0.1 0.5"/></keyframe></mujoco>""",
    )
    character = supple.load(path)
    home = character.poses["home"]
    assert robot.qpos(character, home).tolist() == [0.1, 0.5]
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    data.qpos[:] = 0.1, 0.5
    mujoco.mj_kinematics(model, data)
    assert home.position("s") == pytest.approx(data.site("s").xpos)
    # Following joints move with what they copy as soon as a solve moves that.
    target = character.skeleton.pose({"b": 0.7}).position("s")
    found = supple.solve(character.skeleton, supple.Reach("s", target), start=home)
    assert found
    assert robot.qpos(character, found.pose) == pytest.approx([0.7, 0.7], abs=1e-3)


def test_loops_are_kept_and_said(write):
    text = """<mujoco><worldbody>
      <body name="p" pos="0 0 1"><joint name="p1" axis="0 1 0" pos="0.1 0 0"/><geom size="0.1"/>
        <body name="q" pos="1 0 0"><joint name="q1" axis="0 1 0"/><geom size="0.1"/>
          <site name="s" pos="0.5 0 0"/></body>
      </body>
      <body name="r" pos="2 0 0"><freejoint name="f"/><geom size="0.1"/>
        <site name="t" pos="0 0 0.1" euler="0 0 30"/></body>
    </worldbody>
    <equality>
      <connect name="pin" body1="q" body2="r" anchor="0.5 0 0"/>
      <weld name="glue" body1="r" body2="p" relpose="0.1 0.2 0.3 0.5 0.5 0.5 0.5" anchor="0 0.1 0"/>
      <connect name="sites" site1="s" site2="t"/>
      <weld name="site weld" site1="s" site2="t"/>
    </equality></mujoco>"""
    character = supple.load(write("robot.xml", text))
    loops = character.skeleton.loops
    assert [(one.name, one.kind) for one in loops] == [
        *(("pin", "connect"), ("glue", "weld"), ("sites", "connect"), ("site weld", "weld")),
    ]
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    q = random_qpos(model, 1, np.random.default_rng(2))[0]
    data.qpos[:] = q
    mujoco.mj_forward(model, data)
    pose = robot.from_qpos(character, q)
    frames = pose.frames
    at = 0
    for loop in loops:  # the residuals of MuJoCo's constraints
        T_a, T_b = (frames[character.skeleton.index(name)] for name in (loop.a, loop.b))
        gap = T_a @ (*loop.point_a, 1) - T_b @ (*loop.point_b, 1)
        assert gap[:3] == pytest.approx(data.efc_pos[at : at + 3], abs=1e-12)
        at += 3
        if loop.kind == "weld":
            want = rotations.multiply(pose.rotation(loop.a), loop.rotation)
            turn = rotations.multiply(rotations.conjugate(pose.rotation(loop.b)), want)
            assert np.linalg.norm(turn[1:]) == pytest.approx(
                np.linalg.norm(data.efc_pos[at : at + 3]), abs=1e-12
            )
            at += 3


def test_missing_meshes_are_a_note(write):
    text = """<mujoco><compiler meshdir="assets"/>
      <default><default class="v"><geom type="mesh" mesh="body"/></default></default>
      <asset><mesh name="body" file="body.stl"/><mesh file="other.obj"/><texture name="t" type="2d" file="t.png"/>
      <material name="m" texture="t"/></asset>
      <worldbody>
        <body name="a"><joint name="j"/><geom class="v" material="m"/></body>
        <body name="b"><joint name="k"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
          <geom type="mesh" mesh="other"/><geom size="0.2"/></body>
      </worldbody></mujoco>"""
    character = supple.load(write("robot.xml", text))
    assert [geom.kind for geom in character.skeleton.geoms] == ["sphere"]
    notes = " ".join(note.text for note in character.notes)
    assert "2 meshes were not read" in notes and "body.stl" in notes
    assert character.skeleton.masses["j"] is None and character.skeleton.masses["k"].mass == 1
    with pytest.raises(SuppleError, match="center of mass.*'j'"):
        _ = character.pose.center_of_mass


def test_bodies_without_mass_can_be_read(write):
    text = '<mujoco><worldbody><body><joint name="j"/><site name="tip" pos="1 0 0"/></body></worldbody></mujoco>'
    character = supple.load(write("robot.xml", text))
    assert character.skeleton.rest.position("tip") == pytest.approx([1, 0, 0])
    with pytest.raises(SuppleError, match="center of mass"):
        _ = character.pose.center_of_mass


def test_names_that_are_missing_or_doubled(write):
    text = """<mujoco><worldbody>
      <body name="x"><joint name="x"/><geom size="1"/><site name="x"/></body>
      <body><joint/><joint axis="1 0 0"/><geom size="1"/></body>
    </worldbody></mujoco>"""
    character = supple.load(write("robot.xml", text))
    assert character.extras["mjcf"]["bodies"] == {"world": "world", "x": "x body"}
    assert character.extras["mjcf"]["sites"] == {"x": "x site"}
    assert any("called 'x' 'x body', 'x' 'x site'" in note.text for note in character.notes)
    skeleton = character.skeleton
    assert skeleton.names == (
        "world",
        "x",
        "body 2 joint",
        "body 2 joint 2",
        "x body",
        "body 2",
        "x site",
    )


def test_qpos_of_other_robots_goes_depth_first():
    skeleton = supple.Skeleton(
        [
            supple.Node("base", None, joint=supple.Free()),
            supple.Node("left", "base", joint=supple.Hinge("x")),
            supple.Node("right", "base", joint=supple.Slider("x")),
            supple.Node("left hand", "left", joint=supple.Ball()),
        ]
    )
    qpos = [1, 2, 3, 1, 0, 0, 0, 0.1, 0, 1, 0, 0, 0.4]
    pose = robot.from_qpos(skeleton, qpos)
    assert pose.coordinates[pose.skeleton.packed_ints[2, 2]] == pytest.approx(0.4)
    assert np.array_equal(robot.qpos(skeleton, pose), qpos)
    with pytest.raises(SuppleError, match=r"shape \(\.\.\., 13\)"):
        robot.from_qpos(skeleton, [0.0] * 12)
    with pytest.raises(SuppleError, match="quaternions"):
        robot.from_qpos(skeleton, np.zeros(13))


def test_equalities_of_spatial_tendons_are_noted(write):
    text = """<mujoco><worldbody><site name="a"/>
      <body><joint name="j"/><geom size="1"/><site name="b" pos="1 0 0"/></body></worldbody>
      <tendon><spatial name="t"><site site="a"/><site site="b"/></spatial><fixed><joint joint="j" coef="1"/></fixed>
        <spatial><site site="a"/><site site="b"/></spatial></tendon>
      <equality>
        <tendon tendon1="t"/></equality></mujoco>"""
    character = supple.load(write("robot.xml", text))
    note = next(note for note in character.notes if "spatial" in note.text)
    assert note.line == 6


def test_visible_geoms_are_meshes_on_request(write):
    path = write("robot.xml", EVERYTHING)
    assert supple.load(path).meshes == ()
    character = supple.load(path, meshes=True)
    assert len(character.meshes) == 6  # all but the plane
    shank = character.mesh("shank")
    assert np.allclose(
        [shank.positions.min(0), shank.positions.max(0)],
        [(-0.04, -0.04, -0.04), (0.44, 0.04, 0.04)],
        atol=2e-3,
    )
    assert shank.joint == "hip z" and shank.material.color[:3] == pytest.approx((1, 0, 0))


def test_saving_says_what_is_left_out(write, tmp_path):
    character = supple.load(write("robot.xml", EVERYTHING), meshes=True)
    notes = supple.save(character, tmp_path / "robot.glb")
    assert any("7 geoms, 6 masses, 1 pose" in note.text for note in notes)


def test_meshes_of_an_included_file_are_found_beside_it(write):
    mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
    write("parts/geo/t.obj", mesh)
    write(
        "parts/defs/a.xml",
        '<mujoco><asset><mesh name="t" file="../geo/t.obj"/></asset></mujoco>',
    )
    text = """<mujoco><include file="parts/defs/a.xml"/><worldbody>
        <body><joint name="j"/><geom type="mesh" mesh="t"/></body></worldbody></mujoco>"""
    character = supple.load(write("robot.xml", text))
    assert [geom.kind for geom in character.skeleton.geoms] == ["mesh"]
    assert character.skeleton.masses["j"] is not None


TORUS = """<mujoco>
  <extension><plugin plugin="mujoco.sdf.torus"><instance name="t"><config key="radius1" value="0.35"/>
    <config key="radius2" value="0.15"/></instance></plugin></extension>
  <default><default class="field"><geom type="sdf"/></default></default>
  <asset><mesh name="torus"><plugin instance="t"/></mesh></asset>
  <worldbody>
    <body name="b"><freejoint name="root"/><geom type="box" size="0.1 0.1 0.1"/>
      <body name="c"><joint name="j"/><geom GEOM mesh="torus"><plugin instance="t"/></geom></body></body>
  </worldbody></mujoco>"""


def warnings_of(character):
    return " | ".join(note.text for note in character.notes if note.level == "warning")


@pytest.mark.parametrize("geom", ['type="sdf"', 'class="field"', 'type="capsule"'])
def test_a_shape_of_a_plugin_is_left_out_and_its_mass_unknown(write, geom):
    character = supple.load(write("robot.xml", TORUS.replace("GEOM", geom)))
    assert [one.kind for one in character.skeleton.geoms] == ["box"]
    assert "'torus': a plug-in makes it" in warnings_of(character)
    assert character.skeleton.masses["j"] is None and character.skeleton.masses["root"] is not None
    support = [[1.0, 1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, -1.0, 0.0]]
    with pytest.raises(SuppleError, match="'j'"):
        supple.solve(
            character.skeleton, [supple.Reach("c", (0, 0, 1)), supple.Balance(support=support)]
        )


def test_a_signed_distance_field_of_a_mesh_file_is_its_mesh(write):
    write("t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    character = supple.load(
        write(
            "robot.xml",
            """<mujoco><asset><mesh name="t" file="t.obj"/></asset>
      <worldbody><body name="b"><joint name="j"/><geom type="sdf" mesh="t"/></body></worldbody></mujoco>""",
        )
    )
    assert [one.kind for one in character.skeleton.geoms] == ["mesh"]
    assert "read as its mesh" in warnings_of(character)
    assert character.skeleton.masses["j"].mass == pytest.approx(1000 / 6)


@pytest.mark.parametrize("scale", ["1 1 1", "1e-6 1e-6 1e-6"])
def test_nothing_is_fitted_to_a_mesh_that_is_missing(write, scale):
    text = f"""<mujoco><compiler fitaabb="true"/><asset><mesh name="m" file="gone.obj" scale="{scale}"/></asset>
      <worldbody><body name="b"><joint name="j"/><geom type="capsule" mesh="m"/></body></worldbody></mujoco>"""
    character = supple.load(write("robot.xml", text))
    assert (
        not character.skeleton.geoms
        and character.skeleton.masses is None
        or (character.skeleton.masses["j"] is None)
    )
    assert "gone.obj" in warnings_of(character)


def test_a_height_field_on_a_body_has_a_mass_that_is_not_known(write):
    text = """<mujoco><asset><hfield name="h" nrow="4" ncol="4" size="1 1 1 1"/></asset><worldbody>
      <geom type="hfield" hfield="h"/>
      <body name="a"><joint name="j"/><geom size="0.1"/></body>
      <body name="b"><joint name="k"/><geom size="0.1"/><geom type="hfield" hfield="h"/></body>
      </worldbody></mujoco>"""
    character = supple.load(write("robot.xml", text))
    assert [one.kind for one in character.skeleton.geoms] == ["sphere", "sphere"]
    assert character.skeleton.masses["j"] is not None and character.skeleton.masses["k"] is None
    assert "height field" in warnings_of(character)


def test_soft_bodies_are_left_out_with_all_that_names_them(write):
    zeros = " ".join(["0"] * 11)
    text = f"""<mujoco><worldbody>
      <body name="hand"><joint name="lift" type="slide"/><geom size="0.1"/>
        <body name="palm"><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>
          <flexcomp name="rod" type="grid" count="2 2 1" spacing="0.1 0.1 0.1" dim="2" mass="0.5" radius="0.01">
            <pin id="3"/></flexcomp></body></body>
      <body name="other"><joint name="h"/><geom size="0.1"/></body></worldbody>
      <equality><connect body1="rod_0" body2="other" anchor="0 0 0"/><flex flex="rod"/>
        <connect body1="hand" body2="other" anchor="0 0 0"/></equality>
      <contact><exclude body1="rod_1" body2="other"/></contact>
      <keyframe><key name="soft" qpos="{zeros}"/><key name="plain" time="1"/></keyframe></mujoco>"""
    assert mujoco.MjModel.from_xml_string(text).nq == 11
    character = supple.load(write("robot.xml", text))
    assert [(loop.a, loop.b) for loop in character.skeleton.loops] == [("lift", "h")]
    assert list(character.poses) == ["plain"]
    masses = character.skeleton.masses
    assert masses["palm"] is None and masses["lift"] is not None and masses["h"] is not None
    said = warnings_of(character)
    for words in (
        "soft bodies",
        "connect of a soft body",
        "exclude of",
        "kind 'flex'",
        "keyframe 'soft'",
    ):
        assert words in said


CROWD = """<mujoco><worldbody><replicate count="30" offset="0 0 1"><body name="b"><freejoint/><geom size="0.1"/>
  BODIES</body></replicate></worldbody></mujoco>""".replace(
    "BODIES", "<body><joint/><geom size='0.1'/>" * 20 + "</body>" * 20
)  # fmt: skip


def test_a_crowd_needs_no_stack_of_a_simulation(write, monkeypatch):
    path = write("crowd.xml", CROWD)
    monkeypatch.setenv("SUPPLE_MEMORY_MB", "48")
    assert mujoco.MjModel.from_xml_path(str(path)).narena > 48 << 20, "by itself, MuJoCo takes more"
    assert len(supple.load(path).skeleton.names) > 600


def test_too_little_memory_is_said_to_be_our_limit(write, monkeypatch):
    monkeypatch.setenv("SUPPLE_MEMORY_MB", "8")
    with pytest.raises(SuppleError, match=r"8 MB.*SUPPLE_MEMORY_MB=512"):
        supple.load(write("crowd.xml", CROWD))
    monkeypatch.setenv("SUPPLE_MEMORY_MB", "much")
    with pytest.raises(
        SuppleError, match="SUPPLE_MEMORY_MB: expected a number of MB above 0, got 'much'"
    ):
        supple.load(write("crowd.xml", CROWD))
