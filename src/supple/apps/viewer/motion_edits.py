"""Motions as a page asks for them: feet planted by edited contacts, faults repaired."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from supple.apps.motion import Checked, Contacts, Motion, Planted, Repaired, check, fix, plant_feet
from supple.apps.motion.retargeting.t_pose import leading_frames
from supple.apps.viewer.found_contacts import found_contacts
from supple.apps.viewer.messages import ContactsInfo, MotionEdits, SlideInfo
from supple.apps.viewer.subject import Subject
from supple.errors import SuppleError, one_of

KEPT_MOTIONS = 3  # edited motions that a session keeps


class EditedMotion(NamedTuple):
    """A motion, and what was done to it.

    Attributes:
        motion: As it plays.
        contacts: When feet and hands are in contact; None if there are no feet.
        edited: True if the contacts are not those that were found.
        planted: How feet stood before and after, if they are planted.
        repaired: What was found and repaired, if it was asked for.
    """

    motion: Motion
    contacts: Contacts | None
    edited: bool = False
    planted: Planted | None = None
    repaired: Repaired | None = None

    def info(self) -> ContactsInfo | None:
        """The contacts, for the page."""
        if self.contacts is None:
            return None
        slides = () if self.planted is None else self.planted.slides
        return ContactsInfo(
            frames=self.contacts.frames,
            joints={name: [*self.contacts[name]] for name in self.contacts.joints},
            edited=self.edited,
            slides=[SlideInfo(foot=one.foot, before=one.before, after=one.after) for one in slides],
        )


class EditedMotions:
    """Edits motions and remembers the last few, since every setup asks for the same again."""

    def __init__(self) -> None:
        self._kept: deque[tuple[Motion, MotionEdits, EditedMotion]] = deque(maxlen=KEPT_MOTIONS)

    def of(self, subject: Subject, motion: Motion, edits: MotionEdits) -> EditedMotion:
        """Edit a motion.

        Args:
            subject: Whose motion it is.
            motion: The motion.
            edits: What to change.

        Raises:
            SuppleError: It cannot be done; the message says why.
        """
        known = self.kept(motion, edits)
        if known is None:
            known = _edited(subject, motion, edits)
            self._kept.append((motion, edits, known))
        return known

    def kept(self, motion: Motion, edits: MotionEdits) -> EditedMotion | None:
        """The edited motion, if it is remembered."""
        for one, asked, made in self._kept:
            if asked == edits and (one is motion or one == motion):
                return made
        return None


def checked(subject: Subject, motion: Motion) -> Checked:
    """Check a motion of a subject, as `supple check` does."""
    if subject.character is None:
        return check(motion, up=subject.up)
    shown = subject.character.with_(motions={motion.name: motion})
    return check(shown, motion=motion.name, up=subject.up)


def _edited(subject: Subject, motion: Motion, edits: MotionEdits) -> EditedMotion:
    found = found_contacts(motion, up=subject.up)
    contacts = found if edits.contacts is None else _given(motion, edits.contacts)
    made = motion
    planted = repaired = None
    if edits.plant:
        if found is None or contacts is None:
            raise SuppleError(f"plant feet: no feet were found in {motion.name!r}")
        first = leading_frames(made, subject.up)
        planted = plant_feet(made, up=subject.up, contacts=contacts, first=first)
        made = planted.motion
    if edits.repair:
        repaired = fix(checked(subject, made))
        made = repaired.motion
    return EditedMotion(made, contacts, contacts != found, planted, repaired)


def _given(motion: Motion, intervals: dict[str, list[tuple[int, int]]]) -> Contacts:
    for name in intervals:
        one_of("joint of contacts", name, motion.skeleton.names)
    return Contacts(len(motion), intervals)
