"""The version of supple."""

__version__ = "0.2.0"
