"""Playing motions, with goals that correct them."""

import numpy as np
import pytest

import supple


def test_playback_with_correction_keeps_the_tip_at_the_goal(driver):
    for k, way in enumerate(((-40, -10), (60, 30))):
        driver.drag_goal(*way)
        driver.page.focus("#canvas")
        driver.page.keyboard.press("k")
        driver.until(f"playground.setup().keys.length === {k + 1}")
        driver.settled()
    driver.set(motion="keyframes")
    driver.drag_goal(-30, -30)
    errors = driver.page.evaluate(
        """async () => {
          const page = playground.page, tips = [];
          page.timeline.toggle();
          const goal = page.goals.list[0].position;
          const began = page.applied;
          while (page.applied < began + 12) {
            await new Promise(requestAnimationFrame);
            const frame = page.bodies[0].frame, at = 7 * (frame.count - 1), v = frame.values;
            tips.push(Math.hypot(v[at] - goal.x, v[at + 1] - goal.y, v[at + 2] - goal.z));
          }
          page.timeline.toggle();
          return tips;
        }"""
    )
    assert max(errors) <= driver.tolerance() * 1.01 and driver.ask("playground.time()") > 0
    driver.ask("playground.page.timeline.seek(1)")  # the second keyframe: 60 px from the goal
    driver.set(correct=False)
    driver.until(lambda: driver.tip_error() > 0.1)


def test_a_loaded_motion_plays_and_is_corrected(driver, limb, tmp_path):
    supple.save(limb, tmp_path / "limb.glb")
    driver.drop({"limb.glb": (tmp_path / "limb.glb").read_bytes()})
    driver.until("playground.page.scene.title === 'limb.glb'")
    driver.settled()
    name = next(iter(driver.session.subject.motions))
    driver.set(motion=name, correct=False)
    driver.ask("playground.page.timeline.seek(0.2)")
    driver.settled()
    there = driver.session.subject.motions[name].at(0.2)
    assert np.allclose(driver.joints(), there.positions, atol=1e-4)
    driver.set(correct=True)
    driver.drag_goal(-15, -15)
    assert driver.tip_error() <= driver.tolerance() * 1.01
    driver.unfold("Save")
    with driver.page.expect_download() as download:
        driver.page.click("[name=save-glb]")
    download.value.save_as(tmp_path / "saved.glb")
    saved = supple.load(tmp_path / "saved.glb")
    goal = driver.ask("playground.goal()")
    effector = driver.session.model.goals[0].effector
    assert np.allclose(saved.pose.position(effector), goal, atol=1e-2)
    ends = saved.motions[name].poses.position(effector)
    assert np.allclose(ends, goal, atol=1e-2), "every frame was corrected"


ROWS = [[30, 40, 5, 90, 0, 0, 0, 0, 0, -60 - k, 0, 0, -20, 0, 0] for k in range(40)]
FIGURE = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Chest
  {
    OFFSET 20 0 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT RightArm
    {
      OFFSET 20 0 0
      CHANNELS 3 Zrotation Xrotation Yrotation
      JOINT RightForeArm
      {
        OFFSET 15 0 0
        CHANNELS 3 Zrotation Xrotation Yrotation
        End Site
        {
          OFFSET 15 0 0
        }
      }
    }
  }
}
MOTION
Frames: 40
Frame Time: 0.05
"""
"""A figure that lies along x in its zero pose, and stands elsewhere in its motion."""


def figure(*, walks=0):
    """The file; in each frame it goes so far along x and z."""
    rows = [
        [row[0] + walks * k, row[1], row[2] + walks * k, *row[3:]] for k, row in enumerate(ROWS)
    ]
    return (FIGURE + "\n".join(" ".join(map(str, row)) for row in rows)).encode()


def test_a_file_opens_at_the_first_frame_of_its_motion(driver, tmp_path):
    (tmp_path / "figure.bvh").write_bytes(figure())
    motion = next(iter(supple.load(tmp_path / "figure.bvh").motions.values()))
    driver.drop({"figure.bvh": figure()})
    driver.until("playground.page.scene.title === 'figure.bvh'")
    driver.settled()
    first = motion.at(0.0)
    assert driver.ask("playground.setup().motion") == motion.name
    assert driver.page.input_value("[name=motion]") == motion.name
    assert driver.ask("playground.time()") == 0
    assert np.allclose(driver.joints(), first.positions, atol=1e-4)
    effector = driver.session.model.goals[0].effector
    assert np.allclose(driver.ask("playground.goal()"), first.position(effector), atol=1e-4)
    stage = driver.page.locator("#canvas").bounding_box()
    places = [driver.ask(f"playground.pixel({place.tolist()})") for place in first.positions]
    inside = [0 < x < stage["width"] and 0 < y < stage["height"] for x, y in places]
    assert all(inside), "all of it is in view"
    tall = max(y for _, y in places) - min(y for _, y in places)
    assert tall > 0.3 * stage["height"], "and large"
    driver.ask("playground.page.timeline.seek(1)")
    driver.settled()
    now = motion.at(1.0)
    assert np.allclose(driver.joints(), now.positions, atol=1e-4), "nothing pulls at it"
    assert np.allclose(driver.ask("playground.goal()"), now.position(effector), atol=1e-4)
    driver.drag_goal(-25, 10)
    assert driver.tip_error() <= driver.tolerance() * 1.01, "from now on it is corrected"
    goal = driver.ask("playground.goal()")
    driver.ask("playground.page.timeline.seek(0.5)")
    driver.settled()
    assert driver.ask("playground.goal()") == goal and driver.status() == "reached"
    driver.page.reload()
    driver.until("window.playground?.ready")
    driver.settled()
    assert driver.ask("playground.setup().motion") == motion.name
    assert driver.ask("playground.goal()") == pytest.approx(goal), "it stays where it was put"


def test_a_file_plays_when_it_is_opened(new_page):
    driver = new_page()
    driver.drop({"figure.bvh": figure()})
    driver.until("playground.page.scene.title === 'figure.bvh'")
    driver.until("playground.playing() && playground.time() > 0.1")
    effector = driver.session.model.goals[0].effector
    away = driver.ask(
        f"""(() => {{
          const {{ page }} = playground, k = page.scene.names.indexOf({effector!r});
          return page.goals.list[0].position.distanceTo(page.bodies[0].positions[k]);
        }})()"""
    )
    assert away < 1e-3, "the goal goes along"
    driver.page.keyboard.press("Space")
    driver.until("!playground.playing()")


def test_another_motion_has_its_goals_at_its_first_frame(driver, tmp_path):
    driver.page.select_option("[name=scene]", "humanoid")
    driver.until("playground.meshes() === 1")
    driver.settled()
    driver.drag_goal(20, -25)
    motions = driver.session.subject.motions
    for name in ("walk", "wave"):
        driver.page.select_option("[name=motion]", name)
        driver.until(f"playground.page.scene.motion === {name!r}")
        driver.settled()
        first = motions[name].at(0.0)
        assert np.allclose(driver.joints(), first.positions, atol=1e-4)
        for k, goal in enumerate(driver.session.model.goals[:2]):
            at = driver.ask(f"playground.goal({k})")
            assert np.allclose(at, first.position(goal.effector), atol=1e-4), (name, goal.id)
        assert driver.ask("playground.time()") == 0
        driver.drag_goal(10, -10)


def test_the_camera_follows_a_figure_that_walks(driver):
    driver.drop({"walk.bvh": figure(walks=20)})
    driver.until("playground.page.scene.title === 'walk.bvh'")
    driver.settled()
    hips = driver.joint_pixel("Hips")
    camera = np.array(driver.ask("playground.camera()"))
    driver.ask("playground.page.timeline.seek(1.5)")
    driver.settled()
    assert driver.joint_pixel("Hips") == pytest.approx(hips, abs=2), "600 units away, and in view"
    assert np.allclose(driver.ask("playground.camera()")[3:], camera[3:], atol=1e-6), "not turned"
    driver.page.keyboard.press("h")
    driver.settled()
    assert driver.joint_pixel("Hips") == pytest.approx(hips, abs=60)
    driver.ask("playground.page.timeline.seek(0)")
    driver.ask("playground.page.home()")
    driver.settled()
    assert driver.joint_pixel("Hips") == pytest.approx(hips, abs=2)
    driver.unfold("View")
    driver.page.uncheck("[name=follow]")
    driver.ask("playground.page.timeline.seek(1.5)")
    driver.settled()
    assert np.allclose(driver.ask("playground.camera()"), camera, atol=1e-3), "it stays if told so"
