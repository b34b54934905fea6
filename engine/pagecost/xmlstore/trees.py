"""A B*-tree over the pages of a store: any range of records is replaced by others, splits wait for full neighbours.

A page that runs over first shares with a neighbour; only when both are full, three pages are made of two (so pages stay
two thirds full). A page less than half full is joined with a neighbour where both fit.
"""

from bisect import bisect_left
from typing import NamedTuple

import numpy as np

from pagecost.xmlstore import pages_kernels
from pagecost.xmlstore.indexes import ELEMENTS, VALUES
from pagecost.xmlstore.loading import CONTAINER, ENTRIES, INDEX, VALUE_ENTRIES, batch_of, link, links, unpacked
from pagecost.xmlstore.mappings import AS_THEY_STAND
from pagecost.xmlstore.pages_kernels import CHILD, Batch, new_finished, new_packer
from pagecost.xmlstore.store import Store

Record = tuple[bytes, int, bytes]  # key, kind, body
LEAF_KINDS = {"document": CONTAINER, ELEMENTS: ENTRIES, VALUES: VALUE_ENTRIES}


class Packed(NamedTuple):
    """Records in pages, with what parts each page from the one before."""

    pages: np.ndarray  # uint8[n, page_bytes]
    separators: list[bytes]


class Tree:
    """One tree of a store: "document", "elements" or "values". Changes wait for the store's commit."""

    def __init__(self, store: Store, name: str):
        self.store, self.name = store, name
        self._leaf_kind = LEAF_KINDS[name]

    def replace(self, low: bytes, high: bytes, records: list[Record], level: int = 0) -> None:
        """Put `records` (keys rising, low <= key < high) in the place of all that have such keys.

        level: 0 are the leaves; records of upper levels are separators with page numbers.
        """
        numbers, found = self._covering(low, high, level)
        keys = [record[0] for record in found]
        found[bisect_left(keys, low) : bisect_left(keys, high)] = records
        packed = self._packed(found, level)
        if len(packed.pages) > len(numbers) or (len(packed.pages) == 1 and self._is_slack(packed)):
            numbers, found = self._with_neighbour(numbers, found, level)
            packed = self._packed(found, level)
        self._store(numbers, self._evened(found, packed, level), level)

    def change(self, dropped: set[bytes], added: list[Record]) -> None:
        """Delete records by their keys and insert others, wherever they lie: one replacement for each leaf.

        A record whose key is there already takes the place of the old one.
        """
        new = {record[0]: record for record in added}
        keys = sorted(dropped | new.keys())
        while keys:
            number = self._page(keys[0], 0)
            end = next((place for place, key in enumerate(keys) if self._page(key, 0) != number), len(keys))
            here, keys = keys[:end], keys[end:]
            kept = [record for record in self._records(number) if here[0] <= record[0] <= here[-1]]
            wanted = {record[0]: record for record in kept if record[0] not in dropped}
            wanted.update((key, new[key]) for key in here if key in new)
            self.replace(here[0], here[-1] + b"\0", [wanted[key] for key in sorted(wanted)])

    def _covering(self, low: bytes, high: bytes, level: int) -> tuple[list[int], list[Record]]:
        """The pages of a level that hold keys of a range, or would, and all their records."""
        number, last = self._page(low, level), self._page(high, level)
        numbers, found = [number], self._records(number)
        while number != last:
            number = self._links(number)[1]
            numbers.append(number)
            found += self._records(number)
        return numbers, found

    def _with_neighbour(self, numbers: list[int], found: list[Record], level: int) -> tuple[list[int], list[Record]]:
        """The page behind, or else the page before, joined to the pages at hand."""
        before, behind = self._links(numbers[0])[0], self._links(numbers[-1])[1]
        if behind:
            return [*numbers, behind], found + self._records(behind)
        if before:
            return [before, *numbers], self._records(before) + found
        return numbers, found

    def _is_slack(self, packed: Packed) -> bool:
        page = packed.pages[0]
        used = int.from_bytes(page[pages_kernels.USED : pages_kernels.USED + 2].tobytes(), "little")
        return used < page.size // 2

    def _packed(self, records: list[Record], level: int) -> Packed:
        """Records in as few pages as they need."""
        return self._filled(batch_of(records), level, self.store.file.page_bytes)

    def _evened(self, records: list[Record], packed: Packed, level: int) -> Packed:
        """The same number of pages, as equally full as their records let them be: under the lowest limit that does."""
        count, size = len(packed.pages), self.store.file.page_bytes
        if count == 1:
            return packed
        batch, low, high = batch_of(records), size // count, size
        while high - low > size // 64:
            limit = (low + high) // 2
            tried = self._filled(batch, level, limit)
            if len(tried.pages) <= count:
                packed, high = tried, limit
            else:
                low = limit
        return packed

    def _filled(self, batch: Batch, level: int, limit: int) -> Packed:
        """Records in pages that are filled up to `limit` bytes."""
        size, records = self.store.file.page_bytes, batch.kind.size
        kind, compressed = (INDEX, False) if level else (self._leaf_kind, self.store.mapping.compressed)
        packer = new_packer(size, 1.0, compressed, kind, AS_THEY_STAND.tag_bytes, AS_THEY_STAND.value_mode)
        packer.numbers[pages_kernels.BEGUN] = not records
        packer.numbers[pages_kernels.LIMIT] = limit
        most = int(batch.key_end[-1] + batch.value_bytes.sum()) + 8 * records  # bytes, none of them shared
        finished = new_finished(4 * most // size + 16, size)
        pages_kernels.pack(batch, 0, records, np.ones(records, np.uint8), packer, finished)
        pages_kernels.flush(packer, finished)
        count = int(finished.numbers[0])
        separators = [finished.separators[place, : finished.separator_bytes[place]].tobytes() for place in range(count)]
        return Packed(finished.pages[:count], separators)

    def _store(self, numbers: list[int], packed: Packed, level: int) -> None:
        """Put packed pages in the place of pages `numbers`, and tell the level above."""
        height = self.store.catalogue.heights[self.name]
        alone = len(numbers) == len(packed.pages) == 1
        before, behind = self._links(numbers[0])[0], self._links(numbers[-1])[1]
        parted = [] if alone or level == height else [self._separator(number, level) for number in numbers]
        kept = numbers[: len(packed.pages)]
        fresh = kept + [self.store.new_page() for _ in range(len(packed.pages) - len(kept))]
        chain = [before, *fresh, behind]
        for place, page in enumerate(packed.pages):
            page = page.copy()
            link(page, chain[place], chain[place + 2])
            self.store.file.change(fresh[place], page)
        self._relink(before, behind, fresh)
        for number in numbers[len(kept) :]:
            self.store.free_page(number)
        if level < height:
            if not alone:
                entries = self._entries(fresh, [parted[0], *packed.separators[1:]])
                self.replace(parted[0], parted[-1] + b"\0", entries, level + 1)
        elif len(fresh) > 1:
            self._grow(fresh, packed.separators)
        elif level:
            self._shrink(fresh[0])

    def _entries(self, numbers: list[int], separators: list[bytes]) -> list[Record]:
        return [
            (separator, CHILD, number.to_bytes(4, "little"))
            for separator, number in zip(separators, numbers, strict=True)
        ]

    def _relink(self, before: int, behind: int, fresh: list[int]) -> None:
        """The neighbours outside point at the new ends."""
        for number, outward in ((before, 0), (behind, 1)):
            if number:
                page = self.store.file.read(number).copy()
                ends = list(links(page))
                ends[1 - outward] = fresh[-1] if outward else fresh[0]
                link(page, *ends)
                self.store.file.change(number, page)

    def _grow(self, numbers: list[int], separators: list[bytes]) -> None:
        """A root above the pages of the highest level."""
        catalogue = self.store.catalogue
        catalogue.heights[self.name] += 1
        packed = self._packed(self._entries(numbers, [b"", *separators[1:]]), catalogue.heights[self.name])
        root = self.store.new_page()
        catalogue.roots[self.name] = root
        page = np.zeros(self.store.file.page_bytes, np.uint8)
        link(page, 0, 0)
        self.store.file.change(root, page)
        self._store([root], packed, catalogue.heights[self.name])

    def _shrink(self, root: int) -> None:
        """A root with one child gives its place to it."""
        catalogue = self.store.catalogue
        records = self._records(root)
        if len(records) == 1:
            catalogue.roots[self.name] = int.from_bytes(records[0][2][:4], "little")
            catalogue.heights[self.name] -= 1
            self.store.free_page(root)

    def _page(self, key: bytes, level: int) -> int:
        """The page of a level that holds the key, or would."""
        return self.store.leaf(self.name, key, level)

    def _entry(self, number: int, key: bytes) -> Record:
        """The last entry of an index page whose separator is not behind the key."""
        records = self._records(number)
        place = bisect_left([record[0] for record in records], key + b"\0")
        return records[max(place - 1, 0)]

    def _separator(self, number: int, level: int) -> bytes:
        """What the level above says of a page."""
        first = self._records(number)[0][0]
        return self._entry(self._page(first, level + 1), first)[0]

    def _records(self, number: int) -> list[Record]:
        return unpacked(self.store.file.read(number))

    def _links(self, number: int) -> tuple[int, int]:
        return links(self.store.file.read(number))
