"""The pages say what the code says: their Python and their commands run as they are printed."""

import json
import re
import runpy
import shlex
from pathlib import Path

import numpy as np
import pytest
from contest import mechanisms
from contest.descriptions import urdf
from typer.testing import CliRunner

import supple
from supple.apps.cli import app
from supple.apps.viewer.standalone import BUILT, SCRIPT
from supple.goals import GOALS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
NAMES = (
    "index", "first-steps", "retargeting", "robots", "gltf", "grammar", "lowered-problems", "checking",
    "own-goals", "own-solvers",
)  # fmt: skip
PAGES = [ROOT / "README.md", *(DOCS / f"{name}.md" for name in NAMES)]
WAITING = ("demo", "view", "bench", "warmup")  # for a browser, or for minutes
SIDES = {"upperarm": "Arm", "forearm": "ForeArm", "hand": "Hand", "foot": "Foot"}


# Two fingers, of which one copies the other, as the real robot has them.
GRIPPER = """
<link name="left"/><link name="right"/>
<joint name="finger1" type="prismatic"><parent link="panda_hand_tcp"/><child link="left"/>
  <axis xyz="0 1 0"/><limit lower="0" upper="0.04" effort="1" velocity="1"/></joint>
<joint name="finger2" type="prismatic"><parent link="panda_hand_tcp"/><child link="right"/>
  <axis xyz="0 -1 0"/><limit lower="0" upper="0.04" effort="1" velocity="1"/>
  <mimic joint="finger1"/></joint>
"""
REAL_PANDA = ROOT.parent / "shared/data/urdf/example-robot-data/panda_description/urdf/panda.urdf"


def dance():
    """A character in centimetres, named as motion capture names it, that stands for a second."""
    hero = supple.humanoid()
    names = {
        f"{old}.{side[0]}": side + new for old, new in SIDES.items() for side in ("Left", "Right")
    }
    renamed = hero.renamed(names).skeleton
    nodes = [node._replace(offset=np.multiply(node.offset, 100)) for node in renamed.nodes]
    skeleton = supple.Skeleton(nodes)
    bent = skeleton.rest.with_({"LeftForeArm": -1.0, "RightForeArm": -1.0}).clamped()
    return supple.Motion("dance", [bent] * 30, fps=30)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The files that the pages speak of."""
    folder = tmp_path_factory.mktemp("files")
    data = Path(supple.data.__file__).parent
    for name, source in {
        "hero.glb": "humanoid/humanoid.glb",
        "hero.smd": "humanoid/humanoid.smd",
        "walk.smd": "humanoid/walk.smd",
        "human.cga": "grammar/human.cga",
    }.items():
        (folder / name).write_bytes((data / source).read_bytes())
    robot = urdf(mechanisms.panda()).replace('"tip"', '"panda_hand_tcp"')
    robot = robot.replace("</robot>", f"{GRIPPER}</robot>")
    (folder / "panda.urdf").write_text(robot, encoding="utf-8")
    (folder / "clips").mkdir()
    for name in ("dance.bvh", "clips/dance.bvh"):
        supple.save(dance(), folder / name)
    known = supple.check(supple.load(folder / "clips" / "dance.bvh"), profile="captured").to_json()
    known = json.dumps({"files": [{"file": "clips/dance.bvh", "motions": [known]}]})
    (folder / "known.json").write_text(known, encoding="utf-8")
    plan = re.search(
        r"^```toml\n(.*?)^```", (DOCS / "plans.md").read_text(encoding="utf-8"), re.S | re.M
    )
    assert plan is not None
    (folder / "plan.toml").write_text(plan[1], encoding="utf-8")
    mjcf = re.search(
        r'write_text\("""\n(<mujoco.*?)"""', (DOCS / "robots.md").read_text(encoding="utf-8"), re.S
    )
    assert mjcf is not None
    (folder / "robot.xml").write_text(mjcf[1], encoding="utf-8")
    onto = '[[steps]]\ndo = "retarget"\nonto = "hero.glb"\n'
    (folder / "onto_hero.toml").write_text(onto, encoding="utf-8")
    (folder / "common.toml").write_text('[[steps]]\ndo = "limit"\n', encoding="utf-8")
    return folder


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_python_of_a_page_runs_as_printed(page, files, monkeypatch):
    monkeypatch.chdir(files)
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.S | re.M)
    assert blocks
    made = {"supple": supple}
    for code in blocks:
        exec(compile(code, page.name, "exec"), made)
    assert "s" not in made or made["s"].reached


@pytest.mark.skipif(not REAL_PANDA.is_file(), reason="the real robot is not at hand")
def test_the_page_on_robots_runs_on_the_real_one(tmp_path, monkeypatch):
    (tmp_path / "panda.urdf").write_bytes(REAL_PANDA.read_bytes())
    test_the_python_of_a_page_runs_as_printed(DOCS / "robots.md", tmp_path, monkeypatch)


def commands():
    """The command lines of the pages: in a block of code, or indented by four."""
    for page in (ROOT / "README.md", *sorted(DOCS.glob("*.md"))):
        for block in re.findall(
            r"^```\w*\n(.*?)^```|((?:^    .*\n)+)", page.read_text(encoding="utf-8"), re.S | re.M
        ):
            for line in "".join(block).splitlines():
                found = re.match(r"(?:    |\$ )?supple (?P<rest>[a-z].*?)(?:  +#.*)?$", line)
                if found:
                    yield pytest.param(found["rest"], id=f"{page.stem}: {found['rest']}")


@pytest.mark.parametrize("line", list(commands()))
def test_the_commands_of_a_page_run_as_printed(line, files, monkeypatch):
    monkeypatch.chdir(files)
    words = shlex.split(line.split(" > ")[0])
    if words[0] in WAITING:  # that its options are known is what can be told
        words.append("--help")
    if words[0] == "page" and not (BUILT / SCRIPT).is_file():
        pytest.skip("the page has not been built")
    arguments = [
        str(one) for word in words for one in (sorted(Path().glob(word)) if "*" in word else [word])
    ]
    result = CliRunner().invoke(app, arguments)
    fine = (0, 1) if words[0] == "lint" else (0,)  # 1: it found something
    assert result.exit_code in fine, result.output


def test_the_matrix_of_solvers_is_up_to_date():
    made = runpy.run_path(str(DOCS / "make_matrix.py"))
    assert (DOCS / "solvers.md").read_text(encoding="utf-8") == made["page"](), (
        "run: python docs/make_matrix.py"
    )


def test_the_page_of_operations_is_that_of_the_table():
    made = runpy.run_path(str(DOCS / "make_operations.py"))
    assert (DOCS / "operations.md").read_text(encoding="utf-8") == made["page"](), (
        "run: python docs/make_operations.py"
    )
    from supple.apps.grammar.operations.table import LEFT_OUT, OPERATIONS

    missing = [
        name for name in made["REFERENCE"] if name not in OPERATIONS and name not in LEFT_OUT
    ]
    assert missing == [], "each operation of the reference is there or left out for a reason"
    assert not set(LEFT_OUT) & set(OPERATIONS)
    assert all(made["described"](name)[1] for name in OPERATIONS)


def test_every_page_is_in_the_table_of_contents():
    contents = (DOCS / "index.md").read_text(encoding="utf-8").split("```{toctree}")[1]
    listed = set(re.findall(r"^([a-z-]+)$", contents, re.M))
    pages = {page.stem for page in (*DOCS.glob("*.md"), *DOCS.glob("*.rst"))} - {"index"}
    assert listed == pages


def test_every_public_name_is_in_the_reference():
    reference = (DOCS / "api.rst").read_text(encoding="utf-8")
    listed = re.findall(r":: supple\.(\w+)$", reference, re.M)
    assert set(supple.__all__) <= set(listed)


def test_links_between_pages_lead_somewhere():
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS.glob("*.md")):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", DOCS / "first-steps.md"], ids=lambda p: p.name
)
def test_every_status_is_on_the_page(page):
    text = page.read_text(encoding="utf-8")
    assert [status.name for status in supple.Status if f"`{status.name}`" not in text] == []


def test_every_kind_of_goal_is_told_where_goals_are_given():
    """In what `solve` says of its goals, and in the table of which joints they free."""
    table = (DOCS / "conventions.md").read_text(encoding="utf-8")
    table = table.partition("## Which joints may move")[2].partition("\n## ")[0]
    for kind in GOALS:
        assert re.search(rf"\b{kind.__name__}\b", supple.solve.__doc__ or ""), kind
        assert f"`{kind.__name__}`" in table, kind
