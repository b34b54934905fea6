"""How every chart looks: colours, dashes and markers that stay apart for any eye, and axes that name their units."""

from bokeh.models import CustomJSTickFormatter, FixedTicker
from bokeh.themes import Theme

from pagecost.studies import Column
from pagecost.units import format_bytes

# Okabe and Ito's palette; black and the dark blue are exchanged on a dark ground, where they would vanish
LIGHT_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D31")
DARK_COLOURS = ("#56B4E9", "#FF8A3D", "#2FC79A", "#E79BC4", "#F2C14E", "#9FD8FF", "#FFFFFF", "#C9A86A")
MORE_LIGHT, MORE_DARK = ("#7A7A7A", "#5D3A9B"), ("#8E99A5", "#B79CE6")  # terms of a stack are never drawn as lines
DASHES = ("solid", "dashed", "dotted", "dotdash", "solid", "dashed", "dotted", "dotdash")
MARKERS = ("circle", "square", "triangle", "diamond", "inverted_triangle", "plus", "x", "asterisk")
SLOTS = len(LIGHT_COLOURS)

FONT = "system-ui, 'DejaVu Sans', sans-serif"
LIGHT = {"ground": "#ffffff", "ink": "#1f2328", "faint": "#d8dee4", "muted": "#57606a", "panel": "#f6f8fa"}
DARK = {"ground": "#15191e", "ink": "#e6edf3", "faint": "#333b44", "muted": "#9aa4af", "panel": "#1d2329"}


def colours(dark: bool) -> tuple[str, ...]:
    """The series colours for a light or a dark ground."""
    return DARK_COLOURS if dark else LIGHT_COLOURS


def stack_colours(dark: bool) -> tuple[str, ...]:
    """The colours of the terms of a stacked bar: the series colours and two more."""
    return colours(dark) + (MORE_DARK if dark else MORE_LIGHT)


def shades(dark: bool) -> dict[str, str]:
    """Ground, ink and greys for a light or a dark ground."""
    return DARK if dark else LIGHT


def theme(dark: bool) -> Theme:
    """Bokeh's theme for every figure of pagecost."""
    shade = shades(dark)
    text = {"text_color": shade["ink"], "text_font": FONT}
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
                    "axis_label_text_font_size": "12px",
                    "major_label_text_color": shade["ink"],
                    "major_label_text_font": FONT,
                    "major_label_text_font_size": "11px",
                    "axis_line_color": shade["muted"],
                    "major_tick_line_color": shade["muted"],
                    "minor_tick_line_color": None,
                },
                "Title": {**text, "text_font_size": "14px", "text_font_style": "bold"},
                "Legend": {
                    "label_text_color": shade["ink"],
                    "label_text_font": FONT,
                    "label_text_font_size": "12px",
                    "background_fill_alpha": 0,
                    "border_line_alpha": 0,
                },
            }
        }
    )


def prefixed(unit: str) -> CustomJSTickFormatter:
    """Axis numbers with an SI prefix: 0.0042 with unit "s" reads 4.2 ms, 3500 with unit "" reads 3.5 k."""
    return CustomJSTickFormatter(
        args={"unit": unit},
        code="""
            if (tick === 0) return "0"
            const prefixes = ["p", "n", "µ", "m", "", "k", "M", "G", "T"]
            const step = Math.min(Math.max(Math.floor(Math.log10(Math.abs(tick) * 1.0000001) / 3), -4), 4)
            const number = Number((tick / 10 ** (3 * step)).toPrecision(4)).toString()
            return (number + " " + prefixes[step + 4] + unit).trim()
        """,
    )


def label(axis, column: Column, *, ticks: bool = True) -> None:
    """Name an axis as its column is named, and its ticks in the column's unit.

    Counts, and rates of what the label names, have no unit of their own. ticks: False leaves them as they are.
    """
    if axis.axis_label != column.label:
        axis.axis_label = column.label
        if ticks:
            axis.formatter = prefixed("" if column.unit in ("1", "1/s", "1/J") else column.unit)


def bytes_ticks(axis, sizes) -> None:
    """Label an axis of block sizes with at most six of the sizes themselves: 4 KiB, 16 KiB, …"""
    every = max(1, -(-len(sizes) // 6))
    ticks_at(axis, {int(size): format_bytes(size) for size in sizes[::every]})


def ticks_at(axis, labels: dict[int, str]) -> None:
    """Label an axis at these values, and nowhere else."""
    if axis.major_label_overrides != labels:
        axis.update(ticker=FixedTicker(ticks=list(labels), minor_ticks=[]), major_label_overrides=labels)


def change(model, **values) -> None:
    """Set what differs. Every set property is sent to the browser and may lay the page out anew: some 100 ms."""
    differing = {name: value for name, value in values.items() if getattr(model, name) != value}
    if differing:
        model.update(**differing)


def name_axes(figure, x, y) -> None:
    """Label the axes of a figure as the columns `x` and `y` of a result are labelled; ticks carry the units."""
    for axis, column in ((figure.xaxis[0], x), (figure.yaxis[0], y)):
        change(axis, axis_label=column.label)
