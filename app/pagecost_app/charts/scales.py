"""The same chart of several answers, one beside the other: what is longer in one picture is more than in another."""

from collections.abc import Sequence

from bokeh.models import DataRange1d, LayoutDOM, Plot, Range1d

PARTS = {"x": ("below", "above"), "y": ("left", "right")}


def share_scales(roots: Sequence[LayoutDOM]) -> None:
    """Give the axes of charts of one question the same ends, where they are of the same numbers by their label.

    Axes of names keep theirs, as do those whose label or kind is not the same in every chart.
    """
    for plots in zip(*map(_plots, roots), strict=True):
        for side in PARTS:
            if len({_said(plot, side) for plot in plots}) == 1:
                _share(plots, f"{side}_range")


def _plots(root: LayoutDOM) -> list[Plot]:
    """Those of a chart in the order in which they were made, by which Bokeh numbers them."""
    plots = [model for model in root.select({"type": Plot}) if isinstance(model, Plot)]
    return sorted(plots, key=lambda plot: int(plot.id.removeprefix("p")))


def _said(plot: Plot, side: str) -> tuple:
    """The kinds of an axis and its scale, and what its label says."""
    axes = [axis for part in PARTS[side] for axis in getattr(plot, part) if hasattr(axis, "axis_label")]
    return type(getattr(plot, f"{side}_scale")), *((type(axis), axis.axis_label) for axis in axes)


def _share(plots: Sequence[Plot], name: str) -> None:
    ranges = [getattr(plot, name) for plot in plots]
    if all(isinstance(each, DataRange1d) for each in ranges):
        for plot in plots[1:]:
            setattr(plot, name, ranges[0])
    elif all(type(each) is Range1d for each in ranges) and len({each.start > each.end for each in ranges}) == 1:
        first, last = (max, min) if ranges[0].start > ranges[0].end else (min, max)
        start, end = first(each.start for each in ranges), last(each.end for each in ranges)
        for each in ranges:
            each.update(start=start, end=end)
