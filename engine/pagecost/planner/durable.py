"""Bytes that reach a device for a page and for a log write that are made durable: counted on the path, once a load."""

from typing import NamedTuple

from pagecost import oltp
from pagecost.answers import path_runs
from pagecost.devices.disk import Disk
from pagecost.planner.demand import Asked
from pagecost.remembering import remembered

FILL, COUNTED = 1_000, 1_000  # transactions
CAPACITY_BYTES = 4e12  # of the device on which they are counted, where every place is alike: only bytes count


class Durable(NamedTuple):
    """Bytes to the device of a page that is written, and of a log write among pages [B]. A log apart has no files."""

    page_bytes: float
    log_bytes: float


@remembered
def durable(of: Asked, layout: str, policy: str, frames: int, force: bool, log_bytes: int) -> Durable:
    """With all that the file system writes beside them, but for what its cleaner copies.

    layout: one of `path_runs.FILE_SYSTEMS`. policy, frames: of the buffer, frames at least 1. force: FORCE, the pages
    of a transaction go together. log_bytes: of a log write alone [B], the least that comes out for one among pages.
    Raises ModelError for an unknown layout or policy, and as `oltp.run` where the parts do not fit.
    """
    pages, written = _counted(of, layout, policy, frames, force, apart=True)[:2]
    if not pages:
        return Durable(of.page_bytes, log_bytes)
    each = written / pages
    pages, written, logs = _counted(of, layout, policy, frames, force, apart=False)
    return Durable(each, max(float(log_bytes), (written - each * pages) / logs) if logs else log_bytes)


def _counted(of: Asked, layout: str, policy: str, frames: int, force: bool, *, apart: bool) -> tuple[int, int, int]:
    """Pages written, bytes to the device of the pages, log writes."""
    disk = Disk.flat("any place alike", capacity_bytes=CAPACITY_BYTES, access_s=1e-4, bytes_per_s=1e9)
    storage = oltp.Storage(drive=oltp.DiskDrive(disk=disk))
    load = of.load(FILL + COUNTED)
    fill = min(FILL, load.transactions // 2)
    made = oltp.run(
        oltp.Setup(
            users=1,
            buffer=oltp.Buffer(frames=frames, policy=policy, force=force),
            file_system=path_runs.file_system(layout, path_runs.Cleaner()),
            cleaning=False,
            log=oltp.Log(**of.logged._asdict(), storage=storage if apart else None),
            storage=storage,
        ),
        load,
        transactions=min(COUNTED, load.transactions - fill),
        fill=fill,
    )
    counts = made.counts
    return (
        counts["page writes"] + counts["forced writes"],
        made.written_bytes["device"],
        counts["log writes"],
    )
