"""What the command line shows while a file is read."""

import sys
from collections.abc import Callable

from pagecost.workload.traces import no_progress


def progress_line(what: str) -> Callable[[float], None]:
    """A line on a terminal's standard error that counts up; silence where nobody watches."""
    if not sys.stderr.isatty():
        return no_progress

    def say(share: float) -> None:
        sys.stderr.write("\r" + " " * 30 + "\r" if share >= 1 else f"\r{what} … {share:.0%} ")
        sys.stderr.flush()

    return say
