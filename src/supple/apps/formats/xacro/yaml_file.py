"""YAML files for `xacro.load_yaml`: plain values only, of a limited size, with xacro's units."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import yaml

from supple.apps.formats.xacro.functions import dotted
from supple.apps.formats.xacro.work import Work, check_length

STEPS_PER_BYTE = 3  # steps of parsing; not tuned


def parse_yaml(
    data: bytes, *, units: Mapping[str, float], number: Callable[[str], float], work: Work
) -> Any:
    """The value of a YAML document, with its dictionaries `Dotted`.

    Args:
        data: The text.
        units: Factors by tag, such as "!degrees".
        number: Evaluates the expression behind such a tag.
        work: Counts the steps.

    Raises:
        yaml.YAMLError: It is not YAML, or has tags that are not plain values.
        ExpressionError: It is too large, with its aliases written out.
    """

    class Loader(yaml.SafeLoader):
        pass

    def measured(loader: Any, node: Any) -> float:
        return number(str(loader.construct_scalar(node))) * units[node.tag]

    for tag in units:
        Loader.add_constructor(tag, measured)
    work.charge(STEPS_PER_BYTE * len(data))
    loader = Loader(data)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        check_length(_size(node, {}), "a YAML file")
        return work.weighed(dotted(loader.construct_document(node)))
    finally:
        loader.dispose()


def _size(node: yaml.Node, known: dict[int, int]) -> int:
    """Number of nodes below one, each counted as often as aliases repeat it.

    Args:
        node: The node.
        known: Sizes of nodes met before, by id.

    Raises:
        yaml.YAMLError: A node contains itself.
    """
    if id(node) in known:
        if known[id(node)] == 0:
            raise yaml.YAMLError("an alias contains itself: expected a tree")
        return known[id(node)]
    known[id(node)] = 0
    total = 1
    if isinstance(node, yaml.SequenceNode):
        total += sum(_size(one, known) for one in node.value)
    elif isinstance(node, yaml.MappingNode):
        total += sum(_size(one, known) for pair in node.value for one in pair)
    known[id(node)] = total
    return total
