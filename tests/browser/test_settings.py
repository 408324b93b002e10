"""What is switched and tuned reaches Python, and stays through reloads and lost connections."""

import json
import math

import numpy as np
import pytest

import supple


def test_every_setting_reaches_python_and_survives_a_reload(driver):
    page = driver.page
    page.select_option("[name=scene]", "arm")
    driver.settled()
    page.check("[name=flat]")
    page.check("[name=limits]")
    driver.settled()
    page.select_option("[name=solver]", "CCD")
    driver.settled()
    page.fill("[name=option-max_iterations]", "42")
    page.select_option("[name=option-order]", "root-to-tip")
    page.uncheck("[name=option-accelerate]")
    page.fill("[name=tolerance]", "0.05")
    page.select_option("[name=unreachable]", "keep")
    page.check("[name=damping]")
    page.fill("[name=damping-angle-number]", "12")
    page.select_option("[name=joint]", "1")
    page.fill("[name=limit-turn-min]", "-30")
    page.fill("[name=limit-turn-max]", "45")
    page.fill("[name=joint-damping]", "3")
    page.fill("[name=joint-stiffness-number]", "0.5")
    page.check("[name=lock]")
    driver.settled()

    def check():
        setup = driver.session.setup
        solver = driver.session.model.prepared[0].solvers[0]
        assert solver == supple.CCD(max_iterations=42, order="root-to-tip", accelerate=False)
        assert setup.tolerance == 0.05 and setup.unreachable == "keep"
        joint = driver.session.model.skeleton.joints[1]
        assert np.degrees(joint.limits) == pytest.approx([-30, 45])
        assert joint.stiffness == 0.5 and math.degrees(joint.damping) == pytest.approx(3)
        others = driver.session.model.skeleton.joints[2]
        assert math.degrees(others.damping) == pytest.approx(12)
        assert setup.joints["j1"].lock

    check()
    page.uncheck("[name=lock]")
    driver.drag_goal(30, 20)
    page.check("[name=lock]")
    driver.settled()
    goal = driver.ask("playground.goal()")
    page.reload()
    driver.until("window.playground?.ready")
    driver.settled()
    check()
    assert driver.ask("playground.goal()") == pytest.approx(goal)
    assert page.input_value("[name=option-max_iterations]") == "42"


def test_every_solver_solves_what_is_dragged(driver):
    for k, name in enumerate(("CCD", "TargetTriangle", "FABRIK", "Jacobian", "LM", "Optimize")):
        driver.page.select_option("[name=solver]", name)
        driver.settled()
        driver.drag_goal(-25, 12 if k % 2 else -12, steps=2)
        assert driver.tip_error() <= driver.tolerance() * 1.01, name
        assert name in driver.page.inner_text("#status .figures")
    driver.page.select_option("[name=solver]", "TwoBone")
    driver.until(lambda: "it needs exactly two" in driver.notice())


def test_the_connection_comes_back_with_everything_that_was_set(driver):
    driver.set(limits=True, solver={"name": "FABRIK", "options": {}})
    driver.drag_goal(-60, -20)
    goal, before = driver.ask("playground.goal()"), driver.session
    driver.ask("playground.page.line.session.socket.close()")
    driver.until(lambda: before not in driver.server.playground.sessions)
    driver.until(lambda: driver.server.playground.sessions and driver.session.solutions)
    driver.settled()
    assert driver.session is not before
    assert driver.session.setup.limits and driver.session.setup.solver.name == "FABRIK"
    assert driver.ask("playground.goal()") == goal
    assert driver.tip_error() <= driver.tolerance() * 1.01


def test_a_page_that_has_lost_its_server_shows_no_status(new_page):
    driver = new_page()
    x, y = driver.drag_goal(-60, -20)
    assert driver.status() == "reached"
    driver.ask(
        """(() => {
          const connection = playground.page.line.session;
          connection.retry = async () => {};  // the server does not come back
          connection.socket.close();
        })()"""
    )
    driver.page.wait_for_selector("#banner[data-state=lost]")
    assert "nothing is solved" in driver.page.inner_text("#banner")
    mouse = driver.page.mouse
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + 120, y + 60, steps=3)
    mouse.up()
    assert driver.status() == "not connected"
    assert driver.page.inner_text("#status .figures") == ""


def test_two_pages_are_two_sessions(new_page):
    one, two = new_page(), new_page()
    sessions = list(one.server.playground.sessions)
    assert len(sessions) == 2
    two.set(links=4)
    one.drag_goal(-50, -10)
    assert [len(s.model.skeleton) for s in sessions] == [8, 4]
    assert np.allclose(
        sessions[0].poses[0].position("tip"), one.ask("playground.goal()"), atol=2e-3
    )


def test_a_slider_stays_in_the_hand_while_scenes_change(driver):
    slider = driver.page.locator("[name=links]")
    slider.scroll_into_view_if_needed()
    bar = slider.bounding_box()
    mouse, links = driver.page.mouse, [8]
    bones = lambda: len(driver.session.model.skeleton)  # noqa: E731
    across = lambda part: (bar["x"] + part * bar["width"], bar["y"] + bar["height"] / 2)  # noqa: E731
    mouse.move(*across(0.2))
    mouse.down()
    for part in (0.3, 0.5, 0.7):
        mouse.move(*across(part))
        driver.until(lambda: bones() > links[-1])
        driver.settled()
        links.append(bones())
    mouse.up()
    assert links[-1] > 30
    driver.until(f"document.querySelector('[name=links-number]').value === '{links[-1]}'")


def test_edges_are_as_smooth_after_a_reload_as_before(new_page):
    """A browser smooths the edges on a canvas or does not, for good: each quality has its own."""
    driver = new_page(size=(760, 400))
    page = driver.page
    smooth = "playground.page.stage.renderer.getContext().getContextAttributes().antialias"
    assert driver.ask(smooth) is False
    driver.unfold("View")
    page.select_option("[name=quality]", "fine")
    driver.until(smooth)
    driver.settled()
    fine = driver.picture()[150:, :400]  # below the figures of the solve, which differ
    page.reload()
    driver.until("window.playground?.ready")
    driver.settled()
    assert driver.ask(smooth) is True
    assert np.mean(np.abs(driver.picture()[150:, :400] - fine) > 24) < 0.001
    driver.unfold("View")
    page.select_option("[name=quality]", "plain")
    driver.until(f"!{smooth}")
    driver.settled()
    plain = driver.picture()[150:, :400]
    assert np.mean(np.abs(plain - fine) > 24) > 0.004, "shadows and edges are gone"
    driver.drag_goal(-30, -20, steps=2)  # hands and camera know the new canvas
    assert driver.tip_error() <= driver.tolerance() * 1.01


# What does not fit ----------------------------------------------------------------------------------

WRONG = {
    "format": "supple-settings",
    "version": 1,
    "setup": {
        "scene": "snake",
        "solver": None,
        "joints": 5,
        "links": 12,
        "damping": "much",
        "lengths": [1, None],
        "goals": [{"kind": "reach"}, {"id": "tip", "effector": "tip"}],
        "grown": [],
        "nonsense": 1,
    },
    "look": {"shapes": None, "theme": 7, "frames": True, "speed": 1e300},
    "places": 3,
    "camera": {"key": 1},
}


def check_wrong(driver):
    """What is right in WRONG has been taken over, the rest is as it is by default."""
    driver.settled()
    setup = driver.ask("playground.setup()")
    assert setup["links"] == 12 and len(driver.session.model.skeleton) == 12
    assert setup["solver"] == {"name": "auto", "options": {}} and setup["joints"] == {}
    assert setup["damping"] is None and setup["lengths"] is None
    assert [goal["effector"] for goal in setup["goals"]] == ["tip"]
    look = driver.ask("structuredClone(playground.page.store.look)")
    assert look["shapes"] == {} and look["theme"] == "auto" and look["speed"] == 1
    assert look["frames"] is True


def test_of_a_settings_file_what_fits_is_taken_and_the_rest_is_named(driver):
    driver.drop({"wrong.json": json.dumps(WRONG).encode()})
    driver.until(lambda: "Settings applied, except" in driver.notice())
    check_wrong(driver)
    told = driver.notice()
    assert "setup.nonsense: not known here" in told and "and" in told and "more" in told
    assert "setup.solver: expected an object, got null" in told
    driver.drag_goal(-20, -10)
    assert driver.tip_error() <= driver.tolerance() * 1.01
    driver.page.reload()
    driver.until("window.playground?.ready")
    check_wrong(driver)
    assert driver.notice() == "", "what was kept is right by now"
    driver.unfold("View")
    driver.page.click("[name=reset]")
    driver.until("playground.page.scene.key === 'humanoid'")


@pytest.mark.parametrize("where", ["sessionStorage", "localStorage"])
def test_of_what_was_kept_what_fits_is_taken_and_the_rest_is_named(new_page, where):
    kept = json.dumps(json.dumps(WRONG))
    script = f"sessionStorage.clear(); {where}.setItem('supple-playground', {kept})"
    driver = new_page(script=script)
    assert "setup.solver: expected an object, got null" in driver.notice()
    check_wrong(driver)


def test_what_was_kept_and_is_no_settings_is_forgotten(new_page):
    texts = ["{", "null", "[]", '"x"', '{"format": 3}', "\\u0000"]
    script = f"""
      localStorage.removeItem("supple-playground");
      const kept = {json.dumps(texts)}[Number(localStorage.getItem("which") ?? 0)];
      sessionStorage.setItem("supple-playground", kept);
    """
    driver = new_page(script=f"{{ {script} }}")
    for k, text in enumerate(texts):
        assert "cannot be read" in driver.notice(), text
        assert driver.ask("playground.setup().links") == 8, text
        if k + 1 < len(texts):
            driver.ask(f"localStorage.setItem('which', {k + 1})")
            driver.page.reload()
            driver.until("window.playground?.notice()")


def test_settings_that_name_what_is_not_there_keep_the_rest(driver):
    setup = {"scene": "snake", "links": 5, "solver": {"name": "Magic", "options": {}}}
    file = {"format": "supple-settings", "version": 1, "setup": setup}
    driver.drop({"other.json": json.dumps(file).encode()})
    driver.until(lambda: "solver Magic" in driver.notice())
    driver.settled()
    assert len(driver.session.model.skeleton) == 5


def test_reset_all_is_there_when_the_page_cannot_begin(new_page):
    kept = {"format": "supple-settings", "version": 1, "setup": {"links": 20}}
    script = f"""
      if (!localStorage.getItem("supple-playground") && !document.cookie.includes("begun")) {{
        localStorage.setItem("supple-playground", {json.dumps(json.dumps(kept))});
      }}
      sessionStorage.removeItem("supple-playground");
      if (localStorage.getItem("supple-playground") && !document.cookie.includes("begun")) {{
        document.cookie = "begun=1";
        window.ResizeObserver = class {{ constructor() {{ throw new Error("as if broken"); }} }};
      }}
    """
    driver = new_page(script=script, ready=False)
    page = driver.page
    page.wait_for_selector("[name=reset-all]")
    assert "as if broken" in page.inner_text("#loading")
    page.click("[name=reset-all]")
    driver.until("window.playground?.ready")
    driver.settled()
    assert driver.ask("playground.setup().links") == 8


def test_reset_all_is_there_before_the_first_scene(new_page):
    script = "window.WebSocket = class { readyState = 0; close() {} send() {} };"
    driver = new_page(script=script, ready=False)
    driver.page.wait_for_selector("#panel [name=reset]")
    driver.ask("playground.page.store.set({ links: 20 })")
    driver.page.click("#panel [name=reset]")
    assert driver.ask("playground.setup().links") == 8


# What is refused ------------------------------------------------------------------------------------


def test_a_refused_setting_leaves_the_last_setup_that_worked(driver):
    driver.set(links=6, damping=0.3)
    driver.page.select_option("[name=solver]", "CCD")
    driver.settled()
    goal = driver.drag_goal(-30, -10) and driver.ask("playground.goal()")
    driver.page.select_option("[name=solver]", "TwoBone")
    driver.until(lambda: "it needs exactly two" in driver.notice())
    assert "Kept as before: solver" in driver.notice()
    driver.until("document.querySelector('[name=solver]').value === 'CCD'")

    def check():
        setup = driver.session.setup
        assert setup.links == 6 and setup.damping == 0.3 and setup.solver.name == "CCD"
        assert driver.ask("playground.setup().solver.name") == "CCD"
        assert driver.ask("playground.goal()") == pytest.approx(goal)

    check()
    driver.page.reload()
    driver.until("window.playground?.ready")
    driver.settled()
    check()
    driver.drag_goal(10, 10)
    assert driver.tip_error() <= driver.tolerance() * 1.01


def test_a_kept_setup_that_is_refused_gives_way_to_the_one_that_worked(new_page):
    kept = {
        "format": "supple-settings",
        "version": 1,
        "setup": {"links": 6, "solver": {"name": "TwoBone", "options": {}}},
        "worked": {"links": 6, "solver": {"name": "CCD", "options": {}}},
    }
    script = f"sessionStorage.setItem('supple-playground', {json.dumps(json.dumps(kept))})"
    driver = new_page(script=script)
    assert driver.session.setup.links == 6 and driver.session.setup.solver.name == "CCD"
    told = driver.notice()
    assert "it needs exactly two" in told and "left out: solver" in told


def test_a_kept_file_that_is_not_open_any_more_is_said(new_page):
    kept = {"format": "supple-settings", "version": 1, "setup": {"scene": "file:0123456789ab"}}
    script = f"sessionStorage.setItem('supple-playground', {json.dumps(json.dumps(kept))})"
    driver = new_page(script=script)
    assert driver.session.setup.scene == "snake"
    assert "no longer open" in driver.notice() and "back to the defaults" in driver.notice()
