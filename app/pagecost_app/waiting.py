"""What the command line says on standard error while a file is read, and of what was in it."""

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


def remark(trace: str, note: str) -> None:
    """What one must know of a trace to use the numbers, where there is anything."""
    if note:
        print(f"pagecost: {trace}: {note}", file=sys.stderr)
