"""XML transactions on a hard disk whose own cache takes their writes: in time, request by request, with its arm."""

from typing import NamedTuple

import numpy as np

from pagecost.answers.xml_runs import PAGE_BYTES, TRANSACTIONS, Load, Processor, Served, Work, database
from pagecost.devices.disk import Disk, WriteBackSession
from pagecost.devices.disk.geometry import SECTOR_BYTES
from pagecost.oscaches import Host
from pagecost.remembering import remembered
from pagecost.workload import tpox as load_of_tpox

PAGE_SECTORS = PAGE_BYTES // SECTOR_BYTES


class WriteCache(NamedTuple):
    """A drive's cache as `WriteBackSession` has it: bytes, rate of the interface, rest [s] before it is emptied."""

    limit_bytes: int
    interface_bytes_per_s: float
    rest_s: float


@remembered
def served(load: Load, host: Host, disk: Disk, cache: WriteCache, processor: Processor, log_page_s: float) -> Served:
    """Reads wait for the arm; a write is done when the cache has it, and the arm follows when it is free.

    The database lies at the begin of the disk, single user. A transaction's own time comes before its first request:
    the processor's, the host's, and log_page_s for each page of its log, which lies elsewhere.
    """
    stored = database(load.mapping, load.plain_bytes)
    work = load_of_tpox.workload(stored, TRANSACTIONS, load.write_share, load.seed)
    pages, writes = work.requests.page_references()
    below = host.serve(pages, writes, stored.pages, page_bytes=PAGE_BYTES, buffered=True)
    own_s = (
        processor.transaction_s
        + work.records * processor.record_s
        + work.decoded * processor.decode_s
        + np.diff(work.first) * processor.host_io_s
        + np.ceil(work.log_bytes / PAGE_BYTES) * log_page_s
    )
    transaction = np.searchsorted(work.first, below.cause, side="right") - 1
    passed_s = np.cumsum(own_s)[transaction]
    pause_s = np.diff(passed_s, prepend=0.0)
    pause_s[1:] += np.where(below.write[:-1], 0.0, processor.disk_wait_s)
    session = WriteBackSession(disk, cache.limit_bytes, cache.interface_bytes_per_s, rest_s=cache.rest_s)
    counted = int(np.searchsorted(transaction, load.warm_up))
    for part in (slice(counted), slice(counted, None)):
        run = session.serve(below.block[part] * PAGE_SECTORS, PAGE_SECTORS, below.write[part], pause_s=pause_s[part])
    number = TRANSACTIONS - load.warm_up
    reading_s = run.reading_s / number
    return Served(
        waited=Work(float(run.response_s.sum()) / number, reading_s, reading_s),
        behind_s=run.writing_s / number,
        writes=run.written_bytes / PAGE_BYTES / number,
    )
