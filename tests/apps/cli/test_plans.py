"""Whatever the command line can do, a plan can do: the same options, defaults, errors, reports and bytes."""

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer

import supple
from supple.apps.cli.app import app
from supple.apps.cli.commands import check, correct, retarget
from supple.apps.cli.many_files import READER
from supple.apps.clips import Plan, load_plan
from supple.apps.clips.plan import KEYS
from supple.apps.clips.reader import Reader
from supple.apps.clips.steps import STEPS, CheckStep, Correct, Plant, Retarget

# Options about files, output and where it runs: what is done with a clip does not depend on them.
FILES = {"files", "out", "out_dir", "plan", "jobs", "shard", "scheduler", "json"}
COMMANDS = {
    "correct": (
        [(Correct, correct.GOAL), (Plant, correct.PLANT), (Reader, READER)],
        {"--up", "--motion"},
        FILES | {"plant"},  # a step of its own
    ),
    "check": (
        [(CheckStep, check.CHECK), (Reader, READER)],
        {"--up", "--motion", "--loop", "--budgets", "--profile"},
        FILES | {"report"},
    ),
    "retarget": (
        [(Retarget, retarget.RETARGET)],
        {"--up", "--motion"},
        FILES | {"write_maps"},
    ),
}
# What steps can do that their command has no option for.
ONLY_IN_PLANS = {
    "correct": {"plant.legs", "plant.lower"},
    "check": {"reader.motions", "reader.folder", "reader.arguments"},
    "retarget": set(),
}


def options(command):
    """The options of a command, {its parameter: (names, default)}."""
    group: Any = typer.main.get_command(app)
    found = group.get_command(None, command)
    return {one.name: (set(one.opts), one.default) for one in found.params}


@pytest.mark.parametrize("command", COMMANDS)
def test_each_option_of_a_command_is_a_key_of_a_plan(command):
    steps, of_plans, others = COMMANDS[command]
    keys = {}
    for step, names in steps:
        for key, field in step.known().items():
            keys.setdefault(names.option(key), []).append((f"{step.called}.{key}", field))
    used = set()
    for parameter, (named, default) in options(command).items():
        if parameter in others or named & of_plans:
            continue
        (option,) = named & set(keys)  # fails, with its names, where a plan has no such key
        for name, field in keys[option]:
            used.add(name)
            # What is not given is left to the step.
            assert default in (None, field.default), f"{option} and {name} have other defaults"
    every = {name for several in keys.values() for name, _ in several}
    assert every - used == ONLY_IN_PLANS[command]
    settings = {f"--{one}" for one in Plan.__dataclass_fields__} | {"--profile"}
    assert of_plans <= settings


def test_the_fade_that_is_not_given_is_as_the_help_says():
    assert options("correct")["blend"][1] is None
    assert (Correct.known()["blend"].default, Plant.known()["blend"].default) == (0.25, 0.5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Clips with a hand to move, a prop, points for each frame, and a character with a skin."""
    home = tmp_path_factory.mktemp("plans")
    hero = supple.humanoid()
    wave = hero.motion("wave")
    for name, first in (("clip", 0), ("other", 20)):
        supple.save(wave[first : first + 16].with_(name=name), home / f"{name}.bvh")
    points = wave[:16].poses.position("hand.R") + (0.02, 0.04, 0.0)
    (home / "points.csv").write_text("\n".join(",".join(map(repr, p)) for p in points.tolist()))
    motions = {"wave": wave[:8], "ready": hero.motion("reach-ready")[:8]}
    supple.save(hero.with_(motions=motions), home / "hero.glb")
    return home


CORRECT = [
    (
        "clip.bvh -e hand.R --by 0,0.1,0.02 --root upperarm.R --from 0.1 --until 0.3 --blend 0.1",
        'effector = "hand.R"\nby = [0, 0.1, 0.02]\nroot = "upperarm.R"\nfrom = 0.1\nuntil = 0.3\nblend = 0.1',
    ),
    (
        "clip.bvh -e hand.R --to points.csv --depth 3 --coherent --speed 3",
        'effector = "hand.R"\nto = "points.csv"\ndepth = 3\ncoherent = true\nspeed = 3',
    ),
    (
        "clip.bvh -e hand.R -e hand.L --to other.bvh:hand.L --to 0.3,1.2,0.2 --root chest "
        "--unreachable keep --tolerance 0.001 --speed 0",
        'effector = ["hand.R", "hand.L"]\nto = ["other.bvh:hand.L", [0.3, 1.2, 0.2]]\nroot = "chest"\n'
        'unreachable = "keep"\ntolerance = 0.001\nspeed = 0',
    ),
    (
        "clip.bvh -e hand.R --to hand.L --root upperarm.R --lock hand.R --hold hand.L --free-root",
        'effector = "hand.R"\nto = "hand.L"\nroot = "upperarm.R"\nlock = "hand.R"\nhold = ["hand.L"]\nfree_root = true',
    ),
    (
        "clip.bvh --look-at head=hand.R@z --look-at hand.L=0,1,1",
        'look_at = ["head=hand.R@z", "hand.L=0,1,1"]',
    ),
    (
        "hero.glb --connect hand.L,hand.R --weld hand.L,hand.R --avoid 0",
        'connect = "hand.L,hand.R"\nweld = ["hand.L,hand.R"]\navoid = 0',
    ),
    (
        "hero.glb -e hand.L --by 0,0.05,0 --root upperarm.L --balance foot.L,foot.R "
        "--balance-margin 0.01 --obstacle plane:0,0,0:y",
        'effector = "hand.L"\nby = [[0, 0.05, 0]]\nroot = "upperarm.L"\nbalance = ["foot.L", "foot.R"]\n'
        'balance_margin = 0.01\nobstacles = ["plane:0,0,0:y"]',
    ),
]
PLANT = [
    ("clip.bvh other.bvh", ""),
    (
        "clip.bvh --foot foot.L --foot foot.R --contact-speed 0.3 --contact-height 0.05 --blend 0.2 --ground 0",
        'feet = ["foot.L", "foot.R"]\nspeed = 0.3\nheight = 0.05\nblend = 0.2\nground = 0',
    ),
    ("clip.bvh --ground 0,1,0,0", "ground = [0, 1, 0, 0]"),
]
SETTINGS = [
    ("clip.bvh --up y --fps 60 --position-mode add",
     'up = "y"\n[reader]\nfps = 60\nposition_mode = "add"\n'),
    ("hero.glb --motion ready", 'motion = "ready"\n'),
    ("hero.glb --motion all --motions other.bvh", 'motion = "all"\n[reader]\nmotions = "other.bvh"\n'),
]  # fmt: skip


def same(run, folder, tmp_path, command, given, plan):
    """Hold what a command line does against what a plan does."""
    words = [one if one[:1] == "-" or not (folder / one.split(":")[0]).is_file() else folder / one
             for one in shlex.split(given)]  # fmt: skip
    clips = []
    while words and str(words[0])[:1] != "-":
        clips.append(words.pop(0))
    made = {}
    (folder / "plan.toml").write_text(plan)
    for name, how in (("options", words), ("plan", ["--plan", folder / "plan.toml"])):
        out = tmp_path / name
        lines = run(command, *clips, *how, "--out-dir", tmp_path / f"{name} lines")
        result = run(command, *clips, *how, "--out-dir", out, "--json")
        data = json.loads(result.stdout.replace(str(out), "OUT"))
        assert not data["failed"], result.stderr
        for row in data["files"]:
            row.pop("written", None)
        files = {path.name: path.read_bytes() for path in out.iterdir()}
        said = lines.stderr.replace(f"{out} lines", "OUT")
        made[name] = (result.exit_code, data, files, lines.stdout, said)
    assert len(made["plan"][2]) == len(clips)
    assert made["options"] == made["plan"]


@pytest.mark.parametrize(("given", "keys"), CORRECT)
def test_goals_of_a_command_and_of_a_plan_give_the_same(run, folder, tmp_path, given, keys):
    same(run, folder, tmp_path, "correct", given, f'[[steps]]\ndo = "correct"\n{keys}\n')


@pytest.mark.parametrize(("given", "keys"), PLANT)
def test_feet_of_a_command_and_of_a_plan_are_planted_the_same(run, folder, tmp_path, given, keys):
    same(run, folder, tmp_path, "correct", f"{given} --plant-feet", f'[[steps]]\ndo = "plant"\n{keys}\n')  # fmt: skip


@pytest.mark.parametrize(("given", "text"), SETTINGS)
def test_settings_of_a_command_and_of_a_plan_give_the_same(run, folder, tmp_path, given, text):
    reach = 'do = "reach"\neffector = "hand.R"\nby = [0, 0.1, 0]\nroot = "upperarm.R"\n'
    both = f'[[steps]]\ndo = "plant"\n[[steps]]\n{reach}'
    command = f"{given} --plant-feet -e hand.R --by 0,0.1,0 --root upperarm.R"
    same(run, folder, tmp_path, "correct", command, text + both)


def test_checks_of_a_command_and_of_a_plan_give_the_same(run, folder, tmp_path):
    keys = 'kinds = ["skate", "jerk"]\nground = 0\nagainst = "other.bvh"\n'
    text = f'loop = false\n[budgets]\nprofile = "captured"\n[[steps]]\ndo = "check"\n{keys}'
    given = "clip.bvh --kind skate --kind jerk --ground 0 --against other.bvh --no-loop --profile captured"
    same(run, folder, tmp_path, "check", given, text)
    same(run, folder, tmp_path / "fix", "check", f"{given} --fix", f"{text}fix = true\n")


def test_retargeting_by_a_command_and_by_a_plan_give_the_same(run, folder, tmp_path):
    keys = 'onto = "hero.glb"\nto = "bvh"\nfps = 15\nbalance = false\nonto_up = "y"\n'
    text = f'up = "y"\n[[steps]]\ndo = "retarget"\n{keys}'
    given = "clip.bvh --onto hero.glb --to bvh --fps 15 --no-balance --up y --onto-up y"
    same(run, folder, tmp_path, "retarget", given, text)


def test_maps_of_a_plan_are_written(run, folder, tmp_path):
    (folder / "plan.toml").write_text('[[steps]]\ndo = "retarget"\nonto = "hero.glb"\n')
    result = run("retarget", folder / "clip.bvh", "--plan", folder / "plan.toml",
                 "--out-dir", tmp_path / "out", "--write-maps", tmp_path / "maps")  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert sorted(path.name for path in (tmp_path / "maps").iterdir()) == ["source.toml", "target.toml"]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "keys", "said"),
    [
        ("--to 1,1", 'to = "1,1"', "expected three numbers X,Y,Z, got 2"),
        ("--to hand.X -e hand.R", 'to = "hand.X"\neffector = "hand.R"', "did you mean 'hand."),
        ("--to 1,2,3 -e hnd.R", 'to = [1, 2, 3]\neffector = "hnd.R"', "unknown joint 'hnd.R'"),
        ("--to other.bvh -e hand.R", 'to = "other.bvh"\neffector = "hand.R"', "expected the name of a joint in it"),
        ("--to 1,2,3 -e hand.L -e hand.R", 'to = [1, 2, 3]\neffector = ["hand.L", "hand.R"]', ", 2, got 1"),
        ("--hold hand.R", 'hold = "hand.R"', "nothing to reach"),
        ("--to 1,2,3 --balance-margin 1", "to = [1, 2, 3]\nbalance_margin = 1", " FOOT,FOOT as well"),
        ("--to 1,2,3 --unreachable no", 'to = [1, 2, 3]\nunreachable = "no"', 'expected "approach" or "keep", got'),
        ("--to 1,2,3 --tolerance 0", "to = [1, 2, 3]\ntolerance = 0", "expected a length above 0, got 0"),
        ("--to 1,2,3 --from 2 --until 1", "to = [1, 2, 3]\nfrom = 2\nuntil = 1", "expected a stop after its start"),
        ("--look-at head", 'look_at = "head"', "expected NAME=X,Y,Z or NAME=BONE"),
        ("--to 1,2,3", "to = [1, 2, 3]", "tips; expected a name"),
    ],
)  # fmt: skip
def test_errors_are_the_same(run, folder, tmp_path, given, keys, said):
    (folder / "plan.toml").write_text(f'[[steps]]\ndo = "correct"\n{keys}\n')
    words = [one if one != "other.bvh" else folder / one for one in given.split()]
    for how in (words, ["--plan", folder / "plan.toml"]):
        result = run("correct", folder / "clip.bvh", *how, "--out-dir", tmp_path / "out")
        assert result.exit_code == 2
        assert said in result.stderr


@pytest.mark.parametrize("options", ["--plant-feet", "--speed 3", "--foot foot.L", "--coherent"])
def test_what_a_plan_does_is_not_said_twice(run, folder, tmp_path, options):
    (folder / "plan.toml").write_text('[[steps]]\ndo = "plant"\n')
    result = run("correct", folder / "clip.bvh", "--plan", folder / "plan.toml", *options.split(),
                 "--out-dir", tmp_path / "out")  # fmt: skip
    assert result.exit_code == 2
    assert f"--plan: expected no goals beside it, got {options.split()[0]};" in result.stderr


def test_a_file_of_targets_that_changes_is_read_again(run, folder, tmp_path):
    """The journal knows its content, and so does a process that has read it before."""
    points = tmp_path / "points.csv"
    text = (folder / "points.csv").read_text()
    points.write_text(text)
    (tmp_path / "plan.toml").write_text(
        '[[steps]]\ndo = "reach"\neffector = "hand.R"\nto = "points.csv"\nroot = "upperarm.R"\n'
    )
    given = ("correct", folder / "clip.bvh", "--plan", tmp_path / "plan.toml",
             "--out-dir", tmp_path / "out")  # fmt: skip
    assert run(*given).exit_code == 0
    before = (tmp_path / "out" / "clip.bvh").read_bytes()
    assert run(*given).exit_code == 0
    moved = np.array([list(map(float, line.split(","))) for line in text.splitlines()]) - 0.03
    points.write_text("\n".join(",".join(map(repr, p)) for p in moved.tolist()))
    assert run(*given).exit_code == 0
    assert (tmp_path / "out" / "clip.bvh").read_bytes() != before


def test_keys_of_readers_are_checked(folder):
    (folder / "plan.toml").write_text("[reader]\nfsp = 3\n")
    with pytest.raises(supple.SuppleError, match=r"plan.toml:2: .*did you mean 'fps'"):
        load_plan(folder / "plan.toml")


def test_the_documentation_has_every_step_and_key():
    text = (Path(__file__).parents[3] / "docs" / "plans.md").read_text()
    names = {*STEPS, *KEYS, *Reader.known()}
    names |= {key for step in STEPS.values() for key in step.known()}
    assert [name for name in sorted(names) if f"`{name}`" not in text] == []


def test_a_clip_of_another_shard_is_none_of_this_one(run, folder, tmp_path):
    given = ("correct", folder / "clip.bvh", "--plant-feet", "-o", tmp_path / "out.bvh")
    result = run(*given, "--shard", "2/2", "--json")
    assert result.exit_code == 0 and json.loads(result.stdout)["files"] == []
    assert not (tmp_path / "out.bvh").exists()
