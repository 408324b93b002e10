"""Messages with anything in any field: each is read or refused in words, none ends in a traceback."""

import copy
import json

import pytest

from supple import SuppleError
from supple.apps.viewer.messages import Ping, SaveWanted, SetupSent, TraceWanted, Want, json_codec

HUGE = "9" * 400  # a whole number beyond every float; in JSON written out
GOALS = [
    {"id": "tip", "kind": "pose", "effector": "tip", "depth": 0, "axis": "x"},
    {"id": "eye", "kind": "look", "effector": "j1", "depth": 2, "axis": "-z"},
]
EDIT = {
    "lock": False,
    "damping": 0.1,
    "stiffness": 0.5,
    "limits": [[-1, 1]],
    "swing": 1.0,
    "twist": [-1, 1],
}
SETUP = {
    "scene": "snake",
    "links": 3,
    "lengths": [1, 2, 1],
    "flat": False,
    "solver": {"name": "LM", "options": {"max_iterations": 5, "closed_form": True}},
    "compare": None,
    "limits": True,
    "damping": 0.2,
    "stretch": None,
    "joints": {"j0": EDIT},
    "goals": GOALS,
    "tolerance": 0.01,
    "unreachable": "approach",
    "start": "previous",
    "motion": None,
    "correct": True,
    "keys": [{"time": 0, "coordinates": [0, 0, 0]}],
    "grown": {"start": "", "seed": 0, "attributes": {"a": 1.0}, "targets": {"b": [0, 0, 0]}},
}
BODIES = {
    "avoid": {
        "on": True,
        "margin": 0.1,
        "ground": True,
        "boxes": [{"center": [3, 0, 0], "size": [1, 1, 1]}],
    },
    "balance": {"on": True, "margin": 0.0, "feet": ["tip", "j0"]},
    "loops": [
        {"kind": "weld", "a": "j1", "b": "tip", "point_a": [0, 0, 1], "rotation": [1, 0, 0, 0]}
    ],
}
ON_A_BONE = {"id": "on", "effector": "j2", "on": "tip", "point": [0, 1, 0]}
KEPT = {
    "links": 3,
    "solver": {"name": "LM", "options": {"max_iterations": 5, "restarts": 0}},
    "goals": [GOALS[0], ON_A_BONE],
    "bodies": BODIES,
}
NEW = {("bodies",), ("goals", 1)}  # what only this setup has
PLACES = [{"id": "tip", "position": [1, 1, 1], "orientation": [1, 0, 0, 0]}]
MESSAGES = [
    {"type": "setup", "seq": 1, "setup": SETUP},
    {"type": "setup", "seq": 1, "setup": KEPT},
    {"type": "bodies"},
    {"type": "want", "seq": 2, "revision": 1, "goals": PLACES, "time": 0.5},
    {"type": "trace", "rest": True},
    {"type": "steps", "iteration": 1},
    {"type": "key", "time": 0.5},
    {"type": "reset"},
    {"type": "save", "format": "json"},
    {"type": "check"},
    {"type": "ping"},
]
VALUES = [
    *(
        None,
        True,
        -1,
        0,
        1.5,
        1e9,
        1e-9,
        1e308,
        1e-308,
        2**32,
        HUGE,
        "NaN",
        "Infinity",
        "-Infinity",
    ),
    *("", "snak", "x" * 5000, "\ud800", [], [[]], [None], ["NaN"], [1e308] * 3, {}, {"a": 1}),
]
MISSING = object()
WANTED = json_codec.read(json.dumps(MESSAGES[3]))


def paths(value, at=()):
    """The way to everything inside a message."""
    if at:
        yield at
    inside = value.items() if isinstance(value, dict) else ()
    for key, one in enumerate(value) if isinstance(value, list) else inside:
        yield from paths(one, (*at, key))


def changed(message, path, value):
    """A message with something else at a place."""
    out = copy.deepcopy(message)
    inside = out
    for key in path[:-1]:
        inside = inside[key]
    if value is MISSING:
        del inside[path[-1]]
    else:
        inside[path[-1]] = value
    return out


def text_of(message):
    """JSON, in which the numbers that it does not have are written as Python writes them."""
    text = json.dumps(message)
    for number in ("NaN", "Infinity", "-Infinity", HUGE):
        text = text.replace(f'"{number}"', number)
    return text


@pytest.mark.parametrize("message", MESSAGES, ids=lambda one: one["type"])
def test_whatever_is_in_a_field_the_answer_is_in_words(page, caplog, message):
    session = page.session
    kept = message is MESSAGES[1]  # the other fields of a setup are those of the first
    ways = [way for way in paths(message) if not kept or way[1:2] in NEW or way[1:3] in NEW]
    places = [(path, value) for path in ways for value in (*VALUES, MISSING)]
    for one in [message, *(changed(message, path, value) for path, value in places)]:
        try:
            read = json_codec.read(text_of(one))
        except SuppleError as error:
            assert one is not message and len(str(error)) < 1000
            continue
        if isinstance(read, Ping):
            continue
        session._attempt(json_codec.read(text_of(MESSAGES[0])))
        assert page.messages[-1]["type"] == "scene", page.messages[-1]
        if isinstance(read, Want):
            session.revision = read.revision
        session._attempt(read)
        if isinstance(read, SetupSent):  # what was accepted must be of use too
            session._attempt(Want(seq=2, revision=session.revision, goals=WANTED.goals))
            session._attempt(TraceWanted())
            session._attempt(SaveWanted(format="bvh"))
    told = [m["text"] for m in page.messages if m["type"] == "refused"]
    assert not [one for one in told if "something went wrong" in one]
    assert not [one for one in caplog.records if one.exc_info], "no traceback in the log"


EDITS = {"contacts": {"foot.L": [[3, 9]]}, "plant": True, "repair": False}
MOTION_SETUPS = [
    {"scene": "humanoid", "motion": "walk", "edits": {"walk": EDITS}},
    {
        "scene": "humanoid",
        "motion": "",
        "retarget": {
            "source": "humanoid",
            "motion": "walk",
            "edits": {"contacts": {"foot.R": [[3, 9]]}},
            "source_map": {"neck": []},
            "target_map": {"left_hand": ["hand.L"]},
        },
    },
]


@pytest.mark.parametrize("setup", MOTION_SETUPS, ids=["edits", "retarget"])
def test_whatever_is_asked_of_a_motion_the_answer_is_in_words(page, caplog, setup):
    part = "edits" if "edits" in setup else "retarget"
    every = [
        changed(setup, (part, *path), value)
        for path in paths(setup[part])
        for value in (*VALUES, MISSING)
    ]
    taken = 0
    for one in [setup, *every]:
        try:
            read = json_codec.read(text_of({"type": "setup", "seq": 1, "setup": one}))
        except SuppleError as error:
            assert one is not setup and len(str(error)) < 1000
            continue
        page.session._attempt(read)
        if taken == 0:
            assert page.messages[-1]["type"] == "scene", page.messages[-1]
            page.session._attempt(json_codec.read('{"type": "check"}'))
            assert page.messages[-1]["type"] == "checked"
        taken += 1
    assert taken > 10
    told = [m["text"] for m in page.messages if m["type"] == "refused"]
    assert told and not [one for one in told if "something went wrong" in one]
    assert not [one for one in caplog.records if one.exc_info], "no traceback in the log"


@pytest.mark.parametrize(
    "kind", ["want", "trace", "steps", "key", "bodies", "reset", "save", "check"]
)
def test_before_a_setup_nothing_else_is_done(page, caplog, kind):
    message = next(one for one in MESSAGES if one["type"] == kind)
    page.session.receive(json.dumps(message | ({"revision": 0} if kind == "want" else {})))
    page.until(lambda: page.messages)
    assert "expected a setup first" in page.messages[0]["text"] and not caplog.records


@pytest.mark.parametrize(
    ("setup", "told"),
    [
        ({"links": 10**9}, "message.setup.links: expected a whole number from 1 to 200"),
        ({"lengths": [1e308, 1.0]}, "message.setup.lengths[0]: expected a finite number from"),
        ({"lengths": [1.0] * 201}, "message.setup.lengths: expected a list of 0 to 200, got 201"),
        ({"goals": GOALS * 600}, "message.setup.goals: expected a list of 0 to 1,000, got 1,200"),
        ({"joints": {"j0": {"stiffness": 2}}}, "stiffness: expected a finite number from 0 to 1"),
        ({"solver": {"options": {"max_iterations": 10**12}}}, "max_iterations: expected a whole"),
        ({"scene": "x" * 2000}, "message.setup.scene: expected at most 1,000 characters"),
        ({"goals": [GOALS[1] | {"axis": "q"}]}, "unknown message.setup.goals[0].axis 'q'"),
    ],
)
def test_what_is_out_of_bounds_is_refused_before_anything_is_built(page, setup, told):
    page.session.receive(json.dumps({"type": "setup", "seq": 7, "setup": setup}))
    refused = page.messages[0]
    assert refused["type"] == "refused" and told in refused["text"]
    assert refused["seq"] == 7, "so that the page knows which setup was refused"
    assert page.session.subject is None


def test_keyframes_that_lie_far_apart_are_refused(page):
    page.set_up(scene="snake", links=200)
    coordinates = page.session.poses[0].coordinates.tolist()
    keys = [{"time": at, "coordinates": coordinates} for at in (0, 3600)]
    refused = page.set_up(scene="snake", links=200, keys=keys, motion="keyframes")
    assert refused["type"] == "refused" and "3600 s are too long" in refused["text"]
