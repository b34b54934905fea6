"""What a lesson prints: how an answer was computed, and what the ledger has on a paper, in the words of every face."""

import html
import textwrap
from collections.abc import Mapping

from pagecost import studies
from pagecost.claims import check_these, kept
from pagecost.errors import require
from pagecost_app import claims_told
from pagecost_app.notebook.taking import Given, read

WIDTH = 116  # of a printed line, so that it fits beside the cell's prompt
INDENT = "    "


def reasons(study: str, preset: str | None = None, *, system: Given = None, **values) -> None:
    """Print how the study's answer is computed, with its numbers: what *How was this computed?* says below its chart.

    Raises ModelError like `answer`.
    """
    asked = studies.find(study)
    inputs = asked.inputs(values, preset, read(system))
    for line in asked.explain(inputs, asked.compute(inputs)):
        _tell(line)


def claimed(*patterns: str) -> None:
    """Check the claims of the ledger whose ids are meant (`*` for any text), and print in its order what each is worth.

    The last line counts those that fail. Raises ModelError where a pattern means no claim that is checked.
    """
    asked = [claim for claim in claims_told.of_patterns(patterns) if claim.measure]
    for pattern in patterns:
        found = [claim for claim in claims_told.of_patterns([pattern]) if claim.measure]
        require(bool(found), f"the ledger checks no claim that is called {pattern!r}; pagecost claims lists them")
    verdicts = check_these(asked)
    for verdict in verdicts:
        claim = verdict.claim
        came = f"printed {claims_told.stated(claim)}; here {claims_told.measured(verdict)}"
        _tell(f"{claim.id} ({claims_told.called(claim.paper)}, {claim.place}): {claim.statement}")
        _tell(f"{came}: {verdict.status} ({verdict.kind})", INDENT)
        if verdict.status == "fails" and claim.note:
            _tell(claim.note, INDENT)
    fails = [verdict.claim.id for verdict in verdicts if verdict.status == "fails"]
    _tell(f"{len(fails)} of {len(verdicts)} fail{': ' + ', '.join(fails) if fails else ''}.")


def reproduced_html(study: str) -> str:
    """What of the papers a study reproduces, and how much of it held when it was last checked here; "" if nothing."""
    found = claims_told.reproduced(study)
    if not found:
        return ""
    records = kept.kept()
    lines = "".join(f"<li>{html.escape(_place(each, records))}</li>" for each in found)
    return f"Of the papers it reproduces:<ul>{lines}</ul>"


def _place(found: claims_told.Reproduced, records: Mapping) -> str:
    items = dict.fromkeys(claim.id.split(".")[0] for claim in found.claims)
    patterns = ", ".join(f'"{item}*"' for item in items)
    return f"{found.words(records)}; claimed({patterns}) checks them"


def _tell(line: str, indent: str = "") -> None:
    print(textwrap.fill(line, WIDTH, initial_indent=indent, subsequent_indent=INDENT, break_on_hyphens=False))
