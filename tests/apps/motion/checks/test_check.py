"""`supple.check`: seeded faults are found where they are, and clips without any are left alone."""

import dataclasses

import numpy as np
import pytest

import supple
from supple import Budgets, Motion, SuppleError
from supple.apps.motion.checks import KINDS
from supple.model.skeleton import Pose
from supple.rotations import from_axis_angle, multiply

UP = np.array([0.0, 1.0, 0.0])


@pytest.fixture(scope="module")
def wave():
    return supple.humanoid().motion("wave")


def moved(motion, way, rows=None):
    """The motion with its root moved by (F, 3)."""
    places = np.array(motion.poses._full_translations())
    places[:, motion.skeleton.parents < 0] += np.asarray(way)[:, None]
    return motion.with_(poses=Pose(motion.skeleton, motion.poses.coordinates, places))


def turned(motion, joint, angle, axis="x"):
    """The motion with a joint turned by angles (F,) [rad] on top of what it does."""
    now = motion.poses.local_rotations[:, motion.skeleton.index(joint)]
    free = motion.on(_balls(motion.skeleton))
    turn = multiply(now, from_axis_angle(axis, np.asarray(angle)))
    j = motion.skeleton.index(joint)
    own = multiply(np.asarray(motion.skeleton.rotations[j]) * [1, -1, -1, -1], turn)
    return free.with_(poses=free.poses.with_({joint: own}))


def _balls(skeleton):
    """The same skeleton with joints that turn as they like."""
    joints = {
        name: supple.Free() if skeleton.parent(name) is None else supple.Ball()
        for name in skeleton.joint_names
    }
    return skeleton.with_joints(joints)


def bump(count, start, stop, fade=8):
    t = np.arange(count)
    share = np.clip(np.minimum((t - start + fade) / fade, (stop - 1 + fade - t) / fade), 0, 1)
    return share * share * (3 - 2 * share)


def found(report, kind, start, stop):
    return [one for one in report.of(kind) if one.start < stop and one.stop > start]


@pytest.mark.parametrize("name", ["walk", "wave", "reach-ready"])
def test_clips_that_come_along_have_no_faults(name):
    report = supple.check(supple.humanoid(), motion=name)
    assert report.ok, report.faults
    assert tuple(report.measures) == KINDS


def test_a_foot_that_slides_is_found(wave):
    way = np.clip((np.arange(75) - 20) / 30, 0, 1)[:, None] * [0.0, 0.0, 0.5]
    report = supple.check(moved(wave, way), against=wave)
    assert found(report, "skate", 20, 50)
    assert report.of("skate")[0].unit == "leg/s"
    assert supple.check(moved(wave, way)).of("skate")


def test_a_body_in_the_ground_and_one_above_it_are_found(wave):
    share = bump(75, 25, 45)[:, None]
    low = supple.check(moved(wave, -0.08 * share * UP))
    high = supple.check(moved(wave, 0.1 * share * UP))
    assert found(low, "penetration", 25, 45) and not low.of("floating")
    assert found(high, "floating", 25, 45) and not high.of("penetration")


def test_a_jump_through_the_air_does_not_float(wave):
    t = (np.arange(75) - 20) / 30
    leap = np.maximum(3.0 * t - 0.5 * 9.81 * t * t, 0.0) * (t > 0)
    report = supple.check(moved(wave, leap[:, None] * UP))
    assert not report.of("floating")


@pytest.mark.parametrize("high", [0.1, 0.2, 0.4])
@pytest.mark.parametrize("fade", [1, 3])
def test_a_body_that_hovers_for_a_third_of_a_second_is_found(wave, high, fade):
    """Lifted, held and put down: pulled down at the ends alone."""
    start, stop = 30, 30 + round(wave.fps / 3)
    hovers = moved(wave, bump(75, start, stop, fade)[:, None] * UP * high)
    assert found(supple.check(hovers, kinds=["floating"]), "floating", start, stop)


def test_a_motion_that_stops_dead_is_found(wave):
    rows = np.minimum(np.arange(75), 40)
    report = supple.check(wave.with_(poses=wave.poses[rows]), kinds=["frozen"])
    (fault,) = report.faults
    assert (fault.kind, fault.start, fault.stop) == ("frozen", 41, 75)
    assert fault.value > fault.budget and fault.unit == "leg/s"
    # For a while in the middle, too.
    rows = np.r_[np.arange(40), np.full(20, 40), np.arange(41, 56)]
    (fault,) = supple.check(wave.with_(poses=wave.poses[rows]), kinds=["frozen"]).faults
    assert (fault.start, fault.stop) == (41, 60)


def test_a_motion_that_comes_to_rest_is_not_frozen(wave):
    t = np.arange(75) / 40
    eased = 40 * np.where(t < 1, 2 * t - t * t, 1)  # slows down evenly, and is held
    low = np.floor(eased).astype(int)
    poses = wave.poses[low].interpolate(wave.poses[low + 1], eased - low)
    assert supple.check(wave.with_(poses=poses), kinds=["frozen"]).ok
    assert supple.check(wave.with_(poses=wave.poses[np.zeros(75, int)]), kinds=["frozen"]).ok


def test_a_given_ground_counts(wave):
    assert supple.check(wave, ground=-1.0).of("floating")
    assert supple.check(wave, ground=0.5).of("penetration")


def test_a_joint_that_jumps_is_found_in_its_frame(wave):
    angle = np.zeros(75)
    angle[40:42] = 0.7
    report = supple.check(turned(wave, "upperarm.L", angle))
    (fault,) = report.of("speed")
    assert fault.joint == "upperarm.L"
    assert fault.start <= 40 < fault.stop


def test_a_speed_that_changes_at_once_is_found(wave):
    t = np.arange(75) - 30
    angle = 0.5 * np.clip(np.minimum(t, 8 - t), 0, None)
    report = supple.check(turned(wave, "upperarm.L", angle))
    assert found(report, "acceleration", 29, 40)


def test_joints_outside_their_limits_are_found(wave):
    limited = supple.learn_limits(_balls(wave.skeleton), wave, margin=0.01)
    good = supple.check(wave, limits=limited)
    assert not good.of("limits")
    bad = turned(wave, "upperarm.L", 1.0 * bump(75, 30, 45))
    report = supple.check(bad, limits=limited)
    assert found(report, "limits", 30, 45)


def test_a_bone_that_grows_is_found(wave):
    places = np.array(wave.poses._full_translations())
    j = wave.skeleton.index("forearm.L")
    places[:, j] *= 1 + 0.1 * bump(75, 30, 40)[:, None]
    bad = wave.with_(poses=Pose(wave.skeleton, wave.poses.coordinates, places))
    report = supple.check(bad)
    assert [fault.joint for fault in report.of("bones")] == ["forearm.L"]


def test_a_hand_in_the_body_is_found(wave):
    hip = wave.poses.position(wave.skeleton.joint_names[0]) + 0.15 * UP
    goal = supple.Reach("hand.L", hip, root="upperarm.L")
    bad = supple.correct(wave.on(_balls(wave.skeleton)), [goal], window=(1.0, 1.5), speed=None)
    report = supple.check(bad.motion)
    assert found(report, "collision", 30, 45)


def test_the_seam_of_a_loop_is_found():
    walk = supple.humanoid().motion("walk")
    assert not supple.check(walk).of("seam")
    bad = turned(walk, "upperarm.L", 0.5 * np.linspace(0, 1, len(walk)) ** 2)
    (fault,) = supple.check(bad, loop=True).of("seam")
    assert fault.joint == "upperarm.L"
    assert supple.check(bad, loop=False).measures["seam"].reason == "it is not a loop"


def test_left_and_right_that_change_places_are_found():
    walk = supple.humanoid().motion("walk")
    other = walk.mirrored(axis="x").poses.coordinates
    rows = np.array(walk.poses.coordinates)
    rows[10:20] = other[10:20]
    bad = walk.with_(poses=Pose(walk.skeleton, rows, walk.poses.translations))
    report = supple.check(bad)
    assert found(report, "swap", 9, 21)
    assert not supple.check(walk).of("swap")


def test_against_the_same_clip_there_are_no_faults(wave):
    angle = np.zeros(75)
    angle[40:42] = 0.7
    bad = turned(wave, "upperarm.L", angle)
    assert not supple.check(bad).ok
    assert supple.check(bad, against=bad).ok


def test_budgets_by_name_or_file_decide(wave, tmp_path):
    share = bump(75, 25, 45)[:, None]
    low = moved(wave, -0.08 * share * UP)
    assert supple.check(low, budgets={"penetration": 0.2}).ok
    path = tmp_path / "budgets.toml"
    path.write_text("# generous\npenetration = false\n")
    report = supple.check(low, budgets=path)
    assert report.ok and "penetration" not in report.measures


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("skate = 0.1\nskat = 0.2\n", 2, "'skate'"),
        ("[budgets]\n\nskate = 'much'\n", 3, "'much'"),
        ("skate = 0.1\nspeed = -1\n", 2, "above 0"),
        ("skate = true\n", 1, "false"),
        ("skate = = 3\n", 1, "TOML"),
    ],
)
def test_bad_budgets_name_their_line(tmp_path, text, line, words):
    path = tmp_path / "budgets.toml"
    path.write_text(text)
    with pytest.raises(SuppleError) as error:
        Budgets.load(path)
    assert str(error.value).startswith(f"{path}:{line}: ")
    assert words in str(error.value)


def test_bad_arguments_are_said(wave):
    with pytest.raises(SuppleError, match="expected a supple.Motion"):
        supple.check(3)
    with pytest.raises(SuppleError, match="skate"):
        supple.check(wave, kinds=["skating"])
    with pytest.raises(SuppleError, match="budget 'times'"):
        supple.check(wave, budgets={"times": 0.5})


def test_short_motions_and_those_without_feet_are_checked_as_far_as_can_be():
    arm = supple.chain([1, 1])
    report = supple.check(Motion("still", [arm.rest] * 2, fps=30))
    assert not report.faults and not report.ok  # nothing could be checked
    assert report.measures["skate"].reason == "no feet were found"
    assert "5 frames" in report.measures["speed"].reason


def test_reports_go_to_json_and_html(wave):
    angle = np.zeros(75)
    angle[40:42] = 0.7
    report = supple.check(turned(wave, "upperarm.L", angle))
    data = report.to_json()
    assert not data["ok"]
    assert data["faults"][0]["joint"] == "upperarm.L"
    page = supple.check_page(report)
    assert page.startswith("<!doctype html>") and "<svg" in page and "upperarm.L" in page
    assert "http" not in page  # it needs nothing else


def test_a_turn_that_the_next_joint_makes_up_for_is_no_pop(wave):
    """Solvers of marker data turn the spine to and fro, and what hangs on it back."""
    angle = np.zeros(75)
    angle[40] = 0.4
    alone = turned(wave, "spine", angle, axis="y")
    assert found(supple.check(alone, kinds=["speed"]), "speed", 40, 42)
    both = turned(alone, "chest", -angle, axis="y")
    assert supple.check(both, kinds=["speed"]).ok


def test_a_foot_that_stood_before_slides_wherever_it_is(wave):
    """Also above the ground, where a foot alone would not be taken for one that stands."""
    lifted = bump(75, 20, 60)[:, None] * [0.0, 0.12, 0.0]
    way = np.clip((np.arange(75) - 30) / 20, 0, 1)[:, None] * [0.0, 0.0, 0.4]
    before = moved(wave, lifted)
    after = supple.check(moved(wave, lifted + way), against=before, kinds=["skate"])
    assert found(after, "skate", 32, 48)


def test_what_is_checked_stands_on_a_slope_that_is_given(wave):
    slope = [-1.0, 1.0, 0.0, 0.0]
    on_slope = moved(wave, np.tile(0.5 * UP, (75, 1)))
    assert supple.check(on_slope, kinds=["penetration"], ground=0.45).ok
    assert supple.check(wave, kinds=["penetration"], ground=slope).of("penetration")
    assert supple.check(on_slope, kinds=["penetration"], ground=slope).ok


def _written(folder, motion, rows):
    """The character of a BVH file of a motion whose lines of frames a function has changed."""
    path = folder / "clip.bvh"
    supple.save(supple.humanoid().with_(motions={motion.name: motion}), path)
    head, _, tail = path.read_text().partition("Frame Time:")
    time, *lines = tail.strip().splitlines()
    path.write_text(f"{head}Frame Time:{time}\n" + "\n".join(rows(lines)) + "\n")
    return supple.load(path)


def test_a_file_that_is_cut_off_is_a_fault_of_every_check(wave, tmp_path):
    half = _written(tmp_path, wave, lambda lines: lines[: len(lines) // 2])
    report = supple.check(half, kinds=["bones"])
    assert report.kinds == ("truncated",) and not report.ok
    (fault,) = report.faults
    assert (fault.start, fault.stop) == (len(wave) // 2, len(wave))
    assert str(fault).startswith(f"truncated: frames {len(wave) // 2} to {len(wave) - 1}: declares")
    assert any("declares" in note for note in report.notes)
    assert "truncated" in supple.check_page(report)


def test_values_that_are_no_numbers_are_a_fault(wave, tmp_path):
    def broken(lines):
        lines[7] = "nan " + lines[7].split(maxsplit=1)[1]
        return lines

    (fault,) = supple.check(_written(tmp_path, wave, broken)).of("not_a_number")
    assert (fault.start, fault.stop) == (7, 8)
    assert str(fault).startswith("not_a_number: frame 7: ")


def test_a_repair_leaves_the_damage_of_the_file(wave, tmp_path):
    half = _written(tmp_path, wave, lambda lines: lines[: len(lines) // 2])
    assert supple.fix(supple.check(half)).report.kinds == ("truncated",)


def test_what_could_not_be_checked_is_said(wave):
    report = supple.check(wave[:2])
    assert report.ok and "speed" in report.skipped
    done = len(report.measures) - len(report.skipped)
    assert report.reason == f"no faults in {done} of {len(report.measures)} checks"


def test_a_check_of_nothing_is_not_a_check_without_faults(wave):
    report = supple.check(wave[:2], kinds=["speed", "jerk"])
    assert not report.ok and not report.faults
    assert report.reason.startswith("nothing could be checked: there are fewer than 5 frames")
    assert report.to_json()["ok"] is False


# Profiles -----------------------------------------------------------------------------------------


def shiver(motion, joint, angle, frame=40):
    """A joint that is off by an angle in one frame."""
    return turned(motion, joint, np.where(np.arange(len(motion)) == frame, angle, 0.0))


def test_a_captured_clip_may_shiver_where_an_authored_one_may_not(wave):
    for joint, angle in (("hand.L", 2.5), ("forearm.L", 0.35)):
        noisy = shiver(wave, joint, angle)
        assert not supple.check(noisy, kinds=["speed", "acceleration"]).ok
        assert supple.check(noisy, kinds=["speed", "acceleration"], profile="captured").ok
    broken = shiver(wave, "upperarm.L", 1.2)
    assert found(supple.check(broken, profile="captured"), "speed", 40, 42)


def test_ground_that_feet_come_down_to_twice_is_ground_in_a_captured_clip(wave):
    once = moved(wave, -0.1 * bump(75, 15, 25)[:, None] * UP)
    twice = moved(wave, -0.1 * (bump(75, 15, 25) + bump(75, 50, 60))[:, None] * UP)
    assert found(supple.check(once, profile="captured"), "penetration", 15, 25)
    assert len(supple.check(twice).of("penetration")) == 2
    assert not supple.check(twice, profile="captured").of("penetration")


def test_budgets_beside_a_profile_take_the_place_of_its_own(wave, tmp_path):
    captured = supple.Budgets.of(None, "captured")
    assert captured != supple.Budgets()
    assert supple.Budgets.of({"skate": 0.1}, "captured") == dataclasses.replace(captured, skate=0.1)
    path = tmp_path / "budgets.toml"
    path.write_text('profile = "captured"\nskate = 0.1\n')
    assert supple.Budgets.of(path) == dataclasses.replace(captured, skate=0.1)
    assert supple.Budgets.of(path, "authored") == supple.Budgets(skate=0.1)
    assert supple.check(wave, profile="authored").budgets == supple.Budgets()
    with pytest.raises(SuppleError, match="captured"):
        supple.check(wave, profile="capture")
    with pytest.raises(SuppleError, match="profile"):
        supple.check(wave, budgets=supple.Budgets(), profile="captured")
    path.write_text('profile = "raw"\n')
    with pytest.raises(SuppleError, match="budgets.toml:1: .*raw"):
        supple.Budgets.of(path)
