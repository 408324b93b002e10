"""Damaged files of every kind: each is read, or refused by a SuppleError; nothing else escapes.

The damage is random and the same in every run. SUPPLE_FUZZ asks for more files of each kind.
"""

import json
import os
import random
import re
from pathlib import Path

import numpy as np
import pytest

import supple
from supple import Character, Mesh, Motion, Skin, SuppleError
from supple.apps.clips.models import mesh as read_mesh
from supple.apps.clips.models import skeleton as read_skeleton
from supple.apps.clips.plan import load_plan
from supple.apps.formats.collada import read_collada
from supple.apps.formats.lint import lint
from supple.apps.formats.obj.read import read_obj
from supple.apps.formats.source import Source
from supple.apps.viewer.library import read_json

COUNT = int(os.environ.get("SUPPLE_FUZZ", "12"))  # files of each kind
NUMBER = re.compile(rb"[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?")
WORD = re.compile(rb"[A-Za-z_]+")
URDF = """<robot name="arm"><link name="base"/><link name="upper"/><link name="hand"/>
<joint name="a" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
<origin xyz="0 0 1" rpy="0 0.1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="b" type="continuous"><parent link="upper"/><child link="hand"/><axis xyz="0 1 0"/>
<origin xyz="1 0 0"/></joint></robot>"""
DAE = """<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="0.01"/><up_axis>Y_UP</up_axis></asset><library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="9">0 0 0 1 0 0 0 1 0</float_array><technique_common>
<accessor source="#a" count="3" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source><vertices id="v">
<input semantic="POSITION" source="#p"/></vertices><triangles count="1">
<input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n"><matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix>
<instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"""
OBJ = "# a square\no square\nv 0 0 0\nv 1 0 0\nv 1 1 0 1\nv 0 1 0\nvt 0 0\nvn 0 0 1\nf 1/1/1 2/1 3//1 -1\n"
MAP = """# Which joints play which part of a body.
format = "supple-body-map"

[joints]
hips = "j0"
spine = ["j1"]
"left_hand" = 'j2'
"""
PLAN = """up = "y"
[budgets]
skate = 0.5
seam = false

[[steps]]
do = "reach"
effector = "tip"
by = [0, 0.05, 0]
from = 0.1

[[steps]]
do = "plant"
"""
PIECES = [
    b"\0", b"\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"-1", b"1e999", b"-1e308", b"nan", b"inf", b"0", b"1_0",
    b"99999999999999999999", b"9" * 5000, b"1e-320", b"0x10", b'"', b"'", b"{", b"}", b"[", b"]", b"<", b">", b",",
    b"\n", b"\r", b"\t", b" ", b"../../", b"/", b"#", b"null", b"true", b"[[[[" * 20000, b"\\u0000", b"\\ud800", b"=",
    b"\xff\xff\xff\xff", b"\0\0\0\x80", b"\0\0\xc0\x7f", b"\0\0\x80\x7f", b"\xff\xff\xff\x7f", b"\x01\0\0\0",
]  # fmt: skip


def limb():
    """A small character with a skin, a material, a morph, tracks, limits, a pose and two motions."""
    skeleton = supple.Skeleton(
        [
            ("j0", None, (0, 0, 0), supple.Ball()),
            ("j1", "j0", (1, 0, 0), supple.Hinge("z", limits=(-2, 2))),
            ("j2", "j1", (1, 0, 0), supple.Axes("xyz", frozen="y")),
        ],
        [supple.Tip("tip", "j2", (1, 0, 0))],
    )
    points = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [1, 1, 0]], dtype=float)
    joints, weights = np.array([[0], [0], [1], [2]]), np.ones((4, 1))
    skin = Skin.from_table(
        skeleton.joint_names, np.linalg.inv(skeleton.rest.frames[:3]), joints, weights
    )
    image = supple.Texture("a.png", b"\x89PNG\r\n\x1a\n", "image/png")
    look = supple.Material("paint", texture=image)
    mesh = Mesh("limb", points, [[0, 1, 3], [1, 2, 3]], texcoords=np.zeros((4, 2)), material=look,
                skin=skin, morphs=(supple.Morph("up", np.ones((4, 3))),))  # fmt: skip
    poses = supple.Pose.stack([skeleton.rest, skeleton.pose({"j1": 0.5})])
    tracks = {"morphs:limb": np.zeros((2, 1))}
    motions = {
        "wave": Motion("wave", poses, fps=30, tracks=tracks),
        "nod": Motion("nod", poses, fps=10),
    }
    return Character(skeleton, (mesh,), motions, poses[1], unit="m", up="y")


def use(character):
    """What people do with a character first."""
    assert np.isfinite(character.pose.positions).all()
    repr(character)
    lint(character)


def load(path):
    use(supple.load(path))


def robot(path, **options):
    """Load a table of qpos as the motion of a robot."""
    arm = path.with_name("arm.urdf")
    arm.write_text(URDF)
    use(supple.load(arm, motions=[path], **options))


def named(path):
    """Load a .character file with a file of names."""
    whole = path.with_name("whole.character")
    supple.save(limb(), whole)
    use(supple.load(whole, names=path))


def shapes(path):
    mesh = path.with_name("a.smd")
    mesh.write_bytes(SEEDS["a.smd"][0])
    use(supple.load(mesh, shapes=path))


def whole_files(folder: Path):
    """A whole file of each kind with what reads it, by name."""
    hero = limb()
    found = {}
    for name in ("a.bvh", "a.smd", "a.glb", "a.character"):
        thing = hero if name != "a.bvh" else hero.motions["wave"]
        supple.save(thing, folder / name)
        found[name] = ((folder / name).read_bytes(), load)
    supple.save(hero.motions["wave"], folder / "clip.smd")
    found["clip.smd"] = ((folder / "clip.smd").read_bytes(), load)
    supple.save(hero, folder / "a.gltf", embed=True)
    found["a.gltf"] = ((folder / "a.gltf").read_bytes(), load)
    supple.save(hero, folder / "face.smd", shapes=True)
    found["face.vta"] = ((folder / "face.vta").read_bytes(), shapes)
    found["a.names"] = (b"j0\nj1\nj2\nrest\npose\nwave\nnod\n", named)
    found["a.csv"] = (b"time,a,b\n0,0,0\n0.1,0.5,-1\n0.2,1e-3,2\n", robot)
    found["b.csv"] = (b"0,0\n0.5,-1\n", lambda path: robot(path, fps=30))
    for name, arrays in (
        ("a.npz", {"qpos": np.zeros((3, 2)), "fps": 30.0}),
        ("b.npz", {"qpos": np.ones((2, 2)), "joint_names": np.array(["a", "b"]), "fps": 25}),
    ):
        np.savez(folder / name, **arrays)
        found[name] = ((folder / name).read_bytes(), robot)
    np.savez_compressed(folder / "c.npz", qpos=np.zeros((3, 2)), fps=10)
    found["c.npz"] = ((folder / "c.npz").read_bytes(), robot)
    found["a.obj"] = (OBJ.encode(), lambda path: (read_obj(path), read_mesh(str(path))))
    found["a.dae"] = (DAE.encode(), lambda path: read_collada(Source.open(path)))
    found["a.urdf"] = (URDF.encode(), load)
    found["map.toml"] = (MAP.encode(), supple.BodyMap.load)
    found["plan.toml"] = (PLAN.encode(), load_plan)
    reach = supple.solve(hero.skeleton, {"tip": (1, 1, 0)}, trace=True)
    things = {"skeleton": hero.skeleton, "pose": hero.pose, "motion": hero.motions["wave"], "solution": reach,
              "trace": reach.trace}  # fmt: skip
    for name, thing in things.items():
        found[f"{name}.json"] = (json.dumps(thing.to_json()).encode(), read_json)
    found["robot.json"] = (found["skeleton.json"][0], lambda path: read_skeleton(str(path)))
    found["steps.json"] = (found["trace.json"][0], supple.Trace.load)
    return found


def spoiled(data: bytes, draw: random.Random) -> bytes:
    """A file with some of its bytes replaced, taken out, doubled or cut off."""
    made = bytearray(data)
    for _ in range(draw.choice((1, 1, 1, 2, 4, 8))):
        at = draw.randrange(len(made) + 1)
        size = draw.choice((0, 1, 1, 2, 4, 8, 40))
        kind = draw.randrange(7)
        if kind == 0:
            made[at : at + size] = draw.choice(PIECES)
        elif kind == 1 and made:
            made[min(at, len(made) - 1)] = draw.randrange(256)
        elif kind == 2:
            del made[at : at + size]
        elif kind == 3:
            made[at:at] = made[at : at + 8 * size]
        elif kind in (4, 5):
            words = list((NUMBER, WORD)[kind - 4].finditer(made))
            if words:
                first, last = draw.choice(words).span()
                other = draw.choice(words)[0] if draw.random() < 0.5 else draw.choice(PIECES)
                made[first:last] = other
        else:
            made[at : at + size] = draw.randbytes(size)
    return bytes(made[: draw.randrange(len(made) + 1)] if draw.random() < 0.05 else made)


SEEDS = {}


@pytest.fixture(scope="module", autouse=True)
def seeds(tmp_path_factory):
    SEEDS.update(whole_files(tmp_path_factory.mktemp("whole")))


NAMES = [
    "a.bvh", "a.smd", "clip.smd", "face.vta", "a.glb", "a.gltf", "a.character", "a.names", "a.csv", "b.csv", "a.npz",
    "b.npz", "c.npz", "a.obj", "a.dae", "a.urdf", "map.toml", "plan.toml", "skeleton.json", "pose.json", "motion.json",
    "solution.json", "trace.json", "robot.json", "steps.json",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_damaged_file_is_read_or_refused(name, tmp_path):
    data, read = SEEDS[name]
    (tmp_path / name).write_bytes(data)
    read(tmp_path / name)  # the whole file is read
    for k in range(COUNT):
        path = tmp_path / f"{k} {name}"
        path.write_bytes(spoiled(data, random.Random(f"{name} {k}")))
        try:
            read(path)
        except SuppleError as error:
            assert len(str(error)) < 4000
        except Exception as error:
            raise AssertionError(f"{type(error).__name__} of {path}: {error}") from error


def test_every_kind_is_damaged():
    assert set(NAMES) == set(SEEDS)
