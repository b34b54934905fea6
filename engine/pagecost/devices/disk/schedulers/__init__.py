"""The disk schedulers: one file each, found by name. A new file with a `SCHEDULER` is a new scheduler everywhere."""

import importlib
import pkgutil

from pagecost.devices.disk.queue_kernels import Scheduler

_ORDER = ("fcfs", "sstf", "scan", "look", "c-look", "deadline", "sptf", "aged-sptf")


def _find() -> dict[str, Scheduler]:
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    schedulers = {item.name: item for item in (importlib.import_module(f"{__name__}.{n}").SCHEDULER for n in names)}
    known = {name: schedulers[name] for name in _ORDER if name in schedulers}
    return known | schedulers


SCHEDULERS: dict[str, Scheduler] = _find()
"""Every scheduler by its name, the simplest first."""
