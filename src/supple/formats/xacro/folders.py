"""The files that a xacro file may name: regular files in certain folders, and ROS packages there."""

from __future__ import annotations

import os
import re
import stat

LARGEST = 64 << 20  # size limit of a file [B]
LARGEST_MANIFEST = 1 << 20  # of a package.xml [B]
READING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Flags to open a file with: a pipe is not waited for; Windows has O_BINARY only."""


class Folders:
    """Folders in which files may be read, with all folders below them.

    Attributes:
        folders: Their resolved paths.
    """

    def __init__(self, folders: list[str]) -> None:
        self.folders = folders

    def hold(self, path: str) -> bool:
        """True if a path, with all its links followed, is one of the folders or inside one."""
        real = os.path.realpath(path)
        return any(
            real == one or real.startswith(one.rstrip(os.sep) + os.sep) for one in self.folders
        )

    def read(self, path: str, *, most: int = LARGEST) -> bytes:
        """The bytes of a file.

        Args:
            path: The file.
            most: Size limit [B].

        Raises:
            OSError: It is outside, missing, too large, or a pipe or a device.
        """
        if not self.hold(path):
            raise OSError(f"expected a file in its own folder, got {path!r}")
        number = os.open(os.path.realpath(path), READING)
        try:
            about = os.fstat(number)
            if not stat.S_ISREG(about.st_mode):
                raise OSError(f"expected a regular file, got {path!r}")
            if about.st_size > most:
                raise OSError(f"expected a file of at most {most >> 20} MB, got {path!r}")
            parts = []
            while part := os.read(number, about.st_size + 1):
                parts.append(part)
                if sum(map(len, parts)) > most:  # it grows
                    raise OSError(f"expected a file of at most {most >> 20} MB, got {path!r}")
            return b"".join(parts)
        finally:
            os.close(number)

    def package(self, name: str, start: str) -> str:
        """The folder of a ROS package, as `$(find NAME)` gives it.

        From the folder of a file upwards, as far as the folders reach, the first that is the package or
        has it right below: by the name in its package.xml, or else by its own.

        Args:
            name: The package.
            start: The file.

        Raises:
            ValueError: It is not there.
        """
        above = os.path.dirname(os.path.realpath(start))
        while re.fullmatch(r"\w[\w.-]*", name) and self.hold(above):
            try:
                below = [os.path.join(above, one) for one in sorted(os.listdir(above))]
            except OSError:  # it may be entered, but not listed
                below = [os.path.join(above, name)]
            places = [one for one in (above, *below) if os.path.isdir(one) and self.hold(one)]
            for place in places:
                if self._manifest_name(place) == name:
                    return place
            for place in places:
                if os.path.basename(place) == name:
                    return place
            if above == os.path.dirname(above):
                break
            above = os.path.dirname(above)
        raise ValueError(
            f"package {name!r} was not found in the file's folder; folder= gives another"
        )

    def _manifest_name(self, folder: str) -> str | None:
        """The name that the package.xml of a folder gives."""
        try:
            data = self.read(os.path.join(folder, "package.xml"), most=LARGEST_MANIFEST)
        except OSError:
            return None
        text = re.sub(rb"<!--.*?-->", b"", data, flags=re.DOTALL)
        found = re.search(rb"<name>\s*([^<\s]+)\s*</name>", text)
        return found[1].decode("utf-8", "replace") if found else None
