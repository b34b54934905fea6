"""How long a database is away after a crash, and how often a checkpoint pays: closed forms, for nothing fails in the
simulation.

After a crash the log since the last checkpoint is read, and pages that it changed are read, changed again and written
(Härder and Reuter 1983; Mohan et al. 1992). A checkpoint every so often costs work in calm times and saves it then.
"""

import math

from pagecost.errors import require


def restart_s(rate_hz: float, since_s: float, log_s: float, redo_pages: float, page_s: float, disks: int = 1) -> float:
    """Time [s] until all that was committed is there again.

    rate_hz: log writes a second before the crash; since_s: time since the checkpoint [s]; log_s: time to read back what
    one log write wrote [s]; redo_pages: pages that are redone, each page_s [s] of a disk; disks: how many do that at
    once. Applying the records is left out: a processor needs microseconds for one. Raises ModelError for negative
    values and less than one disk.
    """
    log = (("rate_hz", rate_hz), ("since_s", since_s), ("log_s", log_s))
    for name, value in (*log, ("redo_pages", redo_pages), ("page_s", page_s)):
        require(value >= 0, f"{name} of a restart must not be negative; got {value:g}")
    require(disks >= 1, f"pages are redone by 1 disk at least; got {disks}")
    return rate_hz * since_s * log_s + redo_pages * page_s / disks


def best_checkpoint_interval_s(checkpoint_s: float, failure_s: float, redo_per_s: float = 1.0) -> float:
    """Time [s] from checkpoint to checkpoint at which checkpoints and restarts together take least (Young 1974).

    A share checkpoint_s / T of the time goes to checkpoints, and every failure_s [s] a restart redoes T / 2 on average,
    each second of it in redo_per_s [s]: T = sqrt(2 checkpoint_s failure_s / redo_per_s), good while T is far below
    failure_s. Raises ModelError unless all are above 0.
    """
    for name, value in (("checkpoint_s", checkpoint_s), ("failure_s", failure_s), ("redo_per_s", redo_per_s)):
        require(value > 0, f"{name} must be above 0; got {value:g}")
    return math.sqrt(2 * checkpoint_s * failure_s / redo_per_s)
