"""Plug-ins: a whole small package, found through the entry points that its pyproject names."""

import shutil
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import supple
from supple.apps.cli import app
from supple.apps.formats.format import Format
from supple.goals.own import named as goal_named
from supple.plugins import FORMATS, GOALS, SOLVERS, entries, load_all
from supple.solvers import named

PACKAGE = Path(__file__).parents[1] / "examples" / "plugin_package"


def install(folder, monkeypatch, groups):
    """Make entry points known as an installed package has them, without installing anything."""
    info = folder / "supple_extra-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: supple-extra\nVersion: 1.0\n")
    lines = [
        text
        for group, points in groups.items()
        for text in (f"[{group}]", *(f"{name} = {where}" for name, where in points.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join([*lines, ""]))
    monkeypatch.syspath_prepend(str(folder))


@pytest.fixture
def package(tmp_path, monkeypatch):
    """The example package, as if it were installed."""
    site = tmp_path / "site"
    site.mkdir()
    shutil.copytree(PACKAGE / "src" / "supple_extra", site / "supple_extra")
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    install(site, monkeypatch, project["entry-points"])
    yield project
    for name in [one for one in sys.modules if one.partition(".")[0] == "supple_extra"]:
        del sys.modules[name]


def test_its_solver_is_known_by_name(package):
    arm = supple.chain([1, 1, 1])
    s = supple.solve(arm, {"tip": (1.0, 1.0, 0.3)}, solver="gaussnewton")
    assert s.reached and s.asked.solver == "GaussNewton"
    assert list(entries(SOLVERS)) == ["GaussNewton"]
    with pytest.raises(supple.SuppleError, match="did you mean 'GaussNewton'"):
        named("GausNewton")


def test_its_goal_is_known_by_name(package):
    carry = goal_named("Carry")
    nodes = [supple.Node("body", None, (0, 0, 1), supple.Ball())]
    for side, y in (("L", 0.3), ("R", -0.3)):
        nodes.append(supple.Node(f"upper.{side}", "body", (0, y, 0), supple.Ball()))
        nodes.append(supple.Node(f"lower.{side}", f"upper.{side}", (0.4, 0, 0), supple.Ball()))
    tips = [supple.Tip(f"hand.{side}", f"lower.{side}", (0.4, 0, 0)) for side in "LR"]
    waiter = supple.Skeleton(nodes, tips)
    s = supple.solve(waiter, [carry(["hand.L", "hand.R"], (0.5, 0.1), root="body")])
    assert s.reached
    left, right = s.position("hand.L"), s.position("hand.R")
    assert abs(left[2] - right[2]) < 2e-4
    assert np.allclose(0.5 * (left + right)[:2], (0.5, 0.1), atol=2e-4)
    with pytest.raises(supple.SuppleError, match="did you mean 'carry'"):
        goal_named("cary")


def test_its_goal_is_given_on_the_command_line(package):
    def reach(*given):
        return CliRunner().invoke(app, ["reach", "chain:1,1,1", *given])

    told = reach("--goal", "carry=j2,tip=1.2,0.5", "--json")
    assert told.exit_code == 0, told.output
    for given, word in (
        ("cary=j2,tip", "did you mean 'carry'"),
        ("carry", "GOAL=NAMES"),
        ("carry=j2,tip=up", "up"),
    ):
        refused = reach("--goal", given)
        assert refused.exit_code == 2 and word in refused.output


def test_its_format_is_read_and_written(package, tmp_path):
    skeleton = supple.chain([1.0, 0.5, 0.25])
    path = tmp_path / "arm.bones"
    supple.save(supple.Character(skeleton), path)
    assert path.read_text().startswith("bones 1\nj0 - 0 0 0\n")
    found = supple.load(path)
    assert found.skeleton.joint_names == skeleton.joint_names
    assert np.array_equal(found.skeleton.offsets, skeleton.offsets)
    assert supple.load(path, format="bones").skeleton == found.skeleton
    path.write_text("bones 1\na - 0 0 0\nb a 1 up 0\n")
    with pytest.raises(supple.SuppleError, match=r"arm\.bones:3: expected NAME PARENT X Y Z"):
        supple.load(path)


def test_without_the_package_neither_is_there(tmp_path):
    with pytest.raises(supple.SuppleError, match="GaussNewton"):
        named("GaussNewton")
    with pytest.raises(supple.SuppleError, match="unknown goal 'carry'"):
        goal_named("carry")
    path = tmp_path / "arm.bones"
    path.write_text("bones 1\n")
    with pytest.raises(supple.SuppleError, match="cannot tell its format"):
        supple.load(path)


def test_a_plug_in_that_cannot_be_loaded_is_named(tmp_path, monkeypatch, caplog):
    groups = {
        SOLVERS: {"Broken": "no_such_module:Solver", "Odd": "math:pi"},
        GOALS: {"broken": "no_such_module:goal", "odd": "math:pi"},
        FORMATS: {"broken": "no_such_module:FORMAT", "odd": "math:pi"},
    }
    install(tmp_path, monkeypatch, groups)
    with pytest.raises(supple.SuppleError, match="plug-in 'Broken' .* cannot be loaded"):
        named("Broken")
    with pytest.raises(supple.SuppleError, match="'Odd' .* expected a supple Solver, got a float"):
        named("Odd")
    with pytest.raises(supple.SuppleError, match="plug-in 'broken' .* cannot be loaded"):
        goal_named("broken")
    with pytest.raises(
        supple.SuppleError, match="'odd' .* expected a supple GoalFunction, got a float"
    ):
        goal_named("odd")
    assert load_all(FORMATS, Format) == []
    assert "plug-in 'broken'" in caplog.text and "plug-in 'odd'" in caplog.text


def test_names_of_supples_own_cannot_be_taken(tmp_path, monkeypatch):
    install(tmp_path, monkeypatch, {SOLVERS: {"LM": "no_such_module:LM"}})
    assert isinstance(named("LM"), supple.LM)
