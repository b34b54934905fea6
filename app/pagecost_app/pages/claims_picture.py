"""The pictures of a claim: where what comes out lies against what is stated, and where a moved number flips that."""

from bokeh.models import ColumnDataSource, FactorRange, Range1d
from bokeh.models.annotations import BoxAnnotation, Span
from bokeh.plotting import figure

from pagecost.claims import Flip, Verdict
from pagecost.claims.sensitivity import FARTHEST
from pagecost_app import claims_told as told
from pagecost_app.charts import style
from pagecost_app.pages.moving import Moved

BAND, USED, RIVAL = 0, 3, 4  # of the series colours: where it holds; the stated value; what a rival gives
OTHER = 1  # where the verdict is another
FACTORS = {1 / 8: "1/8", 1 / 4: "1/4", 1 / 2: "1/2", 1: "× 1", 2: "2", 4: "4", 8: "8"}
ROWS = ("comes out", "rivals")  # from the top


class StatedPicture:
    """Stated beside measured: the band in which a number holds, the interval of what comes out, and the rivals."""

    def __init__(self):
        self.figure = figure(
            name="claims.stated",
            title="Stated and measured",
            height=170,
            min_width=320,
            sizing_mode="stretch_width",
            x_range=Range1d(start=0.0, end=1.0),
            y_range=FactorRange(factors=list(reversed(ROWS))),
            toolbar_location=None,
            tools="",
            visible=False,
        )
        self.figure.ygrid.visible = False
        self.points = ColumnDataSource({"x": [], "y": [], "says": [], "align": []})
        self.rivals = ColumnDataSource({"x": [], "y": [], "says": [], "align": []})
        self.interval = ColumnDataSource({"low": [], "high": [], "y": []})
        self.band = BoxAnnotation(fill_alpha=0.18, line_color=None)
        self.used = Span(dimension="height", line_width=2, line_dash="dashed")
        self.figure.add_layout(self.band)
        self.figure.add_layout(self.used)
        self.bar = self.figure.segment("low", "y", "high", "y", source=self.interval, line_width=7, line_alpha=0.45)
        self.dot = self.figure.scatter("x", "y", source=self.points, size=12, name="measured")
        self.cross = self.figure.scatter("x", "y", source=self.rivals, size=12, marker="x", line_width=2.5)
        self.words = [
            self.figure.text("x", "y", "says", source=source, y_offset=-8, text_align="align", text_font_size="12px")
            for source in (self.points, self.rivals)
        ]
        style.keep_words_whole(self.figure)
        style.keep_ticks_apart(self.figure)
        self.recolour(False)

    def update(self, verdict: Verdict) -> None:
        """Draw a line; nothing where it is about words."""
        known = told.picture(verdict)
        style.change(self.figure, visible=known is not None)
        if known is None:
            return
        span = known.end - known.start

        def inside(found: float) -> float:
            return known.start + known.share(found) * span

        found = [] if known.measured is None else [known.measured]
        self.points.data = {
            "x": [inside(x) for x in found],
            "y": ["comes out"] * len(found),
            "says": [told.measured(verdict)] * len(found),
            "align": [_align(known.share(x)) for x in found],
        }
        self.rivals.data = {
            "x": [inside(x) for _, x in known.rivals],
            "y": ["rivals"] * len(known.rivals),
            "says": [_said(known, name, x) for name, x in known.rivals],
            "align": [_align(known.share(x)) for _, x in known.rivals],
        }
        wide = [known.interval] if known.interval and known.interval[0] != known.interval[1] else []
        self.interval.data = {
            "low": [inside(low) for low, _ in wide],
            "high": [inside(high) for _, high in wide],
            "y": ["comes out"] * len(wide),
        }
        style.change(self.band, left=known.band[0], right=known.band[1])
        style.change(self.used, location=known.used)
        style.change(self.figure.x_range, start=known.start - 0.06 * span, end=known.end + 0.06 * span)
        unit = f" [{known.unit}]" if known.unit else ""
        style.change(
            self.figure.xaxis[0], axis_label=f"{verdict.claim.id}{unit}: shaded where it holds, dashed as stated"
        )

    def recolour(self, dark: bool) -> None:
        colours, shade = style.colours(dark), style.shades(dark)
        style.change(self.band, fill_color=colours[BAND])
        style.change(self.used, line_color=shade["muted"])
        style.change(self.bar.glyph, line_color=colours[BAND])
        style.change(self.dot.glyph, fill_color=colours[BAND], line_color=shade["ground"])
        style.change(self.cross.glyph, line_color=colours[OTHER])
        for words in self.words:
            style.change(words.glyph, text_color=shade["ink"])


def _align(share: float) -> str:
    """So that the words beside an edge stay inside."""
    return "left" if share < 0.15 else "right" if share > 0.85 else "center"


def _said(known: told.Picture, name: str, found: float) -> str:
    """What a rival gives, with an arrow where it lies further out than is drawn."""
    words = f"{name}: {found:.4g} {known.unit}".strip()
    return f"← {words}" if found < known.start else f"{words} →" if found > known.end else words


class FlipPicture:
    """What comes out while one number is moved; shaded where the verdict is another."""

    def __init__(self):
        self.figure = figure(
            name="claims.flip",
            title="Where the verdict flips",
            height=230,
            min_width=320,
            sizing_mode="stretch_width",
            x_axis_type="log",
            x_range=Range1d(start=1 / FARTHEST / 1.1, end=FARTHEST * 1.1),
            toolbar_location=None,
            tools="",
            visible=False,
        )
        style.keep_words_whole(self.figure)
        style.keep_ticks_apart(self.figure)
        style.ticks_at(self.figure.xaxis[0], FACTORS)
        self.below = BoxAnnotation(fill_alpha=0.16, line_color=None, visible=False)
        self.above = BoxAnnotation(fill_alpha=0.16, line_color=None, visible=False)
        self.band = BoxAnnotation(fill_alpha=0.18, line_color=None, visible=False)
        self.here = Span(dimension="height", location=1.0, line_width=1.5)
        for each in (self.below, self.above, self.band, self.here):
            self.figure.add_layout(each)
        self.points = ColumnDataSource({"x": [], "y": [], "holds": []}, name="claims.moved")
        self.line = self.figure.line("x", "y", source=self.points, line_alpha=0.5)
        self.dots = self.figure.scatter("x", "y", source=self.points, size=8)
        self._seen: dict[float, tuple[float, bool]] = {}
        self.recolour(False)

    def begin(self, verdict: Verdict, flip: Flip) -> None:
        """Draw the region of a number, and nothing measured yet but the number as it is."""
        claim = verdict.claim
        size, unit = told.scale(claim)
        self._size = size
        self._seen = {}
        if isinstance(verdict.measured, int | float):
            self._seen[1.0] = (verdict.measured / size, verdict.status == "holds")
        style.change(self.below, visible=flip.down is not None, right=flip.down)
        style.change(self.above, visible=flip.up is not None, left=flip.up)
        number = claim.tolerance is not None
        style.change(self.band, visible=number)
        if claim.tolerance is not None and not isinstance(claim.used, str):
            low, high = claim.used - claim.tolerance, claim.used + claim.tolerance
            style.change(self.band, bottom=low / size, top=high / size)
        style.change(self.figure.yaxis[0], visible=number, axis_label=f"comes out{f' [{unit}]' if unit else ''}")
        style.change(
            self.figure.xaxis[0], axis_label=f"{told.read(flip.name)}, times; shaded where the verdict is another"
        )
        style.change(self.here, location=1.0)
        style.change(self.figure, visible=True)
        self._draw()

    def move(self, moved: Moved) -> None:
        """The number is so many times what it was."""
        style.change(self.here, location=moved.factor)
        if moved.value is not None:
            y = 0.0 if isinstance(moved.value, str) else moved.value / self._size
            self._seen[moved.factor] = (y, moved.holds)
            self._draw()

    def _draw(self) -> None:
        seen = sorted(self._seen.items())
        self.points.data = {
            "x": [x for x, _ in seen],
            "y": [y for _, (y, _) in seen],
            "holds": [h for _, (_, h) in seen],
        }

    def recolour(self, dark: bool) -> None:
        colours, shade = style.colours(dark), style.shades(dark)
        for each in (self.below, self.above):
            style.change(each, fill_color=colours[OTHER])
        style.change(self.band, fill_color=colours[BAND])
        style.change(self.here, line_color=shade["ink"])
        style.change(self.line.glyph, line_color=colours[BAND])
        style.change(self.dots.glyph, fill_color=colours[BAND], line_color=shade["ground"])
