"""Stub files: values for missing rule files.

A stub file is CGA whose names have the prefixes of imports:

    attr Ref.Curb_Depth = 0.15
    Ref._ThematicRouter(mode) = "#808080"
    Ref.Asphalt(mode, kind) --> color("#404040") X.

`stub_text` writes one for the modeller to fill in: a commented line for every value that rules use from a missing
file, with its position. Rules need no line: a rule without one leaves the shape as it is.
"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

from supple.apps.grammar.language import syntax as s
from supple.apps.grammar.language.definitions import Definitions
from supple.apps.grammar.language.files import read_rules
from supple.apps.grammar.language.folders import Folders
from supple.apps.grammar.language.parser import parsed
from supple.errors import SuppleError

MOST_NESTED_IMPORTS = 100  # not tuned


def read_stubs(path: Path) -> Definitions:
    """The definitions of a stub file."""
    return Definitions(parsed(read_rules(path), str(path)))


def stub_file(stubs: Definitions | None, prefixes: tuple[str, ...], shown: str) -> s.RuleFile:
    """The definitions of a stub file for one import, without its prefix.

    Args:
        stubs: All stubs; None for none.
        prefixes: "A.Ref." and "Ref.": the first that defines a name counts.
        shown: The file's name in messages.
    """
    found = s.RuleFile(shown, "", [], [], [], [], [], [])
    if stubs is None:
        return found
    found.path = stubs.file.path
    for kind in ("attributes", "functions", "rules"):
        known = set()
        for prefix in prefixes:
            for one in getattr(stubs.file, kind):
                name = one.name.removeprefix(prefix)
                key = (name, len(getattr(one, "parameters", ())))
                if one.name.startswith(prefix) and key not in known:
                    known.add(key)
                    getattr(found, kind).append(_renamed(one, name))
    return found


def _renamed(definition: Any, name: str) -> Any:
    values = {one.name: getattr(definition, one.name) for one in fields(definition)}
    return type(definition)(**{**values, "name": name})


def stub_text(file: s.RuleFile, rule_path: Path | None, folders: Folders) -> str:
    """A stub file for the values that a rule file and its imports use of missing files; "" for none.

    Args:
        file: The main rule file.
        rule_path: Its path; None for rules given as text.
        folders: The folders that imports may be in.
    """
    missing: dict[str, tuple[str, dict[str, str]]] = {}  # prefix -> path, lines by name
    _collect(file, rule_path, folders, "", missing, [rule_path])
    groups: dict[str, list[str]] = {}
    known: set[str] = set()
    for path, lines in missing.values():  # several files may import a missing one under one prefix
        fresh = sorted(line for key, line in lines.items() if key not in known)
        known.update(lines)
        if fresh:
            groups.setdefault(path, []).extend(fresh)
    if not groups:
        return ""
    out = [
        "// Values that the rules use of rule files that are missing. Give each one and remove the //.",
        "// Rules of the missing files leave the shape as it is; define them here to do more.",
    ]
    for path, found in groups.items():
        out += ["", f"// {path}", *found]
    return "\n".join(out) + "\n"


def _collect(
    file: s.RuleFile,
    rule_path: Path | None,
    folders: Folders,
    prefix: str,
    missing: dict[str, tuple[str, dict[str, str]]],
    above: list[Path | None],
) -> None:
    imports = {one.name: one for one in file.imports}
    absent = set()
    for name, one in imports.items():
        full = f"{prefix}{name}."
        try:
            path = folders.find(one.path, None if rule_path is None else rule_path.parent, "file")
        except SuppleError:
            absent.add(name)
            missing[full] = (one.path, {})
            continue
        if path in above or len(above) > MOST_NESTED_IMPORTS:
            continue
        try:
            inner = parsed(read_rules(path), folders.shown(path))
        except SuppleError:
            continue
        _collect(inner, path, folders, full, missing, [*above, path])
    for node in s.nodes(file, skip=_set_name):
        if not isinstance(node, (s.Name, s.Call)):
            continue
        first, dot, rest = node.name.partition(".")
        if not dot or first not in absent or rest in imports[first].values:
            continue
        lines = missing[f"{prefix}{first}."][1]
        count = len(node.args) if isinstance(node, s.Call) else 0
        line = _line(f"{first}.{rest}", count, f"{Path(file.path).name}:{node.at.line}")
        lines.setdefault(f"{first}.{rest}/{count}", line)


def _line(name: str, count: int, where: str) -> str:
    if count:
        letters = ", ".join(f"x{k + 1}" for k in range(count))
        return f"// {name}({letters}) =    // {where}"
    return f"// const {name} =    // {where}"


def _set_name(node: Any) -> list[Any]:
    """The name that `set` changes: its value is not used."""
    return (
        [node.args[0]] if isinstance(node, s.Operation) and node.name == "set" and node.args else []
    )
