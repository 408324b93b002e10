"""Small rule files like real ones: they derive with stand-ins for missing files."""

from pathlib import Path

import pytest

import supple

CORPUS = Path(__file__).with_name("corpus")
FILES = {
    # name: (start, some leaves, printed)
    "terrace": (None, {"T.", "B.", "W.", "G."}, ()),
    "annotated": (None, {"F."}, ("tall 14",)),
    "curtains": (None, {"G.", "W."}, ()),
    "road": (None, {"X."}, ()),
    "arrays": (None, {"X", "E"}, ("(3)[ash,elm,oak]", "6", "3", "(2)[oak,ash]")),
    "shopfront": (None, {"Roofs.Generate", "W."}, ()),
}


def test_every_file_of_the_corpus_is_listed() -> None:
    assert {path.stem for path in CORPUS.glob("*.cga")} == set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_it_derives(name) -> None:
    start, wanted, printed = FILES[name]
    names: set[str] = set()
    for seed in range(4):
        grown = supple.grow(
            CORPUS / f"{name}.cga", start=start, seed=seed, size=(30, 0, 20), missing="stand-in"
        )
        names |= set(grown.leaves.names)
        assert len(grown.meshes()) > 0 or len(grown.leaves) > 0
        assert grown.printed[: len(printed)] == printed
    assert wanted <= names, names - wanted


def test_styles_of_the_corpus() -> None:
    path = CORPUS / "annotated.cga"
    assert supple.grow(path, style="Lower").printed == ("tall 6",)


def test_a_run_without_a_library_is_marked() -> None:
    grown = supple.grow(CORPUS / "shopfront.cga", size=(12, 0, 9), missing="stand-in")
    assert any("'/Library.lib/rules/Roofs.cga' is missing" in line for line in grown.incomplete)
    assert any("cornice.obj" in line for line in grown.notes)
