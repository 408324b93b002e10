"""Odd values for every parameter of the public API: a call works, or raises SuppleError.

Calls are made from the signatures: each has good arguments, of which one is replaced by an odd value.
`make test` makes a share of them; SUPPLE_TORTURE=all makes all.
"""

from __future__ import annotations

import inspect
import logging
import os
import zlib
from collections.abc import Callable, Iterator
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import supple
from supple import Ball, Capsule, Hinge, Plane, Reach, SuppleError

ALL = "SUPPLE_TORTURE" in os.environ
SHARE = 1 if ALL else 2  # one of so many calls is made,
SLOW_SHARE = (
    1 if ALL else 32
)  # and one of so many of functions that work on whole motions or write pages

RESULTS = {
    "Checked", "Correction", "Fault", "Planted", "Repaired", "Retargeted", "Solution", "Trace", "Track",
}  # fmt: skip
"""What functions give, made by nobody else."""
NOT_CALLED = {
    "Status", "SuppleError", "Joint", "Solver",  # an enumeration, an exception, and bases of others
    "OPEN", "rotations",  # no callables
    "view",  # starts a server
}  # fmt: skip
FOR_SOLVERS = {
    "batch", "carrier", "check_defined", "events_per_iteration", "kernel", "lower", "options", "refusal",
    "seeds", "seen_from", "solve_range", "weights", "after", "from_table", "read", "checked",
}  # fmt: skip
"""Methods that only modules of supple call, with what these have checked."""

arm = supple.chain([1, 1, 1], joint=Hinge("z", limits=(-2, 2)))
other = supple.chain([1.0], names=["other"])
body = supple.chain([1, 1], joint=Ball())


class Case(NamedTuple):
    """A callable and good arguments for it."""

    name: str
    call: Callable[..., Any]
    good: dict[str, Any]
    is_slow: bool = False


def _odd_values() -> dict[str, Any]:
    hero = supple.humanoid()
    ragged: Any = [[1, 2], [3]]
    return {
        "None": None,
        "''": "",
        "'ab'": "ab",
        "'{x}'": "{x}",
        "'\\ud800'": "\ud800",
        "'\\0'": "\0",
        "b'ab'": b"ab",
        "nan": float("nan"),
        "inf": float("inf"),
        "10**400": 10**400,
        "-1": -1,
        "0": 0,
        "1.5": 1.5,
        "True": True,
        "1j": 1j,
        "()": (),
        "[]": [],
        "{}": {},
        "[None]": [None],
        "[[]]": [[]],
        "['a']": ["a"],
        "{'j0': None}": {"j0": None},
        "{1: 2}": {1: 2},
        "{'a'}": {"a"},
        "[1, 2]": [1, 2],
        "[10**400] * 3": [10**400] * 3,
        "ragged": ragged,
        "zeros(3)": np.zeros(3),
        "zeros((0, 3))": np.zeros((0, 3)),
        "zeros((2, 5))": np.zeros((2, 5)),
        "array of objects": np.array([None, "a"], dtype=object),
        "array of text": np.array(["a", "b", "c"]),
        "object()": object(),
        "lambda: 0": lambda: 0,
        "int": int,
        "range(3)": range(3),
        "another skeleton": other,
        "another pose": other.rest,
        "batch of poses": supple.Pose(arm, np.zeros((2, 3))),
        "a character": hero,
        "a joint": Ball(),
        "a goal": Reach("tip"),
        "Path('ab')": Path("ab"),
        "a path that is too long": Path("a" * 5000),
        "text of 100,000 letters": "x" * 100_000,
        "a dictionary of 3,000": {f"k{i}": i for i in range(3000)},
        "zeros((3, 200))": np.zeros((3, 200)),
        "array(0.5)": np.array(0.5),
        "array('tip')": np.array("tip"),
        "complex64": np.complex64(1j),
        "array of complex": np.ones(3, complex),
        "timedelta64": np.timedelta64(3, "s"),
        "longdouble": np.longdouble("1e4000"),
        "masked": np.ma.masked,
        "Decimal('sNaN')": Decimal("sNaN"),
        "Fraction(1, 3)": Fraction(1, 3),
        "a date": datetime(2020, 1, 1),
        "nested 90 deep": _nested(90),
        "a list in itself": _in_itself(),
    }


def _nested(depth: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(depth):
        found = [found]
    return found


def _in_itself() -> list[Any]:
    found: list[Any] = []
    found.append(found)
    return found


def _cases(folder: Path) -> Iterator[Case]:
    """Every callable of the API with good arguments."""
    hero = supple.humanoid()
    clip = next(iter(hero.motions.values())).trimmed(0, 0.15)
    walk = supple.Motion("walk", supple.Pose(arm, np.linspace(0, 1, 12).reshape(4, 3)), fps=10)
    target = {"tip": (1.0, 1.0, 0.0)}
    box = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)
    mesh = supple.Mesh("m", box, [[0, 1, 2]], joint="j0")
    skin = supple.Skin(("j0",), np.eye(4)[None], [0, 1, 2, 3], [0, 0, 0], [1.0, 1.0, 1.0])
    ready = supple.prepare(arm, [Reach("tip")])
    solved = supple.solve(arm, target)
    rules = folder / "rules.cga"
    rules.write_text("Lot --> extrude(2)\n")
    bvh = folder / "walk.bvh"
    supple.save(walk, bvh)
    good: dict[str, dict[str, Any]] = {
        "Box": {"center": (0, 0, 0), "size": (1, 1, 1)},
        "BodyMap": {"joints": {"hips": ("j0",)}},
        "Capsule": {"a": (0, 0, 0), "b": (1, 0, 0), "radius": 0.1},
        "Character": {"skeleton": arm},
        "Cone": {"swing": 1.0},
        "Connect": {"a": "j0", "b": "tip"},
        "Contacts": {"frames": 4, "intervals": {"tip": [(0, 2)]}},
        "Geom": {"kind": "sphere", "joint": "j0", "size": (0.1,)},
        "Hold": {"effector": "tip"},
        "LookAt": {"effector": "tip"},
        "Loop": {"kind": "connect", "a": "j0", "b": "j2"},
        "Mass": {"mass": 1.0},
        "Material": {"name": "m"},
        "Mesh": {"name": "m", "positions": box, "faces": [[0, 1, 2]]},
        "Mimic": {"joint": "j0"},
        "Morph": {"name": "m"},
        "Motion": {"name": "m", "poses": walk.poses, "fps": 10},
        "Node": {"name": "a"},
        "Note": {"text": "a"},
        "On": {"effector": "tip"},
        "Pole": {"joint": "j1"},
        "Pose": {"skeleton": arm},
        "Prepared": {"skeleton": arm, "goals": [Reach("tip")]},
        "Reach": {"effector": "tip"},
        "Skeleton": {"nodes": arm.nodes, "tips": arm.tips},
        "Skin": {"joints": ("j0",), "T_joint_model": np.eye(4)[None], "first": [0, 1], "joint": [0], "weight": [1.0]},
        "Texture": {"name": "t"},
        "Tip": {"name": "t", "joint": "j0"},
        "Weld": {"a": "j0", "b": "tip"},
        "chain": {"lengths": [1, 1]},
        "check": {"subject": clip},
        "check_page": {"clips": supple.check(clip)},
        "contacts": {"motion": walk, "joints": ["tip"]},
        "correct": {"motion": walk, "goals": target},
        "fix": {"report": supple.check(walk, kinds=["speed"])},
        "goal": {},
        "grow": {"rules": rules},
        "keyframes": {"keys": [(0.0, arm.rest), (1.0, arm.rest)]},
        "learn_limits": {"subject": arm, "motions": walk},
        "load": {"path": bvh},
        "page": {"value": arm, "path": folder / "page.html"},
        "plant_feet": {"motion": walk, "feet": ["tip"]},
        "prepare": {"skeleton": arm, "goals": [Reach("tip")]},
        "retarget": {"motion": clip, "onto": hero},
        "save": {"thing": walk, "path": folder / "saved.bvh"},
        "skin": {"mesh": mesh, "pose": arm.rest},
        "solve": {"skeleton": arm, "goals": target},
        "track": {"skeleton": arm, "goals": {"tip": np.ones((2, 3))}},
    }  # fmt: skip
    slow = {"check", "check_page", "fix", "page", "retarget", "plant_feet", "grow"}
    for name in supple.__all__:
        if name not in RESULTS | NOT_CALLED:
            yield Case(name, getattr(supple, name), good.get(name, {}), name in slow)
    # What else is called, with arguments that the table above has no room for.
    yield Case(
        "solve in order", supple.solve, {**good["solve"], "solutions": 3, "prefer": "nearest"}
    )
    yield Case("solve several", supple.solve, {**good["solve"], "goals": {"tip": np.ones((2, 3))}})
    yield Case("track in time", supple.track, {**good["track"], "dt": 0.1, "max_speed": 1.0})
    yield Case("track branches", supple.track, {**good["track"], "branches": "all"}, True)
    options = inspect.Signature(
        [_keyword(n) for n in ("values", "weight", "tolerance", "root", "depth")]
    )
    yield Case(
        "own goal", _with(options, lambda **k: supple.solve(arm, [_far("tip", **k)]).reason), {}
    )
    yield Case(
        "frames of an own goal",
        _with_one("frames", lambda x: supple.solve(arm, [_far(x)]).reason),
        {},
    )
    for what, make in _goals().items():
        one = _with_one(
            what, lambda x, make=make: supple.solve(arm, [Reach("tip", (1, 1, 0)), make(x)]).reason
        )
        yield Case(f"solve {what}", one, {})
    yield from _methods(
        arm,
        "Skeleton",
        tip="tip",
        root="j0",
        name="tip",
        pose=arm.rest,
        joints={"j0": Hinge("z")},
        data=arm.to_json(),
    )
    for pose in (arm.rest, body.rest):
        yield from _methods(
            pose, f"Pose of {len(pose.skeleton)}", name="tip", values={"j0": 0 if pose is arm.rest else (0, 0, 1)},
            other=pose, t=0.5, skeleton=pose.skeleton, angles=pose.angles, poses=[pose], data=pose.to_json(),
        )  # fmt: skip
    yield from _methods(
        walk, "Motion", seconds=0.1, fps=10, other=walk, skeleton=arm, data=walk.to_json()
    )
    yield from _methods(
        supple.Character(arm, (mesh,), {"walk": walk}),
        "Character",
        pose=arm.rest,
        names={"j0": "a"},
        name="walk",
    )
    yield from _methods(ready, "Prepared", solver="auto", pose=arm.rest, targets=(1, 1, 0))
    for name, given in (("__call__", {"dt": 0.1}), ("track", {"dt": 0.1})):
        yield Case(
            f"Prepared.{name} in time",
            getattr(ready, name),
            {"targets": np.ones((2, 3) if name == "track" else 3), **given},
        )
    yield from _methods(solved, "Solution", name="tip", amount=0.5, data=solved.to_json())
    yield from _methods(
        supple.Contacts(4, {"tip": [(0, 2)]}),
        "Contacts",
        flags={"tip": [True]},
        joint="tip",
        start=0,
        stop=2,
        frame=0,
        by=1,
        data={},
    )
    yield from _methods(Capsule((0, 0, 0), (1, 0, 0), 0.1), "Capsule", points=(0, 0, 0), factor=2.0)
    yield from _methods(
        supple.Budgets(), "Budgets", given=None, path=folder / "none.toml", kinds=["speed"]
    )
    yield from _methods(
        supple.BodyMap({"hips": ("j0",)}),
        "BodyMap",
        skeleton=hero.skeleton,
        path=folder / "map.toml",
        data={"hips": "j0"},
    )
    yield from _methods(
        skin, "Skin", joints=("j0",), T_joint_model=np.eye(4)[None], indices=[[0]], weights=[[1.0]]
    )
    yield from _methods(supple.check(walk, kinds=["speed"]), "Checked", kind="speed")
    yield from _methods(
        supple.Geom("sphere", "j0", (0.1,)),
        "Geom",
        other=supple.Geom("sphere", "j0", (0.1,)),
        points=(0, 0, 0),
        data={},
    )
    yield from _methods(Hinge("z"), "Hinge", limits=[(-1, 1)], data=Hinge("z").to_json())
    yield from _methods(supple.Axes("xyz"), "Axes", dof=[0, 1] * 3, limits=[(-1, 1)] * 3, data={})
    for module in (supple.costs, supple.robot, supple.rotations):
        yield from _functions(module)
    yield from _grammar(rules)
    yield from _plots(solved, folder)


def _grammar(rules: Path) -> Iterator[Case]:
    """The classes of `supple.grammar`, and what `grow` looks at inside its arguments."""
    from supple import grammar

    lot = "attr h = 1\nLot --> extrude(h)\n"
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)
    inside: dict[str, Callable[[Any], Any]] = {
        "an attribute": lambda x: grammar.grow(lot, attributes={"h": x}),
        "an attribute of a lot": lambda x: grammar.grow(lot, lots=[grammar.Lot((1, 0, 1), attributes={"h": x})]),
        "a footprint": lambda x: grammar.grow(lot, lots=[grammar.Lot(footprint=x)]),
        "an asset": lambda x: grammar.grow('Lot --> i("a")', assets={"a": x}),
        "points of an asset": lambda x: grammar.grow('Lot --> i("a")', assets={"a": (x, [(0, 1, 2)])}),
        "faces of an asset": lambda x: grammar.grow('Lot --> i("a")', assets={"a": (corners, x)}),
    }  # fmt: skip
    yield Case("Limits", grammar.Limits, {})
    yield Case("Lot", grammar.Lot, {"size": (1, 0, 1)})
    yield Case("stub_text", grammar.stub_text, {"rules": rules})
    for what, call in inside.items():
        yield Case(f"grow with {what}", _with_one(what, call), {})
    growth = grammar.grow(lot)
    yield Case("Growth.tree", growth.tree, {})
    yield Case("Growth.save", growth.save, {"path": rules.with_name("lot.obj")})
    yield Case("Shapes.named", growth.shapes.named, {"name": "Lot"})
    yield Case("GrownShape.point", growth.shapes[0].point, {"x": 0.5, "y": 0.5, "z": 0.5})


def _plots(solved: Any, folder: Path) -> Iterator[Case]:
    """The functions of `supple.plot`."""
    try:
        from supple import plot
    except SuppleError:  # without Matplotlib there are none
        return
    traced = supple.solve(arm, {"tip": (1.0, 1.0, 0.0)}, solver="CCD", trace=True)
    yield Case("plot.pose", plot.pose, {"pose": arm.rest}, True)
    yield Case("plot.solution", plot.solution, {"solution": solved}, True)
    yield Case("plot.trace", plot.trace, {"traced": traced}, True)
    yield Case("plot.compare", plot.compare, {"solutions": {"a": solved}}, True)
    yield Case("plot.save", plot.save, {"figure": None, "path": folder / "figure.svg"})


def _far_residual(frames: Any, values: Any, out: Any) -> None:
    out[0] = frames[0, 0, 3] - 5


_far = supple.goal(compiled=False)(_far_residual)


def _goals() -> dict[str, Callable[[Any], Any]]:
    """What goals take, that is looked at with a skeleton."""
    return {
        "a name to reach": lambda x: Reach(x, (1, 1, 0)),
        "a point to reach with": lambda x: Reach("tip", (1, 1, 0), point=x),
        "an orientation": lambda x: Reach("tip", orientation=x),
        "a pose": lambda x: Reach("tip", pose=x),
        "a root": lambda x: Reach("tip", (1, 1, 0), root=x),
        "a target on": lambda x: Reach("tip", supple.On(x)),
        "a direction": lambda x: supple.LookAt("tip", x),
        "a pole": lambda x: supple.Pole("j1", x),
        "a joint of a pole": lambda x: supple.Pole(x, (0, 1, 0)),
        "a name to hold": lambda x: supple.Hold(x),
        "a rest": lambda x: supple.Rest(x),
        "a name to connect": lambda x: supple.Connect("j0", x),
        "an obstacle": lambda x: supple.Avoid(obstacles=[x]),
        "capsules": lambda x: supple.Avoid(obstacles=[Plane((0, 0, -9))], capsules={"j0": x}),
        "a joint with capsules": lambda x: supple.Avoid(capsules=[(x, Capsule((0, 0, 0), (1, 0, 0), 0.1))]),
        "a pair": lambda x: supple.Avoid(pairs=[x]),
        "feet": lambda x: supple.Balance(x),
        "a node": lambda x: (supple.Skeleton([x]), Reach("tip"))[1],
        "a parent": lambda x: (supple.Skeleton([("a", None), ("b", x)]), Reach("tip"))[1],
        "a joint of a tip": lambda x: (supple.Skeleton([("a", None)], [("t", x)]), Reach("tip"))[1],
        "a length": lambda x: (supple.chain([1, x]), Reach("tip"))[1],
        "a speed by name": lambda x: (supple.prepare(arm, [Reach("tip")], max_speed={"j0": x}), Reach("tip"))[1],
        "a speed": lambda x: (supple.prepare(arm, [Reach("tip")], max_speed=x), Reach("tip"))[1],
        "a joint to lock": lambda x: (supple.prepare(arm, [Reach("tip")], lock=[x]), Reach("tip"))[1],
        "a value of a pose": lambda x: (arm.pose({"j0": x}), Reach("tip"))[1],
        "a key frame": lambda x: (supple.keyframes([x]), Reach("tip"))[1],
        "a time of a key frame": lambda x: (supple.keyframes([(x, arm.rest)]), Reach("tip"))[1],
    }  # fmt: skip


def _keyword(name: str) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None)


def _with(signature: inspect.Signature, call: Callable[..., Any]) -> Callable[..., Any]:
    def named(**given: Any) -> Any:
        return call(**given)

    named.__signature__ = signature  # type: ignore[attr-defined]
    return named


def _with_one(name: str, call: Callable[[Any], Any]) -> Callable[..., Any]:
    """A function of one keyword, whatever it is called."""
    return _with(
        inspect.Signature([_keyword(name.replace(" ", "_"))]),
        lambda **given: call(*given.values()),
    )


def _methods(thing: Any, title: str, /, **good: Any) -> Iterator[Case]:
    """The public methods of an object, with the good arguments that they have."""
    for called in dir(type(thing)):
        if called in FOR_SOLVERS or (called.startswith("_") and called != "__call__"):
            continue
        if isinstance(inspect.getattr_static(type(thing), called), property):
            continue
        method = getattr(thing, called, None)
        if not (inspect.ismethod(method) or inspect.isfunction(method)):
            continue
        taken = inspect.signature(method).parameters
        yield Case(f"{title}.{called}", method, {k: v for k, v in good.items() if k in taken})


def _functions(module: Any) -> Iterator[Case]:
    """The public functions of a module of rotations, costs or robots."""
    turn = (1.0, 0.0, 0.0, 0.0)
    good = {
        "robot": arm, "skeleton": arm, "pose": arm.rest, "vector": (0.0, 0.0, 0.0), "qpos": (0.0, 0.0, 0.0),
        "start": arm.rest, "answer": arm.rest, "effector": "tip", "a": turn, "b": turn, "q": turn,
        "axis": "x", "order": "xyz", "angles": (0.0, 0.0, 0.0), "angle": 0.5, "t": 0.5, "v": (1.0, 0.0, 0.0),
        "matrix": np.eye(3), "what": "rotation", "value": turn,
    }  # fmt: skip
    for name, function in list(vars(module).items()):
        if (
            inspect.isfunction(function)
            and function.__module__ == module.__name__
            and name[0] != "_"
        ):
            taken = inspect.signature(function).parameters
            given = {k: v for k, v in good.items() if k in taken}
            if name == "between":
                given = {"a": (1.0, 0.0, 0.0), "b": (0.0, 1.0, 0.0)}
            yield Case(f"{module.__name__.partition('.')[2]}.{name}", function, given)


def _call(case: Case, changed: str | None, value: Any) -> Any:
    """Call with one argument replaced; positional ones are put in their place."""
    given = dict(case.good)
    if changed is not None:
        given[changed] = value
    positional, named = [], {}
    for name, parameter in inspect.signature(case.call).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD or name not in given:
            continue
        in_place = parameter.kind in (parameter.VAR_POSITIONAL, parameter.POSITIONAL_ONLY)
        if in_place:
            positional.append(given[name])
        else:
            named[name] = given[name]
    return case.call(*positional, **named)


def _attempt(case: Case, changed: str, label: str, value: Any) -> str | None:
    """What is wrong with a call; None if it worked or said what it expected."""
    try:
        repr(_call(case, changed, value))
    except SuppleError as error:
        if len(str(error)) > 2000:
            return f"{case.name}({changed}={label}): a message of {len(str(error))} characters"
    except Exception as error:
        return f"{case.name}({changed}={label}): {type(error).__name__}: {str(error)[:90]}"
    return None


def _chosen(case: Case, changed: str, label: str) -> bool:
    """True for the share of the calls that is made; always the same ones."""
    share = SLOW_SHARE if case.is_slow else SHARE
    return zlib.crc32(f"{case.name} {changed} {label}".encode()) % share == 0


def test_odd_values_work_or_are_refused_in_words(tmp_path, monkeypatch):
    folder, elsewhere = tmp_path / "files", tmp_path / "here"
    folder.mkdir()
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    monkeypatch.setattr(logging.getLogger("supple"), "disabled", True)
    values, wrong, count = _odd_values(), [], 0
    for case in _cases(folder):
        for changed, parameter in inspect.signature(case.call).parameters.items():
            if parameter.kind is parameter.VAR_KEYWORD:
                continue
            for label, value in values.items():
                if _chosen(case, changed, label):
                    count += 1
                    fault = _attempt(case, changed, label, value)
                    wrong += [fault] * (fault is not None)
    assert count > 10_000
    assert not wrong, f"{len(wrong)} of {count}:\n" + "\n".join(wrong)


def test_the_good_arguments_are_good(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(logging.getLogger("supple"), "disabled", True)
    unfit = []
    for case in _cases(tmp_path):
        needed = [
            name for name, one in inspect.signature(case.call).parameters.items()
            if one.default is one.empty and one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)
        ]  # fmt: skip
        if any(name not in case.good for name in needed):
            unfit.append(f"{case.name}: needs {', '.join(needed)}")
    assert not unfit
