"""One container page under the microscope: every byte with its cause, every record with its label and path."""

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pagecost.errors import require
from pagecost.xmlstore import labels, pages_kernels
from pagecost.xmlstore.labels import Label
from pagecost.xmlstore.loading import links, unpacked
from pagecost.xmlstore.pages_kernels import COUNT, ESCAPE, FRAGMENT, HEADER, USED
from pagecost.xmlstore.parse_kernels import ATTRIBUTE_NODE, COMMENT_NODE, INSTRUCTION_NODE, TEXT_NODE
from pagecost.xmlstore.store import Store, load

MOST_PAGES = 4096  # containers that are kept of a store, from its begin
WRITTEN = {TEXT_NODE: "text()", COMMENT_NODE: "comment()", FRAGMENT: "the value's next piece"}


class Piece(NamedTuple):
    """Bytes at .. at + size of a page, all of one cause (a key of CAUSES).

    record: its number in the page from 1, 0 for none. shared: bytes of the label that are those of the label before,
    and not stored again. path and value: the node's, as text; what the page itself says only in part.
    """

    at: int
    size: int
    cause: str
    record: int = 0
    label: str = ""
    shared: int = 0
    path: str = ""
    value: str = ""


class Containers:
    """The container pages of a store from its begin (at most MOST_PAGES), held in memory.

    pages: uint8[n, page_bytes] in document order.
    """

    def __init__(self, store: Store):
        self.mapping = store.mapping
        self.names = store.catalogue.names
        self._classes = [store.path_class(number) for number in range(len(store.catalogue.path_name))]
        kept: list[np.ndarray] = []
        number = store.catalogue.first_container
        while number and len(kept) < MOST_PAGES:
            kept.append(store.file.read(number).copy())
            number = links(kept[-1])[1]
        require(bool(kept), f"{store.file.path.name}: there is no container page")
        self.pages = np.stack(kept)
        self.whole = number == 0
        self._paths: dict[Label, str] = {(): ""}

    def pieces(self, number: int) -> list[Piece]:
        """Every byte of page `number` (from 0) in one piece, in the order of the bytes."""
        require(0 <= number < len(self.pages), f"page must be 0..{len(self.pages) - 1}; got {number}")
        page = self.pages[number]
        raw = page.tobytes()
        found = [Piece(0, HEADER, "slot_bytes")]
        compressed = bool(page[pages_kernels.FLAGS] & pages_kernels.COMPRESSED)
        for place, (key, kind, body) in enumerate(unpacked(page)):
            at = found[-1].at + found[-1].size
            head = 3 if compressed and raw[at] == ESCAPE else 1
            stored = (raw[at] & 15 if head == 1 else raw[at + 2]) if compressed else raw[at]
            label = self._label(key, kind)
            tag_bytes = int(self.mapping.tag_bytes[kind])
            value = body[tag_bytes:]
            about = (
                place + 1,
                labels.show(label),
                len(key) - stored,
                self._path(label, kind, body),
                _shown(value, kind),
            )
            found.append(Piece(at, head + stored, "label_bytes", *about))
            if tag_bytes:
                found.append(Piece(at + head + stored, tag_bytes, "tag_bytes", *about))
            if value:
                found.append(Piece(at + head + stored + tag_bytes, len(value), "value_bytes", *about))
        used = int.from_bytes(raw[USED : USED + 2], "little")
        slots = int.from_bytes(raw[COUNT : COUNT + 2], "little") * pages_kernels.slot_width(page.size)
        if used < page.size - slots:
            found.append(Piece(used, page.size - slots - used, "slack_bytes"))
        return [*found, Piece(page.size - slots, slots, "slot_bytes")]

    def _label(self, key: bytes, kind: int) -> Label:
        """The node's label; the pieces of a long value carry a number behind it."""
        return labels.decode(key[:-4] if kind == FRAGMENT else key)

    def _path(self, label: Label, kind: int, body: bytes) -> str:
        """The names from the root of the document down to the node."""
        if kind == FRAGMENT:
            return WRITTEN[FRAGMENT]
        tag = int.from_bytes(body[: self.mapping.tag_bytes[kind]], "little")
        if self.mapping.leaves:
            return self._classes[tag]
        step = WRITTEN[kind] if kind in WRITTEN else self.names[tag]
        marks = {ATTRIBUTE_NODE: "@{}", INSTRUCTION_NODE: "?{}"}
        above = labels.parent(label)
        if kind == ATTRIBUTE_NODE:
            above = labels.parent(above)
        return f"{self._element(above)}/{marks.get(kind, '{}').format(step)}"

    def _element(self, label: Label) -> str:
        """The path of an element, found by its label in the page where it stands."""
        if label not in self._paths:
            key = labels.encode(label)
            low, high = 0, len(self.pages) - 1
            while low < high:
                middle = (low + high + 1) // 2
                low, high = (middle, high) if unpacked(self.pages[middle])[0][0] <= key else (low, middle - 1)
            kind, body = next((kind, body) for other, kind, body in unpacked(self.pages[low]) if other == key)
            self._paths[label] = self._path(label, kind, body)
        return self._paths[label]


def containers_of(documents: Iterable[tuple[str, Iterable[bytes]]], mapping: str, **options) -> Containers:
    """The containers of documents stored under a mapping. documents, options: as for `load`."""
    with tempfile.TemporaryDirectory(prefix="pagecost-") as folder:
        stores = load(documents, {mapping: Path(folder) / mapping}, sync=False, element_index=False, **options)
        with stores[mapping] as store:
            return Containers(store)


def _shown(value: bytes, kind: int) -> str:
    """A stored value without its length."""
    text = value if kind == FRAGMENT else value[1 if value[:1] < bytes([ESCAPE]) else 4 :]
    return text.decode("utf8", "replace")
