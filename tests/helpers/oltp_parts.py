"""Parts of small systems in the loop, for several tests."""

from dataclasses import dataclass

import numpy as np

from pagecost import oltp
from pagecost.devices.service import ServiceTime
from pagecost.oltp.setup import Buffer, Log, Processors, Setup


@dataclass(frozen=True)
class Even:
    """A device with one time for reads and one for writes, whatever their size."""

    read_s: float = 1e-3
    write_s: float = 2e-3
    name: str = "even device"

    def service(self, pattern, block_bytes, span_bytes=None):
        time_s = self.read_s if pattern.endswith("read") else self.write_s
        return ServiceTime({"measured_s": np.full(np.shape(block_bytes), time_s)})


def storage(read_s=1e-3, write_s=2e-3, law="constant", servers=1, **changes):
    drive = oltp.TimedDrive(model=Even(read_s, write_s), law=law, servers=servers)
    return oltp.Storage(**{"drive": drive, "merge_bytes": 0, **changes})


def small_system(data, log=None, users=8, think_s=0.05, frames=300):
    """Users who think, two processors, a buffer that is too small, and a log on a device of its own."""
    return Setup(
        users=users,
        think_s=think_s,
        processors=Processors(servers=2, transaction_s=4e-3),
        buffer=Buffer(frames=frames),
        log=Log(storage=log or storage(write_s=1e-3)),
        storage=data,
    )


def pages_at_random(transactions=60_000, references=1, pages=100_000, write_share=0.0, seed=1):
    """Transactions that read (or write) pages at random, of which a small buffer holds hardly any, without locks."""
    random = np.random.default_rng(seed)
    page = random.integers(0, pages, transactions * references)
    return of_pages(page, random.random(page.size) < write_share, references, pages)


def of_pages(page, write, references, pages=None):
    """Transactions of so many references each to these pages, without locks."""
    page = np.asarray(page, np.int64)
    transactions = page.size // references
    return oltp.Load(
        "pages",
        ("transaction",),
        np.arange(transactions + 1) * references,
        page,
        np.broadcast_to(np.asarray(write, bool), page.shape).copy(),
        np.full(page.size, -1, np.int64),
        np.zeros(transactions, np.uint8),
        pages or int(page.max()) + 1,
        4096,
    )
