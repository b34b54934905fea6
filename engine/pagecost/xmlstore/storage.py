"""A file of pages with checksums, and a journal that makes a group of page writes happen wholly or not at all.

The journal holds the new pages (and what the operation did, as its log record) with a checksum, and is on stable
storage before the first page of the file changes. On opening, a whole journal is replayed and a torn one is thrown
away: the file is as after or as before the operation.
"""

import os
import struct
import zlib
from collections import OrderedDict
from pathlib import Path

import numpy as np

from pagecost.errors import ModelError, require

PAGE_SIZES = (1024, 2048, 4096, 8192, 16384, 32768, 65536)
JOURNAL = struct.Struct("<8sIIIII")  # magic, operation, page size, log record bytes, pages, checksum of the rest
MAGIC = b"pcXMLjnl"
RUN = 256  # pages read at once
CACHED_PAGES = 4096  # 16 MB of 4 KB pages, the buffer of Schmidt 2009


class PageFile:
    """Numbered pages of a file. Pages that an operation changes stay in memory until `commit`.

    touched: page numbers in the order of access while `recording` is set, a write as its complement (~number).
    """

    def __init__(self, path: Path, page_bytes: int):
        require(page_bytes in PAGE_SIZES, f"page_bytes must be one of {PAGE_SIZES}; got {page_bytes}")
        self.path, self.page_bytes = Path(path), page_bytes
        self.journal = self.path.with_name(self.path.name + ".journal")
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o644)
        self.pages = os.fstat(self._file).st_size // page_bytes
        self._cache: OrderedDict[int, np.ndarray] = OrderedDict()
        self._changed: dict[int, np.ndarray] = {}
        self.recording = False
        self.touched: list[int] = []

    def close(self) -> None:
        """Forget changes that were not committed and close the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def read(self, number: int) -> np.ndarray:
        """A page, uint8[page_bytes]; not to be changed. Raises ModelError when its checksum does not fit."""
        if self.recording:
            self.touched.append(number)
        if number in self._changed:
            return self._changed[number]
        if number in self._cache:
            self._cache.move_to_end(number)
            return self._cache[number]
        page = np.frombuffer(bytearray(self.read_raw(number, 1)), np.uint8)
        self.check(number, page)
        self._cache[number] = page
        if len(self._cache) > CACHED_PAGES:
            self._cache.popitem(last=False)
        return page

    def read_raw(self, number: int, pages: int) -> bytes:
        """Consecutive pages from the file as they stand. Raises ModelError behind its end."""
        os.lseek(self._file, number * self.page_bytes, os.SEEK_SET)
        data = os.read(self._file, pages * self.page_bytes)
        whole = 0 < number + pages <= self.pages + 1 and len(data) == pages * self.page_bytes
        require(whole, f"{self.path.name}: page {number} is missing; the file is damaged")
        return data

    def image(self) -> np.ndarray:
        """All pages as they are committed, uint8[pages, page_bytes], each checked. It takes the memory of the file."""
        data = bytearray()
        while len(data) < self.pages * self.page_bytes:
            number = len(data) // self.page_bytes
            data += self.read_raw(number, min(RUN, self.pages - number))
        pages = np.frombuffer(data, np.uint8).reshape(-1, self.page_bytes)
        for number, page in enumerate(pages):
            self.check(number, page)
        return pages

    def check(self, number: int, page: np.ndarray) -> None:
        """Raises ModelError when the page's checksum does not fit: it is torn, damaged or in the wrong place."""
        if int.from_bytes(page[:4].tobytes(), "little") != checksum(number, page):
            raise ModelError(f"{self.path.name}: page {number} does not fit its checksum; the file is damaged")

    def change(self, number: int, page: np.ndarray) -> None:
        """Set a page, to be written by the next commit."""
        if self.recording:
            self.touched.append(~number)
        self._changed[number] = page
        self._cache.pop(number, None)
        self.pages = max(self.pages, number + 1)

    def append(self, pages: np.ndarray) -> None:
        """Write finished pages (uint8[n, page_bytes]) behind the end at once: for a load, before the file is valid."""
        for place, page in enumerate(pages):
            seal(self.pages + place, page)
        os.lseek(self._file, self.pages * self.page_bytes, os.SEEK_SET)
        write_all(self._file, pages.tobytes())
        self.pages += len(pages)

    def roll_back(self) -> None:
        """Forget the changes since the last commit."""
        self._changed.clear()
        self.pages = os.fstat(self._file).st_size // self.page_bytes

    def commit(self, operation: int, log_record: bytes) -> int:
        """Make the changes durable, all or none; bytes written to the journal."""
        for number, page in self._changed.items():
            page[4:8] = np.frombuffer(struct.pack("<I", operation & 0xFFFFFFFF), np.uint8)
            seal(number, page)
        body = log_record + b"".join(
            struct.pack("<I", number) + page.tobytes() for number, page in self._changed.items()
        )
        head = JOURNAL.pack(MAGIC, operation, self.page_bytes, len(log_record), len(self._changed), zlib.crc32(body))
        journal = os.open(self.journal, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o644)
        try:
            write_all(journal, head + body)
            os.fsync(journal)
        finally:
            os.close(journal)
        self._apply(self._changed)
        self._changed.clear()
        return len(head) + len(body)

    def recover(self) -> bool:
        """Replay a whole journal, throw a torn one away. Whether pages were replayed."""
        if not self.journal.exists():
            return False
        data = self.journal.read_bytes()
        pages = _journalled(data, self.page_bytes)
        if pages:
            self._cache.clear()
            self._apply(pages)
            self.pages = max(self.pages, max(pages) + 1)
        else:
            self.journal.unlink()
        return bool(pages)

    def _apply(self, pages: dict[int, np.ndarray]) -> None:
        for number, page in pages.items():
            self._write(number, page)
        os.fsync(self._file)
        self.journal.unlink(missing_ok=True)

    def settle(self, sync: bool) -> None:
        """Write the changed pages of a new file, its first page last; sync: wait until all is on stable storage."""
        for number in sorted(self._changed, reverse=True):
            seal(number, self._changed[number])
            self._write(number, self._changed[number])
        self._changed.clear()
        if sync:
            os.fsync(self._file)

    def _write(self, number: int, page: np.ndarray) -> None:
        os.lseek(self._file, number * self.page_bytes, os.SEEK_SET)
        write_all(self._file, page.tobytes())
        self._cache.pop(number, None)


def _journalled(data: bytes, page_bytes: int) -> dict[int, np.ndarray]:
    """The pages of a journal, or none if it is torn."""
    if len(data) < JOURNAL.size:
        return {}
    magic, _, size, record_bytes, count, expected = JOURNAL.unpack_from(data)
    body = data[JOURNAL.size :]
    whole = magic == MAGIC and size == page_bytes and len(body) == record_bytes + count * (4 + page_bytes)
    whole = whole and zlib.crc32(body) == expected
    if not whole:
        return {}
    places = [record_bytes + place * (4 + page_bytes) for place in range(count)]
    return {
        struct.unpack_from("<I", body, at)[0]: np.frombuffer(body[at + 4 : at + 4 + page_bytes], np.uint8)
        for at in places
    }


def journalled_page_bytes(path: Path) -> int:
    """The page size that a store's journal gives, 0 if there is none that is whole."""
    journal = path.with_name(path.name + ".journal")
    data = journal.read_bytes() if journal.exists() else b""
    size = JOURNAL.unpack_from(data)[2] if len(data) >= JOURNAL.size else 0
    return size if size in PAGE_SIZES and _journalled(data, size) else 0


def checksum(number: int, page: np.ndarray) -> int:
    """CRC-32 of a page behind its checksum, begun with its number, so that a page in a wrong place does not fit."""
    return zlib.crc32(page[4:].data, number)


def seal(number: int, page: np.ndarray) -> None:
    """Set a page's checksum."""
    page[:4] = np.frombuffer(struct.pack("<I", checksum(number, page)), np.uint8)


def write_all(file: int, data: bytes) -> None:
    """Write every byte, however many calls it takes."""
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]
