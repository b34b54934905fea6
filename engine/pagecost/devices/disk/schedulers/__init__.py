"""The disk schedulers: one file each, found by name. A new file with a `SCHEDULER` is a new scheduler everywhere.

One with other than its default parameters is written NAME:PARAMETER=VALUE, `deadline:batch=8`.
"""

from pagecost import registry
from pagecost.devices.disk.scheduler import Scheduler

SCHEDULERS: dict[str, Scheduler] = registry.find(__name__, "SCHEDULER", lambda scheduler: scheduler.rank)
"""Every scheduler by its name, the simplest first."""


def find(text: str) -> tuple[Scheduler, dict[str, float]]:
    """The scheduler and its parameters, defaults filled in. Raises ModelError as `registry.choose` does."""
    return registry.choose("disk scheduler", text, SCHEDULERS)
