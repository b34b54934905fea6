"""Paths on a store, answered by the indexes or by a scan, with the pages touched on record. `paths` has the language.

A predicate that compares a value is answered by the value index, where the store has one; elements are found through
the element index; what neither can tell is read in the documents.
"""

import contextlib
import itertools
from collections.abc import Iterator

import numpy as np

from pagecost.errors import require
from pagecost.requests import READ, WRITE, Requests
from pagecost.xmlstore import indexes, labels, paths
from pagecost.xmlstore.indexes import ELEMENTS, VALUES
from pagecost.xmlstore.labels import Label
from pagecost.xmlstore.loading import links, unpacked
from pagecost.xmlstore.nodes import Node, inside, key_range
from pagecost.xmlstore.parse_kernels import ATTRIBUTE_NODE, TEXT_NODE
from pagecost.xmlstore.paths import Predicate, parse
from pagecost.xmlstore.store import Store

__all__ = ["Node", "parse", "recorded", "select"]

Found = dict[Label, int]  # elements in document order, and their path classes
COLLECTION: Found = {(): -1}  # what the first step starts from


def select(store: Store, path: str, *, use_index: bool = True) -> list[Node]:
    """The nodes of a path in document order. use_index: through the indexes, else by a scan of the containers.

    Raises ModelError for a path that cannot be read, or without an index to use.
    """
    steps = parse(path)
    require(not use_index or ELEMENTS in store.catalogue.roots, "the store has no element index; ask for a scan")
    of_values = (predicate for step in steps for predicate in step.predicates)
    require(not any(predicate.is_open for predicate in of_values), f"path {path!r}: a value is left open")
    last_element = next((step for step in reversed(steps) if step.is_element), None)
    found, reach = COLLECTION, {-1: {-1}}
    for step in steps:
        reach = {of: paths.classes(store.catalogue, classes, step.deep, step.test) for of, classes in reach.items()}
        if step.predicates or step is last_element:
            found = _filtered(store, found, reach, step.predicates, use_index)
            reach = {of: {of} for of in set(found.values())}
    if step.is_element:
        return [Node(label, of, None) for label, of in found.items()]
    attributes_only = step.test[0] == "@" and not step.deep and found is not COLLECTION
    read = _own_attributes if attributes_only else inside
    return sorted({node for label, of in found.items() for node in read(store, label, of) if node.path in reach[of]})


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
        held.append(requests_of(np.array(store.file.touched, np.int64), store.file.page_bytes))


def requests_of(touched: np.ndarray, page_bytes: int) -> Requests:
    """Pages in the order of access, a write as its complement (~number), as requests without times."""
    writes = touched < 0
    return Requests(
        arrival_s=np.zeros(touched.size),
        op=np.where(writes, WRITE, READ).astype(np.uint8),
        page=np.where(writes, ~touched, touched),
        pages=np.ones(touched.size, np.int32),
        stream=np.zeros(touched.size, np.int16),
        page_bytes=page_bytes,
    )


def _filtered(
    store: Store, found: Found, reach: dict[int, set[int]], predicates: tuple[Predicate, ...], use_index: bool
) -> Found:
    """Elements below the given ones for which all predicates hold. reach: their path classes, by that of the above."""
    left, candidates = list(predicates), None
    for predicate in predicates if use_index and VALUES in store.catalogue.roots else ():
        by_value = _with_value(store, set().union(*reach.values()), predicate)
        if by_value is not None:
            sure, candidates = by_value
            candidates = {label: of for label, of in candidates.items() if _reached(label, of, found, reach)}
            if sure:
                left.remove(predicate)
            break
    if candidates is None:
        candidates = _elements(store, found, reach, use_index)
    return {
        label: of for label, of in candidates.items() if all(_holds(store, label, of, predicate) for predicate in left)
    }


def _reached(label: Label, path: int, found: Found, reach: dict[int, set[int]]) -> bool:
    """Whether an element of that path class lies where the steps lead from one of the elements found before."""
    while (of := found.get(label)) is None or path not in reach.get(of, ()):
        if not label:
            return False
        label = labels.parent(label)
    return True


def _with_value(store: Store, classes: set[int], predicate: Predicate) -> tuple[bool, Found] | None:
    """Whether the value index is sure, and the elements of these path classes for which it lets a predicate hold.

    None where it cannot tell: nothing is compared, the value is put together, or may be that of no node.
    """
    if predicate.value is None:
        return None
    valued = paths.valued_classes(store.catalogue, classes, predicate)
    kind = ATTRIBUTE_NODE if predicate.name[0] == "@" else TEXT_NODE
    if valued is None or not indexes.is_indexed(kind, predicate.value) or (kind == TEXT_NODE and not predicate.value):
        return None
    found: Found = {}
    sure = True
    for path in valued:
        of = paths.holder(store.catalogue, path, predicate)
        head, cut = indexes.value_head(path, predicate.value)
        sure = sure and not cut
        for key, _ in _entries(store, VALUES, head, head[:-1] + bytes([head[-1] + 1])):
            label = labels.decode(key[len(head) :])
            for _ in range(predicate.levels):
                label = labels.parent(label)
            found[label] = of
    return sure, dict(sorted(found.items()))


def _elements(store: Store, found: Found, reach: dict[int, set[int]], use_index: bool) -> Found:
    """Elements below the given ones, in document order. reach: their path classes, by that of the one above."""
    held: set[tuple[Label, int]] = set()
    for label, of in found.items():
        if not use_index:
            held.update((node.label, node.path) for node in inside(store, label, of) if node.path in reach[of])
            continue
        low, high = key_range(label)
        for name in sorted({store.catalogue.path_name[path] for path in reach[of]}):
            start = name.to_bytes(2, "big")
            for key, body in _entries(store, ELEMENTS, start + low, start + high):
                path = int.from_bytes(body, "little")
                if path in reach[of]:
                    held.add((labels.decode(key[2:]), path))
    return dict(sorted(held))


def _entries(store: Store, tree: str, low: bytes, high: bytes) -> Iterator[tuple[bytes, bytes]]:
    """(key, body) of the entries of an index with low <= key < high."""
    number = store.leaf(tree, low)
    while number:
        page = store.file.read(number)
        for key, _, body in unpacked(page):
            if key >= high:
                return
            if key >= low:
                yield key, body
        number = links(page)[1]


def _own_attributes(store: Store, label: Label, path: int) -> Iterator[Node]:
    """The element and its attributes, which come first."""
    own = (*label, labels.ATTRIBUTES)
    return itertools.takewhile(
        lambda node: node.label == label or node.label[: len(own)] == own, inside(store, label, path)
    )


def _holds(store: Store, label: Label, path: int, predicate: Predicate) -> bool:
    """Whether one attribute or child of an element, or its own text, has the value."""
    catalogue = store.catalogue
    if predicate.name[0] == "@":
        for node in _own_attributes(store, label, path):
            if node.path != path and paths.fits(catalogue, node.path, predicate.name):
                return predicate.value is None or node.value == predicate.value
        return False
    nodes = inside(store, label, path)
    if predicate.name == ".":
        return _text(store, nodes) == predicate.value
    children = paths.classes(catalogue, {path}, False, predicate.name)
    found: dict[Label, str] = {}
    for node in nodes:
        if node.path in children and node.value is None:
            found.setdefault(node.label, "")
        elif node.value is not None and catalogue.path_kind[node.path] == TEXT_NODE:
            for child in list(found):
                if labels.is_ancestor(child, node.label):
                    found[child] += node.value
    return bool(found) if predicate.value is None else predicate.value in found.values()


def _text(store: Store, nodes: Iterator[Node]) -> str:
    return "".join(node.value or "" for node in nodes if store.catalogue.path_kind[node.path] == TEXT_NODE)
