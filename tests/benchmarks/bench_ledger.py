"""The whole ledger on all processors, from an empty store of verdicts, its kernels compiled: seconds, asked ASKED_S.

    python tests/benchmarks/bench_ledger.py             # the ledger; exit code 1 if it takes longer
    python tests/benchmarks/bench_ledger.py --lines     # one process, line by line: which are dear
    python tests/benchmarks/bench_ledger.py --lines wang2011

Say the load of the machine beside the number: other work makes it longer. Lines of a study share its answers, so that
the first of them is charged with all.
"""

import collections
import os
import sys
import tempfile
import time
from pathlib import Path

from pagecost import studies
from pagecost.claims import check, check_all, claims, kept
from pagecost.remembering import keeping_shared

ASKED_S = 120.0
DEAREST = 25
DEAR_S = 1.0


def whole() -> float:
    """Seconds of a run of all lines, none of which is known."""
    with tempfile.TemporaryDirectory() as folder:
        kept.user_cache = lambda: Path(folder)
        began = time.perf_counter()
        check_all()
        return time.perf_counter() - began


def by_line(paper: str | None) -> None:
    """Print the dear lines as they come, then the dearest of them and of the studies."""
    of_study: dict[str, float] = collections.defaultdict(float)
    spent = []
    with keeping_shared():  # as where all are checked
        for claim in claims(paper):
            began = time.perf_counter()
            check(claim)
            spent.append((time.perf_counter() - began, claim.id))
            of_study[claim.study or claim.measure.get("measure", "")] += spent[-1][0]
            if spent[-1][0] >= DEAR_S:
                print(f"{spent[-1][0]:7.1f} s  {claim.id}", flush=True)
    print(f"{sum(seconds for seconds, _ in spent):.0f} s for {len(spent)} lines, one after the other")
    for seconds, name in (*sorted(spent, reverse=True)[:DEAREST], (0.0, "")):
        print(f"{seconds:7.1f} s  {name}" if name else "of each study:")
    for name, seconds in sorted(of_study.items(), key=lambda item: -item[1])[:DEAREST]:
        print(f"{seconds:7.1f} s  {name}")


if __name__ == "__main__":
    studies.warm(thoroughly=True)
    if "--lines" in sys.argv:
        by_line(sys.argv[2] if len(sys.argv) > 2 else None)
        sys.exit()
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    seconds = whole()
    print(f"{len(claims())} lines in {seconds:.0f} s; asked at most {ASKED_S:g} s; load before: {load:.1f}")
    sys.exit(seconds > ASKED_S)
