"""Make the xacro package evaluate and read by our functions: `install` puts them in place of its own.

What the package would run as Python (`${...}`, `$(eval ...)`, the units of YAML files) goes to `expressions`,
what it would open (includes, YAML) to `folders`. Macros, properties and blocks are the package's own.
"""

from __future__ import annotations

import codecs
import re
import xml.dom.expatbuilder
import xml.dom.minidom
from collections.abc import Callable
from typing import Any

from supple.apps.formats.folders import Folders
from supple.apps.formats.xacro.expressions import evaluate
from supple.apps.formats.xacro.functions import MATH, PYTHON, XACRO, Function, call
from supple.apps.formats.xacro.work import ExpressionError, Work
from supple.apps.formats.xacro.yaml_file import parse_yaml

VERSION = "2.1.1"  # of xacro, for which this was written
REPLACED = (
    *("safe_eval", "load_yaml", "parse", "_global_symbols", "re_macro_arg", "parse_macro_arg"),
    *("eval_text", "eval_all", "replace_node"),
)
REPLACED_ARGUMENTS = ("_eval", "_eval_find", "_eval_dict")  # of xacro.substitution_args
USED = (
    *("abs_filename_spec", "substitution_args_context", "ConstructUnits", "NameSpace"),
    *("init_stacks", "process_doc", "filestack", "XacroException"),
)
USED_ARGUMENTS = ("convert_value", "_eval_arg", "_eval_env", "_eval_optenv")
DIRECT = "list dict map len str float int bool min max round sorted range"
"""Functions of Python that xacro offers without `python.` before them."""
ELEMENT_STEPS = 40  # steps of an element, which is copied, looked at and put in place; not tuned
PARAMETER = re.compile(
    r"""^\s*([^\s:=]+?)\s*:?=\s*(\^\|?)?"""
    r"""(\$\{.*?\}|\$\(.*?\)|(?:'.*?'|".*?"|[^\s'"]+)++|)(?:\s+|$)(.*)"""
)
"""The first parameter of a macro, and the others: xacro's pattern, with `++` against exponential backtracking."""


def install(xacro: Any, arguments: Any, *, folders: Folders, own: str, work: Work) -> None:
    """Replace what evaluates and reads in the xacro package.

    Args:
        xacro: The package.
        arguments: Its module `substitution_args`.
        folders: Where files may be read.
        own: The file that is expanded, from which packages are looked for.
        work: Counts the steps.

    Raises:
        ImportError: The package is not as it was when this was written.
    """
    _check(xacro, (*REPLACED, *USED))
    _check(arguments, (*REPLACED_ARGUMENTS, *USED_ARGUMENTS))
    ours = _Ours(xacro, arguments, folders, own, work)
    xacro._global_symbols = ours.symbols
    xacro.safe_eval = ours.evaluate
    xacro.load_yaml = ours.load_yaml
    xacro.parse = ours.parse
    xacro.re_macro_arg = PARAMETER
    xacro.parse_macro_arg = _paired(xacro.parse_macro_arg)
    xacro.eval_text = _charged(xacro.eval_text, work, _text_steps)
    xacro.eval_all = _charged(xacro.eval_all, work, lambda *given: ELEMENT_STEPS)
    xacro.replace_node = _charged(xacro.replace_node, work, _replacing_steps)
    arguments._eval = ours.evaluate_argument
    arguments._eval_find = ours.find
    arguments._eval_dict = {}


class _Ours:
    """The functions put in place of those of the xacro package."""

    def __init__(self, xacro: Any, arguments: Any, folders: Folders, own: str, work: Work) -> None:
        self.xacro, self.arguments = xacro, arguments
        self.folders, self.own, self.work = folders, own, work
        self.symbols = self._symbols()

    def _symbols(self) -> dict[str, Any]:
        """The names that every expression knows, as `xacro.create_global_symbols` has them."""
        context = self.xacro.substitution_args_context
        own = XACRO | {
            "load_yaml": _function("load_yaml", self.load_yaml),
            "abs_filename": _function("abs_filename", self.absolute),
            "arg": _function("arg", lambda name: context["arg"][_text(name)]),
        }
        symbols: dict[str, Any] = {name: PYTHON[name] for name in DIRECT.split()} | MATH
        symbols |= {name: own[name] for name in ("load_yaml", "abs_filename", "dotify")}
        for name, table in (("python", PYTHON), ("math", MATH), ("xacro", own)):
            symbols[name] = self.xacro.NameSpace()
            symbols[name].update(table)
        return symbols

    def evaluate(self, text: str, symbols: Any, *others: Any) -> Any:
        """The value of an expression."""
        return evaluate(text, symbols, work=self.work, spaces=(self.xacro.NameSpace,))

    def evaluate_argument(self, text: str, context: dict[str, Any]) -> str:
        """The value of `$(eval ...)`, which knows other names than `${...}`."""
        given = context.setdefault("arg", {})

        def arg(name: Any) -> Any:
            value = self.arguments._eval_arg(_text(name), given)
            return self.arguments.convert_value(value, "auto")

        names: dict[str, Any] = {name: arg(name) for name in given}
        names |= PYTHON | MATH | {"true": True, "false": False}
        names |= {
            "arg": _function("arg", arg),
            "find": _function("find", self.find),
            "env": _function("env", self.arguments._eval_env),
            "optenv": _function("optenv", self.arguments._eval_optenv),
        }
        return str(self.evaluate(text, names))

    def absolute(self, name: Any) -> str:
        """The path of a file that is named relative to the one that names it."""
        return self.xacro.abs_filename_spec(_text(name))

    def find(self, package: Any) -> str:
        """The folder of a ROS package."""
        return self.folders.package(_text(package), self.own)

    def parse(self, given: Any, filename: str | None = None) -> Any:
        """The document of a file."""
        if filename is None:
            raise ExpressionError("expected the name of a file")
        try:
            data = self.folders.read(filename)
        except OSError as error:  # as the package does it, for optional="true"
            self.xacro.filestack.pop()
            raise self.xacro.XacroException(exc=error) from None
        self.work.charge(ELEMENT_STEPS + (len(data) >> 3))
        return _document(data)

    def load_yaml(self, filename: Any) -> Any:
        """The value of a YAML file."""
        units = {one.value.tag: one.value.conversion_constant for one in self.xacro.ConstructUnits}

        def number(text: str) -> float:
            return call(self.work, PYTHON["float"], (self.evaluate(text, self.symbols),), {})

        data = self.folders.read(self.absolute(filename))
        return parse_yaml(data, units=units, number=number, work=self.work)


def _paired(python: Callable[[str], Any]) -> Callable[[str], Any]:
    """A parser of parameters that says where quotes do not pair up."""

    def parse_macro_arg(text: str) -> Any:
        found = python(text)
        if found[1] is None and re.search("['\"]", found[0]):
            raise ExpressionError(f"params: expected quotes in pairs, got {text[:40]!r}")
        return found

    return parse_macro_arg


def _check(module: Any, names: tuple[str, ...]) -> None:
    for name in names:
        if not hasattr(module, name):
            raise ImportError(
                f"this version of {module.__name__} has no {name!r}; expected xacro {VERSION}: "
                f"pip install xacro=={VERSION}"
            )


def _function(name: str, python: Callable[..., Any]) -> Function:
    return Function(name, lambda work, *given: python(*given))


def _text(value: Any) -> str:
    if type(value) is not str:
        raise ExpressionError(f"expected a string, got {str(value)[:40]}")
    return value


def _text_steps(text: Any, *others: Any, **named: Any) -> int:
    """Steps of evaluating a text: its lexer copies the rest of the text at each token."""
    return 1 + (len(text) * (1 + text.count("$")) >> 8) if isinstance(text, str) else 1


def _replacing_steps(node: Any, by: Any, content_only: bool = False) -> int:
    """Steps of putting elements in place of one: its place among its siblings is looked for each time."""
    elements = by if isinstance(by, list) else [] if by is None else [by]
    moved = sum(len(one.childNodes) if content_only else 1 for one in elements)
    return ELEMENT_STEPS // 2 + ((1 + moved) * (len(node.parentNode.childNodes) + moved) >> 6)


def _charged(
    python: Callable[..., Any], work: Work, steps: Callable[..., int]
) -> Callable[..., Any]:
    """A function of the package that counts its steps, which follow from its arguments."""

    def charged(*given: Any, **named: Any) -> Any:
        work.charge(steps(*given, **named))
        return python(*given, **named)

    return charged


def _document(data: bytes) -> Any:
    """Parse XML to a DOM; a document type, and with it every entity, is refused."""
    builder = xml.dom.expatbuilder.ExpatBuilderNS()

    def refuse(*given: Any) -> None:
        raise ExpressionError("a document type is not taken: it could define entities")

    builder.getParser().StartDoctypeDeclHandler = refuse
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        return builder.parseString(
            data.decode()
        )  # whatever encoding it declares, as the package does
    except UnicodeDecodeError:
        return builder.parseString(data)
