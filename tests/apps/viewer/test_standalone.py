"""Pages without a server: what is written, and what is refused. tests/browser opens them."""

import base64
import gzip
import hashlib
import json
import re

import pytest

import supple
from supple import Fixed, SuppleError
from supple.apps.viewer import standalone
from supple.kernels import library

CHAIN = supple.chain([1.0, 1.0, 1.0])


@pytest.fixture
def built(tmp_path, monkeypatch):
    """Something in the place of the script and the kernels, whether or not they have been built."""
    folder = tmp_path / "built"
    folder.mkdir()
    (folder / "standalone.js").write_text("document.write('</script><!-- no');")
    (folder / "standalone.css").write_text("body { margin: 0 }")
    monkeypatch.setattr(standalone, "BUILT", folder)
    monkeypatch.setattr(standalone, "kernels_wasm", lambda: b"\0asm")
    return folder


def contents(path):
    """The JSON of a page's data."""
    text = re.search(r'id="data">([^<]*)<', path.read_text("utf-8"))
    assert text is not None
    whole = gzip.decompress(base64.b64decode(text[1]))
    return json.loads(whole[4 : 4 + int.from_bytes(whole[:4], "little")])


def test_the_page_runs_its_own_script_and_nothing_else(built, tmp_path):
    text = supple.page(CHAIN, tmp_path / "page.html").read_text("utf-8")
    scripts = re.findall(r"<script[^>]*>(.*?)</script>", text, flags=re.DOTALL)
    assert len(scripts) == 2 and scripts[1] == "document.write('<\\/script><\\!-- no');"
    digest = base64.b64encode(hashlib.sha256(scripts[1].encode()).digest()).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    assert f"script-src 'sha256-{digest}' 'wasm-unsafe-eval';" in policy[1]
    assert policy[1].startswith("default-src 'none';")
    assert "//" not in re.sub(
        r"http://www.w3.org/2000/svg|<script.*</script>", "", text, flags=re.S
    )


def test_the_same_model_gives_the_same_bytes(built, tmp_path):
    pages = [supple.page(CHAIN, tmp_path / f"{k}.html").read_bytes() for k in range(2)]
    assert pages[0] == pages[1]


def test_a_title_is_escaped(built, tmp_path):
    path = supple.page(CHAIN, tmp_path / "page.html", title="</title><script>alert(1)</script>")
    text = path.read_text("utf-8")
    assert "<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;</title>" in text
    assert "alert(1)</script>" not in text


def test_every_solver_that_can_take_the_goals_is_in_it(built, tmp_path):
    data = contents(supple.page(CHAIN, tmp_path / "page.html"))
    assert [one["solver"] for one in data["problems"]] == [
        "auto", "CCD", "TargetTriangle", "FABRIK", "Jacobian", "LM",
    ]  # fmt: skip
    limited = supple.chain([1.0, 1.0], joint=supple.Hinge("z", limits=(-1, 1)))
    data = contents(supple.page(limited, tmp_path / "page.html"))
    assert len(data["scenes"]) == 2
    assert {one["limits"] for one in data["problems"]} == {True, False}


def test_goals_are_those_asked_for(built, tmp_path):
    data = contents(supple.page(CHAIN, tmp_path / "page.html", goals=["j2", "tip", "j2"]))
    assert [one["effector"] for one in data["scenes"][0]["scene"]["goals"]] == ["j2", "tip"]
    character = supple.humanoid()
    data = contents(supple.page(character, tmp_path / "page.html"))
    assert sorted(one["effector"] for one in data["scenes"][0]["scene"]["goals"]) == [
        "hand.L",
        "hand.R",
    ]


def test_corrected_motions_are_added_beside_the_others(built, tmp_path):
    character = supple.humanoid()
    planted = supple.plant_feet(character.motions["walk"])
    data = contents(supple.page(character, tmp_path / "page.html", motions=[planted]))
    names = [one["name"] for one in data["motions"]]
    assert names == [*character.motions, "walk, corrected"]


def test_nothing_of_the_machine_is_told(built, tmp_path):
    source = tmp_path / "secret-folder" / "model.bvh"
    source.parent.mkdir()
    supple.save(supple.Motion("sway", [CHAIN.rest], fps=30), source)
    path = supple.page(source, tmp_path / "page.html")
    assert contents(path)["scenes"][0]["scene"]["notes"] == []
    assert "secret-folder" not in json.dumps(contents(path))


def test_a_growth_has_goals_of_its_own(built, tmp_path):
    rules = supple.data.__path__[0] + "/grammar/excavator.cga"
    data = contents(supple.page(rules, tmp_path / "page.html"))
    assert [one["kind"] for one in data["scenes"][0]["scene"]["goals"]] == ["reach"]
    assert data["scenes"][0]["scene"]["grown"] is None and data["meshes"]


@pytest.mark.parametrize(
    ("value", "options", "told"),
    [
        (3, {}, "expected a Character, Skeleton, .* got a int"),
        ("missing.glb", {}, "missing.glb: there is no such file"),
        (CHAIN, {"goals": ["tpi"]}, "did you mean 'tip'"),
        (CHAIN, {"motions": [3]}, "motions: expected a Motion, Correction or Planted, got a int"),
        (supple.chain([1.0], joint=Fixed()), {}, "a joint that can move"),
    ],
)
def test_what_cannot_be_shown_is_refused(built, tmp_path, value, options, told):
    with pytest.raises(SuppleError, match=told):
        supple.page(value, tmp_path / "page.html", **options)
    assert not (tmp_path / "page.html").exists()


def test_a_page_that_cannot_be_written_is_refused_first(built, tmp_path):
    with pytest.raises(SuppleError, match="there is no folder"):
        supple.page(3, tmp_path / "nowhere" / "page.html")


def test_a_script_that_was_not_built_is_told(built, tmp_path):
    (built / "standalone.js").unlink()
    with pytest.raises(SuppleError, match="has not been built: install supple again"):
        supple.page(CHAIN, tmp_path / "page.html")


# The kernels ----------------------------------------------------------------------------------------


@pytest.fixture
def compiled(tmp_path, monkeypatch):
    """A folder with kernels and their manifest."""
    folder = tmp_path / "supple" / "compiled"
    folder.mkdir(parents=True)
    monkeypatch.setattr(library, "FOLDER", folder)
    (folder / "supple.wasm").write_bytes(b"\0asm")
    manifest = {"sha256": hashlib.sha256(b"\0asm").hexdigest(), "sources": "other"}
    (folder / "wasm.json").write_text(json.dumps(manifest))
    return folder


def test_kernels_of_an_installed_package_are_taken(compiled):
    assert standalone.kernels_wasm() == b"\0asm"


def test_missing_kernels_are_told(compiled):
    (compiled / "supple.wasm").unlink()
    with pytest.raises(SuppleError, match=r"supple.wasm\) are missing; install a wheel"):
        standalone.kernels_wasm()


def test_missing_kernels_of_clips_are_told_with_their_own_target(compiled):
    with pytest.raises(
        SuppleError, match=r"supple_clips.wasm\) are missing.* --target wasm-clips,"
    ):
        standalone.kernels_wasm(standalone.CLIPS_WASM)


def test_kernels_that_come_behind_a_draft_are_waited_for(compiled):
    (compiled / "supple.wasm").unlink()
    (compiled / "manifest.json").write_text(json.dumps({"draft": True}))
    with pytest.raises(SuppleError, match="still being compiled; reload the page"):
        standalone.kernels_wasm()


def test_damaged_kernels_are_told(compiled):
    (compiled / "supple.wasm").write_bytes(b"\0as")
    with pytest.raises(SuppleError, match="damaged"):
        standalone.kernels_wasm()


def test_stale_kernels_are_told(compiled):
    (compiled.parent / "kernels").mkdir()
    (compiled.parent / "kernels" / "edited.py").write_text("# edited")
    with pytest.raises(SuppleError, match="edited since it was built"):
        standalone.kernels_wasm()


def test_kernels_are_light():
    try:
        data = standalone.kernels_wasm()
    except SuppleError as error:
        pytest.skip(str(error))
    assert len(gzip.compress(data, 9)) < 250_000
