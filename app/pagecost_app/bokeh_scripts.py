"""Bokeh's scripts that our pages and reports load: nothing of ours is TeX or drawn by WebGL, half of them all."""

from bokeh.resources import Component, Resources

COMPONENTS: tuple[Component, ...] = ("bokeh", "bokeh-widgets", "bokeh-tables")


def inline() -> Resources:
    """As text, for a file that is read without a network."""
    return Resources(mode="inline", components=list(COMPONENTS))
