"""What cleaning a log costs, and what a device gets to write for a page of a database below a file system."""

from typing import NamedTuple

import numpy as np

from pagecost.devices import ftl
from pagecost.filesystem import FileSystem, OutOfPlace, driving_kernels
from pagecost.filesystem import state_kernels as kernels
from pagecost.filesystem.driving import drive, run
from pagecost.path.devices import serve_flash
from pagecost.path.filesystem import blocks_asked
from pagecost.remembering import remembered

BLOCK_BYTES = 4096
BINS = 20
WARM_PASSES, MEASURED_PASSES = 3, 3  # each writes as many pages as the log, or the database, has room for


class Cleaning(NamedTuple):
    """A log of `segments` segments of `segment_blocks` blocks that is `utilisation` full, and how it is cleaned."""

    selection: str
    utilisation: float
    workload: ftl.Workload
    by_age: bool
    streams: int
    whole: bool
    segments: int
    segment_blocks: int
    seed: int

    @property
    def layout(self) -> OutOfPlace:
        """A log without metadata, cleaned when it must be."""
        return OutOfPlace(
            segment_bytes=self.segment_blocks * BLOCK_BYTES,
            selection=self.selection,
            min_clean=0,
            max_clean=0,
            by_age=self.by_age,
            streams=self.streams,
            read_whole_segments=self.whole,
        )

    @property
    def pages(self) -> int:
        """Pages of a block each that live in it."""
        return round(self.utilisation * self.segments * self.segment_blocks)


class Cleaned(NamedTuple):
    """Blocks per block of new data, in steady state. u: of the cleaned segments; rho: of those that are not kept clean.

    shares: float64[20], the segments by their utilisation, in steps of 5 %, as share of all that are in use.
    """

    read: float
    rewritten: float
    u: float
    rho: float
    shares: np.ndarray


@remembered
def cleaning(case: Cleaning) -> Cleaned:
    """The cost of cleaning by simulation. Raises ModelError where so full a log cannot be cleaned."""
    fs = case.layout.state(case.segments * case.segment_blocks, case.pages, BLOCK_BYTES)
    stream = case.workload.stream(case.pages, case.seed)
    for passes in (WARM_PASSES, MEASURED_PASSES):
        fs.blocks[:] = 0
        fs.at[[kernels.CLEANED, kernels.CLEANED_LIVE]] = 0
        pages = drawn(stream, passes * case.segments * case.segment_blocks)  # so that all segments are cleaned
        run(fs, np.full(pages.size, driving_kernels.WRITE), pages)
    new, rewritten = fs.blocks[kernels.WRITE, [kernels.DATA, kernels.CLEANING_WRITE]]
    used = fs.segment[kernels.STATE] == kernels.SEGMENT_USED
    shares, _ = np.histogram(fs.segment[kernels.LIVE, used] / case.segment_blocks, BINS, (0, 1))
    taking_part = case.segments - fs.setting[kernels.RESERVE] - case.streams / 2  # open ones are half full on average
    return Cleaned(
        read=fs.blocks[kernels.READ, kernels.CLEANING_READ] / new,
        rewritten=rewritten / new,
        u=fs.at[kernels.CLEANED_LIVE] / max(1, fs.at[kernels.CLEANED] * case.segment_blocks),
        rho=case.pages / (taking_part * case.segment_blocks),
        shares=shares / max(1, used.sum()),
    )


def drawn(stream: ftl.Stream, count: int) -> np.ndarray:
    """The next `count` pages of a stream, int64."""
    pages = np.empty(count, np.uint32)
    for at in range(0, count, ftl.workload.CHUNK):
        stream.draw(pages[at : at + ftl.workload.CHUNK])
    return pages.astype(np.int64)


class Below(NamedTuple):
    """A database of `pages` pages on a file system that takes all that the host sees of a flash device."""

    file_system: FileSystem
    layer: str
    geometry: ftl.Geometry
    page_bytes: int
    pages: int
    dropped: float
    workload: ftl.Workload
    sync_every: int
    seed: int


class Written(NamedTuple):
    """Bytes per byte of the database's pages, by cause; then what the requests and the flash are like.

    metadata_read, cleaning_read: read because nodes were not in memory, and by the cleaner; all else is written.
    device: copied within the device. requests, request_bytes: number and mean of the writes, without the cleaner's.
    scan_bytes: read in one piece when the file is read from front to back afterwards. wear_variation: standard
    deviation over mean of the erase counts.
    """

    data: float
    metadata: float
    log: float
    cleaning: float
    metadata_read: float
    cleaning_read: float
    device: float
    requests: int
    request_bytes: float
    scan_bytes: float
    device_amplification: float
    erases: int
    wear_variation: float
    logical_bytes: int
    trimmed_bytes: int


@remembered
def written_below(case: Below) -> Written:
    """What becomes of random overwrites: laid out, perhaps partly dropped, overwritten, and then measured.

    Raises ModelError as the file system and the translation layer do.
    """
    geometry = case.geometry
    fs = case.file_system.state(geometry.logical_pages, case.pages, case.page_bytes, laid_out=False)
    device = ftl.Simulation(geometry, layer=case.layer, fill=False, seed=case.seed).device
    kept = case.pages - round(case.dropped * case.pages)
    stream = case.workload.stream(kept, case.seed)
    every = np.arange(case.pages)
    _do(fs, device, np.full(every.size, driving_kernels.WRITE), every, case.sync_every)
    ends = np.array([driving_kernels.DELETE, driving_kernels.SYNC])[0 if kept < case.pages else 1 :]
    _do(fs, device, ends, np.minimum(np.full(ends.size, kept), case.pages - 1), 0, max(1, case.pages - kept))
    rounds = case.sync_every * max(1, case.pages // case.sync_every)  # whole syncs: nothing waits at the end
    for passes in (WARM_PASSES, MEASURED_PASSES):
        fs.blocks[:] = 0
        before, pages = device.counts(), drawn(stream, passes * rounds)
        writes = np.full(pages.size, driving_kernels.WRITE)
        requests, written, trimmed = _do(fs, device, writes, pages, case.sync_every)
    counts = device.counts() - before
    logical = pages.size * case.page_bytes // BLOCK_BYTES
    read, blocks = fs.blocks[[kernels.READ, kernels.WRITE]] / logical
    address = fs.page[kernels.ADDRESS, :kept]
    pieces = 1 + np.count_nonzero(np.diff(address) != fs.setting[kernels.PAGE_BLOCKS])
    erases = device.erase_counts
    return Written(
        data=blocks[kernels.DATA],
        metadata=blocks[kernels.METADATA],
        log=blocks[kernels.SUMMARY] + blocks[kernels.CHECKPOINT],
        cleaning=blocks[kernels.CLEANING_WRITE],
        metadata_read=read[kernels.METADATA],
        cleaning_read=read[kernels.CLEANING_READ],
        device=(counts.programmed_pages - counts.host_pages) / logical,
        requests=requests,
        request_bytes=written * BLOCK_BYTES / max(1, requests),
        scan_bytes=kept * case.page_bytes / pieces,
        device_amplification=counts.write_amplification,
        erases=counts.erases,
        wear_variation=float(erases.std() / max(erases.mean(), 1e-9)),
        logical_bytes=logical * BLOCK_BYTES,
        trimmed_bytes=trimmed * BLOCK_BYTES,
    )


def _do(fs, device, verb, page, sync_every: int, deleted: int = 1) -> tuple[int, int, int]:
    """Let the file system do verbs and the device what it asks.

    (write requests without the cleaner's, their blocks, blocks trimmed).
    """
    found = np.zeros(3, np.int64)
    pages = np.full(verb.size, deleted)
    for rows, of, _ in drive(fs, verb, page, pages=pages, keep=True, sync_every=sync_every):
        serve_flash(device, blocks_asked(rows, np.zeros(of.size), BLOCK_BYTES), BLOCK_BYTES)
        writes = (rows[:, kernels.OP] == kernels.WRITE) & (rows[:, kernels.CAUSE] != kernels.CLEANING_WRITE)
        trims = rows[:, kernels.OP] == kernels.TRIM
        size = rows[:, kernels.BLOCK_COUNT]
        found += np.count_nonzero(writes), size[writes].sum(), size[trims].sum()
    return int(found[0]), int(found[1]), int(found[2])
