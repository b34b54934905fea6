"""A small path language on a store, answered by the element index or by a scan, with the pages touched on record.

A path is steps behind / (child) or // (descendant): a name or *, at the end also @name or text(). A step may carry
predicates: [@id="5"], [Symbol="IBM"], [.="text"], or [@id] and [Symbol] for what must be there.
"""

import contextlib
import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pagecost.errors import ModelError, require
from pagecost.requests import READ, WRITE, Requests
from pagecost.xmlstore import labels
from pagecost.xmlstore.labels import Label
from pagecost.xmlstore.loading import links, unpacked
from pagecost.xmlstore.pages_kernels import EMPTY, FRAGMENT
from pagecost.xmlstore.parse_kernels import ATTRIBUTE_NODE, ELEMENT_NODE, TEXT_NODE
from pagecost.xmlstore.store import TO_END, Store

STEP = re.compile(r"(//?)(@?[\w:.-]+(?:\(\))?|\*)((?:\[[^\]]*\])*)")
PREDICATE = re.compile(r"""\[\s*(@?[\w:.-]+)\s*(?:=\s*(?:"([^"]*)"|'([^']*)')\s*)?\]""")


class Node(NamedTuple):
    """A node found: its label, path class and, where it has one, its value as text."""

    label: Label
    path: int
    value: str | None


class Predicate(NamedTuple):
    """name: of a child element, @name of an attribute, "." for the element itself. value: None if any will do."""

    name: str
    value: str | None


class Step(NamedTuple):
    """deep: of all descendants, not only children."""

    deep: bool
    test: str
    predicates: tuple[Predicate, ...]


def parse(path: str) -> list[Step]:
    """The steps of a path. Raises ModelError that shows where it cannot be read."""
    steps, at = [], 0
    while at < len(path):
        match = STEP.match(path, at)
        require(match is not None, f"path {path!r}: not understood from {path[at:]!r} on")
        axis, test, tail = match.groups()
        found = PREDICATE.findall(tail)
        require("".join(re.findall(r"\[[^\]]*\]", tail)) == tail, f"path {path!r}: {tail!r} is no predicate")
        require(len(found) == tail.count("["), f"path {path!r}: {tail!r} is no predicate")
        predicates = tuple(
            Predicate(name, (double or single) if "=" in part else None)
            for (name, double, single), part in zip(found, re.findall(r"\[[^\]]*\]", tail), strict=True)
        )
        steps.append(Step(axis == "//", test, predicates))
        at = match.end()
    require(bool(steps), "a path has at least one step")
    for step in steps[:-1]:
        require(step.test[0] != "@" and step.test != "text()", f"path {path!r}: nothing lies below {step.test}")
    last = steps[-1]
    ends = last.test[0] == "@" or last.test == "text()"
    require(not (ends and last.predicates), f"path {path!r}: {last.test} takes no predicate")
    return steps


def select(store: Store, path: str, *, use_index: bool = True) -> list[Node]:
    """The nodes of a path in document order. use_index: through the element index, else by a scan of the containers.

    Raises ModelError for a path that cannot be read, or without an index to use.
    """
    steps = parse(path)
    require(not use_index or "elements" in store.catalogue.roots, "the store has no element index; ask for a scan")
    ends_in_element = steps[-1].test[0] != "@" and steps[-1].test != "text()"
    element_steps = steps if ends_in_element else steps[:-1]
    found: list[tuple[Label, int]] | None = None
    classes = {-1}
    for number, step in enumerate(element_steps):
        classes = {path for path in _below(store, classes, step.deep) if _fits(store, path, step.test)}
        if step.predicates or number == len(element_steps) - 1:
            found = _elements(store, classes, found, use_index)
            found = [
                (label, path)
                for label, path in found
                if all(_holds(store, label, path, predicate) for predicate in step.predicates)
            ]
            classes = {path for _, path in found}
    if ends_in_element:
        return [Node(label, path, None) for label, path in found]
    last = steps[-1]
    nodes = _nodes(store, b"", TO_END) if found is None else _inside_all(store, found)
    wanted = {path for path in _below(store, classes, last.deep) if _fits(store, path, last.test)}
    return sorted({node for node in nodes if node.path in wanted})


@contextlib.contextmanager
def recorded(store: Store) -> Iterator[list[Requests]]:
    """Records the pages that are touched inside; the list holds one Requests afterwards."""
    store.file.touched.clear()
    store.file.recording = True
    held: list[Requests] = []
    try:
        yield held
    finally:
        store.file.recording = False
        touched = np.array(store.file.touched, np.int64)
        writes = touched < 0
        held.append(
            Requests(
                arrival_s=np.zeros(touched.size),
                op=np.where(writes, WRITE, READ).astype(np.uint8),
                page=np.where(writes, ~touched, touched),
                pages=np.ones(touched.size, np.int32),
                stream=np.zeros(touched.size, np.int16),
                page_bytes=store.file.page_bytes,
            )
        )


def _below(store: Store, above: set[int], deep: bool) -> set[int]:
    """Path classes one step below, or any number of steps."""
    parents, found = store.catalogue.path_parent, set()
    for path, parent in enumerate(parents):
        while deep and parent not in above and parent >= 0:
            parent = parents[parent]
        if parent in above:
            found.add(path)
    return found


def _fits(store: Store, path: int, test: str) -> bool:
    catalogue = store.catalogue
    kind, name = catalogue.path_kind[path], catalogue.path_name[path]
    if test == "text()":
        return kind == TEXT_NODE
    if test[0] == "@":
        return kind == ATTRIBUTE_NODE and catalogue.names[name] == test[1:]
    return kind == ELEMENT_NODE and test in ("*", catalogue.names[name])


def _elements(
    store: Store, classes: set[int], inside: list[tuple[Label, int]] | None, use_index: bool
) -> list[tuple[Label, int]]:
    """Elements of these path classes, below the given elements or anywhere, in document order."""
    if not use_index:
        everything = _nodes(store, b"", TO_END) if inside is None else _inside_all(store, inside)
        return sorted({(node.label, node.path) for node in everything if node.path in classes})
    ranges = [(b"", TO_END)] if inside is None else [_range(label) for label, _ in inside]
    names = sorted({store.catalogue.path_name[path] for path in classes})
    found = []
    for low, high in ranges:
        for name in names:
            start = name.to_bytes(2, "big")
            for key, path in _entries(store, start + low, start + high):
                if path in classes:
                    found.append((labels.decode(key[2:]), path))
    return sorted(set(found))


def _range(label: Label) -> tuple[bytes, bytes]:
    return labels.encode(label), labels.subtree_end(label)


def _entries(store: Store, low: bytes, high: bytes) -> Iterator[tuple[bytes, int]]:
    """(key, path class) of the element index with low <= key < high."""
    number = store.leaf("elements", low)
    while number:
        page = store.file.read(number)
        for key, _, body in unpacked(page):
            if key >= high:
                return
            if key >= low:
                yield key, int.from_bytes(body, "little")
        number = links(page)[1]


def _holds(store: Store, label: Label, path: int, predicate: Predicate) -> bool:
    """Whether one attribute or child of an element, or its own text, has the value."""
    nodes = _inside(store, label, path)
    if predicate.name[0] == "@":
        for node in nodes:
            if node.path != path and store.catalogue.path_kind[node.path] != ATTRIBUTE_NODE:
                return False  # attributes come first
            if node.path != path and _fits(store, node.path, predicate.name):
                return predicate.value is None or node.value == predicate.value
        return False
    if predicate.name == ".":
        return _text(store, nodes) == predicate.value
    children = [child for child in _below(store, {path}, False) if _fits(store, child, predicate.name)]
    found: dict[Label, str] = {}
    for node in nodes:
        if node.path in children and node.value is None:
            found.setdefault(node.label, "")
        elif node.value is not None and store.catalogue.path_kind[node.path] == TEXT_NODE:
            for child in list(found):
                if labels.is_ancestor(child, node.label):
                    found[child] += node.value
    return bool(found) if predicate.value is None else predicate.value in found.values()


def _text(store: Store, nodes: Iterator[Node]) -> str:
    return "".join(node.value or "" for node in nodes if store.catalogue.path_kind[node.path] == TEXT_NODE)


def _inside(store: Store, label: Label, path: int) -> Iterator[Node]:
    """An element and all nodes below it, elements without stored records too."""
    return _nodes(store, *_range(label), above=label, path=path)


def _inside_all(store: Store, elements: list[tuple[Label, int]]) -> Iterator[Node]:
    """All nodes in some elements."""
    for label, path in elements:
        yield from _inside(store, label, path)


def _nodes(store: Store, low: bytes, high: bytes, above: Label = (), path: int = -1) -> Iterator[Node]:
    """Every node in a range of labels, in document order, with its path class.

    above, path: the element that the range is of; its own ancestors are not known, nor needed.
    """
    catalogue = store.catalogue
    classes = {
        (parent, kind, name): number
        for number, (parent, kind, name) in enumerate(
            zip(catalogue.path_parent, catalogue.path_kind, catalogue.path_name, strict=True)
        )
    }
    open_elements: list[tuple[Label, int]] = []
    for key, kind, value, tag in _whole_records(store, low, high):
        label = labels.decode(key)
        while open_elements and not labels.is_ancestor(open_elements[-1][0], label):
            open_elements.pop()
        if store.mapping.leaves:
            for element in _opened(store, label, tag, kind, open_elements, above):
                open_elements.append(element)
                yield Node(*element, None)
            own = tag
        elif label == above:
            own = path
        else:
            parent = open_elements[-1][1] if open_elements else -1
            own = classes[parent, kind, tag]
        if kind == ELEMENT_NODE:
            open_elements.append((label, own))
            yield Node(label, own, None)
        elif kind != EMPTY:
            yield Node(label, own, value)


def _opened(store: Store, label: Label, path: int, kind: int, open_elements, above: Label) -> list[tuple[Label, int]]:
    """Elements of an elementless store that a leaf shows for the first time, outermost first."""
    known_labels = {element for element, _ in open_elements}
    found = []
    at = label
    while True:
        if kind == EMPTY and at == label and not found:
            found.append((at, path))
            kind = -1
        above_it = labels.parent(at)
        if above_it and above_it[-1] == labels.ATTRIBUTES:
            above_it = labels.parent(above_it)
        path = store.catalogue.path_parent[path]
        if path < 0 or len(above_it) < len(above) or above_it in known_labels or not above_it:
            return found[::-1]
        found.append((above_it, path))
        at = above_it


def _whole_records(store: Store, low: bytes, high: bytes) -> Iterator[tuple[bytes, int, str | None, int]]:
    """(key, kind, value, tag or -1) of records, the pieces of long values joined."""
    held: tuple[bytes, int, bytes, int] | None = None
    for key, kind, body in store.records(low, high):
        if kind == FRAGMENT:
            if held is None:
                raise ModelError(f"{store.file.path.name}: a piece of a value without its begin; the file is damaged")
            held = (*held[:2], held[2] + body, held[3])
            continue
        if held:
            yield (*held[:2], held[2].decode(), held[3])
            held = None
        tag_bytes = int(store.mapping.tag_bytes[kind])
        tag = int.from_bytes(body[:tag_bytes], "little") if tag_bytes else -1
        if kind in (ELEMENT_NODE, EMPTY):
            yield key, kind, None, tag
        else:
            head = 1 if body[tag_bytes] < 255 else 4
            held = (key, kind, body[tag_bytes + head :], tag)
    if held:
        yield (*held[:2], held[2].decode(), held[3])
