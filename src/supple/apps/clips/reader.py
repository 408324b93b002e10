"""How clips are read: the options of readers, from a plan or a command line."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, ClassVar

from supple.apps.character.character import Character
from supple.apps.clips import values
from supple.apps.clips.keys import Keyed, key
from supple.apps.clips.models import quiet
from supple.apps.formats import load
from supple.apps.formats.xacro.arguments import reader_options


@dataclass(frozen=True, kw_only=True)
class Reader(Keyed):
    """Options of readers; those not given have the reader's defaults."""

    called: ClassVar[str] = "reader"
    files: ClassVar[tuple[str, ...]] = ("motions", "folder")

    motions: tuple[str, ...] = key(values.texts, "files whose motions belong to the clips", ())
    position_mode: str | None = key(values.text, '"replace", "add" or "auto"')
    fps: float | None = key(values.positive, "frames a second, above 0")
    folder: str | None = key(values.text, "the folder of the files that the clips refer to")
    arguments: tuple[str, ...] = key(values.texts, 'arguments of xacro, "NAME:=VALUE"', ())

    def load(self, path: str | os.PathLike[str], **more: Any) -> Character:
        """Read a file; `more` are options of its reader that are no keys."""
        options = reader_options(path, self.arguments) | more
        for name in ("position_mode", "fps"):
            if getattr(self, name) is not None:
                options[name] = getattr(self, name)
        with quiet():
            return load(path, motions=self.motions, folder=self.folder, **options)
