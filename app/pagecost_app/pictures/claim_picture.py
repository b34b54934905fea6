"""A claim drawn in a lesson: `claim_picture("S24.fs")` shows the band in which it holds, what comes out, and rivals."""

from dataclasses import dataclass
from html import escape

from pagecost.claims import Verdict, check_these
from pagecost.claims.checking import Rival
from pagecost.errors import require
from pagecost_app import claims_told as told

WIDTH, LEFT, ROW = 640, 20, 26  # pixels
STYLE = """
.claim-picture svg { display: block; max-width: 100%; height: auto;
  color: var(--ink, var(--jp-ui-font-color1, #222)); }
.claim-picture text { font-size: 12.5px; fill: currentColor; }
.claim-picture .axis { stroke: currentColor; opacity: 0.35; }
.claim-picture .band { fill: #0072B2; fill-opacity: 0.2; } .claim-picture .used { stroke: currentColor; }
.claim-picture .used { stroke-width: 2; } .claim-picture .interval { stroke: #0072B2; }
.claim-picture .interval { stroke-width: 6; stroke-opacity: 0.55; } .claim-picture .measured { fill: #0072B2; }
.claim-picture .rival { stroke: #D55E00; stroke-width: 2.5; fill: none; }
"""


@dataclass(frozen=True)
class ClaimPicture:
    """A checked claim about a number, to be shown."""

    verdict: Verdict

    def __repr__(self) -> str:
        return "\n".join((f"{self.verdict.claim.id}: {self.verdict.claim.statement}", *self._rows()))

    def _rows(self) -> list[str]:
        known, claim = told.picture(self.verdict), self.verdict.claim
        assert known is not None
        rows = [f"stated {told.stated(claim)}, holds from {known.band[0]:.4g} to {known.band[1]:.4g} {known.unit}"]
        rows.append(f"comes out {told.measured(self.verdict)}: {self.verdict.status} ({self.verdict.kind})")
        return rows + [f"rival: {told.rival_words(claim, rival)}" for rival in self.verdict.rivals if _numeric(rival)]

    def _repr_mimebundle_(self, **_):
        return {"text/plain": repr(self), "text/html": f"<style>{STYLE}</style>{self.picture()}"}

    def picture(self) -> str:
        """An SVG: a row for what is stated, for what comes out, and for each rival."""
        known = told.picture(self.verdict)
        assert known is not None
        rows = self._rows()

        def at(found: float) -> float:
            return round(LEFT + known.share(found) * (WIDTH - 2 * LEFT), 1)

        low, high = map(at, known.band)
        height = ROW * 2 * len(rows) + 8
        parts = []
        for number, words in enumerate(rows):
            y = number * 2 * ROW + 40
            parts += [
                f'<text x="{LEFT}" y="{y - 20}">{escape(words)}</text>',
                f'<rect class="band" x="{low}" y="{y - 9}" width="{max(high - low, 1):.1f}" height="18"/>',
                f'<line class="axis" x1="{LEFT}" x2="{WIDTH - LEFT}" y1="{y}" y2="{y}"/>',
                f'<line class="used" x1="{at(known.used)}" x2="{at(known.used)}" y1="{y - 9}" y2="{y + 9}"/>',
            ]
        y = 2 * ROW + 40
        if known.interval is not None:
            ends = [at(end) for end in known.interval]
            parts.append(f'<line class="interval" x1="{ends[0]}" x2="{ends[1]}" y1="{y}" y2="{y}"/>')
        if known.measured is not None:
            parts.append(f'<circle class="measured" cx="{at(known.measured)}" cy="{y}" r="5"/>')
        for number, (_, found) in enumerate(known.rivals):
            x, y = at(found), (number + 2) * 2 * ROW + 40
            parts.append(f'<path class="rival" d="M{x - 5},{y - 5} l10,10 m0,-10 l-10,10"/>')
        words = escape(repr(self).replace("\n", "; "))
        return (
            f'<div class="claim-picture"><svg viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
            f'role="img" aria-label="{words}">{"".join(parts)}</svg></div>'
        )


def _numeric(rival: Rival) -> bool:
    return isinstance(rival.measured, int | float)


def claim_picture(id: str) -> ClaimPicture:
    """Check a claim of the ledger and draw it. Raises ModelError for an unknown one, and for one about words."""
    found = told.of_patterns([str(id)])
    require(bool(found), f"the ledger has no claim that is called {id!r}; pagecost claims lists them")
    require(len(found) == 1, f"one claim can be drawn, {id!r} means {len(found)}")
    (verdict,) = check_these(found)
    require(told.picture(verdict) is not None, f"{id} is about words; a number can be drawn")
    return ClaimPicture(verdict)
