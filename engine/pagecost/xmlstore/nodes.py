"""Records as nodes: every node in a range of labels with its path class, elements that are not stored too."""

from collections.abc import Iterator
from typing import NamedTuple

from pagecost.errors import ModelError
from pagecost.xmlstore import labels
from pagecost.xmlstore.labels import Label
from pagecost.xmlstore.pages_kernels import EMPTY, FRAGMENT
from pagecost.xmlstore.parse_kernels import ELEMENT_NODE
from pagecost.xmlstore.store import Store


class Node(NamedTuple):
    """A node found: its label, path class and, where it has one, its value as text."""

    label: Label
    path: int
    value: str | None


def inside(store: Store, label: Label, path: int) -> Iterator[Node]:
    """A node of that path class and all nodes below it, elements without stored records too."""
    return walk(store, *key_range(label), above=label, path=path)


def key_range(label: Label) -> tuple[bytes, bytes]:
    """The keys of a node and of all below it: from the first on, up to but not including the second."""
    return labels.encode(label), labels.subtree_end(label)


def walk(store: Store, low: bytes, high: bytes, above: Label = (), path: int = -1) -> Iterator[Node]:
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
    for key, kind, value, tag in whole_records(store, low, high):
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
    found: list[tuple[Label, int]] = []
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


def whole_records(store: Store, low: bytes, high: bytes) -> Iterator[tuple[bytes, int, str | None, int]]:
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
