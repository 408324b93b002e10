"""Characters: skinned on the GPU, reached with."""

import numpy as np

import supple
from supple.skinning import skin


def test_the_gpu_skins_with_all_weights(driver, limb, tmp_path):
    character = limb
    supple.save(character, tmp_path / "limb.glb")
    driver.drop({"limb.glb": (tmp_path / "limb.glb").read_bytes()})
    driver.until("playground.meshes() === 1")
    driver.set(goals=[{"id": "g", "kind": "reach", "effector": "tip", "depth": 0, "axis": "x"}])
    driver.ask("playground.page.store.setLook({ bones: false })")
    driver.drag_goal(-60, -90)
    mesh = driver.session.subject.meshes[0]
    places = skin(mesh, driver.session.poses[0])
    middle = places.reshape(13, 12, 3).mean(axis=1)[[3, 5, 7, 9]]
    rest = mesh.positions.reshape(13, 12, 3).mean(axis=1)[[7, 9, 11]]
    driver.until(lambda: all(map(is_green, driver.colors_at(middle))))
    assert not all(map(is_green, driver.colors_at(rest))), "it has left its rest"


def test_our_character_reaches_with_both_hands(driver):
    driver.page.select_option("[name=scene]", "humanoid")
    driver.until("playground.meshes() === 1")
    driver.settled()
    assert driver.session.setup.limits and len(driver.session.model.goals) == 3
    driver.drag_goal(15, -20)
    assert driver.tip_error() <= driver.tolerance() * 1.01
    assert driver.session.solutions[0].reached
    assert driver.session.poses[0].violations().max() < 1e-9
    assert np.allclose(driver.joints(), driver.session.poses[0].positions, atol=1e-4)


def is_green(color):
    red, green, blue = color
    return green > 1.2 * red and green > 1.2 * blue
