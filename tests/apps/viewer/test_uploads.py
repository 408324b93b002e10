"""What lies in an upload: which file holds the others, and where they are looked for."""

import pytest

import supple
from supple.apps.viewer.uploads import Upload, safe_path


@pytest.fixture
def upload(tmp_path):
    """Makes an upload of files, by their paths."""

    def make(files):
        made = Upload("0123456789ab", tmp_path / "upload")
        made.folder.mkdir()
        for name, text in files.items():
            made.place(name).write_text(text)
        return made

    return make


@pytest.mark.parametrize(
    ("files", "models"),
    [
        ({"arm/arm.urdf": "", "arm/meshes/hand.glb": ""}, ["arm.urdf"]),
        ({"fox/a.gltf": "", "fox/a.bin": "", "fox/b/a.glb": ""}, ["a.gltf"]),
        ({"r/b.cga": 'import C : "lib/c.cga"', "r/lib/c.cga": "", "r/a.obj": ""}, ["b.cga"]),
        ({"r/b.cga": 'import C : "c.cga"', "r/c.cga": 'import B : "b.cga"'}, ["b.cga", "c.cga"]),
        ({"walk.smd": "skeleton", "hero.SMD": "triangles", "run.smd": ""}, ["hero.SMD"]),
        ({"walk.smd": "skeleton", "run.smd": "skeleton"}, ["run.smd"]),
        ({"takes/2.bvh": "", "takes/1.bvh": "", "takes/notes.png": ""}, ["1.bvh", "2.bvh"]),
    ],
)
def test_the_file_that_holds_the_others_is_found(upload, files, models):
    made = upload(files)
    assert [made.shown(path) for path in made.models] == models


def test_where_there_is_nothing_to_open_the_files_are_named(upload):
    with pytest.raises(supple.SuppleError, match=r"got a0\.png, .*a5\.png and 4 more$"):
        assert upload({f"a{k}.png": "" for k in range(10)}).models


def test_files_of_formats_that_are_not_read_are_told_what_to_do(upload):
    files = {
        "hero.fbx": "; FBX 7.3.0 project file",
        "walk": "; FBX 7.3.0 project file",
        "a.c3d": "",
    }
    with pytest.raises(
        supple.SuppleError, match=r"; C3D is not read: .*; FBX is not read: "
    ) as told:
        assert upload(files).models
    assert str(told.value).count("FBX is not read") == 1


def test_a_vrm_file_is_a_model(upload):
    made = upload({"hero/hero.vrm": "", "hero/walk.bvh": ""})
    assert [made.shown(path) for path in made.models] == ["hero.vrm"]


def test_files_are_looked_for_in_the_innermost_folder_that_holds_all(upload):
    made = upload({"town/rules/a.cga": "", "town/assets/b.obj": ""})
    assert made.home == made.folder / "town"


def test_a_path_through_a_file_is_refused(upload):
    with pytest.raises(supple.SuppleError, match="^upload: a/b: "):
        upload({"a": "", "a/b": ""})


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("C:\\hero.smd", "C_/hero.smd"),
        ("meshes/wal k(1).smd", "meshes/wal k(1).smd"),
        ('a"b\n.png', "a_b_.png"),
        ("größe/Кость.bvh", "größe/Кость.bvh"),
    ],
)
def test_names_of_files_are_made_safe(given, kept):
    assert str(safe_path(given)) == kept
