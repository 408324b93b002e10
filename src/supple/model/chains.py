"""The parts of a chain: links one after the other along +X."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from supple.errors import SuppleError, array, listed
from supple.model.joints import Cone, Joint
from supple.model.parts import Node, Tip


def chain_parts(
    lengths: ArrayLike, joint: Joint | Sequence[Joint], names: Sequence[str] | None
) -> tuple[list[Node], list[Tip]]:
    """The joints and the tip of a chain, as `supple.chain` takes it.

    Args:
        lengths: The length of each link, in the model's unit.
        joint: How every joint moves, or one for each link.
        names: A name for each joint; None for "j0", "j1", ...

    Raises:
        SuppleError: There is no link, a length is below 0, or the numbers of links, joints and names differ.
    """
    lengths = array("chain lengths", lengths, (None,))
    if len(lengths) == 0:
        raise SuppleError("chain lengths: expected at least one length, got none")
    if np.any(lengths < 0):
        k = int(np.argmax(lengths < 0))
        raise SuppleError(f"chain lengths: expected 0 or more, got {lengths[k]:g} for link {k}")
    count = len(lengths)
    expected = "a joint such as Ball() or Hinge('z'), or one for each link"
    one = isinstance(joint, Joint)
    joints = [joint] * count if one else listed("chain joint", joint, expected)
    if names is None:
        names = [f"j{k}" for k in range(count)]
    names = listed("chain names", names, "a name for each link")
    for what, given in (("joints", joints), ("names", names)):
        if len(given) != count:
            raise SuppleError(
                f"chain {what}: expected {count}, one for each link, got {len(given)}"
            )
    # A link of zero length does not define the direction of its cone, but a chain runs along +X.
    joints = [
        replace(j, axis="x") if isinstance(j, Cone) and j.axis is None and size == 0 else j
        for j, size in zip(joints, lengths, strict=True)
    ]
    starts = [0.0, *lengths[:-1].tolist()]
    parents = [None, *names[:-1]]
    nodes = [
        Node(name, parent, (start, 0.0, 0.0), one)
        for name, parent, start, one in zip(names, parents, starts, joints, strict=True)
    ]
    return nodes, [Tip("tip", names[-1], (float(lengths[-1]), 0.0, 0.0))]
