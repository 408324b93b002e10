"""Attributes with their annotations."""

import supple
import supple.apps.data

ARM = """
@Order(2) @Range(min=0, max=9, stepsize=0.5) attr length = 2
@Order(1) attr goal = [1, 1.5, 0]
attr other = [1, 1.5, 0]
@StartRule Arm --> s(0.2, length, 0.2) joint("shoulder", 0.5, 0, 0.5)
    [ i("box") ] t(0, '1, 0) Fore(goal)
Fore(to) --> s(0.2, 1, 0.2) joint("elbow", 0.5, 0, 0.5) [ i("box") ] t(0, '1, 0) Hand(to)
Hand(to) --> IK(to, effector = [0.5, 0, 0.5]) i("box")
Same --> joint("a") s(1, 1, 1) IK([1, 1, 0]) i("box")
"""


def test_attributes_have_the_values_of_their_annotations() -> None:
    rules = """
    @Group("Size", 1) @Range(min=1, max=9) @Description("How high.")
    attr height = 2 * 2
    @Order(3) @Range(0, 1)
    attr share = 0.5
    @Group("Look", 2) @Enum("a", "b") @Hidden
    attr kind = "a"
    @Color attr paint = "#ffffff"
    attr goal = [1, 2, 3]
    attr lost = nowhere
    Lot --> A
    """
    share, height, kind, paint, goal, lost = supple.grow(rules, attributes={"share": 1}).attributes
    assert (height.value, height.least, height.greatest) == (4.0, 1.0, 9.0)
    assert (height.group, height.description) == (("Size",), "How high.")
    assert (share.value, share.least, share.greatest, share.group) == (1.0, 0.0, 1.0, ("Size",))
    assert (kind.choices, kind.hidden, kind.group) == (("a", "b"), True, ("Look",))
    assert paint.color and goal.value == (1.0, 2.0, 3.0) and lost.value is None


def test_attributes_are_sorted_by_order_and_have_steps():
    goal, length, other = supple.grow(ARM).attributes
    assert (goal.name, length.name, other.name) == ("goal", "length", "other")
    assert (length.least, length.greatest, length.step) == (0, 9, 0.5) and other.step is None
    assert supple.grow(ARM).starts == ("Arm", "Same")
