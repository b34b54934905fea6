"""The three storage mappings: which nodes are stored, with which label, tag and value."""

from typing import NamedTuple

import numpy as np

from pagecost.xmlstore import pages_kernels as pages
from pagecost.xmlstore.pages_kernels import NO_VALUE, PLAIN, WITH_LENGTH
from pagecost.xmlstore.parse_kernels import ATTRIBUTE_NODE, COMMENT_NODE, ELEMENT_NODE, INSTRUCTION_NODE, TEXT_NODE


class Mapping(NamedTuple):
    """How nodes become records. compressed: labels against the label before, page by page. leaves: only leaves are
    stored, their tag is the path class (PCR), and elements are rebuilt from it; else the tag is the name (VocID).
    """

    name: str
    title: str
    compressed: bool
    leaves: bool
    tag_bytes: np.ndarray  # uint8[16], by kind of record
    value_mode: np.ndarray  # uint8[16]


def _table(**sizes: int) -> np.ndarray:
    table = np.zeros(16, np.uint8)
    for kind, value in sizes.items():
        table[KINDS[kind]] = value
    return table


KINDS = {
    "element": ELEMENT_NODE,
    "attribute": ATTRIBUTE_NODE,
    "text": TEXT_NODE,
    "comment": COMMENT_NODE,
    "instruction": INSTRUCTION_NODE,
    "empty": pages.EMPTY,
    "fragment": pages.FRAGMENT,
    "child": pages.CHILD,
    "entry": pages.ENTRY,
    "value": pages.VALUE,
}
_NAMES = _table(element=2, attribute=2, instruction=2, child=4, entry=2)
_PATHS = _table(attribute=2, text=2, comment=2, instruction=2, empty=2, child=4, entry=2)
_VALUES = _table(attribute=WITH_LENGTH, text=WITH_LENGTH, comment=WITH_LENGTH, instruction=WITH_LENGTH, fragment=PLAIN)
AS_THEY_STAND = Mapping("raw", "", False, False, np.zeros(16, np.uint8), np.full(16, PLAIN, np.uint8))
"""For records that are moved with tag and value as they stand in another page."""

MAPPINGS: dict[str, Mapping] = {
    mapping.name: mapping
    for mapping in (
        Mapping("fs", "full storage", False, False, _NAMES, _VALUES),
        Mapping("pc", "prefix-compressed labels", True, False, _NAMES, _VALUES),
        Mapping("el", "elementless", True, True, _PATHS, _VALUES),
    )
}
"""Every mapping by its name (Schmidt 2009, section 5.2)."""

assert NO_VALUE == 0  # what a table says of kinds that it does not name
