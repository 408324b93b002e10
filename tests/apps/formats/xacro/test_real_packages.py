"""Real packages, if there are any: they expand to the same text as with the unmodified xacro package."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import supple
from supple.apps.formats.source import Source
from supple.apps.formats.xacro.read import expanded

DATA = (Path(__file__).resolve().parents[4].parent / "shared/data/xacro").resolve()
UR, FRANKA = DATA / "Universal_Robots_ROS2_Description", DATA / "franka_description"
PACKAGES = {"ur_description": str(UR), "franka_description": str(FRANKA)}

pytestmark = pytest.mark.skipif(not UR.exists(), reason="the real packages are not at hand")

# The xacro package as it is, told only where packages are.
UPSTREAM = """
import json, sys
import xacro
from xacro import substitution_args

cases, packages = json.load(sys.stdin)
substitution_args._eval_find = packages.__getitem__
texts = []
for file, arguments in cases:
    document = xacro.process_file(file, mappings=arguments, verbosity=0)
    texts.append(document.toprettyxml(indent="  "))
json.dump(texts, sys.stdout)
"""

ARMS = ("ur3", "ur3e", "ur5", "ur5e", "ur10", "ur10e", "ur16e", "ur20", "ur30")
LEAST_CASES, STRIDE = 50, 1
if "SUPPLE_FUZZ" not in os.environ:
    # A case takes half a second. 7 is coprime to both numbers of argument sets, so the draw mixes them.
    LEAST_CASES, STRIDE = 7, 7
UR_ARGUMENTS = [
    *({"ur_type": arm, "name": arm} for arm in ARMS),
    {"ur_type": "ur5e", "name": "a", "tf_prefix": "left_", "safety_limits": "true"},
    {"ur_type": "ur10", "name": "b", "force_abs_paths": "true"},
]
FRANKA_ARGUMENTS = [
    {},
    {"hand": "false"},
    {"ee_id": "cobot_pump"},
    {"with_sc": "true", "gazebo": "true"},
    {"ros2_control": "true", "use_fake_hardware": "true"},
    {"arm_prefix": "left", "no_prefix": "true"},
]


def every_case():
    for path in sorted(UR.glob("urdf/*.urdf.xacro")):
        yield from ((UR, path, arguments) for arguments in UR_ARGUMENTS)
    for path in sorted(FRANKA.rglob("*.urdf.xacro")):
        yield from ((FRANKA, path, arguments) for arguments in FRANKA_ARGUMENTS)


def cases():
    return list(every_case())[::STRIDE]


def test_packages_expand_to_what_xacro_itself_makes_of_them():
    told = [(str(path), arguments) for _, path, arguments in cases()]
    done = subprocess.run(
        [sys.executable, "-I", "-c", UPSTREAM],
        input=json.dumps([told, PACKAGES]),
        capture_output=True,
        text=True,
        check=True,
    )
    texts = json.loads(done.stdout)
    assert len(texts) >= LEAST_CASES
    for (home, path, arguments), text in zip(cases(), texts, strict=True):
        banner = re.compile(r"(<!-- (=+|\| .* \|) -->\n){4}")
        found = expanded(Source.open(path, home=home), arguments=arguments)
        assert found == banner.sub("", text, count=1), (path.name, arguments)


def test_packages_load():
    for arm in ("ur5e", "ur20"):
        path = UR / "urdf/ur.urdf.xacro"
        loaded = supple.load(path, folder=UR, arguments={"ur_type": arm, "name": arm})
        assert len(supple.robot.joint_names(loaded)) == 6
    loaded = supple.load(FRANKA / "robots/fr3/fr3.urdf.xacro", folder=FRANKA)
    assert "fr3_joint7" in loaded.skeleton


def test_clones_load_without_their_folder_being_given():
    loaded = supple.load(UR / "urdf/ur.urdf.xacro", arguments={"ur_type": "ur5e", "name": "a"})
    assert len(supple.robot.joint_names(loaded)) == 6
    assert "fr3_joint7" in supple.load(FRANKA / "robots/fr3/fr3.urdf.xacro").skeleton
