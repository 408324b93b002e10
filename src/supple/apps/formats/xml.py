"""Untrusted XML, for the readers of URDF, MJCF and Collada.

A document type, and with it every entity, is refused; nesting is limited to 256 levels by libxml2.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from supple.apps.formats.source import Source, excerpt
from supple.errors import SuppleError

LARGEST_XML_BYTES = 64 << 20  # size limit of a file [B]


def parsed(
    source: Source, *, what: str, needs: Callable[[], SuppleError], most: int = LARGEST_XML_BYTES
) -> Any:
    """Parse XML; return its root element, an lxml element.

    Args:
        source: The file.
        what: What it is, for messages, such as "a URDF".
        needs: The error if lxml is not installed.
        most: Size limit [B].

    Raises:
        SuppleError: It is too large, has a document type or is not well-formed.
    """
    if len(source.data) > most:
        source.error(
            None, f"expected {what} of at most {most >> 20} MB, got {len(source.data) >> 20}"
        )
    try:
        from lxml import etree  # type: ignore[attr-defined]
    except ImportError:
        raise needs() from None
    head = source.data.replace(b"\0", b"")  # as in UTF-16
    declared = re.search(rb"<!\s*(DOCTYPE|ENTITY)", head, re.IGNORECASE)
    if declared:
        line = 1 + head.count(b"\n", 0, declared.start())
        source.error(line, "a document type is not taken: it could define entities")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(source.data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        message = getattr(error, "msg", None) or error
        source.error(getattr(error, "lineno", None), f"not well-formed XML: {excerpt(message)}")
    return root


def tag(element: Any) -> str | None:
    """The name of an element; None for comments, instructions and prefixed elements."""
    if not isinstance(element.tag, str) or element.prefix is not None:
        return None
    return element.tag.rpartition("}")[2]


def children(element: Any, *names: str) -> list[Any]:
    """The direct children of an element with certain names."""
    return [one for one in element if tag(one) in names]
