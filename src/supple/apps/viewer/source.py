"""The source of a retargeted motion, to be drawn beside its target."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.apps.viewer.messages import RetargetInfo, SourceHead
from supple.apps.viewer.messages.binary import packet


@dataclass(frozen=True, eq=False)
class Source:
    """The source of a retargeted motion, drawn beside the target.

    Attributes:
        info: What retargeting made.
        parents: The index of the parent of each joint and tip of the source; -1 for a root.
        positions: Their positions at even times [target's unit], in the target's world, (samples, joints, 3).
        duration: From the first to the last sample [s].
    """

    info: RetargetInfo
    parents: list[int]
    positions: np.ndarray
    duration: float

    def packet(self) -> bytes:
        """The source, for the page."""
        head = SourceHead(
            motion=self.info.motion,
            title=self.info.source,
            parents=self.parents,
            duration=self.duration,
        )
        return packet(head, {"positions": self.positions})
