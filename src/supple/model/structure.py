"""Protocols of a skeleton and of a pose.

Modules that `supple.model.skeleton` imports use them as types, since importing it back would be a cycle.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from supple.model.joints import Joint
from supple.model.packing import Packed
from supple.model.parts import Node, Tip

if TYPE_CHECKING:
    from supple.model.freedoms import Freedoms

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Structure(Protocol):
    """A skeleton; see `supple.Skeleton`."""

    def __len__(self) -> int: ...  # noqa: D105
    def __contains__(self, name: object, /) -> bool: ...  # noqa: D105

    def index(self, name: str) -> int:
        """The index of a joint or tip in `names`."""
        ...

    def parent(self, name: str) -> str | None:
        """The parent joint of a joint or tip; None for a root."""
        ...

    def children(self, name: str) -> Sequence[str]:
        """The child joints and tips of a joint."""
        ...

    @property
    def names(self) -> Sequence[str]:
        """Joints in topological order, then tips."""
        ...

    @property
    def joint_names(self) -> Sequence[str]:
        """Joints in topological order."""
        ...

    @property
    def tip_names(self) -> Sequence[str]:
        """Tips."""
        ...

    @property
    def joints(self) -> Sequence[Joint]:
        """How each joint moves."""
        ...

    @property
    def nodes(self) -> Sequence[Node]:
        """The joints in the order given."""
        ...

    @property
    def tips(self) -> Sequence[Tip]:
        """The tips in the order given."""
        ...

    @property
    def packed(self) -> Packed:
        """The skeleton as kernels take it."""
        ...

    @property
    def packed_ints(self) -> Ints:
        """Its integers, shape (N, JOINT_INTS)."""
        ...

    @property
    def packed_floats(self) -> Floats:
        """Its floats, shape (N, JOINT_FLOATS)."""
        ...

    @property
    def packed_tips(self) -> tuple[Ints, Floats, Floats]:
        """Joint, offset and rotation of each tip."""
        ...

    @property
    def freedom_table(self) -> Freedoms:
        """The table of freedoms."""
        ...

    @property
    def parents(self) -> Ints:
        """The parent of each joint, -1 for roots."""
        ...

    @property
    def file_order(self) -> Ints:
        """The joints in the order given."""
        ...

    @property
    def offsets(self) -> Floats:
        """Origins in the parents' frames at rest, shape (N, 3)."""
        ...

    @property
    def rotations(self) -> Floats:
        """Rest rotations wxyz, shape (N, 4)."""
        ...

    @property
    def rest(self) -> Any:
        """The rest pose."""
        ...


class Posed(Protocol):
    """A pose, or a batch of poses; see `supple.Pose`."""

    def __len__(self) -> int: ...  # noqa: D105
    def __getitem__(self, key: Any, /) -> Any: ...  # noqa: D105

    @property
    def skeleton(self) -> Any:
        """The skeleton."""
        ...

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """The batch's shape."""
        ...

    @property
    def coordinates(self) -> Floats:
        """Shape (..., Q)."""
        ...

    @property
    def scales(self) -> Floats | None:
        """Shape (..., N, 3)."""
        ...

    @property
    def positions(self) -> Floats:
        """World positions, shape (..., N + T, 3)."""
        ...

    @property
    def rotations(self) -> Floats:
        """World rotations wxyz, shape (..., N + T, 4)."""
        ...

    @property
    def local_translations(self) -> Floats:
        """Origins in the parents' frames, shape (..., N, 3)."""
        ...

    @property
    def local_rotations(self) -> Floats:
        """Rotations in the parents' frames wxyz, shape (..., N, 4)."""
        ...

    def _full_translations(self) -> Floats: ...
    def _full_scales(self) -> Floats: ...
