"""The version of supple."""

__version__ = "0.1.0"
