"""The path language: steps, predicates, and the path classes that they lead to.

A path is steps behind / (child) or // (descendant): a name or *, at the end also @name or text(). A step may carry
predicates: [@id="5"], [Symbol="IBM"], [.="text"], or [@id] and [Symbol] for what must be there. [@id=?] leaves a value
open, for `lookups`.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from pagecost.errors import present, require
from pagecost.xmlstore.parse_kernels import ATTRIBUTE_NODE, ELEMENT_NODE, TEXT_NODE
from pagecost.xmlstore.store import Catalogue

STEP = re.compile(r"(//?)(@?[\w:.-]+(?:\(\))?|\*)((?:\[[^\]]*\])*)")
PREDICATE = re.compile(r"""\[\s*(@?[\w:.-]+)\s*(?:=\s*(?:"([^"]*)"|'([^']*)'|(\?))\s*)?\]""")


class Predicate(NamedTuple):
    """name: of a child element, @name of an attribute, "." for the element itself. value: None if any will do.

    is_open: the value is left open.
    """

    name: str
    value: str | None
    is_open: bool = False

    @property
    def levels(self) -> int:
        """From the node with the value up to the element: an attribute lies two levels below it."""
        return 1 if self.name == "." else 2


class Step(NamedTuple):
    """deep: of all descendants, not only children."""

    deep: bool
    test: str
    predicates: tuple[Predicate, ...]

    @property
    def is_element(self) -> bool:
        return self.test[0] != "@" and self.test != "text()"


def parse(path: str) -> list[Step]:
    """The steps of a path. Raises ModelError that shows where it cannot be read."""
    steps, at = [], 0
    while at < len(path):
        match = present(STEP.match(path, at), f"path {path!r}: not understood from {path[at:]!r} on")
        axis, test, tail = match.groups()
        found = PREDICATE.findall(tail)
        require("".join(re.findall(r"\[[^\]]*\]", tail)) == tail, f"path {path!r}: {tail!r} is no predicate")
        require(len(found) == tail.count("["), f"path {path!r}: {tail!r} is no predicate")
        predicates = tuple(
            Predicate(name, (double or single) if "=" in part and not mark else None, bool(mark))
            for (name, double, single, mark), part in zip(found, re.findall(r"\[[^\]]*\]", tail), strict=True)
        )
        steps.append(Step(axis == "//", test, predicates))
        at = match.end()
    require(bool(steps), "a path has at least one step")
    for step in steps[:-1]:
        require(step.is_element, f"path {path!r}: nothing lies below {step.test}")
    last = steps[-1]
    require(last.is_element or not last.predicates, f"path {path!r}: {last.test} takes no predicate")
    return steps


def classes(catalogue: Catalogue, above: Iterable[int], deep: bool, test: str) -> set[int]:
    """Path classes one step below others (-1: the collection), or any number of steps, that a test lets through."""
    parents, found, starts = catalogue.path_parent, set(), set(above)
    for path, parent in enumerate(parents):
        while deep and parent not in starts and parent >= 0:
            parent = parents[parent]
        if parent in starts and fits(catalogue, path, test):
            found.add(path)
    return found


def fits(catalogue: Catalogue, path: int, test: str) -> bool:
    """Whether a path class is of the kind and name that a step asks for."""
    kind, name = catalogue.path_kind[path], catalogue.path_name[path]
    if test == "text()":
        return kind == TEXT_NODE
    if test[0] == "@":
        return kind == ATTRIBUTE_NODE and catalogue.names[name] == test[1:]
    return kind == ELEMENT_NODE and test in ("*", catalogue.names[name])


def valued_classes(catalogue: Catalogue, elements: Iterable[int], predicate: Predicate) -> set[int] | None:
    """The path classes whose nodes have the values that a predicate on these elements compares.

    None where an element's value is put together of several nodes, so that no index of single nodes can find it.
    """
    if predicate.name[0] == "@":
        return classes(catalogue, elements, False, predicate.name)
    valued = set(elements) if predicate.name == "." else classes(catalogue, elements, False, predicate.name)
    texts = classes(catalogue, valued, False, "text()")
    mixed = classes(catalogue, valued, False, "*")
    return None if mixed or texts & set(catalogue.several) else texts


def holder(catalogue: Catalogue, valued: int, predicate: Predicate) -> int:
    """The path class of the elements that a predicate is on, by that of the nodes with the values."""
    above = catalogue.path_parent[valued]
    return above if predicate.name[0] == "@" or predicate.name == "." else catalogue.path_parent[above]
