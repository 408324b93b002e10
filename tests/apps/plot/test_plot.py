"""Figures: what they show, how they are written, and that they leave everything else alone."""

import sys
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from matplotlib.axes import Axes as Panel
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Polygon
from PIL import Image

import supple
import supple.apps.plot
from supple import Axes, Ball, Cone, Fixed, Free, Hinge, Planar, Reach, Slider
from supple.apps.plot import style
from supple.apps.plot.view import choose

SNAKE = supple.chain([9, 9, 9, 9, 4])
ARM = supple.chain([3, 2, 2], joint=Hinge("z", limits=(-1.5, 1.5)))


def panel(figure: Figure) -> Panel:
    return figure.axes[0]


def words(figure: Figure) -> list[str]:
    found = [text.get_text() for text in figure.texts]
    return found + [text.get_text() for ax in figure.axes for text in ax.texts]


def points_of(ax: Panel, colour: str) -> list[tuple[float, float]]:
    """Where single marks filled with a colour are."""
    return [
        (float(line.get_xdata()[0]), float(line.get_ydata()[0]))
        for line in ax.lines
        if line.get_markerfacecolor() == colour and len(line.get_xdata()) == 1
    ]


# The view -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("square_to", "labels"), [("z", ("x", "y")), ("y", ("x", "z")), ("x", ("z", "y"))]
)
def test_a_plane_square_to_an_axis_is_drawn_flat_with_its_axes_named(square_to, labels):
    points = np.random.default_rng(1).normal(size=(9, 3))
    points[:, "xyz".index(square_to)] = 4.0
    view = choose(points)
    assert view.flat
    assert view.labels == labels
    axes = ["xyz".index(label) for label in labels]
    np.testing.assert_array_equal(view(points), points[:, axes])


def test_a_scene_in_space_is_seen_from_above_with_up_up():
    points = np.random.default_rng(2).normal(size=(9, 3))
    for up in ("y", "z"):
        view = choose(points, up=up)
        upward = np.eye(3)["xyz".index(up)]
        assert not view.flat
        assert view(upward)[0] == pytest.approx(0)
        assert view(upward)[1] > 0.5
        assert view.depth(upward) > 0
        basis = np.stack([view.right, view.up, view.toward])
        np.testing.assert_allclose(basis @ basis.T, np.eye(3), atol=1e-12)
        assert np.linalg.det(basis) == pytest.approx(1)  # not mirrored


def test_a_tilted_plane_keeps_its_lengths_when_drawn_flat():
    turn = supple.rotations.from_axis_angle((1, 2, 3), 0.7)
    flat = np.random.default_rng(3).normal(size=(9, 3)) * (1, 1, 0)
    points = supple.rotations.rotate(turn, flat)
    seen = choose(points, view="flat")(points)
    for a, b in zip(points, seen, strict=True):
        distances = np.linalg.norm(points - a, axis=1)
        np.testing.assert_allclose(np.linalg.norm(seen - b, axis=1), distances, atol=1e-12)


def test_unknown_views_are_refused():
    with pytest.raises(supple.SuppleError, match="view 'falt'.*did you mean 'flat'"):
        supple.plot.pose(ARM.rest, view="falt")


# What is drawn ------------------------------------------------------------------------------------


def test_joints_are_light_blue_and_stand_where_the_pose_has_them():
    pose = ARM.pose({"j0": 0.4, "j1": 0.9, "j2": -1.2})
    ax = panel(supple.plot.pose(pose))
    drawn = points_of(ax, style.JOINT)
    np.testing.assert_allclose(drawn, pose.positions[:3, :2])
    assert ax.get_aspect() == 1.0


def test_everything_is_in_sight_also_limits():
    figure = supple.plot.pose(ARM.pose({"j0": -1.5}))
    ax = panel(figure)
    (low, high), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    fans = [patch for patch in ax.patches if isinstance(patch, Polygon)]
    assert len(fans) == 3
    for fan in fans:
        x, y = fan.get_xy().T
        assert low < x.min() and x.max() < high
        assert bottom < y.min() and y.max() < top


def test_limits_and_frames_can_be_left_out():
    full = panel(supple.plot.pose(ARM.rest))
    bare = panel(supple.plot.pose(ARM.rest, limits=False, frames=False, names=False))
    assert not bare.patches
    assert not bare.texts
    assert len(bare.collections) < len(full.collections)


def test_what_stands_in_one_place_is_named_and_marked_once():
    robot = supple.Skeleton(
        [("j0", None), ("j1", "j0", (1, 0, 0)), ("flange", "j1", (1, 0, 0), Fixed())],
        [("link0", "j0"), ("link1", "j1"), ("tool", "flange")],
    )
    s = supple.solve(robot, {"tool": (1.2, 0.7, 0)})
    figure = supple.plot.solution(s, goals={"tool": (1.2, 0.7, 0)})
    assert {"j0", "j1", "tool"} <= set(words(figure))  # the effector before its joint
    assert not {"link0", "link1", "flange"} & set(words(figure))
    assert len(points_of(panel(figure), "white")) == 0
    every = supple.plot.pose(robot.rest, names=robot.names)
    assert set(robot.names) <= set(words(every))  # if asked for


def test_a_solution_shows_its_goal_its_start_and_its_reason():
    target = (3.0, 4.0, 0.0)
    s = supple.solve(ARM, {"tip": target})
    figure = supple.plot.solution(s, goals={"tip": target})
    assert points_of(panel(figure), style.GOAL) == [target[:2]]
    assert s.reason in words(figure)
    assert {"Reached", "start", "tip"} <= set(words(figure))


def test_the_goals_of_a_trace_are_drawn_by_themselves():
    s = supple.solve(ARM, {"tip": (3, 4, 0)}, trace=True)
    assert points_of(panel(supple.plot.solution(s)), style.GOAL) == [(3, 4)]


def test_out_of_reach_the_circle_and_the_gap_are_drawn():
    target = (8.0, 6.0, 0.0)
    s = supple.solve(ARM, {"tip": target})
    figure = supple.plot.solution(s, goals={"tip": target})
    (circle,) = [patch for patch in panel(figure).patches if isinstance(patch, Circle)]
    assert circle.get_radius() == pytest.approx(7)
    assert circle.center == (0, 0)
    assert f"{s.error:.3g}" in words(figure)
    assert "Too far" in words(figure)


def test_a_target_out_of_reach_in_space_is_seen_outside_the_sphere():
    target = np.array([30.0, 30.0, 20.0])
    s = supple.solve(SNAKE, {"tip": target})
    ax = panel(supple.plot.solution(s, goals={"tip": target}))
    (circle,) = [patch for patch in ax.patches if isinstance(patch, Circle)]
    (goal,) = points_of(ax, style.GOAL)
    assert np.hypot(goal[0] - circle.center[0], goal[1] - circle.center[1]) > circle.get_radius()


def test_joints_whose_limits_are_in_the_way_are_marked():
    tight = supple.chain([3, 2, 2], joint=Hinge("z", limits=(-0.3, 0.3)))
    s = supple.solve(tight, {"tip": (-2, 3, 0)})
    assert s.status is supple.Status.LIMITED
    ax = panel(supple.plot.solution(s, goals={"tip": (-2, 3, 0)}))
    rings = [line for line in ax.lines if line.get_marker() == "o"]
    ringed = [line for line in rings if line.get_markeredgecolor() == style.PRESSED]
    assert len(ringed) == len(s.limited) > 0


def test_a_trace_has_its_errors_on_a_log_axis():
    s = supple.solve(SNAKE, {"tip": (12, 18, 6)}, trace=True)
    assert s.trace is not None
    figure = supple.plot.trace(s)
    scene, side = figure.axes
    assert side.get_yscale() == "log"
    np.testing.assert_array_equal(side.lines[0].get_ydata(), s.trace.errors)
    assert side.lines[1].get_ydata()[0] == s.asked.demands[0].tolerance
    assert len(scene.collections) > len(panel(supple.plot.solution(s)).collections)
    assert supple.plot.trace(s.trace) is not None


def test_an_error_of_zero_does_not_break_the_log_axis():
    start = SNAKE.pose({"j0": (0, 0, 0.5)})
    s = supple.solve(SNAKE, {"tip": start.position("tip")}, start=start, trace=True)
    assert s.error == 0
    supple.plot.trace(s)


def test_a_solution_without_a_trace_says_so():
    with pytest.raises(supple.SuppleError, match="trace=True"):
        supple.plot.trace(supple.solve(ARM, {"tip": (3, 4, 0)}))


def test_a_batch_is_refused():
    s = supple.solve(ARM, {"tip": [(3, 4, 0), (4, 3, 0)]})
    with pytest.raises(supple.SuppleError, match=r"single.*batch.*solution\[0\]"):
        supple.plot.solution(s)
    with pytest.raises(supple.SuppleError, match="single"):
        supple.plot.pose(s.pose)


def test_a_comparison_has_a_panel_an_answer_and_bars_a_measure():
    answers = {
        name: supple.solve(ARM, {"tip": target})
        for name, target in (("near", (3, 4, 0)), ("far", (9, 0, 0)))
    }
    measures = {"turns": {"near": 3.0, "far": 4.0}, "visits": {"near": 1e5, "far": None}}
    figure = supple.plot.compare(answers, goals={"tip": (3, 4, 0)}, measures=measures, title="both")
    assert len(figure.axes) == 4
    assert [patch.get_width() for patch in figure.axes[2].patches] == [3, 4]
    assert "both" in words(figure)
    with pytest.raises(supple.SuppleError, match="at least one"):
        supple.plot.compare({})
    with pytest.raises(supple.SuppleError, match="measures of 'turns': expected"):
        supple.plot.compare(answers, measures={"turns": 3.0})


EVERY_KIND = supple.Skeleton(
    [
        ("base", None, (0, 1, 0), Free()),
        ("table", "base", (1, 0, 0), Planar("y", limits=[(-1, 1), (-1, 1), None])),
        ("lift", "table", (0, 1, 0), Slider("y", limits=(0, 2))),
        ("shoulder", "lift", (1, 0, 0), Cone(0.9)),
        ("elbow", "shoulder", (2, 0, 0), Axes("zx", limits={"z": (-1, 2)}, frozen="x")),
        ("wrist", "elbow", (1, 0, 0), Hinge("x", limits=(-1, 1), stretch=(0.5, 2))),
        ("palm", "wrist", (0, 0, 0), Fixed()),
        ("ball", "palm", (1, 0, 0), Ball()),
        ("branch", "elbow", (0, 1, 0), Hinge("y", limits=(None, 1))),
    ],
    [("tip", "ball", (1, 0, 0)), ("side", "branch", (0, 0, 1))],
)


@pytest.mark.parametrize(
    "skeleton",
    [
        EVERY_KIND,
        supple.chain([2]),
        supple.chain([0, 0]),
        supple.chain([1, 0, 1]),
        supple.chain([1e-6, 1e-6], joint=Cone(2.5)),
        supple.chain([1e6, 1e6], joint=Cone(0.3)),
        supple.chain([1, 1], joint=Cone((0.1, 0.9, 0.0, 2.0))),
        supple.chain([1] * 300),
        supple.Skeleton([("lonely",)]),
    ],
    ids=["every kind", "single", "no length", "part", "tiny", "huge", "four", "long", "one joint"],
)
def test_every_skeleton_can_be_drawn_flat_and_in_space(skeleton, tmp_path):
    for view in ("auto", "flat", "space"):
        figure = supple.plot.pose(skeleton.rest, view=view)
        supple.plot.save(figure, tmp_path / "pose.png")


def test_goals_of_every_kind_are_drawn():
    goals = [
        Reach("tip", (4, 3, 1), orientation=(1, 0, 0, 0)),
        supple.LookAt("side", (3, 3, 3)),
        supple.Pole("elbow", (2, 5, 0)),
        supple.Hold("base"),
        Reach("ball", orientation=(1, 0, 0, 0)),
        supple.Rest(),
    ]
    ax = panel(supple.plot.pose(EVERY_KIND.rest, goals=goals))
    marked = [line for line in ax.lines if line.get_markeredgecolor() == style.GOAL]
    assert {line.get_marker() for line in marked} >= {"o", "^", "s"}
    with pytest.raises(supple.SuppleError, match="one target for 'tip', got a batch"):
        supple.plot.pose(EVERY_KIND.rest, goals={"tip": [(1, 1, 1), (2, 2, 2)]})


# Files and surroundings ---------------------------------------------------------------------------


def test_png_and_svg_are_written_by_extension(tmp_path):
    figure = supple.plot.pose(ARM.rest, title="arm")
    supple.plot.save(figure, tmp_path / "a.PNG")
    with Image.open(tmp_path / "a.PNG") as image:
        assert image.format == "PNG"
        assert image.width == round(6.4 * 150)
    supple.plot.save(figure, str(tmp_path / "a.svg"))
    assert ElementTree.parse(tmp_path / "a.svg").getroot().tag.endswith("svg")


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_the_same_figure_is_the_same_file(tmp_path, kind):
    for name in ("a", "b"):
        supple.plot.save(supple.plot.pose(SNAKE.rest), tmp_path / f"{name}.{kind}")
    assert (tmp_path / f"a.{kind}").read_bytes() == (tmp_path / f"b.{kind}").read_bytes()


@pytest.mark.parametrize("name", ["a.pdf", "a", "a.jpeg"])
def test_other_extensions_are_refused_with_both_named(tmp_path, name):
    with pytest.raises(supple.SuppleError, match=r"\.png or \.svg"):
        supple.plot.save(supple.plot.pose(ARM.rest), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    path = tmp_path / "a.png"
    path.write_bytes(b"old")

    def fail(*_args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(supple.SuppleError, match="No space left"):
        supple.plot.save(supple.plot.pose(ARM.rest), path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(supple.SuppleError, match="no folder '.*nowhere'"):
        supple.plot.save(supple.plot.pose(ARM.rest), tmp_path / "nowhere" / "a.png")
    with pytest.raises(supple.SuppleError, match="got a folder"):
        (tmp_path / "b.png").mkdir()
        supple.plot.save(supple.plot.pose(ARM.rest), tmp_path / "b.png")


def test_the_callers_settings_are_neither_used_nor_changed(tmp_path):
    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "red"}):
        before = dict(matplotlib.rcParams)
        figure = supple.plot.pose(ARM.rest, title="arm")
        supple.plot.save(figure, tmp_path / "a.png")
        assert dict(matplotlib.rcParams) == before
    assert max(text.get_fontsize() for text in figure.texts) < 20


def test_importing_supple_does_not_import_matplotlib():
    import subprocess

    code = "import sys, supple; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
    code = "import sys, supple.plot; assert 'matplotlib.pyplot' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_figures_show_themselves_in_notebooks():
    solved = supple.solve(supple.chain([1, 1]), {"tip": (1, 1, 0)}, trace=True)
    figures = [
        supple.plot.solution(solved),
        supple.plot.trace(solved),
        supple.plot.pose(solved.pose),
        supple.plot.compare({"one": solved, "other": solved}),
    ]
    for figure in figures:
        assert figure._repr_png_().startswith(b"\x89PNG")


def test_figures_of_poses_among_the_same_ones_have_one_view_and_size():
    """As frames of an animation must."""
    chain = supple.chain([9, 9, 9, 9, 4])
    target = {"tip": (12, 18, 6)}
    found = supple.solve(chain, target, solver=supple.CCD(damping=0.2), trace=True)
    poses = found.trace.poses[::4]
    figures = [supple.plot.pose(one, goals=target, among=poses) for one in (poses[0], poses[-1])]
    assert len({tuple(figure.get_size_inches()) for figure in figures}) == 1
    first, last = ((fig.axes[0].get_xlim(), fig.axes[0].get_ylim()) for fig in figures)
    assert first == last
    for one in (poses[0], supple.chain([1, 1]).rest):
        with pytest.raises(supple.SuppleError, match="among"):
            supple.plot.pose(poses[1], among=one)
