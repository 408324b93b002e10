"""Changes that make a refused setup possible for its solver."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from supple.apps.viewer import model
from supple.apps.viewer.messages import GoalSetup, Offer, Setup
from supple.apps.viewer.subject import Subject
from supple.errors import SuppleError

MOST_OFFERS = 2


def offers(subject: Subject, setup: Setup) -> list[Offer]:
    """Setups that a refused solver can take, least changed first; empty if none was found."""
    goals = model.chosen_goals(subject, setup)
    found: list[Offer] = []
    for label, change in _changes(goals, setup):
        tried = replace(setup, **change)
        try:
            model.build(subject, tried)
        except SuppleError:
            continue
        found.append(Offer(label=label, setup=tried))
        if len(found) == MOST_OFFERS:
            break
    return found


def _changes(goals: tuple[GoalSetup, ...], setup: Setup) -> Iterator[tuple[str, dict]]:
    """Changes to try: in words, and as fields of a setup."""
    looks = [one for one in goals if one.kind in ("look", "pole")]
    others = [one for one in goals if one.kind not in ("look", "pole")]
    drop = {"look": "look goal", "pole": "pole"}
    if looks and others:
        words = " and ".join(f"the {drop[kind]}" for kind in dict.fromkeys(o.kind for o in looks))
        yield f"Drop {words}", {"goals": others}
    plain = [replace(one, kind="reach") if one.kind in ("pose", "hold") else one for one in others]
    if plain != others:
        yield "Only positions, no orientations", {"goals": plain}
    if len(others) > 1:
        yield f"Only {others[0].effector}", {"goals": others[:1]}
        yield f"Only {others[0].effector}'s position", {"goals": plain[:1]}
    for count in (2, 3):
        if plain and plain[0].depth != count:
            yield (
                f"Only {plain[0].effector}, moved by {count} joints",
                {"goals": [replace(plain[0], depth=count)]},
            )
    if setup.stretch is not None:
        yield "Without stretch", {"stretch": None}
    if setup.limits:
        yield "Without limits", {"limits": False}
