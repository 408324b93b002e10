"""The solvers of examples/learn do what the compiled ones do with their extras off."""

import math
import runpy
from pathlib import Path

import numpy as np
import pytest

import supple

LEARN = Path(__file__).parents[1] / "examples" / "learn"
SCRIPTS = sorted(LEARN.glob("*.py"))
LONGEST = 60  # lines


def script(name):
    return runpy.run_path(str(LEARN / f"{name}.py"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_holds_says_its_steps_and_is_short(path, capsys):
    s = script(path.stem)["main"]()
    assert s.reached
    assert len(capsys.readouterr().out.splitlines()) >= 2
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST
    assert f"](learn/{path.name})" in (LEARN.parent / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "name, ours, compiled",
    [
        ("ccd", "CCD", supple.CCD(accelerate=False, restarts=0)),
        ("damped_least_squares", "DampedLeastSquares", supple.Jacobian(method="dls")),
        ("levenberg_marquardt", "LM", supple.LM(restarts=0)),
    ],
)
@pytest.mark.parametrize("iterations", [1, 2, 3, 5, 100])
def test_every_iteration_is_that_of_the_compiled_solver(name, ours, compiled, iterations):
    code = script(name)
    asked = asked_by(code["main"])
    budget = {"max_iterations": iterations}
    mine = supple.solve(**asked, solver=code[ours](**budget))
    other = supple.solve(**asked, solver=type(compiled)(**{**vars(compiled), **budget}))
    assert mine.iterations == other.iterations and mine.status == other.status
    np.testing.assert_allclose(mine.angles, other.angles, atol=1e-6)


def asked_by(main):
    """What a script solves: the skeleton, the goals and the start."""
    found = {}

    def solve(skeleton, goals, *, start=None, solver):
        found.update(skeleton=skeleton, goals=goals, start=start)
        return real(skeleton, goals, start=start, solver=solver)

    real, supple.solve = supple.solve, solve
    try:
        main()
    finally:
        supple.solve = real
    return found


@pytest.mark.parametrize("target", [(0.9, 0.8, 0), (-0.5, 0.4, 0), (0.1, -1.7, 0), (0.0, 0.5, 0)])
def test_two_bones_bend_as_the_compiled_solver_bends_them(target):
    code = script("two_bone")
    mine = code["main"](target)
    other = code["main"](target, solver=supple.TwoBone(elbow="positive"))
    whole = 2 * math.pi
    np.testing.assert_allclose((mine.angles - other.angles + math.pi) % whole, math.pi, atol=1e-6)


@pytest.mark.parametrize("target", [(4.0, 3.0, 0), (0.1, 0.1, 0)])
def test_two_bones_out_of_reach_come_as_near_as_they_can(target):
    arm = supple.chain([1.0, 0.8], joint=supple.Hinge("z"))
    mine = supple.solve(arm, {"tip": target}, solver=script("two_bone")["TwoBone"]())
    other = supple.solve(arm, {"tip": target}, solver=supple.TwoBone())
    assert not mine.reached and mine.status == other.status
    np.testing.assert_allclose(mine.error, other.error, atol=1e-9)


@pytest.mark.parametrize("target", [(2.0, 2.0, 1.0), (1.0, -2.0, 0.5), (0.5, 3.0, 2.0)])
def test_fabrik_ends_where_the_compiled_solver_ends(target):
    code = script("fabrik")
    snake = supple.chain([1.0] * 5)
    for iterations in (1, 100):
        mine, other = (
            supple.solve(snake, {"tip": target}, solver=solver(max_iterations=iterations, **more))
            for solver, more in ((code["FABRIK"], {}), (supple.FABRIK, {"restarts": 0}))
        )
        assert mine.iterations == other.iterations and mine.status == other.status
        np.testing.assert_allclose(mine.positions, other.positions, atol=1e-6)
