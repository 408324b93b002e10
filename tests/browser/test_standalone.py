"""Pages without a server, opened from a disk: they solve by themselves and ask for nothing."""

import time
from dataclasses import replace

import numpy as np
import pytest
from driving import WAITING
from tests.patience import PATIENCE

import supple
from supple import Character, Cone, Motion, Node, Skeleton, Tip
from supple.apps.viewer import scenes
from supple.apps.viewer.baked import NAME
from supple.apps.viewer.library import Library
from supple.apps.viewer.messages import Setup
from supple.apps.viewer.standalone import page_text


class Opened:
    """A page from a file, and what it asked for and complained about."""

    def __init__(self, browser, path, **options):
        self.browser, self.path = browser, path
        self.requests, self.complaints = [], []
        self.page = browser.open_page(*options.pop("size", (900, 600)), **options)
        self.page.on("request", lambda one: self.requests.append(one.url))
        self.page.on("pageerror", lambda one: self.complaints.append(str(one)))
        self.page.on("console", self._note)
        self.page.goto(path.as_uri())
        self.until("window.playground?.ready")

    def _note(self, message):
        if message.type in ("error", "warning") and "GPU stall" not in message.text:
            self.complaints.append(message.text)

    def ask(self, script):
        return self.page.evaluate(script)

    def until(self, script):
        began = time.monotonic()
        while time.monotonic() - began < PATIENCE:
            if found := self.ask(WAITING.replace("CONDITION", script)):
                return found
        text = self.ask("document.body.innerText")
        raise AssertionError(f"waited in vain for {script}; the page says {text!r}")

    def settled(self):
        self.until("playground.settled")

    def drag_goal(self, dx, dy):
        self.settled()
        x, y = self.ask("playground.goalPixel()")
        mouse = self.page.mouse
        mouse.move(x, y)
        mouse.down()
        mouse.move(x + dx, y + dy, steps=8)
        self.settled()
        mouse.up()
        self.settled()

    def tip_error(self, name):
        """How far the drawn effector is from its goal."""
        joints = np.array(self.ask("playground.joints()"))
        names = self.ask("playground.page.scene.names")
        return np.linalg.norm(joints[names.index(name)] - np.array(self.ask("playground.goal()")))

    def status(self):
        return self.ask("document.querySelector('#status .pill').textContent")

    def close(self):
        self.browser.close_page(self.page)
        assert self.complaints == []
        allowed = (self.path.as_uri(), "data:", "blob:")
        assert [one for one in self.requests if not one.startswith(allowed)] == []


@pytest.fixture
def opened(chromium, tmp_path):
    """Writes a page and opens it."""
    pages = []

    def make(value, name="page.html", context=None, **options):
        path = supple.page(value, tmp_path / name, **options)
        pages.append(Opened(chromium, path, **(context or {})))
        pages[-1].ask("playground.page.store.setLook({ quality: 'plain' })")
        return pages[-1]

    yield make
    for page in pages:
        page.close()


def bent_chain():
    skeleton = supple.chain([1.0] * 5, joint=Cone(1.0, axis="x"))
    return skeleton.pose({name: (0.0, 0.0, 0.5) for name in skeleton.joint_names[1:]})


def test_a_goal_is_dragged_and_reached(opened):
    page = opened(bent_chain())
    before = page.ask("playground.goal()")
    page.drag_goal(-60, -40)
    after = page.ask("playground.goal()")
    assert np.linalg.norm(np.subtract(after, before)) > 0.2
    assert page.status() == "reached"
    assert page.tip_error("tip") < 2 * page.ask("playground.page.scene.tolerance")


def test_the_answer_is_that_of_python(opened):
    pose = bent_chain()
    page = opened(pose)
    page.ask("playground.page.store.set({ start: 'rest', solver: { name: 'CCD', options: {} } })")
    page.settled()
    page.drag_goal(-60, -40)
    goal = page.ask("playground.goal()")
    solution = supple.solve(pose.skeleton, {"tip": goal}, start=pose, solver="CCD")
    assert page.status() == solution.status.words
    np.testing.assert_allclose(page.ask("playground.joints()"), solution.positions, atol=1e-4)


def test_out_of_reach_says_why(opened):
    page = opened(bent_chain())
    page.ask("playground.page.goals.list[0].position.set(9, 0, 0)")
    page.ask("playground.page.asking.queueGoals()")
    page.until("document.querySelector('#status .pill').textContent === 'too far'")
    reason = page.ask("document.querySelector('#status .reason').textContent")
    assert "which reaches no farther than 5" in reason


def test_solvers_and_limits_are_switched(opened):
    page = opened(bent_chain())
    names = page.page.locator("select[name=solver] option").all_text_contents()
    assert names == ["auto", "CCD", "TargetTriangle", "FABRIK", "Jacobian", "LM"]
    for name in names[1:]:
        page.page.select_option("select[name=solver]", name)
        page.settled()
        page.drag_goal(-12, -8)
        assert page.ask("document.querySelector('#status .figures').textContent").startswith(name)
        assert page.status() == "reached"
    assert page.ask("playground.page.scene.joints[1].swing") == pytest.approx(1.0)
    page.page.click("input[name=limits]", force=True)
    page.until("playground.page.scene.joints[1].swing === null")
    page.drag_goal(-10, -10)
    assert page.status() == "reached"


def test_what_needs_python_is_not_offered(opened):
    page = opened(bent_chain())
    for name in ("open", "tolerance", "damping", "key", "save-glb", "goal-0-kind"):
        assert page.page.locator(f"[name={name}]").count() == 0
    assert page.page.locator("[name=save-png]").count() == 1
    joints = page.ask("playground.setup().joints")
    x, y = page.ask("playground.jointPixel('j2')")
    page.page.mouse.click(x, y)
    page.until("playground.page.store.chosen === 2")
    assert page.ask("playground.setup().joints") == joints


def test_a_reset_gives_the_first_pose_back(opened):
    page = opened(bent_chain())
    before = page.ask("playground.joints()")
    page.drag_goal(-60, -40)
    page.page.click("[name=reset-pose]")
    page.until("document.querySelector('#status .figures').textContent.includes(' 0 iterations')")
    page.settled()
    np.testing.assert_allclose(page.ask("playground.joints()"), before, atol=1e-3)


def test_a_solve_is_stepped_through(opened):
    page = opened(bent_chain())
    page.page.select_option("select[name=solver]", "CCD")
    page.settled()
    page.drag_goal(-60, -40)
    page.ask("playground.page.record()")
    trace = page.until("playground.trace().open && playground.trace()")
    assert trace["iterations"] >= 1 and trace["inside"] >= 1
    start = np.array(page.ask("playground.joints()"))
    page.ask("playground.page.tracing.nextStep()")
    page.settled()
    moved = np.array(page.ask("playground.joints()"))
    assert np.abs(moved - start).max() > 1e-3
    page.ask("playground.page.tracing.show(playground.trace().iterations, 0)")
    page.settled()
    assert page.tip_error("tip") < 2 * page.ask("playground.page.scene.tolerance")


def test_motions_play_as_in_python(opened, limb: Character):
    slow = limb.motions["sway"].with_(name="slow", fps=5)
    page = opened(limb, motions=[slow], context={"reduced_motion": "reduce"})
    assert page.ask("playground.page.scene.motions.map(({ name }) => name)") == ["sway", "slow"]
    for name, motion in (("sway", limb.motions["sway"]), ("slow", slow)):
        page.ask(f"playground.page.store.setMotion('{name}')")
        page.settled()
        page.ask("playground.page.timeline.seek(0.13)")
        page.settled()
        drawn = page.ask("playground.joints()")
        np.testing.assert_allclose(drawn, motion.at(0.13).positions, atol=2e-3)
    assert page.ask("playground.meshes()") == 1


def test_a_goal_corrects_the_motion_that_plays(opened, limb: Character):
    page = opened(limb, context={"reduced_motion": "reduce"})
    page.drag_goal(-20, -30)
    goal = page.ask("playground.goal()")
    for time_ in (0.0, 0.1, 0.25):
        page.ask(f"playground.page.timeline.seek({time_})")
        page.settled()
        assert page.ask("playground.goal()") == goal
        assert page.status() == "reached"
        tip = page.ask("playground.page.scene.goals[0].effector")
        assert page.tip_error(tip) < 2 * page.ask("playground.page.scene.tolerance")


def test_motions_with_offsets_of_their_own(opened):
    skeleton = supple.chain([1.0] * 4)
    rest = skeleton.offsets
    poses = [
        supple.Pose(skeleton, skeleton.rest.coordinates, rest * [[1 + 0.2 * k], [1], [1 + k], [1]])
        for k in range(3)
    ]
    page = opened(Motion("grow", poses, fps=10), context={"reduced_motion": "reduce"})
    page.ask("playground.page.timeline.seek(0.2)")
    page.settled()
    np.testing.assert_allclose(page.ask("playground.joints()"), poses[2].positions, atol=1e-5)
    page.drag_goal(-30, -60)
    assert page.status() == "reached"
    assert page.tip_error("tip") < 2 * page.ask("playground.page.scene.tolerance")


HOSTILE = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"


def test_names_are_never_html(opened):
    nodes = [Node("root", None, (0, 0, 0)), Node(HOSTILE, "root", (1, 0, 0))]
    skeleton = Skeleton(nodes, [Tip(f"{HOSTILE} tip", HOSTILE, (1, 0, 0))])
    poses = [skeleton.pose({"root": (0, 0, 0.2 * k)}) for k in range(3)]
    motion = Motion(HOSTILE, poses, fps=10)
    page = opened(motion, title=f"{HOSTILE} & title", context={"reduced_motion": "reduce"})
    assert page.ask("document.title") == f"{HOSTILE} & title"
    assert page.ask("document.querySelector('#status h1').textContent") == f"{HOSTILE} & title"
    page.ask("playground.page.choose(1)")
    page.drag_goal(-20, -20)
    reason = page.ask("document.querySelector('#status .reason').textContent")
    assert HOSTILE in reason
    assert page.ask("window.hacked ?? null") is None
    assert page.ask("document.querySelectorAll('img').length") == 0


def test_a_finger_drags_a_goal_on_a_phone(opened):
    phone = {"size": (390, 780), "has_touch": True, "is_mobile": True}
    page = opened(bent_chain(), context=phone)
    page.settled()
    x, y = page.ask("playground.goalPixel()")
    finger = page.page.context.new_cdp_session(page.page)

    def touch(kind, *points):
        touched = [{"x": px, "y": py} for px, py in points]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touched})

    before = page.ask("playground.goal()")
    touch("touchStart", (x, y))
    for k in range(1, 6):
        touch("touchMove", (x - 10 * k, y - 8 * k))
    page.settled()
    touch("touchEnd")
    page.settled()
    assert np.linalg.norm(np.subtract(page.ask("playground.goal()"), before)) > 0.1
    assert page.status() == "reached"
    # The controls are there, behind their button.
    page.page.wait_for_timeout(600)  # a touch sooner would be the second of a double tap
    page.page.tap("#opener")
    page.page.locator("select[name=solver]").wait_for(state="visible")


def test_the_character_is_whole_and_small(opened):
    page = opened(supple.humanoid(), context={"reduced_motion": "reduce"})
    assert page.path.stat().st_size < 2_000_000
    assert page.ask("playground.goalNames().length") == 2
    page.drag_goal(40, -60)
    assert page.status() == "reached"
    # Goals are solved in the frame in which the pointer moved.
    assert page.ask("playground.page.asking.settled(1)")


def test_balance_is_kept_without_a_server_and_can_be_switched_off(chromium, tmp_path):
    subject = scenes.build(Setup(scene="standing"), Library())
    path = tmp_path / "standing.html"
    path.write_text(page_text(replace(subject, key=NAME)), encoding="utf-8")
    one = Opened(chromium, path)
    one.until("playground.inside() > 0")
    far = "(({ goals }) => goals.put(goals.list[0], -0.3, 0.5, 0.9))(playground.page)"
    one.ask(far)
    one.settled()
    assert one.ask("playground.inside()") > 0
    one.page.uncheck("[name=balance]")
    one.until("playground.page.scene.bodies.balance.on === false")
    one.ask("playground.page.store.setLook({ balance: true })")
    one.ask("playground.page.store.set({ start: 'rest' })")
    one.ask(far)
    one.settled()
    assert one.ask("playground.inside()") < 0
    one.close()
