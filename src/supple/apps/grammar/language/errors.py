"""Errors that name a position in a rule file."""

from __future__ import annotations

from supple.apps.grammar.language import syntax as s
from supple.errors import SuppleError


class RuleError(SuppleError):
    """An error in a rule file: "path:line:column: message"."""

    def __init__(self, path: str, at: s.At, message: str) -> None:
        super().__init__(f"{path}:{at.line}:{at.column}: {message}")
