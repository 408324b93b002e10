"""The search for imports and assets."""

import pytest

import supple

TREE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"


@pytest.fixture
def project(tmp_path):
    """A project as CityEngine makes them, with a library beside it."""
    files = {
        "town/assets/plants/oak.obj": TREE,
        "town/models/elm.obj": TREE,
        "town/images/wall.png": "PNG",
        "town/rules/lib/part.cga": "X --> A",
        "town/rules/sub/deep.cga": "X --> B",
        "town/secret.obj": TREE,
        "town/maps/map.obj": TREE,
        "ESRI.lib/assets/ash.obj": TREE,
        "ESRI.lib/rules/tree.cga": "X --> T",
        "outside.obj": TREE,
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    return tmp_path


def grown(project, rules, place="town/rules/main.cga", **options):
    path = project / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(rules)
    return supple.grow(path, **options)


@pytest.mark.parametrize("place", ["town/rules/main.cga", "town/rules/sub/main.cga"])
@pytest.mark.parametrize(
    "name",
    [
        "plants/oak.obj",
        "elm.obj",
        "assets/plants/oak.obj",
        "models/elm.obj",
        "/town/models/elm.obj",
    ],
)
def test_assets_of_the_project_are_found(project, place, name) -> None:
    assert len(grown(project, f'Lot --> i("{name}")', place).leaves) == 1


def test_a_path_up_from_the_rule_file_may_lead_to_them(project) -> None:
    assert len(grown(project, 'Lot --> i("../assets/plants/oak.obj")').leaves) == 1


def test_images_and_imports_of_the_project_are_found(project) -> None:
    rules = 'import P : "{}"\nLot --> texture("wall.png") P.X'
    for name in ("lib/part.cga", "rules/lib/part.cga", "/town/rules/lib/part.cga"):
        assert grown(project, rules.format(name)).leaves.names == {"A": 1}
        deep = grown(project, rules.format(name), "town/rules/sub/main.cga")
        assert deep.leaves.names == {"A": 1}


def test_files_are_searched_in_the_folders_of_the_project(project) -> None:
    rules = 'Lot --> print(fileSearch("plants/*.obj") + fileExists("elm.obj")) A'
    assert grown(project, rules).printed == ("plants/oak.obj;true",)


def test_workspace_paths_begin_in_the_workspace(project) -> None:
    rules = 'import T : "/ESRI.lib/rules/tree.cga"\nLot --> i("/ESRI.lib/assets/ash.obj") T.X'
    assert grown(project, rules, workspace=project).leaves.names == {"T": 1}
    with pytest.raises(supple.SuppleError, match=r"import T of line 1: .* --workspace"):
        grown(project, rules)


@pytest.mark.parametrize(
    "name",
    [
        "../secret.obj", "../maps/map.obj", "../../outside.obj", "/etc/passwd.obj", "/town/secret.obj",
        "/town/../outside.obj", "lib/../../secret.obj", "C:\\\\trees\\\\oak.obj", "/outside.obj",
    ],
)  # fmt: skip
def test_nothing_outside_is_read(project, refused, name) -> None:
    path = project / "town/rules/main.cga"
    path.write_text(f'Lot --> i("{name}")')
    assert "is outside the rule file's folder" in refused(path)
    standing = supple.grow(path, missing="stand-in")
    assert len(standing.notes) == 1 and "is outside" in standing.notes[0]


def test_a_link_out_of_the_folders_is_refused(project, refused) -> None:
    (project / "town/assets/link.obj").symlink_to(project / "outside.obj")
    path = project / "town/rules/main.cga"
    path.write_text('Lot --> i("link.obj")')
    assert "there is no asset" in refused(path) or "is outside" in refused(path)


def test_a_folder_that_is_given_is_the_only_one(project, refused) -> None:
    path = project / "town/rules/main.cga"
    path.write_text('Lot --> i("plants/oak.obj")')
    assert "there is no asset" in refused(path, folder=project / "town/rules")
    assert len(supple.grow(path, folder=project / "town").leaves) == 1


# Stand-ins ----------------------------------------------------------------------------------------


def test_a_box_and_a_grey_image_stand_in_with_one_note_each(project) -> None:
    rules = 'Lot --> split(x){ ~1 : [ i("no.obj") ] texture("no.png") i("no.dae") }*'
    found = grown(project, rules, size=(4, 1, 1), missing="stand-in")
    assert len(found.notes) == 3 and not found.incomplete
    assert "no asset 'no.obj'" in found.notes[0] and "a box takes its place" in found.notes[0]
    assert "no image 'no.png'" in found.notes[1] and "a grey image" in found.notes[1]
    assert len(found.leaves) == 8
    found.save(project / "out.glb")
    with pytest.raises(supple.SuppleError, match="there is no asset 'no.obj'"):
        grown(project, rules, size=(4, 1, 1))


def test_a_message_lists_no_files_that_were_read_before(project, refused) -> None:
    path = project / "town/rules/main.cga"
    path.write_text('Lot --> [ i("elm.obj") ] i("elmm")')
    assert "elm.obj" not in refused(path) and str(project / "town/models") not in refused(path)


def test_a_star_at_the_beginning_stands_for_folders_too(project) -> None:
    rules = 'Lot --> print(fileSearch("*plants/*.obj") + fileRandom("*plants/o*.obj")) A'
    found = grown(project, rules, folder=project / "town").printed[0]
    assert found == "plants/oak.obj;plants/oak.obj"


def test_built_in_images_and_material_files(project) -> None:
    rules = 'Lot --> texture("builtin:uvtest.png") setMaterial(readMaterial("a.cgamat")) A'
    found = grown(project, rules, missing="stand-in")
    assert found.notes == ("the material file 'a.cgamat' is not read; materials stay as they are",)
    with pytest.raises(supple.SuppleError, match="material files are not supported"):
        grown(project, rules)
