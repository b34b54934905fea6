"""How every chart looks: colours, dashes and markers that stay apart for any eye, and axes that name their units."""

import functools
from collections.abc import Mapping

from bokeh.models import (
    CategoricalAxis,
    CustomJS,
    CustomJSTicker,
    CustomJSTickFormatter,
    FixedTicker,
    LogAxis,
    NoOverlap,
)
from bokeh.models.annotations import Legend, LegendItem
from bokeh.themes import Theme

from pagecost.studies import Column
from pagecost.units import THIN, Money, format_bytes

# After Okabe and Ito's palette; their yellow and light blue are too pale on white (a mark needs a contrast of 3), and
# black and the dark blue are exchanged on a dark ground, where they would vanish
LIGHT_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#B9659B", "#7A4100", "#3F8CFF", "#000000", "#9A8A20")
DARK_COLOURS = ("#56B4E9", "#FF8A3D", "#2FC79A", "#E79BC4", "#F2C14E", "#9FD8FF", "#FFFFFF", "#C9A86A")
MORE_LIGHT, MORE_DARK = ("#7A7A7A", "#4B2E83"), ("#8E99A5", "#B79CE6")  # terms of a stack are never drawn as lines
DASHES = ("solid", "dashed", "dotted", "dotdash", "solid", "dashed", "dotted", "dotdash")
MARKERS = ("circle", "square", "triangle", "diamond", "inverted_triangle", "plus", "x", "asterisk")
SLOTS = len(LIGHT_COLOURS)
# of the terms of a stacked bar, so that they differ without colour; neighbours most
HATCHES = (
    *(" ", "right_diagonal_line", "dot", "left_diagonal_line", "horizontal_line"),
    *("ring", "cross", "vertical_line", "diagonal_cross", "right_diagonal_dash"),
)

FONT = "system-ui, 'DejaVu Sans', sans-serif"
TITLE_SIZE, AXIS_SIZE, TICK_SIZE = 14, 12, 11  # pixels
LIGHT = {"ground": "#ffffff", "ink": "#1f2328", "faint": "#d8dee4", "muted": "#57606a", "panel": "#f6f8fa"}
LIGHT |= {"focus": "#0072B2", "accent": "#0072B2", "on-accent": "#ffffff"}
DARK = {"ground": "#15191e", "ink": "#e6edf3", "faint": "#333b44", "muted": "#9aa4af", "panel": "#1d2329"}
DARK |= {"focus": "#56B4E9", "accent": "#0072B2", "on-accent": "#ffffff"}
CONTRAST = {"ground": "#000000", "ink": "#ffffff", "faint": "#8a8a8a", "muted": "#e6e6e6", "panel": "#000000"}
CONTRAST |= {"focus": "#FFD400", "accent": "#FFD400", "on-accent": "#000000"}


def colours(dark: bool) -> tuple[str, ...]:
    """The series colours for a light or a dark ground."""
    return DARK_COLOURS if dark else LIGHT_COLOURS


def stack_colours(dark: bool) -> tuple[str, ...]:
    """The colours of the terms of a stacked bar: the series colours and two more."""
    return colours(dark) + (MORE_DARK if dark else MORE_LIGHT)


def shades(dark: bool) -> dict[str, str]:
    """Ground, ink and greys for a light or a dark ground."""
    return DARK if dark else LIGHT


@functools.cache
def theme(dark: bool, *, contrast: bool = False, scale: float = 1.0) -> Theme:
    """Bokeh's theme for every figure of pagecost.

    contrast: black and white behind the series colours of a dark ground. scale: of all words.
    """
    shade = CONTRAST if contrast else shades(dark)
    text = {"text_color": shade["ink"], "text_font": FONT}

    def size(pixels: float) -> str:
        return f"{pixels * scale:.0f}px"

    return Theme(
        json={
            "attrs": {
                "Plot": {
                    "background_fill_color": shade["ground"],
                    "border_fill_color": shade["ground"],
                    "outline_line_color": shade["faint"],
                },
                "Grid": {"grid_line_color": shade["faint"], "grid_line_alpha": 0.7},
                "Axis": {
                    "axis_label_text_color": shade["ink"],
                    "axis_label_text_font": FONT,
                    "axis_label_text_font_style": "normal",
                    "axis_label_text_font_size": size(AXIS_SIZE),
                    "major_label_text_color": shade["ink"],
                    "major_label_text_font": FONT,
                    "major_label_text_font_size": size(TICK_SIZE),
                    "axis_line_color": shade["muted"],
                    "major_tick_line_color": shade["muted"],
                    "minor_tick_line_color": None,
                },
                "Title": {**text, "text_font_size": size(TITLE_SIZE), "text_font_style": "bold"},
                "Label": {"text_font_size": size(AXIS_SIZE)},
                "LabelSet": {"text_font_size": size(AXIS_SIZE)},
                "Text": {"text_font_size": size(AXIS_SIZE)},
                "Legend": {
                    "label_text_color": shade["ink"],
                    "label_text_font": FONT,
                    "label_text_font_size": size(AXIS_SIZE),
                    "background_fill_alpha": 0,
                    "border_line_alpha": 0,
                },
            }
        }
    )


def prefixed(unit: str) -> CustomJSTickFormatter:
    """Axis numbers with an SI prefix: 0.0042 with unit "s" reads 4.2 ms, 3500 with unit "" reads 3.5 k.

    But as people write them: of seconds there are no thousands (1 000 s), of nothing no thousandths (0.2).
    """
    return CustomJSTickFormatter(
        args={"unit": unit, "space": THIN},
        code="""
            if (tick === 0) return "0"
            const digits = (value) => Number(value.toPrecision(4)).toString()
            const prefixed = (value, unit) => {
              const prefixes = ["p", "n", "µ", "m", "", "k", "M", "G", "T"]
              const step = Math.min(Math.max(Math.floor(Math.log10(Math.abs(value) * 1.0000001) / 3), -4), 4)
              return (digits(value / 10 ** (3 * step)) + " " + prefixes[step + 4] + unit).trim()
            }
            const chosen = window.pagecost_units ?? {}  // what a person wants, in the app
            const times = {ms: 1e3, "µs": 1e6}[chosen.time]
            if (unit === "s" && times && Math.abs(tick) < 120) return digits(tick * times) + " " + chosen.time
            if (unit === "B" && chosen.bytes === "GiB") {
              const power = Math.min(Math.max(Math.floor(Math.log2(Math.abs(tick)) / 10), 0), 4)
              return digits(tick / 1024 ** power) + " " + ["B", "KiB", "MiB", "GiB", "TiB"][power]
            }
            const size = Math.abs(tick)
            if (unit === "s" && size >= 1e3 && size < 1e6) {
              return tick.toLocaleString("en-US", {maximumSignificantDigits: 4}).replaceAll(",", space) + " s"
            }
            return unit === "" && size >= 1e-3 && size < 1 ? digits(tick) : prefixed(tick, unit)
        """,
    )


def written_out() -> CustomJSTickFormatter:
    """Axis numbers written out as sentences and tables write them: 12 500, 0.75, 0.0005."""
    return CustomJSTickFormatter(
        args={"space": THIN},
        code="""
            const digits = Math.abs(tick) < 1 ? {maximumSignificantDigits: 3} : {maximumFractionDigits: 3}
            return tick.toLocaleString("en-US", digits).replaceAll(",", space)
        """,
    )


# A text in lines that fit into so many pixels, in the pen's font; and the height that a figure has beside its own for
# what is in lines
IN_LINES = """
const pen = (window.pagecost_pen ??= document.createElement("canvas").getContext("2d"))
const plain = (set) => set?.value ?? set
const in_lines = (text, room) => text.split("\\n").flatMap((part) => {
  const lines = []
  for (const word of part.split(" ")) {
    const longer = lines.length ? lines.at(-1) + " " + word : word
    if (lines.length && pen.measureText(longer).width > room) lines.push(word)
    else lines.splice(-1, 1, longer)
  }
  return lines
})
const measured = (size) => figure.properties[size].is_unset ? 0 : figure[size]  // unset: not laid out yet
const grow = (part, pixels) => {
  const grown = (figure.grown ??= {})
  grown[part] = pixels
  const all = Object.values(grown).reduce((sum, each) => sum + each, 0)
  const least = all > 0 ? figure.height + all : null
  if (figure.min_height !== least) figure.setv({min_height: least}, {sync: false})
}
"""

# Bokeh writes a title or an axis label in one line and cuts what does not fit. The lines stay in the browser: sent
# back, they would differ from what Python has set, which would then set it again with every answer. In a figure that is
# no wider than a phone, a title begins at the figure's edge, and has all the room that is seen of the figure, and the
# figure grows until the names of its rows have room in lines. Until it is laid out anew, Bokeh paints over its edge; as
# it clears half a pixel too low, that would stay.
WRAP = """
const width = measured("outer_width")
const view = window.Bokeh?.index?.find_one?.(figure)
const seen = Math.min(width, view?.el.parentNode?.host?.clientWidth || width)
const narrow = 0 < seen && seen < __NARROW__
const painted = view?.canvas_view?.primary
if (painted) painted.clear = () => painted.ctx.clearRect(-1, -1, painted.bbox.width + 2, painted.bbox.height + 2)
for (const [model, property, size, font] of parts) {
  let room = measured(size)
  if (model === figure.title && room > 0) {
    const offset = narrow && view ? Math.min(0, 5 - view.frame.bbox.left) : 0
    if (narrow) room = seen - __RIGHT__
    if (model.offset !== offset) model.setv({offset}, {sync: false})
  }
  if (!(room > 0) || !model[property]) continue
  pen.font = ["_style", "_size", ""].map((part) => plain(model[font + part])).join(" ")
  const wrapped = in_lines(model[property].replaceAll("\\n", " "), room).join("\\n")
  if (wrapped === model[property]) continue
  model.setv({[property]: wrapped}, {sync: false})
  setTimeout(() => view?.request_layout?.(true), 0)  // Bokeh paints it anew, and else keeps the room of the old lines
}
for (const axis of named) {
  const {factors} = figure.y_range
  pen.font = `${plain(axis.major_label_text_font_size)} ${font}`
  const lines = narrow ? Math.max(1, ...factors.map((name) => in_lines(name, names).length)) : 1
  const needed = factors.length * (lines + 0.4) * __LINE__ * parseFloat(pen.font)  // a gap between two names
  const own = figure.height + (figure.grown?.legend ?? 0) - (measured("outer_height") - measured("inner_height"))
  grow("names", lines > 1 ? Math.max(0, Math.ceil(needed - own)) : 0)
  if (!!axis.tags[0] !== narrow) axis.setv({tags: [narrow]}, {sync: false})  // lays it out anew
}
"""
NARROW, RIGHT = 480, 35  # pixels: a figure of a phone, and what is at the right of its frame
NAMES = 150  # pixels: of the names of rows in such a figure
LINE = 1.3  # sizes of its font from one line to the next
for _word, _said in {"NARROW": NARROW, "RIGHT": RIGHT, "LINE": LINE}.items():
    WRAP = WRAP.replace(f"__{_word}__", str(_said))

# The names of rows in a narrow figure, which grows until they have room
LINES = """
if (!axis.tags[0]) return tick
pen.font = `${plain(axis.major_label_text_font_size)} ${font}`
return in_lines(tick, room).join("\\n")
"""


# For a layout that is shown again: its figures come as Python knows them, with the width that they had
FIT_AGAIN = """
for (const model of cb_obj.references())
  if (model.type === "Figure") model.properties.inner_width.change.emit()
"""


def keep_words_whole(figure) -> None:
    """Let the title and the axis labels of a figure take as many lines as they need where the figure is small."""
    parts = [
        (figure.title, "text", "inner_width", "text_font"),
        *((axis, "axis_label", "inner_width", "axis_label_text_font") for axis in figure.xaxis),
        *((axis, "axis_label", "inner_height", "axis_label_text_font") for axis in figure.yaxis),
    ]
    named = [axis for axis in figure.yaxis if isinstance(axis, CategoricalAxis)]
    for axis in named:
        lines = {"axis": axis, "figure": figure, "room": NAMES, "font": FONT}
        axis.update(formatter=CustomJSTickFormatter(args=lines, code=IN_LINES + LINES))
    args = {"figure": figure, "parts": parts, "named": named, "names": NAMES, "font": FONT}
    wrap = CustomJS(args=args, code=IN_LINES + WRAP)
    for size in ("inner_width", "inner_height", "outer_width"):
        figure.js_on_change(size, wrap)
    if named:
        figure.y_range.js_on_change("factors", wrap)
    for model, name, _, font in parts:
        model.js_on_change(name, wrap)
        model.js_on_change(f"{font}_size", wrap)


# Words at the end of a bar are cut where the frame ends; in a narrow figure the axis goes on until they have room. The
# end that Python has set stays known, for it is not set again where it did not change
FURTHER = """
const range = figure.x_range
if (range.end !== figure.end_for_words) figure.end_as_set = range.end
let end = figure.end_as_set
const [inner, outer] = [measured("inner_width"), measured("outer_width")]
if (inner > 0 && outer > 0 && outer < __NARROW__) {
  pen.font = `${plain(words.text_font_size)} ${font}`
  const texts = source.data[words.text.field]
  Array.from(source.data[words.x.field]).forEach((x, i) => {
    const taken = 10 + pen.measureText(texts[i]).width
    if (taken < inner) end = Math.max(end, range.start + (x - range.start) * inner / (inner - taken))
  })
}
figure.end_for_words = end
if (end !== range.end) range.setv({end}, {sync: false})
""".replace("__NARROW__", str(NARROW))


def keep_ends_whole(figure, words, source) -> None:
    """Let the axis of a narrow figure go on until the words (a LabelSet of the source) beside its bars have room."""
    args = {"figure": figure, "words": words, "source": source, "font": FONT}
    further = CustomJS(args=args, code=IN_LINES + FURTHER)
    figure.js_on_change("inner_width", further)
    figure.x_range.js_on_change("end", further)
    source.js_on_change("data", further)


# Beside points the axis stays as it is, and words that its end would cut move to the left, below their points
INSIDE = """
const [from, to, inner] = [figure.x_range.start, figure.x_range.end, measured("inner_width")]
if (!(inner > 0) || !(to > from)) return
pen.font = `${plain(words.text_font_size)} ${font}`
const texts = source.data[words.text.field]
const room = Array.from(source.data[words.x.field]).map((x, i) =>
  inner * Math.log(to / x) / Math.log(to / from) - pen.measureText(texts[i]).width - 4)
source.data[words.x_offset.field] = room.map((left) => Math.min(beside, left))
source.data[words.y_offset.field] = room.map((left) => left < beside ? -below : 0)
source.change.emit()
"""


def keep_words_inside(figure, words, source, beside: int, below: int) -> None:
    """Let words (a LabelSet of the source) stand `beside` their points, and where the figure ends earlier `below` them.

    Both in pixels; the words' offsets are columns of the source. The axis along x is logarithmic.
    """
    args = {"figure": figure, "words": words, "source": source, "font": FONT, "beside": beside, "below": below}
    moved = CustomJS(args=args, code=IN_LINES + INSIDE)
    figure.js_on_change("inner_width", moved)
    figure.x_range.js_on_change("start", moved)
    figure.x_range.js_on_change("end", moved)
    source.js_on_change("data", moved)


# Likewise a legend is cut where it is wider than its figure
COLUMNS = """
const items = legend.items.filter((item) => item.visible)
const room = measured("inner_width") - legend.margin  // it begins that far from the left
if (!(room > 0) || items.length === 0) return
pen.font = `${plain(legend.label_text_font_size)} ${font}`
const widths = items.map((item) => symbol + pen.measureText(item.label.value).width)
const needed = (columns) => {
  const widest = Array(columns).fill(0)
  widths.forEach((width, i) => { widest[i % columns] = Math.max(widest[i % columns], width) })
  return widest.reduce((sum, width) => sum + width, legend.spacing * (columns - 1))
}
let columns = items.length
while (columns > 1 && needed(columns) > room) columns--
if (legend.ncols !== columns) legend.setv({ncols: columns}, {sync: false})
// words that alone are too wide go on in further lines
const words = Math.floor(room - symbol)
const lines = items.map((item) => columns > 1 ? 1 : in_lines(item.label.value, words).length)
const further = lines.reduce((sum, count) => sum + count - 1, 0)
const sheets = further ? [`.bk-label { white-space: pre-wrap; max-width: ${words}px; }`] : []
if (String(legend.stylesheets) !== String(sheets)) legend.setv({stylesheets: sheets}, {sync: false})
grow("legend", (Math.ceil(items.length / columns) - 1) * row_height + further * __LINE__ * parseFloat(pen.font))
""".replace("__LINE__", str(LINE))
SYMBOL_WIDTH = 30  # of a legend's item, in pixels: sign and gap


def keep_legend_whole(figure, legend, row_height: int = 26) -> CustomJS:
    """Give a legend as many columns as fit into its figure, which grows with its rows. row_height [pixels]: of each.

    Returns what does it, for items that are added later and may be hidden.
    """
    args = {"figure": figure, "legend": legend, "symbol": SYMBOL_WIDTH, "row_height": row_height}
    fit = CustomJS(args={**args, "font": FONT}, code=IN_LINES + COLUMNS)
    figure.js_on_change("inner_width", fit)
    figure.js_on_change("height", fit)
    legend.js_on_change("items", fit)
    legend.js_on_change("label_text_font_size", fit)
    for item in legend.items:
        item.js_on_change("visible", fit)
    return fit


def legend_below(figure, items: list[LegendItem], **look) -> Legend:
    """A legend in a line under a figure, where it covers nothing that is drawn."""
    look |= {"orientation": "horizontal", "location": "left", "padding": 2, "spacing": 14}  # pixels
    legend = Legend(items=items, **look)
    figure.add_layout(legend, "below")
    keep_legend_whole(figure, legend)
    return legend


# On a logarithmic axis of less than two decades Bokeh writes 5, 10, 15 and leaves all below without a number
LOG_TICKS = """
const {start, end} = cb_data
const [low, high] = [Math.min(start, end), Math.max(start, end)]
if (!(low > 0) || !isFinite(high)) return []
const decades = Math.log10(high / low)
const steps = decades > 2.5 ? [1] : decades > 1.2 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 7]
const every = Math.max(1, Math.ceil(decades / 8))
const ticks = []
for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++) {
  if (power % every) continue
  for (const step of steps) {
    const tick = Number((step * 10 ** power).toPrecision(12))
    if (low <= tick && tick <= high) ticks.push(tick)
  }
}
return ticks
"""


def keep_ticks_apart(figure) -> None:
    """Let no two numbers of an axis overlap, and logarithmic axes have round ones, as many as can be read."""
    for axis in figure.axis:
        if not isinstance(axis, CategoricalAxis):  # a name may not be left out
            axis.major_label_policy = NoOverlap(min_distance=6)
        if isinstance(axis, LogAxis):
            axis.update(ticker=CustomJSTicker(major_code=LOG_TICKS), formatter=prefixed(""))


def axis_words(column: Column) -> str:
    """The label of a column whose ticks carry its unit; a rate that does not say of what time gets it here."""
    said = " per " in column.label or "/" in column.label
    return column.axis if column.unit in ("1/s", "1/J") and not said else column.label


def label(axis, column: Column, *, ticks: bool = True) -> None:
    """Name an axis as its column is named, and its ticks in the column's unit.

    Counts, and rates of what the label names, have no unit of their own. ticks: False leaves them as they are.
    """
    words = axis_words(column)
    if axis.axis_label != words:
        axis.axis_label = words
        if ticks:
            axis.formatter = prefixed("" if column.unit in ("1", "1/s", "1/J") else column.unit)


def money_ticks(axis, money: Money) -> None:
    """Label an axis with amounts of a currency, in which the numbers are drawn: 3.5 k€."""
    formatter = axis.formatter
    if not isinstance(formatter, CustomJSTickFormatter) or formatter.args.get("unit") != money.sign:
        axis.formatter = prefixed(money.sign)


def bytes_ticks(axis, sizes) -> None:
    """Label an axis of block sizes with at most six of the sizes themselves: 4 KiB, 16 KiB, …"""
    every = max(1, -(-len(sizes) // 6))
    ticks_at(axis, {int(size): format_bytes(size) for size in sizes[::every]})


def ticks_at(axis, labels: Mapping) -> None:
    """Label an axis at these values, and nowhere else."""
    if axis.major_label_overrides != labels:
        only_ticks_at(axis, list(labels))
        axis.major_label_overrides = labels


def only_ticks_at(axis, values: list) -> None:
    """Mark an axis at these values, and nowhere else."""
    if isinstance(axis.ticker, FixedTicker):  # a new model costs a look through the whole document
        change(axis.ticker, ticks=values, minor_ticks=[])
    else:
        axis.ticker = FixedTicker(ticks=values, minor_ticks=[])


def change(model, **values) -> None:
    """Set what differs. Every set property is sent to the browser and may lay the page out anew: some 100 ms."""
    differing = {name: value for name, value in values.items() if getattr(model, name) != value}
    if differing:
        model.update(**differing)


def name_axes(figure, x, y) -> None:
    """Label the axes of a figure as the columns `x` and `y` of a result are labelled; ticks carry the units."""
    for axis, column in ((figure.xaxis[0], x), (figure.yaxis[0], y)):
        change(axis, axis_label=axis_words(column))
