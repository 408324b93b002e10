"""From Lark's parse tree to the syntax tree."""

from __future__ import annotations

from typing import Any

from lark import Token
from lark.visitors import Transformer_NonRecursive, v_args

from supple.apps.grammar.language import syntax as s
from supple.apps.grammar.language.classic import modern_body
from supple.errors import SuppleError

MOST_TERMS = 200  # operators in one expression; not tuned


class RefusedError(SuppleError):
    """Input that the grammar allows but the builder refuses; `at` is its position."""

    def __init__(self, at: s.At, message: str) -> None:
        super().__init__(message)
        self.at = at


def _at(meta: Any) -> s.At:
    return s.At(getattr(meta, "line", 1), getattr(meta, "column", 1))


def _text(token: Token) -> str:
    """The value of a string literal."""
    inside = str(token)[1:-1]
    if "\\" not in inside:
        return inside
    out, i = [], 0
    meant = {"n": "\n", "t": "\t", '"': '"', "\\": "\\"}
    while i < len(inside):
        if inside[i] == "\\" and inside[i + 1] in meant:
            out.append(meant[inside[i + 1]])
            i += 2
        else:
            out.append(inside[i])
            i += 1
    return "".join(out)


@v_args(meta=True)
class Builder(Transformer_NonRecursive[Any, Any]):
    """Builds nodes bottom-up without recursion, so that nesting is not limited by Python's stack."""

    def number(self, meta: Any, found: list[Any]) -> s.Constant:
        return s.Constant(float(found[0]), _at(meta))

    def string(self, meta: Any, found: list[Any]) -> s.Constant:
        return s.Constant(_text(found[0]), _at(meta))

    def name(self, meta: Any, found: list[Any]) -> s.Expression:
        text = str(found[0])
        if text in ("true", "false"):
            return s.Constant(text == "true", _at(meta))
        return s.Name(text, _at(meta))

    def call(self, meta: Any, found: list[Any]) -> s.Call:
        return s.Call(str(found[0]), found[1], _at(meta))

    def component(self, meta: Any, found: list[Any]) -> tuple[s.Expression, s.Expression]:
        return found[0], found[-1]

    def components(self, meta: Any, found: list[Any]) -> s.Components:
        return s.Components(str(found[0]), found[1], found[2:], _at(meta))

    def unary(self, meta: Any, found: list[Any]) -> s.Expression:
        sign, value = str(found[0]), found[1]
        if isinstance(value, s.Constant) and isinstance(value.value, float) and sign in "+-":
            return s.Constant(-value.value if sign == "-" else value.value, _at(meta))
        return s.Unary(sign, _counted(value, meta), _at(meta))

    def binary(self, meta: Any, found: list[Any]) -> s.Binary:
        left, sign, right = found
        return s.Binary(str(sign), _counted(left, meta), right, _at(sign))

    def case_value(self, meta: Any, found: list[Any]) -> s.Choice:
        return self._choice(meta, found, chances=False)

    def chance_value(self, meta: Any, found: list[Any]) -> s.Choice:
        return self._choice(meta, found, chances=True)

    def _choice(self, meta: Any, found: list[Any], *, chances: bool) -> s.Choice:
        values = [_percentage(x) for x in found if not _is_sign(x)]
        alternatives = list(zip(values[:-1:2], values[1:-1:2], strict=True))
        return s.Choice(chances, alternatives, values[-1], _at(meta))

    def binding(self, meta: Any, found: list[Any]) -> tuple[str, Any]:
        return str(found[0]), found[-1]

    def with_value(self, meta: Any, found: list[Any]) -> s.With:
        *bindings, body = found[1:]
        return s.With([name for name, _ in bindings], [v for _, v in bindings], body, _at(meta))

    with_body = with_value

    def range(self, meta: Any, found: list[Any]) -> s.Range:
        return s.Range(found[0], found[1] if len(found) > 2 else None, found[-1], _at(meta))

    def item(self, meta: Any, found: list[Any]) -> s.Item:
        return s.Item(found[0], found[1:], _at(meta))

    def row(self, meta: Any, found: list[Any]) -> list[s.Expression]:
        return list(found)

    def array(self, meta: Any, found: list[Any]) -> s.Array:
        return s.Array([row for row in found if row is not None], _at(meta))

    def args(self, meta: Any, found: list[Any]) -> list[s.Argument]:
        return [one for one in found if one is not None]

    def arg(self, meta: Any, found: list[Any]) -> s.Argument:
        return s.Argument(found[0], "", "", _at(meta))

    def arg_marked(self, meta: Any, found: list[Any]) -> s.Argument:
        return s.Argument(found[1], str(found[0]), "", _at(meta))

    def arg_named(self, meta: Any, found: list[Any]) -> s.Argument:
        return s.Argument(found[2], "", str(found[0]), _at(meta))

    def arg_relative(self, meta: Any, found: list[Any]) -> s.Argument:
        return s.Argument(s.Constant(float(found[0][:-1]), _at(meta)), "r", "", _at(meta))

    # Successors

    def op_name(self, meta: Any, found: list[Any]) -> s.Operation:
        return s.Operation(str(found[0]), None, None, _at(meta))

    def op_call(self, meta: Any, found: list[Any]) -> s.Operation:
        return s.Operation(str(found[0]), found[1], None, _at(meta))

    def op_block(self, meta: Any, found: list[Any]) -> s.Operation:
        return s.Operation(str(found[0]), found[1], found[2], _at(meta))

    def op_classic(self, meta: Any, found: list[Any]) -> s.Operation:
        return s.Operation(str(found[0]), found[1], None, _at(meta), found[3:])

    def group(self, meta: Any, found: list[Any]) -> s.Group:
        body = found[0] if found else s.Sequence([], _at(meta))
        return s.Group(body, _at(meta))

    def block(self, meta: Any, found: list[Any]) -> s.Block:
        return s.Block(found[:-1], found[-1] is not None, _at(meta))

    def piece(self, meta: Any, found: list[Any]) -> s.Piece:
        mark, selector, operator, body = found
        return s.Piece(str(mark or ""), selector, str(operator) == "=", body, _at(meta))

    def ops(self, meta: Any, found: list[Any]) -> s.Sequence:
        return s.Sequence(list(found), _at(meta))

    def case(self, meta: Any, found: list[Any]) -> tuple[Any, Any]:
        return found[1], found[2] if len(found) > 2 else s.Sequence([], _at(meta))

    def cases(self, meta: Any, found: list[Any]) -> s.Fork:
        alternatives = [one for one in found if isinstance(one, tuple)]
        last = found[-1] if len(found) > len(alternatives) + 1 else s.Sequence([], _at(meta))
        return s.Fork(False, alternatives, last, _at(meta))

    def chance(self, meta: Any, found: list[Any]) -> tuple[Any, Any]:
        percentage, body = (x for x in found if not _is_sign(x))
        return _percentage(percentage), body

    def chances(self, meta: Any, found: list[Any]) -> s.Fork:
        return s.Fork(True, found[:-2], found[-1], _at(meta))

    # Definitions

    def note_arg(self, meta: Any, found: list[Any]) -> tuple[str, Any]:
        return ("", found[0]) if len(found) == 1 else (str(found[0]), found[1])

    def list(self, meta: Any, found: list[Any]) -> list[s.Expression]:
        return [one for one in found if one is not None]

    def handle_shape(self, meta: Any, found: list[Any]) -> s.Name:
        """Lot^4: the fourth shape of a rule, where @Handle shows a handle."""
        return s.Name(str(found[0]), _at(meta))

    def note(self, meta: Any, found: list[Any]) -> s.Annotation:
        given = [one for one in found[1:] if one is not None]
        values = [value for name, value in given if not name]
        named = {name: value for name, value in given if name}
        return s.Annotation(str(found[0])[1:], values, named, _at(meta))

    def params(self, meta: Any, found: list[Any]) -> list[str]:
        return [str(one) for one in found if one is not None]

    def version(self, meta: Any, found: list[Any]) -> tuple[str, str]:
        return "version", _text(found[1])

    def override_value(self, meta: Any, found: list[Any]) -> tuple[str, Any]:
        return str(found[0]), found[1]

    def override_rule(self, meta: Any, found: list[Any]) -> tuple[str, str]:
        return str(found[0]), str(found[2])

    def import_(self, meta: Any, found: list[Any]) -> s.Import:
        _, _, name, path, *given = _split_annotations(found)
        given = [one for one in given if one is not None]
        values = {key: value for key, value in given if not isinstance(value, str)}
        rules = {key: value for key, value in given if isinstance(value, str)}
        return s.Import(str(name), _text(path), values, rules, _at(name))

    def style(self, meta: Any, found: list[Any]) -> s.Style:
        _, _, name, _, base = _split_annotations(found)
        return s.Style(str(name), str(base or ""), _at(name))

    def attr(self, meta: Any, found: list[Any]) -> s.Attribute:
        annotations, _, name, value = _split_annotations(found)
        return s.Attribute(str(name), value, annotations, _at(name))

    def const(self, meta: Any, found: list[Any]) -> s.Function:
        _, _, name, params, value = _split_annotations(found)
        return s.Function(str(name), params or [], value, not params, _at(name))

    def function(self, meta: Any, found: list[Any]) -> s.Function:
        _, name, params, value = _split_annotations(found)
        return s.Function(str(name), params or [], value, False, _at(name))

    def rule(self, meta: Any, found: list[Any]) -> s.Rule:
        annotations, *rest = _split_annotations(found)
        words = [str(one) for one in rest if isinstance(one, Token) and one.type == "WORD"]
        name, params, arrow, *bodies = rest[len(words) :]
        body = bodies[0] if bodies else s.Sequence([], _at(arrow))
        start = "start" in words or any(one.name.lower() == "startrule" for one in annotations)
        return s.Rule(str(name), params or [], body, annotations, start, _at(name))

    def classic(self, meta: Any, found: list[Any]) -> s.ClassicRule:
        number, name, params, condition, _, body, probability = found
        return s.ClassicRule(
            str(number or ""),
            str(name),
            params or [],
            condition,
            modern_body(body),
            probability,
            _at(name),
        )

    def start(self, meta: Any, found: list[Any]) -> s.RuleFile:
        made = s.RuleFile("", "", [], [], [], [], [], [])
        style: s.Style | None = None
        for one in found:
            if isinstance(one, tuple):
                made.version = one[1]
            elif isinstance(one, s.Import):
                made.imports.append(one)
            elif isinstance(one, s.Style):
                made.styles.append(one)
                style = one
            elif isinstance(one, s.Attribute):
                if style is not None:
                    style.values[one.name] = one.value
                else:
                    made.attributes.append(one)
            elif isinstance(one, s.Function):
                made.functions.append(one)
            elif isinstance(one, s.Rule):
                made.rules.append(one)
                style = None
            else:
                made.classic.append(one)
                style = None
        return made


def _is_sign(found: Any) -> bool:
    """True for tokens that only separate values."""
    return isinstance(found, Token) and found.type in ("CASE", "ELSE", "PERCENT", "OPEN_CHANCE")


def _percentage(found: Any) -> Any:
    """The token before a percent sign as an expression; anything else unchanged."""
    if not isinstance(found, Token):
        return found
    at = _at(found)
    text = str(found)
    return s.Constant(float(text), at) if text[0] in ".0123456789" else s.Name(text, at)


def _split_annotations(found: list[Any]) -> list[Any]:
    """The leading annotations as one list, then the rest."""
    count = 0
    while count < len(found) and isinstance(found[count], s.Annotation):
        count += 1
    return [found[:count], *found[count:]]


def _counted(value: s.Expression, meta: Any) -> s.Expression:
    """The value, unless it is a chain of more than `MOST_TERMS` operators."""
    length, one = 0, value
    while isinstance(one, (s.Binary, s.Unary)) and length <= MOST_TERMS:
        one = one.left if isinstance(one, s.Binary) else one.value
        length += 1
    if length > MOST_TERMS:
        raise RefusedError(_at(meta), f"expected at most {MOST_TERMS:,} operators in an expression")
    return value
