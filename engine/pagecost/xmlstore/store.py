"""A native XML store in one file: a collection of documents under one of three mappings, and what each byte is for."""

import contextlib
import copy
import itertools
import json
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from pagecost import cancellation
from pagecost.errors import known, require, require_file
from pagecost.xmlstore import labels, pages_kernels, parse_kernels, writer_kernels
from pagecost.xmlstore.indexes import ELEMENTS, VALUES
from pagecost.xmlstore.labels import Label
from pagecost.xmlstore.loading import CATALOGUE, CONTAINER, ENTRIES, INDEX, VALUE_ENTRIES, Loader, links, unpacked
from pagecost.xmlstore.mappings import MAPPINGS
from pagecost.xmlstore.parsing import WHITESPACE, Parser, bytes_array, pieces_of, require_readable
from pagecost.xmlstore.storage import PAGE_SIZES, PageFile, journalled_page_bytes

MAGIC = b"pcXML\x001\n"
HEAD = struct.Struct("<IIII8sIIII")  # checksum, operation, -, -, magic, page bytes, first and number of pages, bytes
PAGE_BYTES = 4096  # Schmidt 2009, section 6
RUN = 64  # most pages that a scan reads at once
TO_END = b"\xff" * labels.LONGEST_BYTES


@dataclass
class Catalogue:
    """What is known of the whole store: names, path classes, where the trees are."""

    mapping: str
    whitespace: str
    plain_bytes: int
    documents: int
    next_document: int
    operation: int
    names: list[str]
    path_parent: list[int]
    path_name: list[int]
    path_kind: list[int]
    roots: dict[str, int]
    heights: dict[str, int]
    first_container: int
    free: list[int]
    several: list[int] = field(default_factory=list)  # text classes of which one element has more than one node


@dataclass(frozen=True)
class Footprint:
    """Bytes of the container pages by cause; they add up to pages × page size. Bytes unless said otherwise.

    label_bytes, value_bytes: with their lengths (label_length_bytes and value_length_bytes of them). tag_bytes: names
    (VocIDs) or path classes (PCRs). slot_bytes: slots and page headers (header_bytes of them). slack_bytes: unused.
    full_label_bytes: what the labels would take whole.
    index_bytes, element_index_bytes, value_index_bytes, catalogue_bytes (free pages too): the rest.
    file_bytes: all of it.
    """

    plain_bytes: int
    bytes: int
    pages: int
    records: int
    label_bytes: int
    tag_bytes: int
    value_bytes: int
    slot_bytes: int
    slack_bytes: int
    label_length_bytes: int
    full_label_bytes: int
    value_length_bytes: int
    header_bytes: int
    index_bytes: int
    index_height: int
    element_index_bytes: int
    value_index_bytes: int
    catalogue_bytes: int
    file_bytes: int


CAUSES = {
    "label_bytes": "labels",
    "tag_bytes": "names or path classes",
    "value_bytes": "values",
    "slot_bytes": "slots and page headers",
    "slack_bytes": "unused",
}


def load(
    documents: Iterable[tuple[str, Iterable[bytes]]],
    stores: Mapping[str, str | Path],
    *,
    page_bytes: int = PAGE_BYTES,
    fill: float = 1.0,
    whitespace: str = "keep",
    element_index: bool = True,
    value_index: bool = False,
    numbers: Iterable[int] | None = None,
    sync: bool = True,
    progress: Callable[[int], None] = lambda bytes_read: None,
) -> dict[str, "Store"]:
    """Load documents into new stores, one file per mapping, in one parse; the stores, open.

    documents: (name, pieces of bytes) of each. stores: mapping -> path of its file, which is replaced. fill: share of
    a page that is used, 0.1 to 1. whitespace: "keep", or "drop" for blanks with a line break beside tags.
    element_index, value_index: whether elements are indexed by name, attributes and texts by path class and value.
    numbers: the documents' places in the collection, rising from 0, where they are only a part of it. sync: wait until
    the files are on stable storage.
    Elements may be nested as deep as a label of 220 bytes reaches: 342 levels of only children, 106 behind 1000
    siblings a level. Raises ModelError with one sentence for a folder that is not there, and for input that is not XML
    or too large for the format; no file is left then.
    """
    require(page_bytes in PAGE_SIZES, f"page_bytes must be one of {PAGE_SIZES}; got {page_bytes}")
    require(0.1 <= fill <= 1, f"fill must be 0.1..1; got {fill}")
    known("treatment of whitespace", whitespace, WHITESPACE)
    for mapping, path in stores.items():
        known("mapping", mapping, MAPPINGS)
        require(Path(path).parent.is_dir(), f"{path}: there is no folder {Path(path).parent}")
    parser = Parser(whitespace=whitespace)
    places = iter(numbers) if numbers is not None else itertools.count()
    with contextlib.ExitStack() as on_failure:
        loaders = {}
        for mapping, path in stores.items():
            Path(path).unlink(missing_ok=True)
            file = PageFile(Path(path), page_bytes)
            file.journal.unlink(missing_ok=True)
            on_failure.callback(Path(path).unlink, missing_ok=True)
            on_failure.callback(file.close)
            file.append(np.zeros((1, page_bytes), np.uint8))
            loaders[mapping] = Loader(file, mapping, fill, element_index, value_index)

        def place(chunks):
            for chunk in chunks:
                for loader in loaders.values():
                    loader.add(chunk)
                progress(parser.bytes_read)
                cancellation.point()

        for name, pieces in documents:
            cancellation.point()
            parser.number(next(places))
            place(parser.read(name, pieces))
        place(parser.finish())
        require(parser.documents > 0, "there is no document to load")
        found = {mapping: _finish(loader, parser, whitespace, sync) for mapping, loader in loaders.items()}
        on_failure.pop_all()
    return found


def load_file(path: str | Path, stores: Mapping[str, str | Path], **options) -> dict[str, "Store"]:
    """`load` of one file. Raises ModelError, too, when it cannot be read.

    The file is read beforehand: one that is no XML, or nested too deep, is refused before the stores are replaced.
    """
    path = Path(path)
    require_file(path, str(path))
    progress = options.get("progress", lambda bytes_read: None)

    def pieces(file):
        file.seek(0)
        for piece in pieces_of(file):
            progress(0)
            yield piece

    with open(path, "rb") as file:
        require_readable(path.name, lambda: pieces(file), options.get("whitespace", "keep"))
        file.seek(0)
        return load([(path.name, pieces_of(file))], stores, **options)


def key_array(key: bytes) -> np.ndarray:
    """A key for a kernel; the empty key stays empty."""
    return np.frombuffer(bytearray(key), np.uint8)


def _finish(loader: Loader, parser: Parser, whitespace: str, sync: bool) -> "Store":
    trees = loader.finish()
    state = parser.state
    names, paths = int(state.numbers[parse_kernels.NAMES]), int(state.numbers[parse_kernels.PATHS])
    ends = state.name_end
    catalogue = Catalogue(
        mapping=loader.mapping.name,
        whitespace=whitespace,
        plain_bytes=parser.bytes_read,
        documents=parser.documents,
        next_document=int(state.numbers[parse_kernels.DIVISION]),
        operation=0,
        names=[state.name_bytes[ends[i] : ends[i + 1]].tobytes().decode() for i in range(names)],
        path_parent=state.path_parent[:paths].tolist(),
        path_name=state.path_name[:paths].tolist(),
        path_kind=state.path_kind[:paths].tolist(),
        roots={tree: levels[-1].numbers[0] for tree, levels in trees.items()},
        heights={tree: len(levels) - 1 for tree, levels in trees.items()},
        first_container=trees["document"][0].numbers[0],
        free=[],
        several=np.flatnonzero(state.several[:paths]).tolist(),
    )
    store = Store(loader.file, catalogue)
    store.change_catalogue()
    store.file.settle(sync)
    return store


class Store:
    """An open store. `Store.open(path)` recovers from a crash first; use it as a context, or `close` it."""

    def __init__(self, file: PageFile, catalogue: Catalogue):
        self.file, self.catalogue = file, catalogue
        self.mapping = MAPPINGS[catalogue.mapping]
        self._catalogue_pages: list[int] = []
        self._names: writer_kernels.Names | None = None

    @classmethod
    def open(cls, path: str | Path) -> "Store":
        """Open a store's file; an operation that a crash cut short is done wholly or not at all.

        Raises ModelError when it is not a store, or damaged.
        """
        path = Path(path)
        require_file(path, str(path))
        with open(path, "rb") as start:
            head = start.read(HEAD.size)
        magic, page_bytes = HEAD.unpack(head.ljust(HEAD.size, b"\0"))[4:6]
        page_bytes = journalled_page_bytes(path) or (page_bytes if magic == MAGIC else 0)
        require(page_bytes in PAGE_SIZES, f"{path.name}: not a store of pagecost, or damaged in its first page")
        file = PageFile(path, page_bytes)
        try:
            file.recover()
            page = file.read(0)
            *_, _first, pages, size = HEAD.unpack(page[: HEAD.size].tobytes())
            numbers = np.frombuffer(page[HEAD.size : HEAD.size + 4 * pages].tobytes(), "<u4").tolist()
            data = b"".join(file.read(number)[pages_kernels.HEADER :].tobytes() for number in numbers)[:size]
            store = cls(file, Catalogue(**json.loads(zlib.decompress(data))))
        except BaseException:
            file.close()
            raise
        store._catalogue_pages = numbers
        return store

    def close(self) -> None:
        self.file.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def names(self) -> writer_kernels.Names:
        """Vocabulary and path synopsis as arrays."""
        if self._names is None:
            known_names = [name.encode() for name in self.catalogue.names]
            ends = np.zeros(len(known_names) + 1, np.int64)
            np.cumsum([len(name) for name in known_names], out=ends[1:])
            self._names = writer_kernels.Names(
                bytes_array(b"".join(known_names)),
                ends,
                np.array(self.catalogue.path_parent, np.int32),
                np.array(self.catalogue.path_name, np.int32),
                np.array(self.catalogue.path_kind, np.uint8),
            )
        return self._names

    def path_class(self, number: int) -> str:
        """A path class as people write it: /bib/book/@id, /bib/book/title/text()."""
        catalogue = self.catalogue
        steps = []
        while number >= 0:
            name = catalogue.names[catalogue.path_name[number]] if catalogue.path_name[number] >= 0 else ""
            steps.append(("{}", "@{}", "text()", "comment()", "?{}")[catalogue.path_kind[number]].format(name))
            number = catalogue.path_parent[number]
        return "/" + "/".join(reversed(steps))

    def document(self, number: int) -> bytes:
        """One document of the collection, from 0, as XML text in UTF-8 without a declaration."""
        last = (self.catalogue.next_document - labels.FIRST_CHILD) // 2 - 1
        require(0 <= number <= last, f"document must be 0..{last}; got {number}")
        root = labels.FIRST_CHILD + 2 * number
        return b"".join(self._text(labels.encode((root - 1, 3)), labels.encode((root + 1, 3)), 0))

    def subtree(self, label: Label) -> bytes:
        """The node of that label with everything below it, as XML text."""
        return b"".join(self._text(labels.encode(label), labels.subtree_end(label), labels.level(label) - 1))

    def text(self) -> Iterator[bytes]:
        """All documents one after another, in pieces."""
        return self._text(b"", TO_END, 0)

    def _text(self, low: bytes, high: bytes, base: int) -> Iterator[bytes]:
        first, last = key_array(low), key_array(high)
        writer, names = writer_kernels.new_writer(base), self.names()
        leaves, tags = self.mapping.leaves, self.mapping.tag_bytes
        for pages in self._runs(self.leaf("document", low)):
            done, record, ended = 0, 0, False
            while not ended and done < len(pages):
                more, record, ended = writer_kernels.write(
                    pages[done:], record, first, last, names, leaves, tags, writer
                )
                done += more
                if writer.numbers[writer_kernels.LENGTH] + writer_kernels.ROOM > writer.out.size:
                    yield writer.out[: writer.numbers[writer_kernels.LENGTH]].tobytes()
                    writer.numbers[writer_kernels.LENGTH] = 0
            if ended:
                break
        yield writer.out[: writer_kernels.finish(writer, names)].tobytes()

    def records(self, low: bytes = b"", high: bytes = TO_END) -> Iterator[tuple[bytes, int, bytes]]:
        """(key, kind, body) of every record of the containers with low <= key < high; tag and value are in the body."""
        number = self.leaf("document", low)
        while number:
            page = self.file.read(number)
            for record in unpacked(page):
                if record[0] >= high:
                    return
                if record[0] >= low:
                    yield record
            number = links(page)[1]

    def leaf(self, tree: str, key: bytes, level: int = 0) -> int:
        """The leaf page of a tree ("document", "elements", "values") that holds the key, or would.

        level: that many levels above the leaves instead.
        """
        number = self.catalogue.roots[known("index", tree, self.catalogue.roots)]
        wanted = key_array(key)
        for _ in range(self.catalogue.heights[tree] - level):
            number = int(pages_kernels.child_of(self.file.read(number), wanted))
        return number

    def _runs(self, number: int) -> Iterator[np.ndarray]:
        """Pages along a chain, uint8[n, page_bytes]: one, then more and more at once where they lie side by side."""
        done = 0
        while number:
            first = number
            run = [self.file.read(number)]
            number = links(run[0])[1]
            while number == first + len(run) and len(run) < min(done, RUN):
                run.append(self.file.read(number))
                number = links(run[-1])[1]
            yield np.stack(run)
            done += len(run)

    def footprint(self) -> Footprint:
        """Every byte of the file by its cause, counted in the pages themselves."""
        by_cause = np.zeros(10, np.int64)
        pages = dict.fromkeys(range(8), 0)
        mapping = self.mapping
        for number in range(self.file.pages):
            page = self.file.read(number)
            kind = int(page[pages_kernels.KIND]) if number else CATALOGUE
            pages[kind] += 1
            if kind == CONTAINER:
                pages_kernels.account(page, mapping.tag_bytes, mapping.value_mode, by_cause)
        label, label_length, tag, value, value_length, slot, head, slack, records, full = by_cause.tolist()
        size = self.file.page_bytes
        inner = {tree: sum(self.levels(tree)[:-1]) for tree in (ELEMENTS, VALUES)}
        return Footprint(
            plain_bytes=self.catalogue.plain_bytes,
            bytes=pages[CONTAINER] * size,
            pages=pages[CONTAINER],
            records=records,
            label_bytes=label + label_length,
            tag_bytes=tag,
            value_bytes=value + value_length,
            slot_bytes=slot + head,
            slack_bytes=slack,
            label_length_bytes=label_length,
            full_label_bytes=full,
            value_length_bytes=value_length,
            header_bytes=head,
            index_bytes=(pages[INDEX] - sum(inner.values())) * size,
            index_height=self.catalogue.heights["document"],
            element_index_bytes=(pages[ENTRIES] + inner[ELEMENTS]) * size,
            value_index_bytes=(pages[VALUE_ENTRIES] + inner[VALUES]) * size,
            catalogue_bytes=(pages[CATALOGUE] + pages[0]) * size,
            file_bytes=self.file.pages * size,
        )

    def levels(self, tree: str) -> list[int]:
        """How many pages each level of a tree ("document", "elements", "values") has, root first; none without it."""
        if tree not in self.catalogue.roots:
            return []
        first, nothing, counts = self.catalogue.roots[tree], np.empty(0, np.uint8), []
        for level in range(self.catalogue.heights[tree] + 1):
            number, pages = first, 0
            while number:
                pages += 1
                number = links(self.file.read(number))[1]
            counts.append(pages)
            if level < self.catalogue.heights[tree]:
                first = int(pages_kernels.child_of(self.file.read(first), nothing))
        return counts

    def change_catalogue(self) -> None:
        """Set the pages that hold the catalogue, to be written with what else has changed."""
        room = self.file.page_bytes - pages_kernels.HEADER
        while True:  # a page taken from the free ones changes the catalogue itself
            data = zlib.compress(json.dumps(asdict(self.catalogue)).encode())
            needed = -(-len(data) // room)
            if needed <= len(self._catalogue_pages):
                break
            self._catalogue_pages.append(self.new_page())
        require(
            needed * 4 <= self.file.page_bytes - HEAD.size,
            f"{self.file.path.name}: its names and path classes do not fit into the catalogue; use larger pages",
        )
        for place, number in enumerate(self._catalogue_pages):
            page = np.zeros(self.file.page_bytes, np.uint8)
            piece = np.frombuffer(data[place * room : (place + 1) * room], np.uint8)
            page[pages_kernels.HEADER : pages_kernels.HEADER + piece.size] = piece
            page[pages_kernels.KIND] = CATALOGUE
            self.file.change(number, page)
        head = np.zeros(self.file.page_bytes, np.uint8)
        numbers = self._catalogue_pages[:needed]
        packed = (
            HEAD.pack(0, 0, 0, 0, MAGIC, self.file.page_bytes, numbers[0] if numbers else 0, len(numbers), len(data))
            + np.array(numbers, "<u4").tobytes()
        )
        head[: len(packed)] = np.frombuffer(packed, np.uint8)
        self.file.change(0, head)

    def snapshot(self) -> tuple[Catalogue, list[int]]:
        """The catalogue and where it stands, to go back to."""
        return copy.deepcopy(self.catalogue), list(self._catalogue_pages)

    def restore(self, snapshot: tuple[Catalogue, list[int]]) -> None:
        """Go back to a snapshot."""
        self.catalogue, self._catalogue_pages = snapshot
        self.forget_names()

    def forget_names(self) -> None:
        """The names or path classes of the catalogue have changed."""
        self._names = None

    def free_page(self, number: int) -> None:
        """A page that no tree needs any more."""
        self.file.change(number, np.zeros(self.file.page_bytes, np.uint8))
        self.catalogue.free.append(number)

    def new_page(self) -> int:
        """A page that is free, or one behind the end."""
        if self.catalogue.free:
            return self.catalogue.free.pop()
        self.file.pages += 1
        return self.file.pages - 1
