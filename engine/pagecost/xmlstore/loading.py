"""Bulk load: nodes to container pages in document order, an index over them, and indexes of elements and values."""

from dataclasses import dataclass, field

import numpy as np

from pagecost.xmlstore import indexes, pages_kernels
from pagecost.xmlstore.indexes import ElementNotes, Notes, ValueNotes, ends_of
from pagecost.xmlstore.mappings import MAPPINGS, Mapping
from pagecost.xmlstore.pages_kernels import Batch, new_finished, new_packer
from pagecost.xmlstore.parse_kernels import ELEMENT_NODE
from pagecost.xmlstore.parsing import Chunk, bytes_array
from pagecost.xmlstore.storage import PageFile

CONTAINER, INDEX, ENTRIES, CATALOGUE, VALUE_ENTRIES = 1, 2, 3, 4, 5  # kinds of pages
ROOM = 512  # pages packed between two writes


@dataclass
class Level:
    """The pages of one level of a tree, in order: numbers and separators, the first of which is empty."""

    numbers: list[int] = field(default_factory=list)
    separators: list[bytes] = field(default_factory=list)


class LevelWriter:
    """Packs records into consecutive pages of one level and writes them behind the file's end."""

    def __init__(self, file: PageFile, mapping: Mapping, kind: int, fill: float, compressed: bool):
        self.file, self.level = file, Level()
        self._packer = new_packer(file.page_bytes, fill, compressed, kind, mapping.tag_bytes, mapping.value_mode)
        self._finished = new_finished(ROOM, file.page_bytes)

    def add(self, batch: Batch, size: int, chosen: np.ndarray) -> None:
        """Place the chosen ones of the first `size` records."""
        longest = int(batch.value_bytes[:size].max(initial=0)) // (self.file.page_bytes // 2) + 4
        if longest >= self._finished.pages.shape[0]:
            self._hand_out()
            larger = new_finished(longest + ROOM, self.file.page_bytes)
            _carry(self._finished, 0, larger)
            self._finished = larger
        done = 0
        while done < size:
            done = pages_kernels.pack(batch, done, size, chosen, self._packer, self._finished)
            if done < size:
                self._hand_out()

    def finish(self) -> Level:
        """Write what is left; the level's pages. There is always at least one page."""
        if not self.level.numbers and not self._packer.numbers[pages_kernels.RECORDS]:
            self._packer.numbers[pages_kernels.BEGUN] = 1
        pages_kernels.flush(self._packer, self._finished)
        self._hand_out(last=True)
        return self.level

    def _hand_out(self, last: bool = False) -> None:
        count = int(self._finished.numbers[0])
        if not count:
            return
        pages = self._finished.pages[:count]
        first = self.file.pages
        for place in range(count):
            number = first + place
            before = number - 1 if self.level.numbers else 0
            behind = 0 if last and place == count - 1 else number + 1
            link(pages[place], before, behind)
            size = int(self._finished.separator_bytes[place])
            self.level.separators.append(self._finished.separators[place, :size].tobytes())
            self.level.numbers.append(number)
        self.file.append(pages)
        self._finished.numbers[0] = 0
        if not last:
            _carry(self._finished, count, self._finished)


def _carry(finished: pages_kernels.Finished, place: int, to: pages_kernels.Finished) -> None:
    """The separator of the page still being filled, which stands behind those handed out, becomes the first."""
    to.separators[0] = finished.separators[place]
    to.separator_bytes[0] = finished.separator_bytes[place]


def link(page: np.ndarray, before: int, behind: int) -> None:
    """Set the chain's page numbers, 0 at its ends."""
    page[8:16] = np.array([before, behind], "<u4").view(np.uint8)


def links(page: np.ndarray) -> tuple[int, int]:
    """(page before, page behind) in the chain."""
    before, behind = page[8:16].view("<u4").tolist()
    return before, behind


def unpacked(page: np.ndarray) -> list[tuple[bytes, int, bytes]]:
    """A page's records (key, kind, body), with whole keys; tag and value stand in the body."""
    count = int.from_bytes(page[pages_kernels.COUNT : pages_kernels.COUNT + 2].tobytes(), "little")
    kinds, key_end = np.empty(count, np.uint8), np.empty(count + 1, np.int64)
    keys = np.empty(count * pages_kernels.LONGEST_KEY, np.uint8)
    body_at, body_end = np.empty(count, np.int64), np.empty(count, np.int64)
    pages_kernels.unpack(page, kinds, key_end, keys, body_at, body_end)
    all_keys, data, ends = keys[: key_end[count]].tobytes(), page.tobytes(), key_end.tolist()
    return [
        (all_keys[ends[i] : ends[i + 1]], kind, data[at:end])
        for i, (kind, at, end) in enumerate(zip(kinds.tolist(), body_at.tolist(), body_end.tolist(), strict=True))
    ]


def batch_of(records: list[tuple[bytes, int, bytes]]) -> Batch:
    """Records (key, kind, body) as a batch; tag and value stand in the body."""
    keys, bodies = b"".join(key for key, _, _ in records), b"".join(body for _, _, body in records)
    sizes = np.array([len(body) for _, _, body in records], np.int64)
    return Batch(
        kind=np.array([kind for _, kind, _ in records], np.uint8),
        tag=np.zeros(len(records), np.int32),
        key_end=ends_of([len(key) for key, _, _ in records]),
        keys=bytes_array(keys),
        value_at=np.cumsum(sizes) - sizes,
        value_bytes=sizes,
        blob=bytes_array(bodies),
    )


class Loader:
    """One mapping of the documents that are being read: `add` each chunk, then `finish`."""

    def __init__(self, file: PageFile, mapping: str, fill: float, element_index: bool, value_index: bool):
        self.mapping, self.file, self.fill = MAPPINGS[mapping], file, fill
        self._elements = ElementNotes() if element_index else None
        self._values = ValueNotes() if value_index else None
        self._containers = LevelWriter(file, self.mapping, CONTAINER, fill, self.mapping.compressed)

    def add(self, chunk: Chunk) -> None:
        """Store the chunk's nodes, and note what the indexes need of them."""
        self._containers.add(*batch_of_nodes(chunk, self.mapping))
        for notes in (self._elements, self._values):
            if notes:
                notes.add(chunk)

    def finish(self) -> dict[str, list[Level]]:
        """The levels of the document index and of the other indexes, containers and entries first."""
        trees = {"document": self._levels(self._containers.finish())}
        if self._elements:
            trees[indexes.ELEMENTS] = self._levels(self._entries(self._elements, pages_kernels.ENTRY, ENTRIES))
        if self._values:
            trees[indexes.VALUES] = self._levels(self._entries(self._values, pages_kernels.VALUE, VALUE_ENTRIES))
        return trees

    def _entries(self, notes: Notes, kind: int, page_kind: int) -> Level:
        writer = LevelWriter(self.file, self.mapping, page_kind, self.fill, self.mapping.compressed)
        for batch in notes.batches(kind):
            writer.add(batch, batch.kind.size, np.ones(batch.kind.size, np.uint8))
        return writer.finish()

    def _levels(self, leaves: Level) -> list[Level]:
        """The levels above the leaves, up to a single page."""
        levels = [leaves]
        while len(levels[-1].numbers) > 1:
            below = levels[-1]
            writer = LevelWriter(self.file, self.mapping, INDEX, 1.0, False)
            children = [
                (separator, pages_kernels.CHILD, number.to_bytes(4, "little"))
                for separator, number in zip(below.separators, below.numbers, strict=True)
            ]
            batch = batch_of(children)._replace(tag=np.array(below.numbers, np.int32))
            batch = batch._replace(value_bytes=np.zeros(len(children), np.int64))
            writer.add(batch, len(children), np.ones(len(children), np.uint8))
            levels.append(writer.finish())
        return levels


def batch_of_nodes(chunk: Chunk, mapping: Mapping) -> tuple[Batch, int, np.ndarray]:
    """The chunk's nodes as records of a mapping: (batch, its size, which of them are stored)."""
    nodes, size = chunk.nodes, chunk.size
    kinds, tags = nodes.kind[:size], nodes.name[:size]
    chosen = np.ones(size, np.uint8)
    if mapping.leaves:
        kinds = np.where(kinds == ELEMENT_NODE, np.uint8(pages_kernels.EMPTY), kinds)
        tags, chosen = nodes.path[:size], nodes.leaf[:size]
    batch = Batch(
        kind=kinds,
        tag=tags,
        key_end=nodes.label_end[: size + 1],
        keys=nodes.labels,
        value_at=nodes.value_at[:size],
        value_bytes=nodes.value_bytes[:size],
        blob=chunk.blob,
    )
    return batch, size, chosen
