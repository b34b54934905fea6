"""The ledger's verdicts, which a package brings along:  verdicts.py FILE

What was checked before is not measured anew; from nothing it takes some ten minutes on two processors.
"""

import sys
from pathlib import Path

from pagecost.claims import check_all, counts, kept


def said(share: float) -> None:
    """How far it is, on one line of a terminal."""
    end = "\n" if share >= 1 else ""
    print(f"\rchecking the ledger … {share:.0%}", end=end, file=sys.stderr, flush=True)


def main() -> None:
    """Check all lines and write their verdicts."""
    found = check_all(said=said)
    kept.package(found, Path(sys.argv[1]))
    print(f"{counts(found).headline}.")


if __name__ == "__main__":
    main()
