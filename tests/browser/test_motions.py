"""Playing motions, with goals that correct them."""

import numpy as np

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
    assert driver.tip_error() > 0.1


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
