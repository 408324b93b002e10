"""Reasons in words, for every status."""

import numpy as np
import pytest

from supple import Status, SuppleError
from supple.solve.outcome import BlockInfo, OutOfReach, ProblemInfo, reason, summary

HAND = BlockInfo(0, "position", "hand", 1e-3, 0)
TURN = BlockInfo(0, "orientation", "hand", 1e-4, 1)
LOOK = BlockInfo(1, "direction", "head", 1e-4, 2)
POLE = BlockInfo(2, "pole", "elbow", 1e-4, 3)


def why(status, errors, *, demands=(HAND, TURN, LOOK, POLE), kept=False, limited=(), beyond=None):
    asked = ProblemInfo(demands, ("shoulder", "elbow"), "LM", kept)
    return reason(status, asked, errors, iterations=7, limited=limited, beyond=beyond)


def test_reached_says_how_near_the_worst_demand_is():
    assert why(Status.REACHED, [9e-4, 1e-5, 1e-5, 3.0]) == "hand is 0.0009 from its target"
    assert why(Status.REACHED, [1e-4, 9e-5, 1e-5, 3.0]) == "hand is 9e-05 rad from its orientation"
    assert why(Status.REACHED, [1e-4, 1e-5, 9e-5, 3.0]) == "head looks 9e-05 rad past its target"


def test_a_pole_is_never_the_reason():
    assert "elbow" not in why(Status.STALLED, [0.1, 0.1, 0.1, 3.0])


def test_every_other_status_says_why_and_how_near():
    errors = [0.5, 0.0, 0.0, 0.0]
    beyond = OutOfReach("hand", 3.0, 2.5)
    assert why(Status.TOO_FAR, errors, beyond=beyond) == (
        "the target of hand is 3 from where its chain begins, which reaches no farther than 2.5; "
        "hand is 0.5 from its target"
    )
    near = OutOfReach("hand", 0.5, 1.0)
    assert "which reaches no nearer than 1; hand is 0.5" in why(
        Status.TOO_NEAR, errors, beyond=near
    )
    assert why(Status.LIMITED, errors, limited=("shoulder", "elbow")) == (
        "the limits of shoulder, elbow are in the way; hand is 0.5 from its target"
    )
    assert why(Status.STALLED, errors) == (
        "no small change of the free joints helps; hand is 0.5 from its target"
    )
    assert why(Status.BUDGET, errors) == (
        "7 iterations were not enough for a tolerance of 0.001; hand is 0.5 from its target"
    )


@pytest.mark.parametrize("status", [s for s in Status if s is not Status.REACHED])
def test_a_kept_start_is_told(status):
    assert why(status, [0.5, 0, 0, 0], kept=True).endswith("; the start pose is kept")
    assert "kept" not in why(Status.REACHED, [0, 0, 0, 0], kept=True)


def test_a_status_reads_as_its_name_and_counts_as_its_number():
    assert (str(Status.TOO_FAR), f"{Status.LIMITED:>8}") == ("TOO_FAR", " LIMITED")
    assert Status.REACHED == 0


def test_an_effector_that_nothing_moves():
    text = why(Status.TOO_FAR, [0.5, 0, 0, 0], beyond=OutOfReach("hand", 0.5, 0.0))
    assert text == "no free joint moves hand; hand is 0.5 from its target"


def test_a_batch_is_counted():
    status = np.array([Status.REACHED, Status.TOO_FAR, Status.REACHED, Status.LIMITED])
    assert summary(status) == "2 of 4 reached, 1 too far, 1 limited"
    assert summary(status[:1]) == "1 of 1 reached"


def test_what_was_asked_goes_to_json_and_back():
    asked = ProblemInfo((HAND, POLE), ("shoulder",), "LM", True)
    assert ProblemInfo.from_json(asked.to_json()) == asked
    with pytest.raises(SuppleError, match="asked: expected an object with demands, moving"):
        ProblemInfo.from_json({"demands": []})
