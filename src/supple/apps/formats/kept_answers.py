"""A cache of the answers of isolated processes, for later loads of the same content.

The key is a hash of all that the process gets, so a change of a file, or of one that it names, is a miss.
Answers are plain data and are checked whenever they are read. They are stored with checksums in the user's
cache folder, which nobody else can write to; the least recently used are removed when there are too many.
Without a folder to write to, nothing is cached.

    <user cache>/supple/models/<hash>.bin
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from supple.errors import SuppleError
from supple.files import write
from supple.kernels import user_cache

MOST_BYTES = 128 << 20  # all answers together; that of a humanoid with meshes takes 1 to 10 MB [B]
MOST_ANSWERS = 200  # not tuned
LARGEST_ANSWER = 32 << 20  # larger answers are not kept; not tuned [B]
_DIGEST_BYTES = hashlib.sha256().digest_size


def name_of(parts: Iterable[bytes]) -> str:
    """The key of an answer: a hash.

    Args:
        parts: All that the answer depends on, in order.
    """
    made = hashlib.sha256()
    for part in parts:
        made.update(len(part).to_bytes(8, "little"))
        made.update(part)
    return made.hexdigest()


def kept(name: str) -> bytes | None:
    """The answer of a key; None if there is none, or it is damaged."""
    try:
        path = folder() / f"{name}.bin"
        with path.open("rb") as file:
            content = file.read(_DIGEST_BYTES + LARGEST_ANSWER + 1)
        answer = content[_DIGEST_BYTES:]
        if hashlib.sha256(answer).digest() != content[:_DIGEST_BYTES]:
            return None
        with suppress(OSError):  # a read-only cache can be read
            os.utime(path)  # now the most recently used
    except (OSError, RuntimeError):  # RuntimeError: there is no home folder
        return None
    return answer


def keep(name: str, answer: bytes) -> None:
    """Store an answer, if that is possible."""
    if len(answer) > LARGEST_ANSWER:
        return
    with suppress(OSError, RuntimeError, SuppleError):
        place = folder()
        write(place / f"{name}.bin", hashlib.sha256(answer).digest() + answer, "answer")
        _prune(place)


def folder() -> Path:
    """The folder, which nobody else can write to.

    Raises:
        OSError: There is none.
        RuntimeError: There is no home folder.
    """
    place = user_cache.home() / "models"
    user_cache.make_private(place.parent)
    user_cache.make_private(place)
    return place


def _prune(place: Path) -> None:
    """Remove the least recently used answers beyond the limits."""
    found = []
    with os.scandir(place) as entries:
        for one in entries:
            about = one.stat(follow_symlinks=False)
            found.append((about.st_mtime_ns, about.st_size, one.path))
    total = 0
    for count, (_, size, path) in enumerate(sorted(found, reverse=True), 1):
        total += size
        if count > MOST_ANSWERS or total > MOST_BYTES:
            with suppress(OSError):  # another process removed it first
                os.unlink(path)
