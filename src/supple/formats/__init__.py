"""Files: characters and motions in and out, by extension and by content."""

from supple.formats.registry import FORMATS, Format, load, save

__all__ = ["FORMATS", "Format", "load", "save"]
