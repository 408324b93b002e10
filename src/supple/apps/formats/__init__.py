"""Read and write characters and motions: `load` and `save`, and the table of file formats.

Each format is a folder, listed in `registry`. Shared by all: `source` (the bytes of a file, errors
and notes), `text_numbers`, `conventions` and `infer_conventions` (unit and up axis), `features` (what
a format can store), `single_motion` (formats that hold one motion) and `lint`.
"""

from supple.apps.formats.format import Format
from supple.apps.formats.load_save import load, save
from supple.apps.formats.registry import FORMATS

__all__ = ["FORMATS", "Format", "load", "save"]
