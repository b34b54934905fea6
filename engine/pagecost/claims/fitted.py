"""What was set with an answer in sight: `datasets/fitted.toml`, and every number that the catalogue calls fitted.

A run that reads one of them predicts nothing by itself, whoever wrote the line: its claims are conditional, unless they
come out the same with every alternative to it that is listed (`alternatives`).
"""

import fnmatch
import functools
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pagecost import catalogue
from pagecost.claims.ledger import read_toml
from pagecost.errors import ModelError, known, require

KINDS = ("fitted", "assumed")
READS = ("device:", "input:", "constant:")  # what a name of something read begins with


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Something fitted or assumed. reads: the name under which a run reads it (`pagecost.reads`), with * for any text.

    set_on: the claims (fnmatch patterns) in whose sight it was set; none where it was only assumed. left_out: the
    number at which what it stands for is absent, so that a run which reads that rests on nothing; None: there is none.
    alternatives: what else might have been chosen, none where nobody could say. input: of a constant, the input of a
    study by which the same is chosen there, if there is one.
    """

    reads: str
    kind: str
    set_on: tuple[str, ...] = ()
    left_out: float | None = None
    alternatives: tuple = ()
    input: str = ""
    reason: str

    def __post_init__(self):
        known(f"kind of {self.reads}", self.kind, KINDS)
        require(self.reads.startswith(READS), f"{self.reads}: what is read begins with one of {', '.join(READS)}")
        require(bool(self.reason), f"{self.reads}: why it is {self.kind} is not said")
        require(self.kind != "fitted" or bool(self.set_on), f"{self.reads}: which claims it was fitted to is not said")

    def taints(self, name: str) -> bool:
        """Whether a run that reads this rests on the choice."""
        pattern = self.reads if "=" in self.reads else f"{self.reads}*"
        if not fnmatch.fnmatchcase(name, pattern):
            return False
        return self.left_out is None or name.partition("=")[2] not in (f"{self.left_out:g}", str(self.left_out))


def choices() -> tuple[Choice, ...]:
    """All of them. Raises ModelError that names the file, the entry and what is wrong with it."""
    return _read(catalogue.root() / "fitted.toml")


@functools.cache
def _read(path: Path) -> tuple[Choice, ...]:
    found = []
    for number, record in enumerate(read_toml(path.name, path.read_text("utf8"))["choice"], 1):
        try:
            lists = {name: tuple(record.get(name, ())) for name in ("set_on", "alternatives")}
            found.append(Choice(**{**record, **lists}))
        except (TypeError, ModelError) as error:
            raise ModelError(f"{path.name}, entry {number}: {error}") from None
    return tuple(found)


def rests_on(names: Iterable[str]) -> tuple[str, ...]:
    """Those of the names read that are fitted or assumed, sorted."""
    chosen = {name for name in names for choice in choices() if choice.taints(name)}
    return tuple(sorted(chosen | _of_status(names, "fitted")))


def unverified(names: Iterable[str]) -> tuple[str, ...]:
    """Those of the names read that the catalogue has from general knowledge only, sorted."""
    return tuple(sorted(_of_status(names, "recalled")))


def _of_status(names: Iterable[str], status: str) -> set[str]:
    known_devices = catalogue.devices()
    found = set()
    for name in names:
        kind, _, rest = name.partition(":")
        device, _, parameter = rest.rpartition(".")
        of_device = known_devices[device].parameters if kind == "device" and device in known_devices else {}
        if parameter in of_device and of_device[parameter].status == status:
            found.add(name)
    return found
