"""What is switched and tuned reaches Python, and stays through reloads and lost connections."""

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
    driver.ask("playground.page.line.socket.close()")
    driver.until(lambda: before not in driver.server.playground.sessions)
    driver.until(lambda: driver.server.playground.sessions and driver.session.solutions)
    driver.settled()
    assert driver.session is not before
    assert driver.session.setup.limits and driver.session.setup.solver.name == "FABRIK"
    assert driver.ask("playground.goal()") == goal
    assert driver.tip_error() <= driver.tolerance() * 1.01


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
    bar = driver.page.locator("[name=links]").bounding_box()
    mouse, links = driver.page.mouse, []
    across = lambda part: (bar["x"] + part * bar["width"], bar["y"] + bar["height"] / 2)  # noqa: E731
    mouse.move(*across(0.2))
    mouse.down()
    for part in (0.3, 0.5, 0.7):
        mouse.move(*across(part))
        driver.settled()
        links.append(len(driver.session.model.skeleton))
    mouse.up()
    assert links == sorted(set(links)) and links[-1] > 30
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
