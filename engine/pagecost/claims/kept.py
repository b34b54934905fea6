"""Verdicts that outlive their process: a run that was stopped goes on where it was.

One file in the user's cache for each state of code and data; a verdict of other code or other data is never found.
A packaged program brings those along that were found when it was packaged, in a file beside its code.
"""

import contextlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path

import pagecost
from pagecost import provenance
from pagecost._jit import user_cache
from pagecost.claims.checking import Rival, Verdict
from pagecost.claims.ledger import Claim

PACKAGED = "_verdicts.jsonl"  # never in a checkout: code that changes would go on with verdicts of before
KEPT_STATES = 4  # files of earlier code and data that stay


def kept() -> dict[str, Mapping]:
    """The verdicts of this code on these data, by id, as `keep` wrote them or as the program brought them along; none
    where nothing can be read."""
    return packaged() | _read(_file())


def packaged() -> dict[str, Mapping]:
    """Those that the program brought along."""
    return _read(_packaged_file())


def _read(path: Path) -> dict[str, Mapping]:
    found = {}
    with contextlib.suppress(OSError, UnicodeDecodeError):
        for line in path.read_text("utf8").splitlines():
            with contextlib.suppress(ValueError, TypeError, KeyError):  # a line that a stopped run left unfinished
                one = json.loads(line)
                found[one["id"]] = one
    return found


def verdict(claim: Claim, records: Mapping[str, Mapping]) -> Verdict | None:
    """The kept verdict on a claim, if there is one."""
    if claim.id not in records:
        return None
    fields = {**records[claim.id]["verdict"]}
    fields["rivals"] = tuple(Rival(**rival) for rival in fields["rivals"])
    fields |= {name: tuple(fields[name]) for name in ("seeds", "rests_on", "robust_to", "unverified")}
    return Verdict(claim=claim, **fields)


def record(found: Verdict) -> dict:
    """A verdict as it is kept."""
    return {"id": found.claim.id, "verdict": {name: value for name, value in asdict(found).items() if name != "claim"}}


def keep(found: Verdict) -> None:
    """Write a verdict down; where that is not possible it is computed again next time."""
    with contextlib.suppress(OSError):
        path = _file()
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            _forget_old(path.parent)
        with path.open("a", encoding="utf8") as file:
            file.write(_line(found))


def package(verdicts: Iterable[Verdict], path: Path) -> None:
    """Write the file that a package brings along. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(_line(verdict) for verdict in verdicts if verdict.claim.measure), "utf8")


def _line(found: Verdict) -> str:
    return json.dumps(record(found), allow_nan=True) + "\n"


def _forget_old(folder: Path) -> None:
    for old in sorted(folder.glob("*.jsonl"), key=lambda path: path.stat().st_mtime, reverse=True)[KEPT_STATES - 1 :]:
        old.unlink(missing_ok=True)


def _packaged_file() -> Path:
    return Path(pagecost.__file__).parent / PACKAGED


def _file() -> Path:
    return user_cache() / "claims" / f"{provenance.state()}.jsonl"
