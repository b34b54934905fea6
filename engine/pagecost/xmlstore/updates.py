"""Change a store: insert a subtree, change a value, delete a subtree. Each is done wholly or not at all."""

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pagecost.errors import ModelError, require
from pagecost.xmlstore import indexes, labels, nodes, pages_kernels, parse_kernels
from pagecost.xmlstore.indexes import ELEMENTS, VALUES
from pagecost.xmlstore.labels import Label
from pagecost.xmlstore.loading import batch_of_nodes, links, unpacked
from pagecost.xmlstore.pages_kernels import EMPTY, ENTRY, FRAGMENT, HEADER, NO_VALUE, VALUE, new_finished, new_packer
from pagecost.xmlstore.parse_kernels import ATTRIBUTE_NODE, DEPTH, ELEMENT_NODE, LONGEST_VALUE
from pagecost.xmlstore.parsing import Chunk, Parser, bytes_array
from pagecost.xmlstore.store import Store
from pagecost.xmlstore.trees import Record, Tree

NO_TEXT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0, 2.2


@dataclass
class Change:
    """What an operation did. log_bytes: of its log record, labels and tags as the mapping stores them.

    journal_bytes: what was written before the file changed, the log record and the new pages. label: of the node.
    """

    label: Label
    log_bytes: int = 0
    journal_bytes: int = 0


def insert(store: Store, above: Label, element: bytes, before: Label | None = None) -> Change:
    """Insert one element, given as XML text, as the last child of `above` or before its child `before`.

    Namespaces that it uses are declared in it. No label of another node changes. Raises ModelError when `above` is no
    element, `before` no child of it, or the text not one element.
    """
    require(before is None or labels.parent(before) == above, f"{_show(before)} is no child of {_show(above)}")
    path = path_class(store, above)
    require(
        store.catalogue.path_kind[path] == ELEMENT_NODE, f"{labels.show(above)} is not an element: it has no children"
    )
    if before is not None:
        path_class(store, before)
        left = _child_above(above, _last_before(store, labels.encode(before)))
    else:
        left = _child_above(above, _last_before(store, labels.subtree_end(above)))
    new = labels.between(above, left, before)
    fits = len(labels.encode(new)) <= labels.LONGEST_INSERTED_BYTES
    require(fits, f"no room for a label below {labels.show(above)}")
    with _operation(store, new) as (change, log):
        chunks = _parsed(store, element, new, path)
        records = [record for chunk in chunks for record in _records(store, chunk, log)]
        tree = Tree(store, "document")
        key = labels.encode(above)
        if store.mapping.leaves and any(kind == EMPTY for _, kind, _ in store.records(key, key + b"\0")):
            tree.replace(key, key + b"\0", [])
        tree.replace(labels.encode(new), labels.subtree_end(new), records)
        _change_elements(store, new, [entry for chunk in chunks for entry in _entries(chunk)])
        if VALUES in store.catalogue.roots:
            added = [(key, VALUE, b"") for chunk in chunks for key in indexes.value_entries(chunk)]
            Tree(store, VALUES).change(set(), added)
    return change


def change_value(store: Store, label: Label, value: str) -> Change:
    """Give a text, attribute, comment or processing instruction another value.

    Raises ModelError when there is no such node, or it has no value of its own.
    """
    require(not NO_TEXT.search(value), f"{value[:20]!r}: a character that XML text cannot hold")
    data = value.encode()
    require(len(data) <= LONGEST_VALUE, f"a value has at most {LONGEST_VALUE} bytes; got {len(data)}")
    key = labels.encode(label)
    head = next(store.records(key, key + b"\0"), None)
    if head is None or store.mapping.value_mode[head[1]] == NO_VALUE:
        raise ModelError(f"{labels.show(label)}: no node with a value has this label")
    tag = head[2][: store.mapping.tag_bytes[head[1]]]
    size = len(data).to_bytes(1, "big") if len(data) < 255 else b"\xff" + len(data).to_bytes(3, "big")
    piece = store.file.page_bytes // 4
    records = [(key, head[1], tag + size + data[:piece])]
    for number, at in enumerate(range(piece, len(data), piece), start=1):
        records.append((key + number.to_bytes(4, "big"), FRAGMENT, data[at : at + piece]))
    old = _valued(store, label, path_class(store, label)) if VALUES in store.catalogue.roots else []
    with _operation(store, label) as (change, log):
        log.append(key + records[0][2] + data[piece:])
        Tree(store, "document").replace(key, key + b"\0\xff", records)
        if VALUES in store.catalogue.roots:
            added = _value_keys(store, [node._replace(value=value) for node in old])
            Tree(store, VALUES).change(set(_value_keys(store, old)), [(entry, VALUE, b"") for entry in added])
    return change


def delete(store: Store, label: Label) -> Change:
    """Delete a node with everything below it. The root of a document stays.

    Raises ModelError when there is no such node, or it is a root.
    """
    require(labels.level(label) > 1, f"{labels.show(label)}: a root is not deleted")
    path = path_class(store, label)
    key, end = labels.encode(label), labels.subtree_end(label)
    names = _names_below(store, key, end)
    old = _valued(store, label, path) if VALUES in store.catalogue.roots else []
    with _operation(store, label) as (change, log):
        log.append(key)
        tree = Tree(store, "document")
        tree.replace(key, end, [])
        if store.mapping.leaves:
            above = _element_above(label)
            if next(store.records(labels.encode(above), labels.subtree_end(above)), None) is None:
                tag = store.catalogue.path_parent[path].to_bytes(2, "little")
                tree.replace(labels.encode(above), labels.encode(above) + b"\0", [(labels.encode(above), EMPTY, tag)])
        if ELEMENTS in store.catalogue.roots:
            for name in sorted(names):
                start = name.to_bytes(2, "big")
                Tree(store, ELEMENTS).replace(start + key, start + end, [])
        if VALUES in store.catalogue.roots:
            Tree(store, VALUES).change(set(_value_keys(store, old)), [])
    return change


def path_class(store: Store, label: Label) -> int:
    """The path class of the node with that label. Raises ModelError when there is none."""
    key = labels.encode(label)
    found = next(store.records(key, labels.subtree_end(label)), None) if label else None
    if found is None or (found[0] != key and not store.mapping.leaves):
        raise ModelError(f"{labels.show(label)}: no node has this label")
    catalogue = store.catalogue
    tag = int.from_bytes(found[2][:2], "little")
    if store.mapping.leaves:
        path, deep = tag, labels.decode(found[0])
        while len(deep) > len(label):
            deep = _element_above(deep)
            path = catalogue.path_parent[path]
        require(deep == label, f"{labels.show(label)}: no node has this label")
        return path
    above = _element_above(label)
    parent = path_class(store, above) if above else -1
    kind = found[1]
    name = tag if store.mapping.tag_bytes[kind] else -1
    classes = zip(catalogue.path_parent, catalogue.path_kind, catalogue.path_name, strict=True)
    return next(number for number, known_class in enumerate(classes) if known_class == (parent, kind, name))


def _element_above(label: Label) -> Label:
    """The parent element: of an attribute that is two levels up."""
    above = labels.parent(label)
    return labels.parent(above) if above and above[-1] == labels.ATTRIBUTES else above


def _show(label: Label | None) -> str:
    return labels.show(label) if label is not None else "nothing"


def _last_before(store: Store, key: bytes) -> Label | None:
    """The label of the last record before a key."""
    number = store.leaf("document", key)
    while number:
        before = [record for record in unpacked(store.file.read(number)) if record[0] < key and record[1] != FRAGMENT]
        if before:
            return labels.decode(before[-1][0])
        number = links(store.file.read(number))[0]
    return None


def _child_above(above: Label, label: Label | None) -> Label | None:
    """The child of `above` that is the node or encloses it; None for attributes and for what lies elsewhere."""
    if label is None or not labels.is_ancestor(above, label):
        return None
    end = len(above) + 1
    while not label[end - 1] & 1:
        end += 1
    return label[:end] if label[end - 1] != labels.ATTRIBUTES else None


@contextlib.contextmanager
def _operation(store: Store, label: Label) -> Iterator[tuple[Change, list[bytes]]]:
    """All changes inside are committed together, or forgotten."""
    kept, change = store.snapshot(), Change(label)
    log: list[bytes] = []
    try:
        yield change, log
        store.catalogue.operation += 1
        store.change_catalogue()
    except BaseException:
        store.file.roll_back()
        store.restore(kept)
        raise
    change.log_bytes = sum(map(len, log))
    try:
        change.journal_bytes = store.file.commit(store.catalogue.operation, b"".join(log))
    except BaseException:
        store.close()  # what holds now is said by the journal: open it again
        raise


def _parsed(store: Store, element: bytes, new: Label, path: int) -> list[Chunk]:
    """The nodes of an element that gets the label `new` below a node of path class `path`."""
    names = store.names()
    state = parse_kernels.new_state()
    parse_kernels.remember(state, names.name_bytes, names.name_end, names.path_parent, names.path_name, names.path_kind)
    depth = labels.level(new) - 1
    bits = bytes_array(labels.encode(new[:-1]))
    state.bits[: bits.size] = bits
    state.numbers[DEPTH] = depth
    state.bit_end[depth], state.next_child[depth] = labels.bit_length(new[:-1]), new[-1]
    state.path_at[depth], state.children[depth] = path, 1
    state.several[store.catalogue.several] = 1
    parser = Parser(state, store.catalogue.whitespace)
    chunks = [*parser.read("the element", [element]), *parser.finish()]
    top = [chunk for chunk in chunks if chunk.size]
    roots = sum(
        labels.parent(labels.decode(key)) == labels.parent(new) and kind != ATTRIBUTE_NODE
        for chunk in top
        for key, kind in _keys(chunk)
    )
    require(roots == 1, f"what is inserted must be one element, with nothing around it; got {roots} nodes")
    catalogue = store.catalogue
    known_names, known_paths = len(catalogue.names), len(catalogue.path_kind)
    ends, paths = state.name_end, int(state.numbers[parse_kernels.PATHS])
    catalogue.names += [
        state.name_bytes[ends[i] : ends[i + 1]].tobytes().decode()
        for i in range(known_names, int(state.numbers[parse_kernels.NAMES]))
    ]
    catalogue.path_parent += state.path_parent[known_paths:paths].tolist()
    catalogue.path_name += state.path_name[known_paths:paths].tolist()
    catalogue.path_kind += state.path_kind[known_paths:paths].tolist()
    catalogue.several = np.flatnonzero(state.several[:paths]).tolist()
    store.forget_names()
    return top


def _keys(chunk: Chunk) -> Iterator[tuple[bytes, int]]:
    nodes = chunk.nodes
    for i in range(chunk.size):
        yield nodes.labels[nodes.label_end[i] : nodes.label_end[i + 1]].tobytes(), int(nodes.kind[i])


def _records(store: Store, chunk: Chunk, log: list[bytes]) -> list[Record]:
    """The chunk's nodes as records, tag and value in the body; as they stand in pages they go to the log."""
    mapping, size = store.mapping, store.file.page_bytes
    packer = new_packer(size, 1.0, mapping.compressed, 0, mapping.tag_bytes, mapping.value_mode)
    batch, count, chosen = batch_of_nodes(chunk, mapping)
    longest = int(batch.value_bytes[:count].sum()) + 600 * count
    finished = new_finished(2 * longest // size + 16, size)
    pages_kernels.pack(batch, 0, count, chosen, packer, finished)
    pages_kernels.flush(packer, finished)
    records = []
    for page in finished.pages[: int(finished.numbers[0])]:
        used = int.from_bytes(page[pages_kernels.USED : pages_kernels.USED + 2].tobytes(), "little")
        log.append(page[HEADER:used].tobytes())
        records += unpacked(page)
    return records


def _entries(chunk: Chunk) -> Iterator[tuple[int, Record]]:
    """(name, record of the element index) of the chunk's elements."""
    nodes = chunk.nodes
    for i, (key, kind) in enumerate(_keys(chunk)):
        if kind == ELEMENT_NODE:
            name = int(nodes.name[i])
            yield name, (name.to_bytes(2, "big") + key, ENTRY, int(nodes.path[i]).to_bytes(2, "little"))


def _change_elements(store: Store, new: Label, entries: list[tuple[int, Record]]) -> None:
    """Elements of one subtree lie side by side under each name."""
    if ELEMENTS not in store.catalogue.roots:
        return
    key, end = labels.encode(new), labels.subtree_end(new)
    for name in sorted({name for name, _ in entries}):
        start = name.to_bytes(2, "big")
        Tree(store, ELEMENTS).replace(start + key, start + end, [entry for of, entry in entries if of == name])


def _valued(store: Store, label: Label, path: int) -> list[nodes.Node]:
    """The node of that path class and all below it that have a value."""
    return [node for node in nodes.inside(store, label, path) if node.value is not None]


def _value_keys(store: Store, valued: list[nodes.Node]) -> list[bytes]:
    """Keys of the entries that the value index has for some nodes."""
    kinds = store.catalogue.path_kind
    return [
        indexes.value_head(node.path, node.value)[0] + labels.encode(node.label)
        for node in valued
        if node.value is not None and indexes.is_indexed(kinds[node.path], node.value)
    ]


def _names_below(store: Store, key: bytes, end: bytes) -> set[int]:
    """Names of elements that may lie in a range of labels."""
    catalogue, names = store.catalogue, set()
    for _, kind, body in store.records(key, end):
        tag = int.from_bytes(body[:2], "little")
        if kind == ELEMENT_NODE:
            names.add(tag)
        elif store.mapping.leaves and kind != FRAGMENT:
            while tag >= 0:
                if catalogue.path_kind[tag] == ELEMENT_NODE:
                    names.add(catalogue.path_name[tag])
                tag = catalogue.path_parent[tag]
    return names
