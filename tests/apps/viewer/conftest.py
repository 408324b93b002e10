import json
import struct
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.patience import until

from supple.apps.viewer.library import Library
from supple.apps.viewer.messages.binary import HEADER
from supple.apps.viewer.session import Session


class Page:
    """A page without a browser: what a session sends is kept, in order."""

    def __init__(self, library: Library | None = None, *, kernels: bool = False) -> None:
        self.messages: list[dict[str, Any]] = []
        self.packets: list[dict[str, Any]] = []
        self.poses: list[dict[str, Any]] = []
        self.library = library or Library()
        self.session = Session(self.library, self._take, kernels=kernels)
        self.seq = 0

    def _take(self, content: str | bytes, slot: int | None) -> None:
        if isinstance(content, str):
            self.messages.append(json.loads(content))
        elif struct.unpack_from("<I", content)[0] == 1:
            self.poses.append(read_pose(content) | {"slot_put": slot})
        else:
            self.packets.append(read_packet(content))

    def send(self, kind: str, **fields: Any) -> int:
        self.seq += 1
        if kind in ("setup", "want"):
            fields["seq"] = self.seq
        self.session.receive(json.dumps({"type": kind, **fields}))
        return self.seq

    def until(self, what: Callable[[], Any]) -> Any:
        """Wait for an answer of the session."""
        return until(what)

    def set_up(self, **setup: Any) -> dict[str, Any]:
        """Send a setup; the scene that answers it, or the refusal."""
        seq = self.send("setup", setup=setup)

        def answer() -> Any:
            kinds = ("scene", "refused")
            return next((m for m in self.messages if m["type"] in kinds and m["seq"] == seq), None)

        return self.until(answer)

    def want(self, *places: Any, time: float = 0.0, slot: int = 0) -> dict[str, Any]:
        """Send goals, (id, position) or (id, position, orientation); the pose that answers."""
        goals = [dict(zip(("id", "position", "orientation"), one, strict=False)) for one in places]
        seq = self.send("want", revision=self.session.revision, goals=goals, time=time)
        match = lambda p: p["seq"] == seq and p["slot"] == slot  # noqa: E731
        return self.until(lambda: next((p for p in self.poses if match(p)), None))

    def packet(self, kind: str) -> dict[str, Any]:
        """The next packet of a kind."""
        match = lambda p: p["head"]["kind"] == kind  # noqa: E731
        found = self.until(lambda: next((p for p in self.packets if match(p)), None))
        self.packets.remove(found)
        return found


def read_pose(content: bytes) -> dict[str, Any]:
    import numpy as np

    names = "kind seq revision slot stride count iterations reached error turn micros tail"
    head = dict(zip(names.split(), HEADER.unpack_from(content), strict=True))
    size = 4 * head["stride"] * head["count"]
    values = np.frombuffer(content, "<f4", head["stride"] * head["count"], HEADER.size)
    tail = content[HEADER.size + size :]
    assert len(tail) == head["tail"]
    return {**head, "values": values.reshape(head["count"], head["stride"]), **json.loads(tail)}


def read_packet(content: bytes) -> dict[str, Any]:
    import numpy as np

    kind, length = struct.unpack_from("<2I", content)
    assert kind == 2 and length % 4 == 0
    told = json.loads(content[8 : 8 + length])
    arrays = {}
    for one in told["arrays"]:
        dtype = {"f4": "<f4", "i4": "<i4", "u1": "u1"}[one["kind"]]
        count = int(np.prod(one["shape"], dtype=int))
        at = 8 + length + one["offset"]
        arrays[one["name"]] = np.frombuffer(content, dtype, count, at).reshape(one["shape"])
    return {"head": told["head"], **arrays}


@pytest.fixture
def page() -> Iterator[Page]:
    one = Page()
    yield one
    one.session.close()


@pytest.fixture
def solving() -> Iterator[Page]:
    """A page that has kernels, and solves by itself."""
    one = Page(kernels=True)
    yield one
    one.session.close()


@pytest.fixture
def new_page() -> Iterator[Callable[..., Page]]:
    made: list[Page] = []

    def make(library: Library | None = None) -> Page:
        made.append(Page(library))
        return made[-1]

    yield make
    for one in made:
        one.session.close()
