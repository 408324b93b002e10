"""Clips are found in folders and by patterns, and keep their paths below the folder they have in common."""

import os
import sys
from pathlib import Path

import pytest

from supple import plugins
from supple.apps.clips.clip_files import find_clips, join_clips, same_clip
from supple.errors import SuppleError


@pytest.fixture
def folder(tmp_path):
    """Clips of one name in two folders, a hidden one, and a text."""
    for name in ("a/x.bvh", "b/x.bvh", "b/deep/Y.BVH", "b/.x.bvh", ".git/x.bvh", "notes.txt"):
        path = tmp_path / "clips" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return tmp_path / "clips"


def names(clips):
    return [clips.name(file).as_posix() for file in clips]


def test_a_folder_gives_the_clips_below_it_and_counts_the_rest(folder):
    clips = find_clips(folder)
    assert names(clips) == ["a/x.bvh", "b/deep/Y.BVH", "b/x.bvh"]
    assert clips.skipped == 1


def test_plug_ins_are_looked_for_once_for_each_extension(folder, monkeypatch):
    for k in range(20):
        (folder / f"{k}.txt").touch()
    looked = []
    monkeypatch.setattr(plugins, "load_all", lambda *given: looked.append(given) or [])
    assert find_clips(folder).skipped == 21
    assert len(looked) == 1


def test_a_pattern_names_clips_from_its_first_wildcard_on(folder):
    assert names(find_clips(folder / "**" / "*.bvh")) == ["a/x.bvh", "b/x.bvh"]
    assert names(find_clips(folder / "b" / "**" / "*.bvh")) == ["x.bvh"]
    assert names(find_clips(folder / "*")) == ["a/x.bvh", "b/deep/Y.BVH", "b/x.bvh", "notes.txt"]
    assert not find_clips(folder / "*.glb")


def test_brackets_of_the_folder_of_a_plan_are_letters(folder):
    odd = folder.rename(folder.with_name("clips[1]"))
    assert names(find_clips(Path("**/*.bvh"), odd)) == ["a/x.bvh", "b/x.bvh"]


def test_files_are_named_from_the_folder_that_they_have_in_common(folder, monkeypatch):
    monkeypatch.chdir(folder / "a")
    several = join_clips(map(find_clips, (Path("x.bvh"), Path("../b/x.bvh"), folder / "a/x.bvh")))
    assert names(several) == ["a/x.bvh", "b/x.bvh"]
    assert names(join_clips([find_clips(Path("x.bvh"))])) == ["x.bvh"]


def test_results_among_the_clips_are_left_out_but_not_what_is_named(folder):
    clips = find_clips(folder)
    assert names(clips.outside(folder / "b")) == ["a/x.bvh"]
    assert names(clips.outside(folder)) == names(clips)
    assert names(clips.outside(folder.parent)) == names(clips)
    assert len(find_clips(folder / "b" / "x.bvh").outside(folder / "b")) == 1
    with pytest.raises(SuppleError, match="outside the folder for results"):
        find_clips(folder / "**" / "x.bvh").outside(folder / "a").outside(folder / "b")


def test_links_that_lead_in_a_circle_end(folder):
    (folder / "a" / "loop").symlink_to(folder)
    assert names(find_clips(folder)) == ["a/x.bvh", "b/deep/Y.BVH", "b/x.bvh"]


def test_a_clip_is_found_again_in_subfolders_called_as_its_own(folder, tmp_path):
    made = tmp_path / "out" / "b" / "x.bvh"
    assert same_clip(folder, made) == folder / "b" / "x.bvh"
    assert same_clip(folder / "a", made) == folder / "a" / "x.bvh"
    assert same_clip(folder, tmp_path / "z.bvh") == folder / "z.bvh"


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text there")
def test_names_that_are_not_utf_8_are_found(folder):
    odd = os.fsdecode(b"\xff.bvh")
    (folder / "b" / odd).write_text("odd")
    assert f"b/{odd}" in names(find_clips(folder))
