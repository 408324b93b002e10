"""The files that a robot file may name: regular files in certain folders, and ROS packages there.

Imports nothing but the standard library, so that workers start quickly.
"""

from __future__ import annotations

import os
import re
import stat

LARGEST_ROBOT_FILE_BYTES = 64 << 20  # size limit of a file [B]
LARGEST_MANIFEST_BYTES = 1 << 20  # size limit of a package.xml [B]
# Levels of folders searched for a package: a workspace, src, repositories, groups, packages.
PACKAGE_LEVELS = 5
PACKAGE_FOLDERS = 2000  # folders searched at most; a ROS distribution has some 500 packages
READING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Flags to open a file with: opening a pipe does not block; Windows has O_BINARY only."""


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

    def read(self, path: str, *, most: int = LARGEST_ROBOT_FILE_BYTES) -> bytes:
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
        """The folder of a ROS package, as `$(find NAME)` and `package://NAME` give it.

        From the folder of a file upwards, as far as the folders reach, the first that is the package or
        has it right below: by the name in its package.xml, or else by its own. If there is none, the
        package of that name in package.xml anywhere in the folders, as in a workspace of several clones.

        Args:
            name: The package.
            start: The file.

        Raises:
            ValueError: It is not there.
        """
        above = os.path.dirname(os.path.realpath(start))
        good = re.fullmatch(r"\w[\w.-]*", name) is not None
        while good and self.hold(above):
            places = [above, *self._below(above, name)]
            for place in places:
                if self._manifest_name(place) == name:
                    return place
            for place in places:
                if os.path.basename(place) == name:
                    return place
            if above == os.path.dirname(above):
                break
            above = os.path.dirname(above)
        found = self._deeper(name) if good else None
        if found is None:
            raise ValueError(
                f"package {name!r} was not found in the file's folder or package; give the folder that "
                "holds the packages, as folder= or --folder"
            )
        return found

    def _below(self, folder: str, name: str) -> list[str]:
        """The folders right below one, sorted; if it cannot be listed, the one called `name`."""
        try:
            below = [os.path.join(folder, one) for one in sorted(os.listdir(folder))]
        except OSError:  # it may be entered, but not listed
            below = [os.path.join(folder, name)]
        return [one for one in below if os.path.isdir(one) and self.hold(one)]

    def _deeper(self, name: str) -> str | None:
        """The package of a name anywhere in the folders, those nearest to the top first."""
        level, seen = list(self.folders), 0
        for _ in range(PACKAGE_LEVELS):
            deeper: list[str] = []
            for place in level:
                seen += 1
                if seen > PACKAGE_FOLDERS:
                    return None
                manifest = self._manifest_name(place)
                if manifest == name:
                    return place
                if manifest is None:  # packages hold no packages
                    below = self._below(place, name)
                    deeper += [one for one in below if not os.path.basename(one).startswith(".")]
            level = deeper
        return None

    def _manifest_name(self, folder: str) -> str | None:
        """The name that the package.xml of a folder gives."""
        try:
            data = self.read(os.path.join(folder, "package.xml"), most=LARGEST_MANIFEST_BYTES)
        except OSError:
            return None
        text = re.sub(rb"<!--.*?-->", b"", data, flags=re.DOTALL)
        found = re.search(rb"<name>\s*([^<\s]+)\s*</name>", text)
        return found[1].decode("utf-8", "replace") if found else None


def package_folder(folder: str) -> str | None:
    """The nearest of a folder and those above it that is a ROS package, by its package.xml; None if none is.

    Args:
        folder: A resolved path.
    """
    while True:
        if Folders([folder])._manifest_name(folder) is not None:
            return folder
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above
