"""How the app looks: light, dark or in high contrast, and with large words for a lecture hall.

What the system asks for counts until a person chooses; what is chosen is kept over a reload. It is a part of the
workspace: `name`, `state`, `restore`, `on_change`.
"""

from collections.abc import Callable

from bokeh.events import ButtonClick
from bokeh.layouts import row
from bokeh.models import CustomJS
from bokeh.models.widgets import RadioButtonGroup, Toggle
from bokeh.themes import Theme

from pagecost_app.charts import style
from pagecost_app.pages import look

LABELS = {"light": "Light", "dark": "Dark", "contrast": "High contrast"}

FOLLOW_CHOICE = """
const shown = document.documentElement.dataset
shown.theme = themes[theme.active]
shown.size = large.active ? "large" : ""
sessionStorage.setItem("pagecost.theme", shown.theme)
sessionStorage.setItem("pagecost.size", shown.size)
"""
# what was chosen in this tab before a reload, else what the system says: the page's own script has found it out
FOLLOW_PAGE = """
const shown = document.documentElement.dataset
theme.active = Math.max(themes.indexOf(shown.theme), 0)
large.active = shown.size === "large"
"""


class Appearance:
    """`root` is the choice, for the head of the page. changed() is called whenever it looks different."""

    name = "look"

    def __init__(self, changed: Callable[[], None]):
        self.theme = RadioButtonGroup(
            labels=[*LABELS.values()], active=0, name="theme", tags=["Colours"], stylesheets=[look.sheet()]
        )
        self.large = Toggle(label="Large text", name="large_text", stylesheets=[look.sheet()])
        self.root = row(
            self.large, self.theme, spacing=4, styles={"flex-wrap": "wrap"}, stylesheets=[look.sheet(look.STRIP)]
        )
        self._args = {"theme": self.theme, "large": self.large, "themes": [*LABELS]}
        follow = CustomJS(args=self._args, code=FOLLOW_CHOICE)
        for widget in (self.theme, self.large):
            widget.js_on_change("active", follow)
            widget.on_change("active", lambda attr, old, new: changed())

    @property
    def chosen(self) -> str:
        """The name of the theme; the first where a number was sent that no button has."""
        names, active = [*LABELS], self.theme.active or 0
        return names[active] if 0 <= active < len(names) else names[0]

    @property
    def dark(self) -> bool:
        """Whether the ground is dark, as in high contrast too."""
        return self.chosen != next(iter(LABELS))

    def theme_of_charts(self) -> Theme:
        """Bokeh's theme for the figures of the page."""
        return style.theme(
            self.dark, contrast=self.chosen == "contrast", scale=look.LARGE if self.large.active else 1.0
        )

    def follows_the_page(self) -> CustomJS:
        """What a document runs once, when it is ready, so that the choice shows how the page looks."""
        return CustomJS(args=self._args, code=FOLLOW_PAGE)

    def state(self) -> dict:
        """What is chosen."""
        return {"theme": self.chosen, "large_text": self.large.active}

    def restore(self, state: dict) -> None:
        """Choose what `state` gave; what is not known leaves the choice as it is."""
        theme, names = state.get("theme"), [*LABELS]
        if theme in names:
            style.change(self.theme, active=names.index(theme))
        style.change(self.large, active=bool(state.get("large_text", self.large.active)))

    def on_change(self, callback: Callable[[], None]) -> None:
        """Be told after a person has chosen."""
        for widget in (self.theme, self.large):
            widget.on_event(ButtonClick, lambda event: callback())
