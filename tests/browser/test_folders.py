"""Whole folders, dropped on the page as from a file manager, or chosen."""

import numpy as np
import pytest

import supple

ROBOT = """<robot name="arm">
  <link name="base"><visual><geometry><box size="0.4 0.4 0.1"/></geometry></visual></link>
  <link name="upper"><visual><geometry>
    <mesh filename="package://arm_description/meshes/visual/upper.stl"/></geometry></visual></link>
  <link name="hand"><visual><geometry><mesh filename="../meshes/hand.stl"/></geometry></visual></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 1"/><axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <joint name="wrist" type="revolute"><parent link="upper"/><child link="hand"/>
    <origin xyz="0.5 0 0"/><axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
</robot>
"""


def stl(size):
    corners = "".join(f"vertex {x * size} {y * size} 0\n" for x, y in ((0, 0), (1, 0), (0, 1)))
    return f"solid a\nfacet normal 0 0 1\nouter loop\n{corners}endloop\nendfacet\nendsolid a\n"


@pytest.fixture
def written(tmp_path):
    """Writes files into a folder; gives its path."""

    def write(name, files):
        for path, text in files.items():
            place = tmp_path / name / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        return tmp_path / name

    return write


def drop(driver, *paths):
    """Drop what is on the disk, as a file manager does."""
    line = driver.page.context.new_cdp_session(driver.page)
    moved = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        line.send("Input.dispatchDragEvent", {"type": kind, "x": 200, "y": 200, "data": moved})
    line.detach()


def test_a_robot_s_folder_is_dropped_with_its_meshes(driver, written):
    pytest.importorskip("trimesh")
    files = {
        "urdf/arm.urdf": ROBOT,
        "meshes/visual/upper.stl": stl(0.3),
        "meshes/collision/upper.stl": stl(0.7),
        "meshes/hand.stl": stl(0.2),
        "package.xml": "<package/>",
        ".git/config": "[core]",
        "notes.txt": "nothing to draw",
    }
    drop(driver, written("arm_description", files))
    driver.until("playground.page.scene.title === 'arm.urdf' && playground.meshes() === 3")
    driver.settled()
    sizes = [np.ptp(mesh.positions, axis=0).max() for mesh in driver.session.subject.meshes]
    assert sizes == pytest.approx([0.4, 0.3, 0.2]), "each from its own folder"
    assert driver.ask("document.querySelector('#veil').hidden")


def test_rules_keep_their_folders_and_grow_again(driver, written):
    files = {
        "rules/town.cga": 'import Lib : "parts/lib.cga"\nattr floors = 2\nLot --> Lib.House(floors)',
        "rules/parts/lib.cga": "House(n) --> Floors(n)\n"
        'Floors(n) --> case n > 0 : [ i("assets/roof.obj") ] Floors(n - 1) else : NIL',
        "assets/roof.obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n",
    }
    driver.page.fill(
        "[name=tolerance]", "0.01"
    )  # and is not left: the panel is another's all the same
    driver.page.set_input_files("input[name=folder]", written("town", files))
    driver.until("playground.page.scene.title === 'town.cga' && playground.meshes() > 0")
    driver.settled()
    faces = lambda: sum(len(mesh.faces) for mesh in driver.session.subject.meshes)  # noqa: E731
    assert faces() == 4
    driver.page.fill("[name=attr-floors-number]", "3")
    driver.until("playground.setup().grown.attributes.floors === 3")
    driver.settled()
    assert faces() == 6, "from files that are still there"


def test_of_several_models_one_is_chosen(driver, tmp_path):
    folder = tmp_path / "motions"
    folder.mkdir()
    for count, name in ((2, "short"), (5, "long")):
        supple.save(supple.chain([1] * count), folder / f"{name}.bvh")
    before = driver.ask("playground.page.scene.title")
    drop(driver, folder)
    driver.until("playground.page.files.choice.open")
    assert driver.page.locator("#choice [name=model]").all_inner_texts() == [
        "long.bvh",
        "short.bvh",
    ]
    driver.page.keyboard.press("Escape")
    driver.until("!playground.page.files.choice.open")
    assert driver.ask("playground.page.scene.title") == before
    drop(driver, folder)
    driver.until("playground.page.files.choice.open")
    driver.page.click("#choice [name=model]:text-is('long.bvh')")
    driver.until("playground.page.scene.title === 'long.bvh'")
    driver.settled()
    assert len(driver.joints()) == 6


def test_what_is_too_much_or_nothing_is_refused_in_words(driver, written):
    many = written("many", {f"{k}/a.png": "x" * 400 for k in range(12)})
    title = driver.ask("playground.page.scene.title")
    limits = driver.ask(
        "(({upload_limit, most_files}) => [upload_limit, most_files])(playground.page.hello)"
    )
    try:
        driver.ask("Object.assign(playground.page.hello, { most_files: 10 })")
        drop(driver, many)
        driver.until("playground.notice().includes('many holds 12 models and images')")
        driver.ask("Object.assign(playground.page.hello, { upload_limit: 1000 })")
        drop(driver, many)
        driver.until("playground.notice().includes('MB of models and images')")
    finally:
        size, most = limits
        driver.ask(
            f"Object.assign(playground.page.hello, {{ upload_limit: {size}, most_files: {most} }})"
        )
    drop(driver, written("notes", {"a.txt": "x", ".hidden/b.bvh": "x"}))
    driver.until("playground.notice().startsWith('notes holds nothing that can be opened')")
    assert driver.ask("playground.page.scene.title") == title
