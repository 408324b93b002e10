"""Rules on the stage, without a browser."""

import numpy as np
import pytest

import supple
from supple.apps.data import rules
from supple.apps.viewer import grammar_rules, scenes
from supple.apps.viewer.library import Library
from supple.apps.viewer.messages import Grown, Setup

ARM = """
@Group("Arm") @Range(min=0.5, max=4, stepsize=0.5) @Description("How long.") attr length = 2
attr goal = [1, 1.5, 0]
attr on = true
@Enum("box", "cylinder") attr form = "box"
@Color attr paint = "#ff8800"
attr word = "hello"
attr free = 3
@Hidden attr secret = 1
attr pair = [1, 2]
attr long = [1, 2, 3, 4, 5]
@StartRule Arm --> print(word) s(0.2, length, 0.2) joint("shoulder", 0.5, 0, 0.5)
    color(paint) [ i(form) ] t(0, '1, 0) Fore
Fore --> s(0.2, 1, 0.2) joint("elbow", 0.5, 0, 0.5) [ i("box") ] t(0, '1, 0) Hand
Hand --> IK(goal, effector = [0.5, 0, 0.5]) i("box")
Lot --> extrude(length) comp(f){ top : NIL | side : Wall }
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "arm.cga"
    path.write_text(ARM)
    return path


@pytest.fixture
def opened(file, new_page):
    """A page with the rules open, and the scene's name."""
    library = Library()
    name = f"file:{library.open_file(file)}"
    return new_page(library), name


@pytest.mark.parametrize("name", grammar_rules.TITLES)
def test_our_rules_are_scenes(page, name):
    scene = page.set_up(scene=name)
    assert scene["type"] == "scene" and scene["title"] == grammar_rules.TITLES[name]
    grown = supple.grow(rules(name))
    assert scene["grown"]["shapes"] == len(grown.store) and scene["meshes"] > 0
    pose = page.until(lambda: page.poses and page.poses[0])
    assert np.allclose(pose["values"][:, :3], grown.pose.positions, atol=1e-5)
    if grown.touches:
        assert pose["status"] == "reached" and pose["reached"]


def test_every_attribute_has_the_field_that_fits_it(opened):
    page, name = opened
    scene = page.set_up(scene=name)
    fields = {field.pop("name"): field for field in scene["grown"]["fields"]}
    assert list(fields) == ["length", "goal", "on", "form", "paint", "word", "free", "pair"]
    length = fields["length"]
    assert (length["least"], length["greatest"], length["step"]) == (0.5, 4, 0.5)
    assert (length["kind"], length["group"], length["about"]) == ("number", "Arm", "How long.")
    assert fields["goal"]["kind"] == "numbers" and fields["goal"]["value"] == [1, 1.5, 0]
    kinds = [fields[name]["kind"] for name in ("on", "form", "paint", "word")]
    assert kinds == ["flag", "choice", "color", "text"]
    assert fields["form"]["choices"] == ["box", "cylinder"]
    free = fields["free"]
    assert (free["least"], free["greatest"], free["step"]) == (0, 6, pytest.approx(0.02))
    assert scene["grown"]["starts"] == ["Arm", "Fore", "Hand", "Lot"]
    assert scene["grown"]["printed"] == ["hello"]


def test_what_is_set_grows_anew(opened):
    page, name = opened
    page.set_up(scene=name)
    first = page.packet("mesh")
    scene = page.set_up(scene=name, grown={"attributes": {"length": 3, "paint": "#0000ff"}})
    again = page.packet("mesh")
    assert again["head"]["revision"] == scene["revision"]
    assert first["positions"][:, 1].max() == pytest.approx(4, abs=0.01), "2 and 1 and 1"
    assert again["positions"][:, 1].max() == pytest.approx(5, abs=0.01)
    assert again["head"]["color"][2] > 0.9
    scene = page.set_up(scene=name, grown={"start": "Lot", "attributes": {"length": 2}})
    assert scene["grown"]["start"] == "Lot" and len(scene["names"]) == 1
    plain, seeded = (page.set_up(scene="street", grown={"seed": seed}) for seed in (0, 9))
    assert plain["grown"]["shapes"] != seeded["grown"]["shapes"] and seeded["grown"]["seed"] == 9


def test_a_target_that_is_an_attribute_moves_everything_that_uses_it(page):
    scene = page.set_up(scene="human")
    targets = {one["attribute"]: one["effector"] for one in scene["grown"]["targets"]}
    assert targets == {"right": "Hand effector", "left": "Hand effector 2"}, (
        "not twice for the head"
    )
    goals = [goal["kind"] for goal in scene["goals"]]
    assert goals == ["target", "target"]
    before = page.session.poses[0]
    at = (-0.45, 1.3, 0.35)
    scene = page.set_up(scene="human", grown={"attributes": {"right": at}})
    assert scene["places"][0]["position"] == pytest.approx(at)
    pose = page.session.poses[0]
    assert np.linalg.norm(pose.position("Hand effector") - at) <= 0.0101
    assert not np.allclose(pose.rotation("neck"), before.rotation("neck")), "the head follows"
    page.want()  # answered after everything that came before
    meshes = [one for one in page.packets if one["head"]["revision"] == scene["revision"]]
    assert not meshes, "shapes that have not changed are not sent again"


def test_any_other_target_is_put_elsewhere(page):
    scene = page.set_up(scene="lamp")
    assert [one["attribute"] for one in scene["grown"]["targets"]] == ["", ""]
    x, y, z = scene["places"][0]["position"]
    at = (x - 0.2, y + 0.05, z)
    effector = scene["grown"]["targets"][0]["effector"]
    scene = page.set_up(scene="lamp", grown={"targets": {effector: at}})
    assert scene["places"][0]["position"] == pytest.approx(at)
    assert np.linalg.norm(page.session.poses[0].position(effector) - at) <= 0.0051


def test_what_grew_is_posed_further_by_ordinary_goals(page):
    goal = {"id": "g", "kind": "reach", "effector": "Hand effector", "depth": 0, "axis": "x"}
    page.set_up(scene="human", goals=[goal])
    at = (-0.5, 1.2, 0.4)
    pose = page.want(("g", at), ("target:Hand effector", (9, 9, 9)))
    assert pose["reached"] and pose["solver"] != "CCD"
    assert np.linalg.norm(page.session.poses[0].position("Hand effector") - at) < 0.01
    assert np.linalg.norm(page.session.subject.start.position("Hand effector") - at) > 0.1
    # Grown anew, the goal is still asked for, from the first pose on.
    page.poses.clear()
    page.set_up(scene="human", goals=[goal], grown={"attributes": {"left": [0.4, 1.2, 0.3]}})
    first = page.until(lambda: page.poses and page.poses[0])
    assert first["reached"] and first["solver"] != "CCD"


def test_what_rules_refuse_leaves_the_scene_as_it_was(opened):
    page, name = opened
    page.set_up(scene=name)
    before = page.session.subject
    refused = page.set_up(scene=name, grown={"attributes": {"form": "bax"}})
    assert refused["type"] == "refused"
    assert (
        refused["text"].startswith("arm.cga:13:20: rule Arm:")
        and "did you mean 'box'" in refused["text"]
    )
    assert page.session.subject is before
    assert (
        "did you mean 'length'"
        in page.set_up(scene=name, grown={"attributes": {"lenth": 1}})["text"]
    )
    assert page.set_up(scene=name)["type"] == "scene"


def test_files_are_kept_as_long_as_the_rules_are_open(tmp_path, file):
    library = Library()
    upload = library.upload()
    upload.place("street.cga").write_text('import Lib : "lib.cga"\nLot --> extrude(2) Lib.House')
    upload.place("a tree.glb").write_bytes(b"an asset that is not used")
    upload.place("lib.cga").write_text('attr color_ = "#ff0000"\nHouse --> color(color_) Wall')
    number = library.open(upload)
    assert library.subject(number).title == "street.cga", "the one that no other imports"
    again = scenes.build(Setup(scene=f"file:{number}", grown=Grown(seed=4)), library)
    assert again.grown is not None and again.grown.seed == 4
    for _ in range(24):
        library.open_file(file)
    assert not upload.folder.exists() and file.exists()
    broken = library.upload()
    broken.place("bad.cga").write_text("Lot --> extrude(")
    with pytest.raises(supple.SuppleError, match=r"^bad.cga:1:1\d: "):
        library.open(broken)
    assert not broken.folder.exists()
    lost = library.upload()
    lost.place("town/main.cga").write_text('import A : "a.cga"\nLot --> A.House')
    with pytest.raises(supple.SuppleError, match="no file 'a.cga' below the folder$"):
        library.open(lost)
    library.close()


def test_endless_rules_end(tmp_path, new_page):
    path = tmp_path / "endless.cga"
    path.write_text('attr n = 2\nLot --> case n == 2 : i("box") else : A\nA --> A A')
    library = Library()
    name = f"file:{library.open_file(path)}"
    page = new_page(library)
    page.set_up(scene=name)
    refused = page.set_up(scene=name, grown={"attributes": {"n": 3}})
    assert refused["type"] == "refused" and "endless.cga:3:" in refused["text"]
