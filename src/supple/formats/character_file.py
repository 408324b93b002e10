"""The .character file of Park 2004 (3.3.1): 'G', version 1; docs/character-file.md has every byte.

Bones with six angle limits, sequences of keyframes, vertices as offsets in the space of the bones that
hold them. Names are not in the format: bones are known by index, and a text file can name them.
"""

from supple.formats.character_read import read
from supple.formats.character_write import write

__all__ = ["read", "write"]
