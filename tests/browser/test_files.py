"""Files dropped on the page."""

import numpy as np

import supple

ROBOT = """<robot name="arm">
  <link name="base"/><link name="upper"/><link name="lower"/><link name="hand"/>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.3"/><axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/>
    <origin xyz="0.4 0 0.1"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
  <joint name="wrist" type="fixed"><parent link="lower"/><child link="hand"/>
    <origin xyz="0.3 0 0"/></joint>
</robot>
"""


def test_a_file_is_dropped_and_a_broken_one_leaves_the_scene(driver, tmp_path):
    skeleton = supple.chain([2, 1, 1, 0.5], joint=supple.Hinge("z"))
    answer = supple.solve(skeleton, {"tip": (1, 2, 0)}, solver="CCD", trace=True)
    answer.trace.save(tmp_path / "steps.json")
    driver.drop({"steps.json": (tmp_path / "steps.json").read_bytes()})
    driver.until("playground.trace().open && playground.page.scene.title === 'steps.json'")
    assert np.allclose(driver.joints(), answer.trace.poses[-1].positions, atol=1e-4)
    driver.drop({"broken.json": b'{"format": "supple-pose", "version": 1}'})
    driver.until(lambda: driver.notice().startswith("broken.json:"))
    assert driver.ask("playground.page.scene.title") == "steps.json"
    driver.ask(
        """(() => {
          const file = new File(["x"], "huge.glb");
          Object.defineProperty(file, "size", { value: 200 * 2 ** 20 });
          playground.page.files.take([file]);
        })()"""
    )
    driver.until(lambda: "huge.glb has 200 MB" in driver.notice())
    assert driver.ask("playground.page.scene.title") == "steps.json"


def test_files_show_the_joints_that_python_has(driver, limb, tmp_path):
    character = limb
    for kind in ("bvh", "smd", "glb"):
        supple.save(character, tmp_path / f"limb.{kind}")
    (tmp_path / "arm.urdf").write_text(ROBOT)
    for name in ("limb.bvh", "limb.smd", "limb.glb", "arm.urdf"):
        driver.drop({name: (tmp_path / name).read_bytes()})
        driver.until(f"playground.page.scene.title === {name!r}")
        driver.settled()
        loaded = supple.load(tmp_path / name)
        shown = driver.session.poses[0]
        assert driver.session.model.skeleton.names == loaded.skeleton.names
        assert np.allclose(driver.joints(), shown.positions, atol=1e-4)
        assert np.allclose(driver.joints(), loaded.pose.positions, atol=2e-2), "as in the file"


def test_what_is_large_is_seen_whole(driver, tmp_path):
    """Files may be in millimetres, and characters thousands of units tall."""
    skeleton = supple.chain([1500] * 3)
    supple.save(skeleton, tmp_path / "giant.bvh")
    driver.drop({"giant.bvh": (tmp_path / "giant.bvh").read_bytes()})
    driver.until("playground.page.scene.title === 'giant.bvh'")
    goal = driver.goal_pixel()
    driver.until(lambda: driver.orange(*goal, radius=4) > 0.3)
