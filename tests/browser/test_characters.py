"""Characters: skinned on the GPU, reached with."""

from io import BytesIO

import numpy as np

import supple
from supple import Character, Material, Mesh, Morph, Motion, Texture
from supple.apps.character.skinning import skin


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
    assert driver.status() == "reached"
    assert driver.session.poses[0].violations().max() < 1e-9
    assert np.allclose(driver.joints(), driver.session.poses[0].positions, atol=1e-4)
    for seen in ("false", "true"):
        driver.ask(f"playground.page.store.setLook({{ mesh: {seen} }})")
        driver.settled()
        assert np.allclose(driver.joints(), driver.session.poses[0].positions, atol=1e-4), (
            "the same"
        )


def square(name, x, *, material, morphs=()):
    """A square of two units in the plane z = 0, with an image's top at its top."""
    places = np.array([(x - 1, -1, 0), (x + 1, -1, 0), (x + 1, 1, 0), (x - 1, 1, 0)], float)
    corners = [(0, 1), (1, 1), (1, 0), (0, 0)]
    front = np.tile((0.0, 0.0, 1.0), (4, 1))
    faces = [(0, 1, 2), (0, 2, 3)]
    return Mesh(name, places, faces, front, corners, material=material, morphs=morphs)


def show(driver, character, tmp_path):
    supple.save(character, tmp_path / "shown.glb")
    driver.drop({"shown.glb": (tmp_path / "shown.glb").read_bytes()})
    driver.until(f"playground.meshes() === {len(character.meshes)}")
    driver.ask("playground.page.store.setLook({ bones: false })")
    driver.settled()


def test_morph_targets_are_mixed_in(driver, tmp_path):
    green = Material("green", color=(0.05, 0.8, 0.1, 1.0), double_sided=True)
    up = Morph("up", positions=np.tile((0.0, 3.0, 0.0), (4, 1)), weight=1.0)
    skeleton = supple.chain([5, 5])
    motion = Motion(
        "blink", [skeleton.rest] * 3, fps=1, tracks={"morphs:board": [[0.0], [1.0], [0.0]]}
    )
    board = square("board", 0.0, material=green, morphs=(up,))
    show(driver, Character(skeleton, (board,), {"blink": motion}), tmp_path)
    low, high = np.array([(0.9, -0.5, 0.0), (0.9, 3.5, 0.0)])  # beside the title
    seen = lambda: [is_green(one) for one in driver.colors_at(np.array([low, high]))]  # noqa: E731
    driver.set(motion=None)
    driver.until(lambda: seen() == [False, True])  # as the file has it at rest
    driver.unfold("Shapes")
    driver.page.fill("[name=shape-up-number]", "0")
    driver.until(lambda: seen() == [True, False])
    driver.set(motion="blink", correct=False)
    driver.ask("playground.page.timeline.seek(1)")
    driver.settled()
    driver.until(lambda: seen() == [False, True])  # the motion goes before


def test_normal_maps_turn_the_light(driver, tmp_path):
    def facing(x, y):
        from PIL import Image

        normal = np.array([x, y, 1.0]) / np.linalg.norm([x, y, 1.0])
        file = BytesIO()
        rgb = tuple(int(c) for c in np.round(127.5 * (normal + 1)))
        Image.new("RGB", (4, 4), rgb).save(file, "png")
        bumps = Texture("bumps.png", file.getvalue(), "image/png")
        return Material(f"{x} {y}", color=(0.5, 0.5, 0.5, 1.0), normal_map=bumps)

    ways = [(0.7, 0), (-0.7, 0), (0, 0.7), (0, -0.7)]
    boards = [square(f"b{k}", 2.5 * k, material=facing(*way)) for k, way in enumerate(ways)]
    show(driver, Character(supple.chain([5, 5]), boards), tmp_path)
    places = np.array([(2.5 * k + 0.5, -0.5, 0) for k in range(4)])

    def lit():
        right, left, top, bottom = (sum(one) for one in driver.colors_at(places))
        return right > left + 20 and top > bottom + 20  # the light is above, on the right

    driver.until(lit)


def is_green(color):
    red, green, blue = color
    return green > 1.2 * red and green > 1.2 * blue
