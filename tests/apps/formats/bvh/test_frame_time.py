"""The frame rate of a rounded Frame Time, and the Frame Time of a rate."""

import re

import numpy as np
import pytest

import supple
from supple.apps.formats.bvh.frame_time import frame_time, rate_of


@pytest.mark.parametrize(
    ("text", "fps"),
    [
        ("0.033333", 30.0),
        ("0.0333330", 30.0),
        ("0.0333333", 30.0),
        (".0083333", 120.0),
        ("0.0333", 30.0),
        ("3.3333e-2", 30.0),
        ("0.016666", 60.0),  # cut off
        ("0.0167", 60.0),
        ("0.0417", 24.0),
        ("0.033333335", 30.0),  # a float32
        ("0.04", 25.0),
        ("1", 1.0),
        ("0.033367", 30000.0 / 1001.0),
        ("0.0334", 30000.0 / 1001.0),
        ("0.041708", 24000.0 / 1001.0),
        # An ambiguous rate stays the inverse of the seconds.
        ("0.033", 1.0 / 0.033),
        ("0.03", 1.0 / 0.03),
        ("0.0015", 1.0 / 0.0015),
        ("0.033334", 1.0 / 0.033334),
        ("0.08", 12.5),
        ("1.5", 1.0 / 1.5),
    ],
)
def test_the_rate_that_is_meant_is_read(text, fps):
    assert rate_of(text) == fps


def test_a_rate_is_written_so_that_it_is_read_again():
    for fps in (*range(1, 500), 1000, 12.5, 30000.0 / 1001.0, 30.0003):
        assert rate_of(frame_time(fps)) == fps
    assert frame_time(30.0) == "0.0333333"


@pytest.mark.parametrize("text", ["0.033333", ".0083333", "0.0333", "0.033", "0,0417"])
def test_a_frame_time_is_written_as_it_was_read(tmp_path, text):
    motion = supple.humanoid().motion("wave")
    path, again, other = (tmp_path / name for name in ("a.bvh", "b.bvh", "c.glb"))
    supple.save(motion, path)
    path.write_text(re.sub("Frame Time: .*", f"Frame Time: {text}", path.read_text()))
    character = supple.load(path)
    read = character.motion("a")
    supple.save(character, again)
    said = text.replace(",", ".")
    assert f"Frame Time: {said}\n" in again.read_text()
    # Part of it, changed, has the same rate; at another, the time is another.
    supple.save(read[2:5].with_(poses=read.poses[3:6]), again)
    assert f"Frame Time: {said}\n" in again.read_text()
    supple.save(read.with_(fps=50.0), again)
    assert "Frame Time: 0.02\n" in again.read_text()
    supple.save(character, other)
    (moved,) = supple.load(other).motions.values()
    assert moved.fps == pytest.approx(rate_of(said), rel=1e-7)
    assert np.isclose(moved.times[1], 1.0 / rate_of(said), rtol=1e-6)
