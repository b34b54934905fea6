"""Where `sampled_times` finds the runs that moved to `pagecost.answers.ssd_runs`."""

from pagecost import catalogue
from pagecost.answers import ssd_runs
from pagecost.answers.ssd_runs import steady_session
from pagecost.devices.ssd import Ssd

__all__ = ["ssd_of", "steady_session"]


def ssd_of(device: str) -> Ssd:
    """`pagecost.answers.ssd_runs.ssd_of` by name."""
    return ssd_runs.ssd_of(catalogue.device(device))
