"""ext4 with its ordered journal, as jbd2 writes it (docs/models/programs.md#the-journal).

A transaction gathers blocks of metadata that changed. It is committed when a file whose inode is in it is synced, or
when it is `commit_s` old: descriptor blocks, the gathered blocks, a commit block. Later each gathered block is also
written where it belongs, once for all transactions until then. Data go where they belong, and before the commit.
"""

import heapq
from collections.abc import Hashable, Iterable, Mapping
from itertools import groupby
from pathlib import PurePosixPath

from pagecost.programs.ledger import BLOCK_BYTES, JOURNAL, METADATA, Ledger
from pagecost.programs.page_cache import File

GROUP_BLOCKS = 8 * BLOCK_BYTES
INODES_PER_BLOCK = BLOCK_BYTES // 256
TAG_BYTES, TAG_HEAD_BYTES = 16, 12 + 16 + 4  # a tag with checksum and 64 bits; header, UUID, checksum at the end
TAGS = (BLOCK_BYTES - TAG_HEAD_BYTES) // TAG_BYTES
DESCRIPTORS = BLOCK_BYTES // 64  # of groups in a block
METADATA_BLOCKS = 4096  # addresses of metadata: as many as this model may ever name
SUPERBLOCK = ("superblock",)
CHECKPOINT_SHARE = 4  # a quarter of the journal is kept free


class Ext4:
    """A volume of which only what changes is known. Files lie in one piece as far as there is room."""

    def __init__(
        self,
        ledger: Ledger,
        paths: Iterable[str],
        inodes: Mapping[str, int],
        *,
        commit_s: float,
        expire_s: float,
        tick_s: float,
        journal_bytes: float,
    ):
        self.ledger, self.known_inodes = ledger, inodes
        self.folders = {path.rpartition("/")[0] for path in paths}
        self.commit_s, self.expire_s, self.tick_s = commit_s, expire_s, tick_s
        self.journal_blocks = int(journal_bytes) // BLOCK_BYTES
        self.now_s = 0.0
        self.bytes_at_end = 0
        self.tid = 1
        self.started_s: float | None = None
        self.gathered: dict[Hashable, str] = {}  # block -> the file that changed it first
        self.in_place: dict[Hashable, str] = {}  # committed, and not where they belong
        self.in_place_since_s = 0.0
        self.logged = 0
        self.head = 0
        self.sync_tid: dict[int, int] = {}
        self.data_tid: dict[int, int] = {}
        self.stamp: dict[int, float] = {}
        self.looked_at: set[int] = set()
        self.block: dict[int, dict[int, int]] = {}  # file -> page -> block
        self.unwritten: dict[int, set[int]] = {}
        self.inode: dict[Hashable, int] = {}
        self.free_inodes: list[int] = []
        self.next_inode = 0
        self.address: dict[Hashable, int] = {}
        self.free_blocks: list[int] = []
        self.next_block = METADATA_BLOCKS + self.journal_blocks

    # what the page cache tells

    def created(self, file: File) -> None:
        """A new inode, and an entry in the directory."""
        self.inode[file.number] = heapq.heappop(self.free_inodes) if self.free_inodes else self._new_inode()
        if not file.nameless:
            self._mark(file, self._directory(file), self._folder_inode(file))
        self._mark(file, ("inode bitmap",), *self._inode(file), ("descriptors", 0))
        self.sync_tid[file.number] = self.data_tid[file.number] = self.tid

    def changed(self, file: File, grew: bool, pages: range) -> None:
        """The inode's times, if the clock has gone on or somebody looked; its size where the block is there."""
        stamp = self.now_s // self.tick_s
        if self.stamp.get(file.number) != stamp or file.number in self.looked_at:
            self.stamp[file.number] = stamp
            self.looked_at.discard(file.number)
            self._mark(file, *self._inode(file))
            self.sync_tid[file.number] = self.tid
        if grew and (not pages or self._has(file, pages[-1])):
            self._mark(file, *self._inode(file))
            self.sync_tid[file.number] = self.data_tid[file.number] = self.tid

    def written(self, file: File, pages: list[int], direct: bool) -> None:
        """Pages that have no block get one: the inode and the bitmap of the group change."""
        own = self.block.setdefault(file.number, {})
        new = [page for page in pages if not self._has(file, page)]
        for page in pages:
            if page not in own:
                own[page] = self._free_block()
        if new:
            self._mark(file, *self._inode(file), *self._bitmaps(own[page] for page in new))
        unwritten = self.unwritten.get(file.number)
        if unwritten and not unwritten.isdisjoint(pages):
            unwritten.difference_update(pages)
            self._mark(file, *self._inode(file))
            new = pages
        if new:
            self.sync_tid[file.number] = self.data_tid[file.number] = self.tid
        blocks = [own[page] for page in pages]
        for _, run in groupby(enumerate(blocks), lambda pair: pair[1] - pair[0]):
            found = list(run)
            self.ledger.write(found[0][1], len(found))

    def cut(self, file: File, pages: int) -> None:
        """Blocks are given back; meanwhile the inode stands in the list of orphans."""
        gone = self._give_back(file, pages)
        self._mark(file, *self._inode(file), *([SUPERBLOCK] if gone else []), *gone)
        self.sync_tid[file.number] = self.data_tid[file.number] = self.tid

    def allocated(self, file: File, pages: range) -> None:
        """Blocks are set aside, to be read as zeros."""
        own = self.block.setdefault(file.number, {})
        new = [page for page in pages if not self._has(file, page)]
        for page in new:
            own[page] = self._free_block()
        self.unwritten.setdefault(file.number, set()).update(new)
        if new:
            self._mark(file, *self._inode(file), *self._bitmaps(own[page] for page in new))
            self.sync_tid[file.number] = self.data_tid[file.number] = self.tid

    def unlinked(self, file: File) -> None:
        """Directory, inode, and what it held."""
        self._mark(file, self._directory(file), self._folder_inode(file))
        self.released(file)

    def unnamed(self, file: File) -> None:
        """Directory and inode."""
        self.renamed(file)

    def released(self, file: File) -> None:
        """Inode, and what it held."""
        gone = self._give_back(file, 0)
        self._mark(file, ("inode bitmap",), *self._inode(file), ("descriptors", 0), SUPERBLOCK, *gone)
        if file.number in self.inode:
            heapq.heappush(self.free_inodes, self.inode.pop(file.number))

    def renamed(self, file: File) -> None:
        """Directory and inode."""
        self._mark(file, self._directory(file), self._folder_inode(file), *self._inode(file))
        self.sync_tid[file.number] = self.tid

    def looked(self, file: File) -> None:
        """Its times were read: the next change gets a time of its own (multigrain, Linux 6.13)."""
        self.looked_at.add(file.number)

    def synced(self, file: File, data_only: bool) -> None:
        """The transaction that holds the inode is committed, if it is not yet; with a folder whatever runs."""
        if file.path in self.folders:
            if self.gathered:
                self._commit(None)
            return
        tids = self.data_tid if data_only else self.sync_tid
        if tids.get(file.number) == self.tid and self.gathered:
            self._commit(file.path)

    def tick(self, now_s: float) -> None:
        """A transaction that is old is committed; metadata that waited for long are written where they belong."""
        self.now_s = now_s
        if self.started_s is not None and now_s >= self.started_s + self.commit_s:
            self._commit(None)
        if self.in_place and now_s >= self.in_place_since_s + self.expire_s:
            self._write_in_place()

    def settle(self) -> None:
        """The last transaction, and all metadata where they belong."""
        if self.gathered:
            self._commit(None)
        self._write_in_place()

    def ended(self) -> None:
        """Remembers what was written by now."""
        self.bytes_at_end = self.ledger.device_bytes

    def finish(self) -> int:
        """Bytes to the device until the program had ended."""
        return self.bytes_at_end

    # the journal

    def _mark(self, file: File, *blocks: Hashable) -> None:
        """Blocks of metadata are changed by the running transaction."""
        if self.started_s is None:
            self.started_s = self.now_s
        for block in blocks:
            self.gathered.setdefault(block, file.path)

    def _commit(self, path: str | None) -> None:
        """path: of the file that asked for it; None: the timer did, and who began the transaction pays."""
        by = next(iter(self.gathered.values())) if path is None else path
        descriptors = -(-len(self.gathered) // TAGS)
        self.ledger.count(by, JOURNAL, (descriptors + 1) * BLOCK_BYTES)
        for owner in self.gathered.values():
            self.ledger.count(owner, JOURNAL, BLOCK_BYTES)
        self._log(descriptors + len(self.gathered))
        self._log(1)
        if not self.in_place:
            self.in_place_since_s = self.now_s
        for block, owner in self.gathered.items():
            self.in_place.setdefault(block, owner)
        self.gathered = {}
        self.started_s = None
        self.tid += 1
        self.ledger.commits += 1
        if self.logged > self.journal_blocks * (CHECKPOINT_SHARE - 1) // CHECKPOINT_SHARE:
            self._write_in_place()

    def _log(self, blocks: int) -> None:
        """Append to the journal, which goes round."""
        self.logged += blocks
        while blocks:
            part = min(blocks, self.journal_blocks - self.head)
            self.ledger.write(METADATA_BLOCKS + self.head, part)
            self.head = (self.head + part) % self.journal_blocks
            blocks -= part

    def _write_in_place(self) -> None:
        for block, owner in self.in_place.items():
            self.ledger.count(owner, METADATA, BLOCK_BYTES)
            self.ledger.write(self.address.setdefault(block, len(self.address) % METADATA_BLOCKS))
        self.in_place = {}
        self.logged = 0

    # where things are

    def _has(self, file: File, page: int) -> bool:
        return page < file.before or page in self.block.get(file.number, ())

    def _new_inode(self) -> int:
        self.next_inode += 1
        return self.next_inode

    def _folder(self, file: File) -> str:
        return str(PurePosixPath(file.path).parent)

    def _directory(self, file: File) -> Hashable:
        return "directory", self._folder(file)

    def _folder_inode(self, file: File) -> Hashable:
        path, folder = self._folder(file), self._directory(file)
        if path in self.known_inodes:
            return _inode_block(self.known_inodes[path])
        if folder not in self.inode:
            self.inode[folder] = self._new_inode()
        return _inode_block(self.inode[folder])

    def _inode(self, file: File) -> tuple[Hashable, ...]:
        """The block that the inode lies in; of a file whose number nobody knows, that of its folder's."""
        known = self.known_inodes.get(file.path, self.known_inodes.get(self._folder(file)))
        if known is not None:
            return (_inode_block(known),)
        if file.number not in self.inode:
            self.inode[file.number] = self._new_inode()
        return (_inode_block(self.inode[file.number]),)

    def _bitmaps(self, blocks: Iterable[int]) -> list[Hashable]:
        """Bitmap and descriptor of each group that blocks lie in."""
        groups = sorted({block // GROUP_BLOCKS for block in blocks})
        descriptors = sorted({group // DESCRIPTORS for group in groups})
        return [*(("bitmap", group) for group in groups), *(("descriptors", number) for number in descriptors)]

    def _free_block(self) -> int:
        if self.free_blocks:
            return heapq.heappop(self.free_blocks)
        self.next_block += 1
        return self.next_block - 1

    def _give_back(self, file: File, first: int) -> list[Hashable]:
        """Blocks of a file from page `first` on are free; the bitmaps that say so."""
        own = self.block.get(file.number, {})
        gone = [page for page in own if page >= first]
        blocks = [own.pop(page) for page in gone]
        for block in blocks:
            heapq.heappush(self.free_blocks, block)
        if file.before > first:
            blocks.append(self._free_block())  # of what was there before nobody knows where
            heapq.heappush(self.free_blocks, blocks[-1])
        return self._bitmaps(blocks)


def _inode_block(number: int) -> Hashable:
    """The block of the inode table that an inode lies in; they are numbered from 1."""
    return "inodes", (number - 1) // INODES_PER_BLOCK
