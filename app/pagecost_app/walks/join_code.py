"""The joins as pseudo-code: (line, what must have happened for it to have run), see `lines.lit`."""

from pagecost.answers.join_runs import DIGEST
from pagecost.operators.late import AS_JOINED, BY_INNER, BY_OUTER

DIGESTS = "join these by hash, in memory"  # in parts where memory is too little; tables for the eye never need that
_PARTS = (
    ("read R:", "scan&read R"),
    ("  full cluster of a part? write it", "side R&write"),
    ("read S:", "scan&read S"),
    ("  full cluster of a part? write it", "side S&write"),
    ("for each part:", "join"),
    ("  read R's rows of it into a hash table", "join&side R"),
    ("  read S's rows of it past that table", "join&side S"),
)
_FETCH = {
    AS_JOINED: (("for each pair, as it was found:", "fetch"),),
    BY_OUTER: (("for each pair, sorted by pages of R:", "fetch"),),
    BY_INNER: (("for each pair, sorted by pages of S:", "fetch"),),
}
_ROWS = (
    ("  read R's page unless it is in memory", "fetch&read R"),
    ("  read S's page unless it is in memory", "fetch&read S"),
)
CODE: dict[str, tuple[tuple[str, str], ...]] = {
    "block nested loops": (
        ("while R has rows:", "read R"),
        ("  read as much of R as fits", "read R"),
        ("  read all of S past it", "read S"),
    ),
    "index nested loops": (
        ("read as much of R as fits", "read R"),
        ("for each row of it:", "index|read S"),
        ("  go down the index of S", "index"),
        ("  read the page of each row found", "read S"),
    ),
    "sort-merge join": (
        ("while R or S has rows:", "scan"),
        ("  read as much as fits, and sort it", "scan&read R|scan&read S"),
        ("  write it as a run, unless it can stay", "scan&write"),
        ("while there are more runs than fit:", "merge"),
        ("  merge some into one, cluster by cluster", "merge"),
        ("merge all runs of R and S side by side:", "join"),
        ("  the run whose rows are used up: read on", "join"),
    ),
    "GRACE hash join": _PARTS,
    "hybrid hash join": _PARTS,
    "FlashJoin": (
        ("read the join column of R, then of S:", "scan&read R|scan&read S"),
        (DIGESTS, ""),
        ("for each page of R with a row that matched:", "fetch&read R"),
        ("  read the columns that are shown", "fetch&read R"),
        ("sort the pairs by S, in runs if need be", "fetch&work"),
        ("the same for S", "fetch&read S"),
    ),
}


def code_of(method: str) -> list[tuple[str, str]]:
    """The lines of a join of `join_runs.METHODS`."""
    if not method.startswith(DIGEST):
        return list(CODE[method])
    order = method.removeprefix(DIGEST)
    return [
        ("read R, keep (key, place) of each row", "scan&read R"),
        ("read S, keep (key, place) of each row", "scan&read S"),
        (DIGESTS, ""),
        *_FETCH.get(order, (("next page: whose pairs lack the fewest pages", "fetch"),)),
        *_ROWS,
    ]
