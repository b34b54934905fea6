"""Where the papers contradict themselves or each other, from `datasets/papers/contradictions.toml`."""

import functools
import tomllib
from dataclasses import dataclass

from pagecost import catalogue
from pagecost.claims.papers import CONTRADICTIONS, PAPERS
from pagecost.errors import ModelError, known, require

STATUSES = ("checked", "context", "not yet", "withdrawn")


@dataclass(frozen=True, kw_only=True)
class Contradiction:
    """Two statements that cannot both be right. where: in the papers; what: they say; treatment: what is done about it.

    lines: of the ledger that show it. status: checked where there are such lines, context, not yet, or withdrawn (it is
    none).
    """

    id: str
    papers: tuple[str, ...]
    where: str
    what: str
    treatment: str
    lines: tuple[str, ...] = ()
    status: str = "checked"

    def __post_init__(self):
        for paper in self.papers:
            known(f"paper of contradiction {self.id}", paper, PAPERS)
        known(f"status of contradiction {self.id}", self.status, STATUSES)
        require(self.status != "checked" or bool(self.lines), f"contradiction {self.id} is checked by no line")


@functools.cache
def contradictions() -> tuple[Contradiction, ...]:
    """All of them, in the order of the file. Raises ModelError that names the entry."""
    path = catalogue.root() / "papers" / CONTRADICTIONS
    records = tomllib.loads(path.read_text("utf8")).get("contradiction", []) if path.exists() else []
    found = []
    for number, record in enumerate(records, 1):
        several = {name: tuple(record.get(name, ())) for name in ("papers", "lines")}
        try:
            found.append(Contradiction(**{**record, **several}))
        except (TypeError, ModelError) as error:
            raise ModelError(f"{CONTRADICTIONS}, entry {number}: {error}") from None
    return tuple(found)
