"""Plans: read, checked whole, with the line of what is wrong."""

import numpy as np
import pytest

import supple
from supple.apps.clips import PlanOnClip, load_plan
from supple.errors import SuppleError

GOOD = """
up = "y"
clips = ["clips/c*.bvh"]
include = "common.toml"

[budgets]
skate = 0.5
seam = false

[[steps]]
do = "reach"
effector = "hand.L"
by = [0, 0.05, 0]
root = "upperarm.L"
from = 0.1
until = 0.3

[[steps]]
do = "look_at"
effector = "head"
at = "hand.R"
axis = "z"

[[steps]]
do = "check"
kinds = ["bones", "limits"]
"""


@pytest.fixture
def folder(clips):
    home = clips.parent
    (home / "common.toml").write_text('[[steps]]\ndo = "plant"\nblend = 0.2\n')
    return home


def test_a_plan_is_read_with_what_it_includes(folder, tmp_path):
    (folder / "plan.toml").write_text(GOOD)
    plan = load_plan(folder / "plan.toml")
    assert [step.called for step in plan.steps] == ["plant", "reach", "look_at", "check"]
    assert [clip.name for clip in plan.clips] == [f"c{k}.bvh" for k in range(5)]
    assert plan.budgets.skate == 0.5 and plan.budgets.seam is None
    assert plan.digest == load_plan(folder / "plan.toml").digest
    (folder / "common.toml").write_text('[[steps]]\ndo = "plant"\nblend = 0.3\n')
    assert plan.digest != load_plan(folder / "plan.toml").digest


def test_a_plan_names_folders_of_clips(folder):
    (folder / "clips" / "deep").mkdir()
    (folder / "clips" / "c0.bvh").rename(folder / "clips" / "deep" / "c1.bvh")
    (folder / "plan.toml").write_text('clips = ["clips"]\ninclude = "common.toml"\n')
    clips = load_plan(folder / "plan.toml").clips
    names = [clips.name(file).as_posix() for file in clips]
    assert names == ["bad.bvh", "c1.bvh", "c2.bvh", "c3.bvh", "c4.bvh", "deep/c1.bvh"]
    (folder / "empty").mkdir()
    (folder / "plan.toml").write_text('clips = ["clips", "empty"]\n')
    with pytest.raises(SuppleError, match=r"plan.toml:1: .*empty: expected clips in this folder"):
        load_plan(folder / "plan.toml")


def test_a_plan_runs_on_a_clip(folder):
    (folder / "plan.toml").write_text(GOOD)
    clip, out = folder / "clips" / "c0.bvh", folder / "out.bvh"
    done = PlanOnClip(load_plan(folder / "plan.toml"))(clip, out)
    assert done.code in (0, 1)
    before, after = (next(iter(supple.load(path).motions.values())) for path in (clip, out))
    way = after[6].position("hand.L") - before[6].position("hand.L")
    assert np.allclose(way, (0, 0.05, 0), atol=2e-3)


def test_a_plan_retargets_with_a_corrected_map(folder):
    hero = supple.humanoid()
    supple.save(hero, folder / "hero.glb")
    supple.BodyMap.recognize(hero.skeleton).save(folder / "hero.toml")
    text = '[[steps]]\ndo = "retarget"\nonto = "hero.glb"\ntarget_map = "hero.toml"\n'
    (folder / "plan.toml").write_text(text)
    clip, out = folder / "clips" / "c0.bvh", folder / "out.glb"
    assert PlanOnClip(load_plan(folder / "plan.toml"))(clip, out).code == 0
    before, after = (next(iter(supple.load(path).motions.values())) for path in (clip, out))
    hands = [m[6].position("hand.L") - m[6].position("head") for m in (before, after)]
    assert np.allclose(*hands, atol=0.1)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('upp = "y"\n', 1, "did you mean 'up'"),
        ('\nup = "w"\n', 2, "up axis"),
        ('[[steps]]\ndo = "plnt"\n', 2, "did you mean 'plant'"),
        ("[[steps]]\nspeed = 1\n", 1, "expected do ="),
        ('[[steps]]\ndo = "plant"\nsped = 1\n', 3, "did you mean 'speed'"),
        ('[[steps]]\ndo = "plant"\nspeed = "fast"\n', 3, "above 0"),
        ('[[steps]]\ndo = "reach"\nto = [1, 2, 3]\n', 1, "effector"),
        ('[[steps]]\ndo = "reach"\neffector = "hand.L"\n', 1, "either to = or by ="),
        ('[[steps]]\ndo = "reach"\neffector = "hand.L"\nto = [1, 2]\n', 4, "[x, y, z]"),
        ('[[steps]]\ndo = "check"\nkinds = ["skat"]\n', 3, "did you mean 'skate'"),
        ('[[steps]]\ndo = "limit"\nlimits = "none.glb"\n', 3, "cannot read"),
        ('include = ["none.toml"]\n', 1, "there is no file"),
        ('include = ["plan.toml"]\n', 1, "includes this one"),
        ('clips = [\n  "clips/*.bvh",\n  "none/*.bvh",\n]\n', 3, "matches 'none/*.bvh'"),
        ("[budgets]\nskate = 0.1\nsped = 1\n", 3, "did you mean 'speed'"),
        ("steps = 3\n", 1, "[[steps]]"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(folder, text, line, words):
    path = folder / "plan.toml"
    path.write_text(text)
    with pytest.raises(SuppleError) as error:
        load_plan(path)
    assert str(error.value).startswith(f"{path}:{line}: "), str(error.value)
    assert words in str(error.value)


def test_joints_that_a_clip_does_not_have_are_named_with_the_line(folder):
    path = folder / "plan.toml"
    path.write_text('[[steps]]\ndo = "reach"\neffector = "hand.X"\nby = [0, 1, 0]\n')
    clip = supple.load(folder / "clips" / "c0.bvh")
    with pytest.raises(SuppleError, match=r"plan\.toml:1: unknown joint 'hand.X'"):
        load_plan(path).check_names(clip, next(iter(clip.motions.values())))
