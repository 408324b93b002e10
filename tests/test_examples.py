"""Every example runs, its checks hold, and its pictures are there and are pictures."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("[0-9]*.py"))
SMALL = {
    "01_two_links": {"size": 60},
    "02_snake": {"count": 100},
    "05_target_triangle": {"count": 200},
    "17_town": {"blocks": 2},
}
LONGEST = 80  # lines
BEGINS = {".png": b"\x89PNG", ".glb": b"glTF"}


def test_the_examples_are_numbered_from_one() -> None:
    numbers = [int(path.name[:2]) for path in EXAMPLES]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) >= 9


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_holds_and_draws(path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "made" / "by the example"
    runpy.run_path(str(path))["main"](folder, **SMALL.get(path.stem, {}))
    made = sorted(folder.iterdir())
    assert any(one.suffix == ".png" for one in made)
    for one in made:
        assert one.name.startswith(path.name[:3])
        assert one.read_bytes().startswith(BEGINS[one.suffix])
        assert one.stat().st_size > 10_000


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_short_and_listed(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) < LONGEST
    assert f"]({path.name})" in (path.parent / "README.md").read_text(encoding="utf-8")


def test_an_example_draws_the_same_picture_again(tmp_path: Path) -> None:
    path = next(one for one in EXAMPLES if one.stem == "06_ik_depth")
    main = runpy.run_path(str(path))["main"]
    drawn = []
    for folder in (tmp_path / "a", tmp_path / "b"):
        main(folder)
        drawn.append([picture.read_bytes() for picture in sorted(folder.iterdir())])
    assert drawn[0] == drawn[1]
