"""How many processors work may be spread over."""

import os


def processors() -> int:
    """Those that this process may use, which a container or a batch system makes fewer than the machine has."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS and Windows
        return os.cpu_count() or 1
