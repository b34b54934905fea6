"""The page of the ledger: what the papers state beside what comes out here, and what would flip it."""

import functools
import html
import threading
from collections.abc import Callable, Mapping

from bokeh.document import Document
from bokeh.layouts import column, row
from bokeh.models import ColumnDataSource, CustomJS
from bokeh.models.widgets import (
    Button,
    DataTable,
    Div,
    HTMLTemplateFormatter,
    Select,
    Slider,
    TableColumn,
    TextInput,
)

from pagecost.claims import KINDS, PAPERS, Claim, Verdict, claims, counts, kept
from pagecost.claims.sensitivity import FARTHEST, parameters_of
from pagecost.studies import STUDIES
from pagecost_app import claims_told as told
from pagecost_app.charts import style
from pagecost_app.pages import moving
from pagecost_app.pages.changes import deliver, together
from pagecost_app.pages.checking import Checking
from pagecost_app.pages.claims_picture import FlipPicture, StatedPicture
from pagecost_app.pages.look import PANEL_WIDTH, TABLE, beside, complaint, sheet, waiting, waiting_line
from pagecost_app.pages.numbers_table import HEAD_HEIGHT, REDRAW_TABLE, ROW_HEIGHT
from pagecost_app.pages.worker import Worker

TITLE = "Claims"
ALL = "all"
TABLE_HEIGHT = 330
OCTAVES = 3.0  # to each side: from an eighth to eight times
COLOURS = {"sound": "#0072B2", "holds": "#0072B2", "fails": "#D55E00", "undecided": "#B8860B"}
SIGN = """<span title="<%= outcome %>" style="color:<%= colour %>;font-weight:700"><%= value %></span>"""
PLAIN = "<%- value %>"

Open = Callable[[str, str | None, Mapping], None]
"""open_study(study, preset, values): shows the study with these inputs"""


class ClaimsPage:
    """`root` is the layout; `show(paper, place, text)` filters, `choose(id)` opens a line; the rest as a StudyPage."""

    def __init__(self, document: Document, open_study: Open):
        self.document, self.open_study = document, open_study
        self.verdicts = {claim.id: _open(claim) for claim in claims()}
        self.packaged: frozenset[str] = frozenset()
        self.chosen: Claim | None = None
        self.shown: list[str] = []
        self.checking: Checking | None = None
        self._setting = False
        papers = [(ALL, "all papers"), *((paper, told.called(paper)) for paper in PAPERS)]
        self.paper = self._select("paper", "Paper", papers)
        self.place = self._select("place", "Section, table or figure", [(ALL, "all")])
        self.kind = self._select("kind", "Kind", [(ALL, "all kinds"), *((kind, kind) for kind in KINDS)])
        outcomes = [(each, f"{sign} {each}") for each, sign in told.SIGNS.items()]
        self.outcome = self._select("outcome", "Verdict", [(ALL, "all verdicts"), *outcomes])
        self.text = TextInput(
            name="claims.text", title="Search", placeholder="R31, hit ratio …", **_wide(), stylesheets=[sheet()]
        )
        for each in (self.place, self.kind, self.outcome, self.text):
            each.on_change("value", lambda attr, old, new: self._filter())
        self.paper.on_change("value", lambda attr, old, new: self._take_paper())
        self.check_shown = self._button("check", "Check these", lambda: self._check(self.shown))
        self.check_all = self._button("check_all", "Check all", lambda: self._check(list(self.verdicts)))
        self.cancel = self._button("cancel", "Stop", self._stop_checking, visible=False)
        self.headline = Div(name="claims.headline", **_wide())
        self.status = waiting_line("claims.status")
        self.message = Div(name="claims.message", visible=False, **_wide())
        self.lines = ColumnDataSource(_rows([]), name="claims.lines")
        self.table = self._table()
        self.lines.js_on_change("data", CustomJS(args={"table": self.table}, code=REDRAW_TABLE))
        self.lines.selected.on_change("indices", lambda attr, old, new: self._pick(new))
        self.details = Div(name="claims.details", **_wide(), stylesheets=[sheet(DETAILS)])
        self.stated, self.flip = StatedPicture(), FlipPicture()
        self.open_button = self._button("open", "Open the question with these inputs", self._open_study, visible=False)
        self.flips_button = self._button("flips", "What would flip it?", self._ask_flips, visible=False)
        self.number = self._select("number", "Move", [])
        self.factor = Slider(
            name="claims.factor",
            title="as it is",
            start=-OCTAVES,
            end=OCTAVES,
            step=0.05,
            value=0.0,
            show_value=False,
            **_wide(),
            stylesheets=[sheet()],
        )
        self.moved = Div(name="claims.moved_words", **_wide())
        self.number.on_change("value", lambda attr, old, new: self._take_number())
        self.factor.on_change("value", lambda attr, old, new: self._move())
        self.moving = column(self.number, self.factor, self.moved, self.flip.figure, visible=False, **_wide())
        self.flips: dict[str, list] = {}
        self.worker = Worker(
            moving.Moving(),
            self._deliver,
            self._take_found,
            self.fail,
            self._progress,
            waiting=self._waiting,
            question=moving.question,
        )
        self.root = self._layout()
        self._take_paper()
        threading.Thread(target=self._read_kept, daemon=True, name="kept verdicts").start()

    def show(self, paper: str = ALL, place: str = ALL, text: str = "") -> None:
        """Filter to a paper and a place of it, or to what a search finds."""
        self._setting = True
        style.change(self.paper, value=paper if paper in PAPERS else ALL)
        self._setting = False
        self._take_paper()
        self._setting = True
        for control, value in ((self.place, place), (self.kind, ALL), (self.outcome, ALL), (self.text, text)):
            style.change(control, value=value)
        self._setting = False
        self._filter()

    def choose(self, id: str) -> None:
        """Show a line that the filters let through."""
        if id in self.shown:
            self.lines.selected.indices = [self.shown.index(id)]

    def fail(self, message: str) -> None:
        """Say in one sentence what is wrong; what is shown stays."""
        style.change(self.status, text="")
        style.change(self.message, text=complaint(message), visible=True)

    def recolour(self, dark: bool) -> None:
        self.stated.recolour(dark)
        self.flip.recolour(dark)

    def stop(self) -> None:
        """End what is still being computed."""
        self.worker.stop()
        self._stop_checking()

    def refresh(self) -> None:
        """Take up what was checked meanwhile, here or elsewhere."""
        threading.Thread(target=self._read_kept, daemon=True, name="kept verdicts").start()

    def _read_kept(self) -> None:
        records, packaged = kept.kept(), frozenset(kept.packaged())
        found = {claim.id: kept.verdict(claim, records) or _open(claim) for claim in claims()}
        self._deliver(lambda: self._take_verdicts(found, packaged))

    def _take_verdicts(self, found: dict[str, Verdict], packaged: frozenset[str]) -> None:
        self.verdicts, self.packaged = found, packaged
        self._filter()

    def _take_paper(self) -> None:
        """Offer the places of the chosen paper."""
        if self._setting:
            return
        paper = self.paper.value
        found = [verdict for verdict in self.verdicts.values() if verdict.claim.paper == paper]
        offered = [
            (place, f"{place} {told.heading(paper, place)}"[:60] + f" ({len(each)})")
            for place, each in told.by_place(found, every=True).items()
        ]
        self._setting = True
        style.change(
            self.place, options=[(ALL, f"all of {told.called(paper)}" if found else "all"), *offered], value=ALL
        )
        self._setting = False
        self._filter()

    def _filter(self) -> None:
        """Show the lines that all filters let through; the chosen one stays if it is among them."""
        if self._setting:
            return
        wanted = {"paper": self.paper.value, "kind": self.kind.value, "outcome": self.outcome.value}
        words = self.text.value.lower().split()
        found = [
            verdict
            for verdict in self.verdicts.values()
            if all(value in (ALL, each) for each, value in zip(_traits(verdict), wanted.values(), strict=True))
            and (self.place.value == ALL or self.place.value in told.places(verdict.claim))
            and all(word in searched(verdict.claim) for word in words)
        ]
        self.shown = [verdict.claim.id for verdict in found]
        chosen = self.chosen.id if self.chosen else ""
        with together(self.document):
            self.lines.data = _rows(found)
            style.change(self.table, height=min(TABLE_HEIGHT, HEAD_HEIGHT + ROW_HEIGHT * (len(found) + 1)))
            style.change(self.lines.selected, indices=[self.shown.index(chosen)] if chosen in self.shown else [])
            style.change(self.headline, text=self._headline(found))
            style.change(self.check_shown, label=f"Check these ({sum(_unchecked(v) for v in found)})")
            style.change(self.check_shown, disabled=not any(map(_unchecked, found)))
            left = sum(map(_unchecked, self.verdicts.values()))
            style.change(self.check_all, label=f"Check all ({left})", disabled=not left)
            if self.chosen:
                self._show_line(self.verdicts[self.chosen.id])

    def _headline(self, found: list[Verdict]) -> str:
        """The headline of the papers on show if all of their lines are checked; how far that is otherwise."""
        asked = [v for v in self.verdicts.values() if self.paper.value in (ALL, v.claim.paper)]
        left, measured = sum(map(_unchecked, asked)), sum(bool(verdict.claim.measure) for verdict in asked)
        if left:
            context = f" ({len(asked) - measured} more are context)" if len(asked) > measured else ""
            said = f"{measured - left} of {measured} lines are checked{context}; with all of them there is a headline."
        else:
            said = f"{counts(asked).headline}."
        if not left and all(verdict.claim.id in self.packaged for verdict in asked if verdict.claim.measure):
            said += " So it was when this program was packaged."
        words = " · ".join(
            f"{sign} {count} {each}"
            for each, sign in told.SIGNS.items()
            if (count := sum(told.outcome(verdict) == each for verdict in found))
        )
        shown = (
            f"{len(found)} line{'s' if len(found) > 1 else ''} shown: {words}"
            if found
            else "No line is like that: take a filter away."
        )
        return f'<p style="margin:2px 0;font-size:15px">{html.escape(said)}</p>' + (
            f'<p style="margin:2px 0 6px;color:var(--muted)">{html.escape(shown)}</p>'
        )

    def _pick(self, indices: list[int]) -> None:
        if not indices or not 0 <= indices[0] < len(self.shown):
            return
        verdict = self.verdicts[self.shown[indices[0]]]
        if self.chosen is verdict.claim:
            return
        self.chosen = verdict.claim
        with together(self.document):
            style.change(self.message, visible=False)
            style.change(self.status, text="")
            style.change(self.moving, visible=False)
            self._show_line(verdict)
            if verdict.claim.id in self.flips:
                self._offer(self.flips[verdict.claim.id])

    def _show_line(self, verdict: Verdict) -> None:
        claim = verdict.claim
        rows = "".join(
            f"<dt>{html.escape(name)}</dt><dd>{html.escape(words)}</dd>" for name, words in told.facts(verdict)
        )
        sign = f'<span style="color:{_colour(verdict)}">{told.SIGNS[told.outcome(verdict)]}</span>'
        about = ", ".join(f"{each} {told.heading(claim.paper, each)}".strip() for each in told.places(claim))
        head = f"<h2>{sign} {html.escape(claim.statement)}</h2><p>{html.escape(claim.id)} · {html.escape(about)}</p>"
        style.change(self.details, text=f"{head}<dl>{rows}</dl>")
        self.stated.update(verdict)
        style.change(self.open_button, visible=claim.study in STUDIES)
        style.change(self.flips_button, visible=bool(claim.measure), disabled=claim.id in self.flips)

    def _open_study(self) -> None:
        if self.chosen:
            self.open_study(self.chosen.study, self.chosen.measure.get("preset"), parameters_of(self.chosen))

    def _ask_flips(self) -> None:
        if self.chosen:
            style.change(self.flips_button, disabled=True)
            self._share = 0.0
            style.change(self.status, text=waiting("moving what it reads …", 0.0))
            self.worker.ask({"claim": self.chosen})

    def _take_found(self, values: Mapping, found: moving.Found, final: bool) -> None:
        """What the worker found: flips, so far or all, or what a moved number gives."""
        if self.chosen is not found.claim:
            return
        with together(self.document):
            if final:
                style.change(self.status, text="")
            if found.moved:
                self._show_moved(found.moved)
            elif final:
                self.flips[found.claim.id] = found.flips
                self._offer(found.flips)

    def _offer(self, flips: list) -> None:
        """Offer the numbers that flip the line, the most delicate first."""
        delicate = [flip for flip in flips if flip.down or flip.up]
        style.change(self.moving, visible=bool(flips))
        if not flips:
            self.fail("This line reads no number that could be moved: it follows from the paper's own numbers.")
            return
        self._setting = True
        style.change(self.number, options=[(flip.name, _offered(flip)) for flip in delicate or flips])
        style.change(self.number, value=(delicate or flips)[0].name)
        self._setting = False
        self._take_number()

    def _take_number(self) -> None:
        """Start again from the number as it is."""
        if self._setting or not self.chosen:
            return
        flip = next((flip for flip in self.flips.get(self.chosen.id, ()) if flip.name == self.number.value), None)
        if flip is None:
            return
        self._setting = True
        style.change(self.factor, value=0.0, title="as it is")
        self._setting = False
        with together(self.document):
            self.flip.begin(self.verdicts[self.chosen.id], flip)
            style.change(self.moved, text=_said(f"{_offered(flip)}. Move the slider into the shaded region."))

    def _move(self) -> None:
        if self._setting or not self.chosen or not self.number.value:
            return
        factor = 2.0**self.factor.value
        style.change(self.factor, title=f"times {factor:.3g}")
        self.worker.ask({"claim": self.chosen, "name": self.number.value, "factor": factor})

    def _show_moved(self, moved: moving.Moved) -> None:
        if self.chosen is None or moved.name != self.number.value:
            return
        self.flip.move(moved)
        where = f"With {told.read(moved.name)} times {moved.factor:.3g}"
        if moved.refused:
            said = f"{where} there is no answer: {moved.refused}"
        else:
            mark = "holds" if moved.holds else "fails"
            said = f"{where} comes out {told.value(self.chosen, moved.value)}: the line {mark}."
        style.change(self.moved, text=_said(said, COLOURS["holds" if moved.holds else "fails"]))

    def _progress(self, share: float) -> None:
        self._share = share
        style.change(self.status, text=waiting(f"moving what it reads … {share:.0%}", share))

    def _waiting(self, seconds: float, news) -> None:
        words = str(news) if news else f"measuring … {seconds:.0f} s so far"
        style.change(self.status, text=waiting(words, news.share if news else getattr(self, "_share", None)))

    def _check(self, ids: list[str]) -> None:
        """Check what is not checked yet of these."""
        asked = [self.verdicts[id].claim for id in ids if _unchecked(self.verdicts[id])]
        if self.checking is not None or not asked:
            return
        style.change(self.message, visible=False)
        style.change(self.cancel, visible=True)
        said = functools.partial(self._say_checking, len(asked))
        self.checking = Checking(asked, self._deliver, said, self.fail, self._checked)
        said(0, "")

    def _say_checking(self, of: int, done: int, kernel: str) -> None:
        if self.checking is None:
            return
        compiles = f", compiling once: {kernel}" if kernel else ""
        style.change(self.status, text=waiting(f"checking the claims … {done} of {of}{compiles}", done / of))
        if done and not kernel:
            self.refresh()

    def _checked(self) -> None:
        self.checking = None
        with together(self.document):
            style.change(self.status, text="")
            style.change(self.cancel, visible=False)
        self.refresh()

    def _stop_checking(self) -> None:
        if self.checking is not None:
            self.checking.stop()

    def _deliver(self, callback: Callable[[], None]) -> None:
        deliver(self.document, callback)

    def _select(self, name: str, title: str, options: list) -> Select:
        first = options[0][0] if options else ""
        return Select(
            name=f"claims.{name}", title=title, options=options, value=first, **_wide(), stylesheets=[sheet()]
        )

    def _button(self, name: str, label: str, pressed: Callable[[], None], **values) -> Button:
        button = Button(label=label, name=f"claims.{name}", stylesheets=[sheet()], **values)
        button.on_click(pressed)
        return button

    def _table(self) -> DataTable:
        signs = HTMLTemplateFormatter(template=SIGN)
        plain = HTMLTemplateFormatter(template=PLAIN)
        widths = {"id": 170, "statement": 430, "stated": 120, "measured": 150, "kind": 90, "place": 110}
        titles = {"id": "line", "measured": "comes out"}
        columns = [TableColumn(field="sign", title="", formatter=signs, width=28)]
        columns += [
            TableColumn(field=field, title=titles.get(field, field), formatter=plain, width=width)
            for field, width in widths.items()
        ]
        return DataTable(
            name="claims.table",
            source=self.lines,
            columns=columns,
            height=TABLE_HEIGHT,
            index_position=None,
            autosize_mode="none",
            **_wide(),
            stylesheets=[sheet(TABLE)],
        )

    def _layout(self):
        legend = "".join(
            f"<div><b>{told.SIGNS[each]}</b> {html.escape(says)}</div>" for each, says in told.OUTCOMES.items()
        )
        panel = column(
            *(self.paper, self.place, self.kind, self.outcome, self.text),
            *(self.check_shown, self.check_all, self.cancel),
            Div(text=f'<div style="color:var(--muted);font-size:12.5px;line-height:1.5">{legend}</div>', **_wide()),
            width=PANEL_WIDTH,
            spacing=10,
            styles={"background": "var(--panel)", "border-radius": "8px", "padding": "12px 14px"},
        )
        title = '<h1 style="font-size:19px;margin:4px 0">What the papers state, and what comes out here</h1>'
        picture = column(self.stated.figure, row(self.open_button, self.flips_button), self.moving, **_wide())
        below = row(self.details, picture, spacing=18, styles={"flex-wrap": "wrap"}, **_wide())
        main = column(
            Div(text=title, **_wide()),
            self.headline,
            self.status,
            self.message,
            self.table,
            below,
            **_wide(),
            spacing=4,
        )
        return beside(panel, main)


DETAILS = """
:host { color: var(--ink); font-family: var(--font); min-width: 340px; }
h2 { font-size: 16px; margin: 8px 0 2px; } p { margin: 0 0 8px; color: var(--muted); }
dl { display: grid; grid-template-columns: 120px 1fr; gap: 3px 14px; margin: 0; }
dt { color: var(--muted); text-align: right; } dd { margin: 0; overflow-wrap: anywhere; }
"""


def _wide() -> dict:
    return {"sizing_mode": "stretch_width"}


def _open(claim: Claim) -> Verdict:
    """Nothing is known of a line yet."""
    return Verdict(claim, None, "unchecked", claim.kind)


def _unchecked(verdict: Verdict) -> bool:
    return verdict.status == "unchecked" and bool(verdict.claim.measure)


def _traits(verdict: Verdict) -> tuple[str, str, str]:
    return verdict.claim.paper, verdict.kind, told.outcome(verdict)


def searched(claim: Claim) -> str:
    """In what a search looks."""
    return " ".join((claim.id, claim.place, claim.statement, claim.study, claim.note)).lower()


def _colour(verdict: Verdict) -> str:
    return COLOURS.get(told.outcome(verdict), "#767676")


def _rows(found: list[Verdict]) -> dict[str, list]:
    return {
        "sign": [told.SIGNS[told.outcome(verdict)] for verdict in found],
        "colour": [_colour(verdict) for verdict in found],
        "outcome": [told.OUTCOMES[told.outcome(verdict)] for verdict in found],
        "id": [verdict.claim.id for verdict in found],
        "statement": [verdict.claim.statement for verdict in found],
        "stated": [told.stated(verdict.claim) for verdict in found],
        "measured": [told.measured(verdict) for verdict in found],
        "kind": [verdict.kind for verdict in found],
        "place": [f"{verdict.claim.place}" for verdict in found],
    }


def _offered(flip) -> str:
    """A number and how far away the verdict flips."""
    ends = [f"× {factor:.3g}" for factor in (flip.down, flip.up) if factor]  # on the far side of where it flips
    flips = f"flips between 1 and {' or '.join(ends)}, which is found to 7 %"
    return f"{told.read(flip.name)}: " + (flips if ends else f"nothing up to × {FARTHEST:g}")


def _said(words: str, colour: str = "var(--muted)") -> str:
    look = f"margin:2px 0;border-left:4px solid {colour};padding-left:10px"
    return f'<p role="status" style="{look}">{html.escape(words)}</p>'
