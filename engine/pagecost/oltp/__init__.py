"""The whole system in a closed loop: users, processors, locks, buffer, log, page cache, file system, queues, devices.

    from pagecost import oltp
    from pagecost.filesystem import LogStructured
    from pagecost.workload.tpcc import TpcC

    load = oltp.tpcc(TpcC(warehouses=30), transactions=20_000)
    setup = oltp.Setup(
        users=30,
        processors=oltp.Processors(servers=2, transaction_s=5e-3),
        buffer=oltp.Buffer(frames=2048, policy="lru"),
        page_cache=oltp.PageCache(pages=400_000),
        file_system=LogStructured(cleaning_interval_s=10, min_clean=0, protection_period_s=0),
        storage=oltp.Storage(drive=oltp.drive("mtron-pro-7500"), scheduler="anticipatory"),
    )
    made = oltp.run(setup, load, seconds=60, fill=5000)
    made.tpm, made.composition, made.utilisation, made.mean_request_bytes("device", "write"), made.windows["tps"]

`oltp.drive(id, **changes)` takes a hard disk's mechanics, of anything else its times; `Storage(count=8)` stripes.
`oltp.tpox` runs TPoX, `oltp.replayed(oltp.recorded(name, requests, oltp.Cut(references=50)), users=30)` a trace.
`Setup(rate_hz=200)` has transactions come by themselves at random times, and users are the connections for them.
Without a file system pages have their places, without a page cache input and output are direct. `answers.path_runs`
remembers runs, `answers.oltp_drives` knows drives by their chips. What it rests on stands in docs/models/loop.md#laws
and above it.
"""

from pagecost.oltp.drives import SCHEDULERS, DiskDrive, Drive, Storage, TimedDrive, drive, has_arm
from pagecost.oltp.kept import forget
from pagecost.oltp.loads import Load, debit_credit, of_requests, tpcc, tpox
from pagecost.oltp.recorded import Cut, Recorded, recorded, replayed
from pagecost.oltp.run import LEVELS, MOST_SECONDS, OPEN_TERMS, OPERATIONS, TERMS, OltpRun, Simulation, run
from pagecost.oltp.setup import Buffer, Log, PageCache, Processors, Setup

__all__ = ["LEVELS", "OPERATIONS", "SCHEDULERS", "TERMS", "Buffer", "Cut", "DiskDrive", "Drive", "Load", "Log"]
__all__ += ["MOST_SECONDS", "OPEN_TERMS", "OltpRun", "PageCache", "Processors", "Setup", "Simulation"]
__all__ += ["Storage", "TimedDrive"]
__all__ += ["Recorded", "debit_credit", "drive", "forget", "has_arm", "of_requests", "recorded", "replayed", "run"]
__all__ += ["tpcc", "tpox"]
