"""Rule packages."""

import io
import zipfile

import pytest

import supple

RULES = b"""@StartRule
Lot --> extrude(3) i("tree.obj") [ texture("wall.png") i("box") ] Part.X
import Part : "rules/part.cga"
"""
PART = b"X --> print(1) B"
TREE = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\2\0\0\0"
FILES = {
    ".resolvemap.xml": b"<resolvemap/>", "assets/tree.obj": TREE, "assets/wall.png": PNG,
    "bin/main$part.cgb": b"compiled", "bin/main.cgb": b"compiled",
    "rules/main.cga": RULES, "rules/part.cga": PART,
}  # fmt: skip


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


@pytest.mark.parametrize("kind", ["7z", "zip"])
def test_a_package_grows_with_its_assets_and_imports(tmp_path, seven_zip, kind) -> None:
    path = tmp_path / "house.rpk"
    path.write_bytes(seven_zip(FILES) if kind == "7z" else zipped(FILES))
    grown = supple.grow(path)
    assert grown.printed == ("1",)
    assert not grown.notes and not grown.incomplete
    assert grown.source == f"{path}/rules/main.cga"
    grown.save(tmp_path / "house.glb")  # the image is read from the package now
    assert (tmp_path / "house.glb").stat().st_size > 500


def test_messages_name_the_file_in_the_package(tmp_path, refused, seven_zip) -> None:
    path = tmp_path / "house.rpk"
    path.write_bytes(seven_zip({**FILES, "rules/part.cga": b"X -->\n  t(1)"}))
    assert refused(path) == f"{path}/rules/part.cga:2:3: rule Part.X: t takes 3 arguments, got 1"
    path.write_bytes(seven_zip({"rules/a.cga": b'Lot --> i("none.obj")'}))
    assert refused(path).endswith(f"there is no asset 'none.obj' below {path}")


def test_workspace_paths_of_a_package_are_those_of_its_project(tmp_path, seven_zip) -> None:
    path = tmp_path / "house.rpk"
    rules = b'Lot --> i("/Some Project/assets/tree.obj")'
    path.write_bytes(seven_zip({"rules/a.cga": rules, "assets/tree.obj": TREE}))
    assert len(supple.grow(path).leaves) == 1


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"../a.cga": RULES}, "the archive has a file '../a.cga', which is not a name inside it"),
        ({"/etc/a.cga": RULES}, "which is not a name inside it"),
        ({"rules\\..\\..\\a.cga": RULES}, "which is not a name inside it"),
        ({"C:/a.cga": RULES}, "which is not a name inside it"),
        ({"a\nb.cga": RULES}, "which is not a name inside it"),
        ({"x" * 600: RULES}, "which is not a name inside it"),
        ({"a": b"1", "a/b.cga": RULES}, "'a/b.cga' lies in a file of the archive"),
        ({"bin/a.cgb": b"1"}, "expected rules (.cga) in the package, got only compiled rules"),
        ({"readme.txt": b"1"}, "expected rules (.cga) in the package, got none"),
    ],
)
def test_hostile_packages_are_refused(tmp_path, refused, seven_zip, files, message) -> None:
    path = tmp_path / "bad.rpk"
    path.write_bytes(seven_zip(files))
    said = refused(path)
    assert said.startswith(f"{path}: ") and message in said
    assert not list(tmp_path.glob("*.cga"))


def test_other_bytes_are_no_package(tmp_path, refused) -> None:
    path = tmp_path / "bad.rpk"
    path.write_bytes(b"Lot --> A")
    assert refused(path) == f"{path}: expected a rule package, a 7z or zip archive, got other bytes"
    path.write_bytes(b"PK\3\4 not a zip")
    assert "the archive is damaged or encrypted" in refused(path)
