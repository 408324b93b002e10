"""docs/formats.md: its code runs, and its table is that of the program."""

import importlib
import inspect
import re
from pathlib import Path

import numpy as np
import pytest

import supple
from supple import Motion, Node, Skeleton, Tip
from supple.apps.formats import FORMATS
from supple.apps.formats.load_save import BESIDE
from supple.rotations import from_axis_angle

PAGE = (Path(__file__).parents[3] / "docs" / "formats.md").read_text(encoding="utf-8")


def test_the_tutorial_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    nodes = [Node("Hips", None, (0, 100, 0)), Node("Spine", "Hips", (0, 50, 0))]
    tips = []
    for side, sign in (("Left", 1), ("Right", -1)):
        nodes += [
            Node(f"{side}Arm", "Spine", (15 * sign, 0, 0)),
            Node(f"{side}ForeArm", f"{side}Arm", (30 * sign, 0, 0)),
            Node(f"{side}Hand", f"{side}ForeArm", (30 * sign, 0, 0)),
        ]
        nodes += [
            Node(f"{side}UpLeg", "Hips", (10 * sign, 0, 0)),
            Node(f"{side}Leg", f"{side}UpLeg", (0, -50, 5)),
            Node(f"{side}Foot", f"{side}Leg", (0, -45, -5)),
        ]
        tips.append(Tip(f"{side}Hand end", f"{side}Hand", (10 * sign, 0, 0)))
    skeleton = Skeleton(nodes, tips)
    t = np.arange(60) / 30
    poses = skeleton.rest.with_(
        {"LeftForeArm": from_axis_angle("y", -1 - 0.2 * t), "Spine": from_axis_angle("z", 0.1 * t)}
    )
    supple.save(Motion("dance", poses, fps=30), "dance.bvh")
    made = {}
    for code in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(compile(code, "formats.md", "exec"), made)
    assert made["s"].reached
    assert np.all(made["fixed"].reached)
    for name in ("pose.bvh", "dance_fixed.bvh", "both.bvh", "dance_planted.bvh"):
        assert supple.load(tmp_path / name).motions


@pytest.mark.parametrize("column", ["BVH", "SMD", "glTF", ".character", "OBJ"])
def test_the_table_says_what_the_program_keeps(column):
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in PAGE.splitlines()
        if line.startswith("|") and not line.startswith("|---")
    ]
    at = rows[0].index(column)
    keeps = FORMATS[column.lower().strip(".")].keeps
    words = {row[0].split()[0]: row[at] for row in rows[1:]}
    assert words.pop("motion") == (
        "all" if "motions" in keeps else "one" if "motion" in keeps else "-"
    )
    module, _, name = FORMATS[column.lower().strip(".")].writer.partition(":")
    options = inspect.signature(getattr(importlib.import_module(module), name)).parameters
    beside = {word for option, word in BESIDE.items() if option in options}
    for word, said in words.items():
        held = "yes" if word in keeps else "beside" if word in beside else "-"
        assert said == held, word
