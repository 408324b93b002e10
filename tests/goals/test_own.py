"""What `@supple.goal` takes, and the goals that it makes."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import supple
from supple import OPEN, SuppleError
from supple.goals.own import named


@supple.goal(rows=2, values=2, reason="{goal} misses by {error}")
def near(frames, values, out):
    """Docs stay."""
    out[0] = frames[0, 0, 3] - values[0]
    out[1] = frames[0, 1, 3] - values[1]


@supple.goal
def flat(frames, values, out):
    out[0] = frames[0, 2, 3]


def test_goals_compare_hash_and_show_themselves_by_content():
    one = near("hand", (1.0, 2.0), weight=2)
    assert one == near(["hand"], np.array([1.0, 2.0]), weight=2.0)
    assert hash(one) == hash(near("hand", (1.0, 2.0), weight=2))
    assert one != near("hand", (1.0, 2.5), weight=2)
    assert one != near("foot", (1.0, 2.0), weight=2)
    assert repr(one) == "near('hand', values=[1.0, 2.0], weight=2.0)"
    assert repr(near(["a", "b"])) == "near(['a', 'b'])"
    assert repr(flat("a", depth=2)) == "flat('a', depth=2)"
    assert near("hand").values is OPEN and near("hand").slots == ("values",)
    assert flat("hand").slots == () and {flat("hand"): 1}[flat(["hand"])] == 1
    assert near.__doc__ == "Docs stay."


def test_goals_are_pickled_by_the_name_of_their_function():
    goal = near("hand", (1.0, 2.0))
    again = pickle.loads(pickle.dumps(goal))
    assert again == goal and again.function is near
    assert pickle.loads(pickle.dumps(near)) is near


def test_a_key_holds_everything_but_the_values():
    assert near("hand", (1.0, 2.0)).key == near("hand", (3.0, 2.0)).key
    assert near("hand", (1.0, 2.0)).key != near("hand", (1.0, 2.0), weight=3.0).key
    assert supple.goals.from_key(near("hand", (1.0, 2.0)).key) == near("hand")
    hash((near("hand").key, flat("hand").key))


PLAIN = flat.residual
ARM = supple.chain([1, 1])
BAD = {
    "number": (lambda: supple.goal(3), r"goal: expected a function of \(frames, values, out\), got 3"),
    "two arguments": (lambda: supple.goal(lambda f, o: None), r"out\), got one of \(f, o\)"),
    "jacobian": (lambda: supple.goal(jacobian=lambda f: None)(PLAIN), "jacobian of goal .flat.: expected a function"),
    "jacobian is none": (lambda: supple.goal(jacobian=3)(PLAIN), "jacobian of goal 'flat': expected a function"),
    "no rows": (lambda: supple.goal(rows=0)(PLAIN), "rows of goal 'flat': expected a whole number from 1, got 0"),
    "half a value": (lambda: supple.goal(values=0.5)(PLAIN), "values of goal 'flat'"),
    "unit": (lambda: supple.goal(unit="angel")(PLAIN), "unknown unit of goal 'flat' 'angel'.*did you mean 'angle'"),
    "reason": (lambda: supple.goal(reason="{eror}")(PLAIN), "the reason of goal 'flat' 'eror'.*did you mean 'error'"),
    "broken reason": (lambda: supple.goal(reason="{")(PLAIN), "reason of goal 'flat'"),
    "number as reason": (lambda: supple.goal(reason=3)(PLAIN), "expected text, got 3"),
    "no frames": (lambda: near([]), r"frames of 'near': expected the name of a joint or tip, or several, got \[\]"),
    "number as frame": (lambda: near(3), "frames of 'near'.*got 3"),
    "frames of numbers": (lambda: near([1, 2]), "frames of 'near'"),
    "too few values": (lambda: near("a", (1.0,)), r"values of 'near': expected .*\(\.\.\., 2\), got shape \(1,\)"),
    "NaN value": (lambda: near("a", (1.0, np.nan)), "values of 'near': .*nan"),
    "values of none": (lambda: flat("a", (1.0,)), r"values of 'flat'"),
    "weight": (lambda: flat("a", weight=-1.0), "weight of flat 'a'"),
    "tolerance": (lambda: flat("a", tolerance=0.0), "tolerance of 'flat'"),
    "root and depth": (lambda: flat("a", root="b", depth=2), "give root or depth, not both"),
    "unknown frame": (lambda: supple.solve(ARM, [flat("tipp")]), "unknown effector 'tipp'.*did you mean 'tip'"),
    "not called": (lambda: supple.solve(ARM, [flat]), "goals: expected .*got <goal flat.*call it with names"),
    "no plug-in": (lambda: named("levle"), "unknown goal 'levle'"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_says_what_is_wrong(name):
    make, message = BAD[name]
    with pytest.raises(SuppleError, match=message):
        make()


def test_braces_in_names_and_words_are_kept_in_the_reason():
    @supple.goal(compiled=False, reason="{{{frames}}} is {error} off")
    def far(frames, values, out):
        out[0] = frames[0, 0, 3] - 5

    skeleton = supple.Skeleton(
        [("a", None, (0, 0, 0), supple.Hinge("z"))], [("{x}", "a", (1, 0, 0))]
    )
    assert supple.solve(skeleton, [far("{x}")]).reason.endswith("{{x}} is 4 off")
    with pytest.raises(SuppleError, match="without a format"):
        supple.goal(reason="{error:.2f} off")(far.residual)


def test_goals_of_ones_own_are_found_in_a_fresh_interpreter():
    code = "import supple; supple.goals.own.named('carry')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "SuppleError: unknown goal 'carry'" in done.stderr
