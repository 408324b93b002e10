"""`Physics`: geoms, capsules, masses, loops of a skeleton, and the pairs of bones that may overlap.

Engines call this a physics asset. Everything in it refers to joints by name.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from supple.errors import SuppleError, brief, one_of
from supple.model.capsules import Capsule
from supple.model.geoms import Geom
from supple.model.loops import Loop
from supple.model.masses import Mass
from supple.model.mesh import Described


@dataclass(frozen=True, eq=False)
class Physics(Described):
    """The physical properties of a skeleton's bones; every part may be missing.

    Attributes:
        geoms: Solid shapes as the file has them.
        capsules: By joint, what stands for its bone in collisions; None to derive them from the
            geoms or else from the bones.
        masses: By joint; None for a joint with unknown mass, and None in place of the mapping if no mass
            is known.
        loops: Loops that close the tree to a mechanism.
        excludes: Pairs of joints whose geoms may overlap.
        contactless: Joints whose bodies are only visual, such as MJCF bodies whose geoms touch nothing: they get no
            derived capsules.
    """

    geoms: tuple[Geom, ...] = ()
    capsules: Mapping[str, tuple[Capsule, ...]] | None = None
    masses: Mapping[str, Mass | None] | None = None
    loops: tuple[Loop, ...] = ()
    excludes: tuple[tuple[str, str], ...] = ()
    contactless: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self._set("geoms", _all("geoms", self.geoms, Geom))
        self._set("loops", _all("loops", self.loops, Loop))
        if self.capsules is not None:
            capsules = {
                name: _all(
                    f"capsules of {name!r}", (one,) if isinstance(one, Capsule) else one, Capsule
                )
                for name, one in _mapping("capsules", self.capsules).items()
            }
            self._set("capsules", MappingProxyType(capsules))
        if self.masses is not None:
            masses = _mapping("masses", self.masses)
            for name, mass in masses.items():
                if mass is not None and not isinstance(mass, Mass):
                    raise SuppleError(
                        f"mass of {name!r}: expected a Mass(kg, center), got {brief(mass)}"
                    )
            self._set("masses", MappingProxyType(masses))
        pairs = []
        for pair in self.excludes:
            if isinstance(pair, str) or len(tuple(pair)) != 2:
                raise SuppleError(f"excludes: expected pairs of joints, got {brief(pair)}")
            a, b = pair
            pairs.append((a, b))
        self._set("excludes", tuple(pairs))
        self._set("contactless", _all("contactless", self.contactless, str))

    def check(self, names: tuple[str, ...]) -> None:
        """Raise unless every joint that is referred to is among `names`."""
        known = set(names)
        for what, name in self._joints():
            if name not in known:
                one_of(f"joint of {what}", name, names)

    def _joints(self) -> Iterable[tuple[str, str]]:
        """For every reference to a joint what refers to it, and the joint's name."""
        yield from (("a geom", one.joint) for one in self.geoms)
        yield from (("a capsule", name) for name in self.capsules or ())
        yield from (("a mass", name) for name in self.masses or ())
        yield from (("a loop", name) for one in self.loops for name in (one.a, one.b))
        yield from (("an excluded pair", name) for pair in self.excludes for name in pair)
        yield from (("a contactless body", name) for name in self.contactless)

    def renamed(self, new: Callable[[str], str]) -> Physics:
        """The same physics with other names of joints."""
        capsules, masses = self.capsules, self.masses
        return Physics(
            tuple(replace(one, joint=new(one.joint)) for one in self.geoms),
            None if capsules is None else {new(name): one for name, one in capsules.items()},
            None if masses is None else {new(name): one for name, one in masses.items()},
            tuple(replace(one, a=new(one.a), b=new(one.b)) for one in self.loops),
            tuple((new(a), new(b)) for a, b in self.excludes),
            tuple(map(new, self.contactless)),
        )

    def scaled(self, factor: float) -> Physics:
        """The same physics with all lengths times `factor`; masses stay in kg."""

        def longer(values: Any) -> Any:
            return None if values is None else tuple(factor * x for x in values)

        geoms = tuple(
            replace(
                one,
                size=longer(one.size),
                position=longer(one.position),
                vertices=None if one.vertices is None else one.vertices * factor,
            )
            for one in self.geoms
        )
        capsules = masses = None
        if self.capsules is not None:
            capsules = {
                name: tuple(one.scaled(factor) for one in some)
                for name, some in self.capsules.items()
            }
        if self.masses is not None:
            masses = {
                name: one
                and replace(
                    one,
                    center=longer(one.center),
                    inertia=None if one.inertia is None else one.inertia * factor**2,
                )
                for name, one in self.masses.items()
            }
        loops = tuple(
            replace(one, point_a=longer(one.point_a), point_b=longer(one.point_b))
            for one in self.loops
        )
        return Physics(geoms, capsules, masses, loops, self.excludes, self.contactless)

    @property
    def digest(self) -> str:
        """A hash of the content, without converting meshes to text."""
        hashed = hashlib.blake2b(digest_size=16)
        for geom in self.geoms:
            if geom.kind == "mesh":
                hashed.update(geom.vertices.tobytes())
                hashed.update(geom.faces.tobytes())
        hashed.update(json.dumps(self._json(meshes=False), sort_keys=True).encode())
        return hashed.hexdigest()

    def _json(self, *, meshes: bool) -> dict[str, Any]:
        geoms = [
            (
                one
                if meshes or one.kind != "mesh"
                else replace(one, vertices=[(0, 0, 0)], faces=None)
            )
            for one in self.geoms
        ]
        capsules, masses = self.capsules, self.masses
        return {
            "geoms": [one.to_json() for one in geoms],
            "capsules": None
            if capsules is None
            else {name: [one.to_json() for one in some] for name, some in capsules.items()},
            "masses": None
            if masses is None
            else {name: one and one.to_json() for name, one in masses.items()},
            "loops": [one.to_json() for one in self.loops],
            "excludes": [list(pair) for pair in self.excludes],
            **({"contactless": list(self.contactless)} if self.contactless else {}),
        }

    def to_json(self) -> dict[str, Any]:
        """Plain dictionaries and lists; `from_json` reads them back."""
        return self._json(meshes=True)

    @classmethod
    def from_json(cls, data: Any) -> Physics:
        """The physics that `to_json` described."""
        if not isinstance(data, Mapping):
            raise SuppleError(f"physics from JSON: expected an object, got {brief(data)}")
        capsules, masses = data.get("capsules"), data.get("masses")
        return cls(
            tuple(Geom.from_json(one) for one in data.get("geoms", ())),
            None
            if capsules is None
            else {name: tuple(Capsule(**one) for one in some) for name, some in capsules.items()},
            None if masses is None else {name: one and Mass(**one) for name, one in masses.items()},
            tuple(Loop.from_json(one) for one in data.get("loops", ())),
            tuple((a, b) for a, b in data.get("excludes", ())),
            tuple(data.get("contactless", ())),
        )

    def __reduce__(self) -> Any:
        capsules, masses = self.capsules, self.masses
        parts = (self.geoms, capsules and dict(capsules), masses and dict(masses))
        return Physics, (*parts, self.loops, self.excludes, self.contactless)

    def __repr__(self) -> str:
        counts = {"geoms": self.geoms, "masses": self.masses or (), "loops": self.loops}
        return f"Physics({', '.join(f'{len(some)} {what}' for what, some in counts.items())})"


def _mapping(what: str, given: Any) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise SuppleError(f"{what}: expected a mapping by joint, got a {type(given).__name__}")
    return dict(given)


def _all(what: str, given: Any, kind: type) -> tuple[Any, ...]:
    if not isinstance(given, Iterable) or isinstance(given, str):
        raise SuppleError(f"{what}: expected {kind.__name__}s, got {brief(given)}")
    found = tuple(given)
    for one in found:
        if not isinstance(one, kind):
            raise SuppleError(f"{what}: expected {kind.__name__}s, got {brief(one)}")
    return found
