import json
from pathlib import Path

import pytest

from supple import SuppleError
from supple.apps.viewer.messages import Refused, SetupSent, Want, json_codec
from supple.apps.viewer.typescript import typescript

TYPES = Path(__file__).parents[3] / "web" / "src" / "io" / "messages.ts"


def test_the_page_has_the_same_messages():
    assert TYPES.read_text("utf-8") == typescript(), (
        "run `python -m supple.apps.viewer.typescript web/src/io/messages.ts`"
    )


def test_a_message_is_read():
    goals = [{"id": "tip", "position": [1, 2.5, 3], "orientation": None}]
    text = json.dumps({"type": "want", "seq": 7, "revision": 2, "goals": goals})
    message = json_codec.read(text)
    assert isinstance(message, Want)
    assert message.goals[0].position == (1.0, 2.5, 3.0) and message.time == 0.0


def test_what_is_not_given_has_a_default():
    message = json_codec.read(json.dumps({"type": "setup", "seq": 1, "setup": {"scene": "arm"}}))
    assert isinstance(message, SetupSent)
    assert message.setup.solver.name == "auto" and message.setup.links == 8


def test_options_keep_their_kinds():
    options = {"max_iterations": 5, "damping": 0.5, "accelerate": False, "order": "root-to-tip"}
    setup = {"solver": {"name": "CCD", "options": options | {"restarts": None}}}
    message = json_codec.read(json.dumps({"type": "setup", "seq": 1, "setup": setup}))
    assert isinstance(message, SetupSent)
    read = message.setup.solver.options
    assert read == options | {"restarts": None}
    assert [type(read[k]) for k in options] == [int, float, bool, str]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "expected JSON"),
        ("[]", "unknown message type"),
        ('{"type": "setpu"}', "did you mean 'setup'"),
        ('{"type": "want", "seq": 1, "revision": 1}', "expected 'goals'"),
        (
            '{"type": "want", "seq": 1.5, "revision": 1, "goals": []}',
            "message.seq: expected a whole",
        ),
        (
            '{"type": "want", "seq": 1, "revision": 1, "goals": [{"id": "a", "position": [1, 2]}]}',
            "message.goals[0].position: expected 3 numbers",
        ),
        (
            '{"type": "want", "seq": 1, "revision": 1, "goals": [{"id": "a", "position": [1, NaN, 2]}]}',
            "expected a finite number",
        ),
        ('{"type": "setup", "seq": 1, "setup": {"limts": true}}', "did you mean 'limits'"),
        ('{"type": "setup", "seq": 1, "setup": {"limits": 1}}', "expected true or false"),
        ('{"type": "setup", "seq": 1, "setup": {"unreachable": "no"}}', "'approach', 'keep'"),
        (
            '{"type": "setup", "seq": 1, "setup": {"joints": {"j0": 3}}}',
            "joints.j0: expected an obj",
        ),
        ('{"type": "save", "format": "exe"}', "expected one of"),
    ],
)
def test_a_bad_message_is_refused_with_the_reason(text, told):
    with pytest.raises(SuppleError) as caught:
        json_codec.read(text)
    assert told in str(caught.value)


def test_a_message_is_written():
    assert json.loads(json_codec.write(Refused(seq=3, text="no"))) == {
        "type": "refused",
        "seq": 3,
        "text": "no",
        "offers": [],
    }
