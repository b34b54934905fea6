"""Which items of the papers have no sound prediction, and in one word why not: `docs/items-left.md`.

The words follow from the ledger's verdicts, so nobody keeps them by hand: `python -m pagecost_app.items_left` writes
the page, and a test tells when it is out of date.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from pagecost.claims import Verdict, check_all, counts
from pagecost_app import claims_told as told

PAGE = Path(__file__).parents[2] / "docs" / "items-left.md"

WORDS = {
    "rival": "a prediction holds, and a simpler explanation meets it as well",
    "choice": "what is called a prediction holds, and rests on something fitted or assumed",
    "chance": "a prediction, of which chance does not let it be said",
    "fails": "what was predicted does not hold",
    "conditional": "what comes out rests on a choice of ours from the outset",
    "fitted": "it was set with the answer in sight",
    "mechanism": "a definition, or devices' own times, say it: no load could refute it",
    "arithmetic": "it follows from the paper's own numbers",
    "input": "a number or a setting that is put in",
    "repeats": "other lines say it already",
    "missing": "not asked yet; the item says what is missing",
    "context": "nothing in it that could be checked",
}
"""Why an item has no sound prediction: from the nearest to one to the farthest."""


def _predicted(kind: str, status: str) -> Callable[[Verdict], bool]:
    return lambda verdict: (verdict.claim.kind, verdict.kind, verdict.status) == ("predicted", kind, status)


def _called(kind: str) -> Callable[[Verdict], bool]:
    return lambda verdict: verdict.claim.kind == kind


def _met(verdict: Verdict) -> bool:
    """Whether a rival passes, too, be it that the line rests on something besides."""
    return verdict.claim.kind == "predicted" and verdict.status == "holds" and any(r.passes for r in verdict.rivals)


_NEAREST: Mapping[str, Callable[[Verdict], bool]] = {
    "rival": _met,
    "choice": _predicted("conditional", "holds"),
    "chance": lambda verdict: verdict.claim.kind == "predicted" and verdict.status == "undecided",
    "fails": lambda verdict: verdict.claim.kind == "predicted" and verdict.status == "fails",
    **{kind: _called(kind) for kind in ("conditional", "fitted", "mechanism", "arithmetic", "input")},
}


def why_not(item: Mapping) -> tuple[str, str]:
    """One of `WORDS`, and the id of the line nearest to a sound prediction; the id is empty where no line is asked.

    item: as `claims_told.items` has it, without a sound prediction.
    """
    asked = [verdict for verdict in item["verdicts"] if verdict.claim.measure]
    own = [verdict for verdict in asked if not verdict.claim.repeats]
    for word, is_one in _NEAREST.items():
        for verdict in own:
            if is_one(verdict):
                return word, verdict.claim.id
    if asked:
        return "repeats", asked[0].claim.id
    return "missing" if item["status"] == "not yet" else "context", ""


def page(verdicts: Sequence[Verdict]) -> str:
    """The page: the headline, what the words mean with how many items have each, and a table for each paper."""
    left = [item for item in told.items(verdicts) if not any(verdict.sound for verdict in item["verdicts"])]
    words = {id(item): why_not(item) for item in left}
    number = Counter(word for word, _ in words.values())
    lines = [
        "# Items without a sound prediction",
        "",
        "*Written by `python -m pagecost_app.items_left` from the ledger's verdicts; nothing here is kept by hand.*",
        "",
        f"{counts(verdicts).headline}.",
        "",
        "Before you look for another one: this is the line of each item that comes nearest, and why it does not count.",
        "",
        *_table(("why not", "items", "is"), ((word, number[word], meaning) for word, meaning in WORDS.items())),
    ]
    for paper in dict.fromkeys(item["paper"] for item in left):
        rows = ((item["id"], item["what"], *words[id(item)]) for item in left if item["paper"] == paper)
        lines += ["", f"## {told.called(paper)}", "", *_table(("item", "is about", "why not", "nearest line"), rows)]
    return "\n".join(lines) + "\n"


def _table(head: Sequence[str], rows: Iterable[Sequence]) -> list[str]:
    return [f"| {' | '.join(map(str, cells))} |" for cells in (head, ["---"] * len(head), *rows)]


if __name__ == "__main__":
    PAGE.write_text(page(check_all()), encoding="utf8")
