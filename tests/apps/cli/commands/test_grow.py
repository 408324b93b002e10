"""`supple grow`."""

import pytest

import supple

RULES = """
attr height = 1
attr goal = [0.5, 1.5, 0]
attr word = "none"
attr on = false
Figure -->
	s(1, height, 1) joint("a", 0.5, 0, 0.5)
	IK(goal, effector = [0.5, 1, 0.5], threshold = 0.2)
	print(word + on) report("height", height)
	[ i("box") ] A
Other --> split(x){ ~0.5 : case rand() < 0.5 : B else : C }*
"""


@pytest.fixture
def rules(tmp_path):
    path = tmp_path / "figure.cga"
    path.write_text(RULES)
    return path


def test_it_grows_and_writes(run, rules, tmp_path) -> None:
    out, picture = tmp_path / "figure.glb", tmp_path / "figure.png"
    result = run(
        "grow", rules, "--set", "height=2", "--set", "goal=0.6,1.9,0.5", "-o", out, "-o", picture
    )
    assert result.exit_code == 0, result.output
    assert f"wrote {out}" in result.stdout and "height" in result.stdout
    assert picture.stat().st_size > 1000
    hero = supple.load(out)
    assert hero.skeleton.joint_names == ("Figure", "a")


def test_it_says_all_as_json(run_json, rules) -> None:
    code, told = run_json(
        "grow", rules, "--set", "word=ever", "--set", "on=true", "--set", "goal=[0.5, 1, 0.5]"
    )
    assert code == 0
    assert told["printed"] == ["evertrue"] and told["reports"] == {"height": [1.0]}
    assert told["joints"] == ["a"] and told["ik"][0]["reached"] is True
    assert told["leaves"] == {"Figure.": 1, "A": 1}


def test_exit_codes(run, rules, tmp_path) -> None:
    assert run("grow", rules, "--set", "goal=9,9,9").exit_code == 1
    assert run("grow", tmp_path / "none.cga").exit_code == 2
    result = run("grow", rules, "--set", "hight=2")
    assert result.exit_code == 2 and "did you mean 'height'?" in result.output
    result = run("grow", rules, "-o", tmp_path / "a.fbx")
    assert result.exit_code == 2 and ".glb" in result.output
    assert run("grow", rules, "--set", "height").exit_code == 2
    rules.write_text("A --> B(")
    result = run("grow", rules)
    assert result.exit_code == 2 and "figure.cga:1:8: the '(' is never closed" in result.output


def test_seed_start_and_size(run_json, rules) -> None:
    told = [
        run_json("grow", rules, "--start", "Other", "--seed", seed, "--size", "20,0,1")[1]["leaves"]
        for seed in (1, 1, 2)
    ]
    assert told[0] == told[1] != told[2]
    assert sum(told[0].values()) == 40


def test_the_tree_is_shown(run, rules) -> None:
    result = run("grow", rules, "--set", "goal=0.5,1,0.5", "--tree")
    assert "Figure  1 x 1 x 1  [a]" in result.stdout


def test_a_bare_word_is_one_of_our_own_rules(run) -> None:
    result = run("grow", "figure", "--json")
    assert result.exit_code == 0 and '"Figure."' in result.stdout
    assert "did you mean 'figure'" in run("grow", "figur").stderr


def test_each_rule_has_its_own_row(run, run_json, tmp_path) -> None:
    path = tmp_path / "twigs.cga"
    path.write_text(
        "A --> s(0.2, 1, 0.2) joint(\"a\") [ t(0, '1, 0) B(0, 9, 0) ] [ t(0, '1, 0) B(5, 0, 0) ]\n"
        'B(x, y, z) --> s(0.1, 1, 0.1) joint("b") IK(x, y, z) i("box")'
    )
    code, told = run_json("grow", path)
    first, second = told["ik"]
    assert code == 1 and first["error"] != second["error"]
    assert first["status"] == second["status"] == "TOO_FAR"
    for row in (first, second):
        assert f"{row['effector']} is {row['error']:.3g} from its target" in row["reason"]
    shown = " ".join(run("grow", path).stdout.split())
    for row in (first, second):
        assert shown.count(f"{row['effector']} is {row['error']:.3g} from its target") == 1


def test_stubs_are_written_then_used(run, run_json, tmp_path) -> None:
    path, stubs = tmp_path / "lane.cga", tmp_path / "stubs.cga"
    path.write_text('import Ref : "none.cga"\nLane --> extrude(Ref.curb) i("no.obj") Ref.Paint(2)')
    result = run("grow", path)
    assert result.exit_code == 2 and "--set Ref.curb=VALUE" in result.stderr
    result = run("grow", path, "--stubs", stubs)
    assert result.exit_code == 0 and "fill in 1 values" in result.stdout
    assert "// const Ref.curb =    // lane.cga:2" in stubs.read_text()
    stubs.write_text(stubs.read_text().replace("// const Ref.curb =", "const Ref.curb = 0.2"))
    result = run("grow", path, "--stubs", stubs)
    assert result.exit_code == 0, result.output
    assert "incomplete: " in result.stdout and "note: there is no asset 'no.obj'" in result.stdout
    code, found = run_json("grow", path, "--set", "Ref.curb=0.5")
    assert code == 0 and found["leaves"] == {"Ref.Paint": 1}
    assert len(found["incomplete"]) == 2 and len(found["notes"]) == 1
    result = run("grow", path, "--missing", "error")
    assert result.exit_code == 2 and "import Ref of line 1" in result.stderr


def test_no_stubs_are_needed(run, rules, tmp_path) -> None:
    result = run("grow", rules, "--stubs", tmp_path / "stubs.cga")
    assert result.exit_code == 0 and "no stubs are needed" in result.stdout
    assert not (tmp_path / "stubs.cga").exists()


def test_the_workspace_holds_other_projects(run, tmp_path) -> None:
    (tmp_path / "Lib/rules").mkdir(parents=True)
    (tmp_path / "Lib/rules/part.cga").write_text("X --> A")
    path = tmp_path / "town/rules/main.cga"
    path.parent.mkdir(parents=True)
    path.write_text('import P : "/Lib/rules/part.cga"\nLot --> P.X')
    assert "incomplete" in run("grow", path).stdout
    result = run("grow", path, "--workspace", tmp_path)
    assert result.exit_code == 0 and "incomplete" not in result.stdout


def test_the_limit_of_triangles(run, rules, tmp_path) -> None:
    out = tmp_path / "boxes.obj"
    row = tmp_path / "row.cga"
    row.write_text('Lot --> split(x){ ~1 : i("box") X. }*')
    result = run("grow", row, "--size", "5,0,1", "--triangles", 50, "-o", out)
    assert result.exit_code == 2 and "60 triangles" in result.stderr
    assert "--triangles" in result.stderr and not out.exists()
    assert run("grow", row, "--size", "5,0,1", "--triangles", 60, "-o", out).exit_code == 0
