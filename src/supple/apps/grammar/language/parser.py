"""Parse rule files to syntax trees; errors say where, what was found and what was expected."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from lark import Lark
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken, VisitError

from supple.apps.grammar.language import syntax as s
from supple.apps.grammar.language.builder import Builder, RefusedError
from supple.apps.grammar.language.tokens import Marking, MisplacedError
from supple.errors import SuppleError

LONGEST_RULES_CHARS = 4_000_000  # of one rule file; not tuned
LANGUAGE = Path(__file__).with_name("cga.lark")


def parse(text: str, *, path: str = "<rules>") -> s.RuleFile:
    """Parse the text of a rule file.

    Args:
        text: CGA rules, modern or in the classic form.
        path: The file's name in messages.

    Raises:
        SuppleError: "path:line:column: found ..., expected ...".
    """
    if len(text) > LONGEST_RULES_CHARS:
        raise SuppleError(
            f"{path}: expected at most {LONGEST_RULES_CHARS:,} characters, got {len(text):,}"
        )
    try:
        made: s.RuleFile = Builder().transform(_language().parse(text))
    except MisplacedError as error:
        raise _located(path, error.token.line or 1, error.token.column or 1, str(error)) from None
    except UnexpectedInput as error:
        raise _located(path, *_described(error, text)) from None
    except VisitError as error:
        if isinstance(error.orig_exc, RefusedError):
            at = error.orig_exc.at
            raise _located(path, at.line, at.column, str(error.orig_exc)) from None
        raise
    made.path = path
    return made


@lru_cache(maxsize=16)
def parsed(text: str, path: str = "<rules>") -> s.RuleFile:
    """As `parse`, with a cache of the last 16 texts; the syntax tree must not be changed."""
    return parse(text, path=path)


def _located(path: str, line: int, column: int, message: str) -> SuppleError:
    return SuppleError(f"{path}:{line}:{column}: {message}")


@lru_cache(maxsize=1)
def _language() -> Lark:
    return Lark(
        LANGUAGE.read_text(encoding="utf-8"),
        parser="lalr",
        lexer="basic",
        postlex=Marking(),
        propagate_positions=True,
        maybe_placeholders=True,
    )


# Error messages -----------------------------------------------------------------------------------

WORDS = {
    "ARROW": "'-->'", "WAVE": "'~>'", "NOTE": "an annotation", "NUMBER": "a number",
    "STRING": "a string in double quotes", "NAME": "a name", "MARK": "\"'\" or '~'",
    "PERCENT": "'% :'", "EQUALITY": "'==' or '!='", "ORDER": "a comparison", "EQUAL": "'='",
    "AND": "'&&'", "OR": "'||'", "NOT": "'!'", "SIGN": "'+' or '-'", "STAR": "'*'",
    "OVER": "'/' or '%'", "COLON": "':'", "DEFINED": "a definition", "CLASSIC_ID": "a rule",
    "CLASSIC_NAME": "a rule", "WORD": "a rule", "CHANCE": "a percentage", "LPAR": "'('",
    "RPAR": "')'", "LBRACE": "'{'", "RBRACE": "'}'", "LSQB": "'['", "RSQB": "']'",
    "COMMA": "','", "SEMICOLON": "';'", "VBAR": "'|'", "VERSION": "'version'",
    "IMPORT": "'import'", "STYLE": "'style'", "EXTENDS": "'extends'", "ATTR": "'attr'",
    "CONST": "'const'", "CASE": "'case'", "ELSE": "'else'", "$END": "the end of the file",
}  # fmt: skip
EXPRESSION = {"NUMBER", "STRING", "NAME", "LPAR", "LSQB", "SIGN", "NOT", "CASE"}
OPERATORS = {"EQUALITY", "ORDER", "AND", "OR", "SIGN", "STAR", "OVER", "LSQB"}
OPERATION = {"NAME", "LSQB"}
DEFINITION = {
    "DEFINED", "CLASSIC_ID", "CLASSIC_NAME", "WORD", "VERSION", "IMPORT", "STYLE", "ATTR", "CONST",
    "NOTE",
}  # fmt: skip
ALTERNATIVE = {
    "OPEN_CHANCE",
    "OPEN_CLASSIC",
    "RELATIVE",
    "CHANCE",
    "WITH",
}  # alternatives to terminals that are listed anyway


def _described(error: UnexpectedInput, text: str) -> tuple[int, int, str]:
    """Line, column and message of a syntax error."""
    if isinstance(error, UnexpectedCharacters):
        found = text[error.pos_in_stream : error.pos_in_stream + 1]
        if found == '"':
            return error.line, error.column, "the string that begins here has no closing '\"'"
        return error.line, error.column, f"found {found!r}, which is not a valid character"
    if isinstance(error, UnexpectedToken):
        token = error.token
        found = "the end of the file" if token.type == "$END" else repr(str(token))
        line, column = token.line, token.column
        if token.type == "$END" or line is None:
            line, column = text.count("\n") + 1, len(text) - text.rfind("\n")
        if text.startswith("/*", token.start_pos or 0) and token.type == "OVER":
            return line, column or 1, "the comment that begins here has no closing '*/'"
        message = f"found {found}, expected {_expected(error.accepts)}"
        rest = text[token.start_pos or 0 :].partition("\n")[0]
        return line, column or 1, message + _arrow_hint(rest)
    return 1, 1, str(error)


def _arrow_hint(line: str) -> str:
    """A hint if a rule seems to be written with another arrow."""
    arrow = re.match(r"[\w.]+\s*(\([^)]*\))?\s*(->|=>|:=|::=|-+>)", line)
    return f"; a rule is written with '-->', not {arrow[2]!r}" if arrow else ""


def _expected(accepts: Any) -> str:
    """The accepted terminals, grouped to a short list."""
    names = {str(name) for name in accepts or ()} - ALTERNATIVE
    parts: list[str] = []
    if names >= EXPRESSION - {"CASE"}:
        parts.append("an expression")
        names -= EXPRESSION
    if names >= {"AND", "OR", "STAR"}:
        names -= OPERATORS
        parts.append("an operator")
    if names >= OPERATION:
        parts.append("an operation or a rule's name")
        names -= OPERATION
    if len(names & DEFINITION) > 3:
        parts.append("a definition")
        names -= DEFINITION
    parts += sorted(dict.fromkeys(WORDS.get(name, name) for name in names))
    if len(parts) > 1:
        return f"{', '.join(parts[:-1])} or {parts[-1]}"
    return parts[0] if parts else "something else"
