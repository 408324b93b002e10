"""`supple page`."""

import pytest

import supple
from supple.apps.viewer import standalone


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Where pages go, with something in the place of what is built for them."""
    (tmp_path / "standalone.js").write_text("1")
    (tmp_path / "standalone.css").write_text("")
    monkeypatch.setattr(standalone, "BUILT", tmp_path)
    monkeypatch.setattr(standalone, "kernels_wasm", lambda: b"\0asm")
    return tmp_path / "page.html"


def test_a_chain(run, written):
    result = run("page", "chain:1,1,1", "-o", written)
    assert result.exit_code == 0 and result.stdout.startswith(f"{written}: ")
    assert "<title>chain:1,1,1</title>" in written.read_text("utf-8")


def test_the_character_with_planted_feet(run, written):
    result = run("page", "humanoid", "-o", written, "--plant-feet", "--goal", "hand.R",
                 "--title", "Hero")  # fmt: skip
    assert result.exit_code == 0
    assert "<title>Hero</title>" in written.read_text("utf-8")


def test_a_file_with_a_motion(run, written, tmp_path):
    skeleton = supple.chain([1.0] * 4)
    supple.save(supple.Character(skeleton), tmp_path / "model.smd")
    supple.save(supple.Motion("sway", [skeleton.rest] * 2, fps=30), tmp_path / "sway.smd")
    result = run("page", tmp_path / "model.smd", "-o", written, "-m", tmp_path / "sway.smd")
    assert result.exit_code == 0, result.output
    assert "<title>model.smd</title>" in written.read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nothing.glb"], "nothing.glb"),
        (["chain:1,1", "--motion", "missing.smd"], "missing.smd: there is no such file"),
        (["chain:1,1", "--plant-feet"], "--plant-feet: expected a motion"),
        (["chain:1,1", "--goal", "tpi"], "did you mean 'tip'"),
        (["robot:ur5"], "kind of model"),
    ],
)
def test_bad_input_is_one_line(run, written, arguments, told):
    result = run("page", *arguments, "-o", written)
    assert result.exit_code == 2
    assert told in result.output
    assert not written.exists()
