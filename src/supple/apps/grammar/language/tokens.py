"""A pass between lexer and parser that marks the names which begin definitions.

CGA rules have no terminator. `A --> B C --> D` is two rules, and only the arrow after C shows that C
begins the second one: more than one token of look-ahead. So all tokens of a file are scanned once,
with brackets matched, and each name gets the token type of what it begins.
"""

from __future__ import annotations

from collections.abc import Iterator

from lark import Token

from supple.errors import SuppleError

OPENING = {"LPAR": "RPAR", "LBRACE": "RBRACE", "LSQB": "RSQB"}
CLOSING = {"RPAR": ")", "RBRACE": "}", "RSQB": "]"}
MOST_NESTED_BRACKETS = 100  # not tuned
ANYWHERE = {"case": "CASE", "else": "ELSE"}
OUTSIDE = {"attr": "ATTR", "const": "CONST", "import": "IMPORT"}
WORDS = ("start", "extension")  # before the name of a rule
HEADS = {"ARROW": "DEFINED", "EQUAL": "DEFINED", "WAVE": "CLASSIC_NAME"}
BODY_BLOCKS = ("Subdiv", "Repeat", "Comp", "scatter")  # their braces hold only successors
NOTES = ("color", "description", "enum", "group", "hidden", "order", "range", "size", "startrule")
"""Annotations whose arguments are used."""
BINDING = ["LPAR", "NAME", "COLON", "EQUAL"]  # the beginning of ( name := ... )


class Marking:
    """The post-lexer that Lark calls with the tokens of a file."""

    always_accept: tuple[str, ...] = ()

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        """The same tokens, some with another type."""
        tokens = _without_notes(list(stream))
        partner, depth = _matched(tokens)
        types = [token.type for token in tokens]
        for i, token in enumerate(tokens):
            marked = _mark(tokens, types, partner, i, depth[i])
            if marked:
                types[i] = marked
            yield token if types[i] == token.type else Token.new_borrow_pos(types[i], token, token)


def _without_notes(tokens: list[Token]) -> list[Token]:
    """The tokens without the arguments of annotations that are not used, such as those of @Handle.

    These arguments have another grammar: @Handle(shape=Lot^4, axis=x, translate={0, 1}).
    """
    found: list[Token] = []
    i = 0
    while i < len(tokens):
        token = tokens[i]
        found.append(token)
        i += 1
        unused = token.type == "NOTE" and token[1:].lower() not in NOTES
        if not unused or i == len(tokens) or tokens[i].type != "LPAR":
            continue
        depth = 0
        for end in range(i, len(tokens)):
            depth += (tokens[end].type == "LPAR") - (tokens[end].type == "RPAR")
            if depth == 0:
                i = end + 1
                break
    return found


def _matched(tokens: list[Token]) -> tuple[dict[int, int], list[int]]:
    """The matching bracket of each bracket, and the nesting depth at each token."""
    partner: dict[int, int] = {}
    depth: list[int] = []
    still_open: list[int] = []
    for i, token in enumerate(tokens):
        if token.type in CLOSING:
            if not still_open or OPENING[tokens[still_open[-1]].type] != token.type:
                meant = (
                    f"expected {CLOSING[OPENING[tokens[still_open[-1]].type]]!r} for the "
                    f"{str(tokens[still_open[-1]])!r} of line {tokens[still_open[-1]].line}"
                    if still_open
                    else "nothing is open here"
                )
                raise MisplacedError(token, f"found {str(token)!r}, but {meant}")
            first = still_open.pop()
            partner[first], partner[i] = i, first
        depth.append(len(still_open))
        if token.type in OPENING:
            still_open.append(i)
            if len(still_open) > MOST_NESTED_BRACKETS:
                raise MisplacedError(
                    token, f"brackets are nested more than {MOST_NESTED_BRACKETS} deep"
                )
    if still_open:
        token = tokens[still_open[-1]]
        raise MisplacedError(token, f"the {str(token)!r} is never closed")
    return partner, depth


class MisplacedError(SuppleError):
    """A bracket without a match; `token` is the bracket."""

    def __init__(self, token: Token, message: str) -> None:
        super().__init__(message)
        self.token = token


def _mark(
    tokens: list[Token], types: list[str], partner: dict[int, int], i: int, depth: int
) -> str | None:
    """The new type of the token at i, or None to keep its type."""
    kind, text = tokens[i].type, str(tokens[i])
    following = tokens[i + 1].type if i + 1 < len(tokens) else ""
    if kind == "LPAR":
        after = partner[i] + 1
        called = i > 0 and types[i - 1] == "NAME" and tokens[i - 1].end_pos == tokens[i].start_pos
        ends_in_percent = after < len(tokens) and tokens[after].type == "PERCENT"
        return "OPEN_CHANCE" if ends_in_percent and not called else None
    if kind == "LBRACE":
        begins = partner.get(i - 1, 0) - 1 if i and tokens[i - 1].type == "RPAR" else -1
        return "OPEN_CLASSIC" if begins >= 0 and tokens[begins] in BODY_BLOCKS else None
    if kind == "NUMBER":
        if following == "PERCENT":
            return "CHANCE"
        if depth == 0 and following == "COLON" and i + 2 < len(tokens):
            behind = _behind(tokens, partner, i + 2)
            named = tokens[i + 2].type == "NAME" and tokens[i + 2] not in ANYWHERE
            if named and behind in ("WAVE", "COLON"):
                types[i + 2] = "CLASSIC_NAME"
                return "CLASSIC_ID"
        return None
    if kind != "NAME" or types[i] != "NAME":
        return None
    if text in ANYWHERE:
        return ANYWHERE[text]
    if text == "with" and [one.type for one in tokens[i + 1 : i + 5]] == BINDING:
        return "WITH"
    if following == "PERCENT":
        return "CHANCE"
    if depth:
        return None
    if text in OUTSIDE:
        return OUTSIDE[text]
    if text == "version" and following == "STRING":
        return "VERSION"
    if text == "style" and following == "NAME" and _behind(tokens, partner, i + 1) not in HEADS:
        return "STYLE"
    if text == "extends" and i > 1 and types[i - 2] == "STYLE":
        return "EXTENDS"
    if text in WORDS and following == "NAME" and _head(tokens, partner, i + 1):
        return "WORD"
    return HEADS.get(_behind(tokens, partner, i))


def _head(tokens: list[Token], partner: dict[int, int], i: int) -> bool:
    """True if a rule begins at i, perhaps with modifiers such as "start"."""
    while tokens[i] in WORDS and i + 1 < len(tokens) and tokens[i + 1].type == "NAME":
        i += 1
    return _behind(tokens, partner, i) == "ARROW"


def _behind(tokens: list[Token], partner: dict[int, int], i: int) -> str:
    """The type of the token after the name at i and its parameters."""
    after = i + 1
    if after < len(tokens) and tokens[after].type == "LPAR":
        after = partner[after] + 1
    return tokens[after].type if after < len(tokens) else ""
