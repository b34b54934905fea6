"""The headline: how much of what the papers state is checked, and how much of that is evidence."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pagecost.claims.checking import Verdict
from pagecost.claims.ledger import KINDS
from pagecost.claims.papers import PAPERS


@dataclass(frozen=True)
class Counts:
    """Of some papers. items: statements or tables of the papers; sound: of these, with a prediction that holds, that no
    rival meets and that nothing fitted or assumed decides; robust: of those, whose sound predictions all read such a
    thing and hold with each alternative to it that was asked; first_items, first_sound: the same without the papers of
    today, whose models were chosen because they can predict them; contradicted: with a prediction that fails, whatever
    of its alternatives is asked. by_kind: kind -> (lines, lines that hold); a line that repeats another is not counted.
    lines: of predictions: sound, not informative, undecided, failing.
    """

    items: int
    checked: int
    sound: int
    robust: int
    first_items: int
    first_sound: int
    contradicted: int
    missing: int
    by_kind: dict[str, tuple[int, int]]
    lines: dict[str, int]

    @property
    def headline(self) -> str:
        """One sentence, with both denominators where papers of today are among others."""
        said = f"{self.sound} of {self.items} items of the papers have"
        if 0 < self.first_items < self.items:
            said = (
                f"{self.first_sound} of {self.first_items} items of the papers before 2012, and {self.sound} of "
                f"{self.items} with today's, have"
            )
        return (
            f"{said} a sound prediction (nothing fitted or assumed decides it, and no simpler explanation meets it "
            f"too; {self.robust} of them read such a number and hold with every alternative that was written down); "
            f"{self.contradicted} have one that fails; {self.missing} are missing or there in part"
        )


def counts(verdicts: Sequence[Verdict]) -> Counts:
    """Of the papers that the verdicts are about, which must be all of these papers' lines."""
    papers = {verdict.claim.paper for verdict in verdicts}
    items = [(paper, item) for paper in PAPERS if paper in papers for item in PAPERS[paper].get("item", ())]
    counted = [verdict for verdict in verdicts if not verdict.claim.repeats]
    predicted = [verdict for verdict in counted if verdict.kind == "predicted"]
    sound = _items(verdict for verdict in counted if verdict.sound)
    reading_none = _items(verdict for verdict in counted if verdict.sound and not verdict.robust_to)
    return Counts(
        items=len(items),
        checked=len(_items(verdict for verdict in counted if verdict.claim.measure)),
        sound=len(sound),
        robust=len(sound - reading_none),
        first_items=sum(not PAPERS[paper].get("today") for paper, _ in items),
        first_sound=sum(not PAPERS[paper].get("today") for paper, _ in sound),
        contradicted=len(_items(verdict for verdict in predicted if verdict.status == "fails")),
        missing=sum(item["status"] in ("partly", "not yet") for _, item in items),
        by_kind={kind: _held(verdict for verdict in counted if verdict.kind == kind) for kind in KINDS},
        lines={
            "sound": sum(verdict.sound for verdict in predicted),
            "not informative": sum(verdict.status == "holds" and not verdict.informative for verdict in predicted),
            "undecided": sum(verdict.status == "undecided" for verdict in predicted),
            "fails": sum(verdict.status == "fails" for verdict in predicted),
        },
    )


def _items(verdicts: Iterable[Verdict]) -> set[tuple[str, str]]:
    return {(verdict.claim.paper, verdict.claim.item) for verdict in verdicts}


def _held(verdicts: Iterable[Verdict]) -> tuple[int, int]:
    found = [verdict.status for verdict in verdicts]
    return len(found), found.count("holds")
