"""What the start page offers to go on with: my system, and a project that was saved.

What an earlier session left unsaved is offered by the project's bar, on every page.
"""

import html

from bokeh.layouts import column
from bokeh.models.widgets import Button, Div, Toggle

from pagecost_app.charts import style
from pagecost_app.pages.look import sheet
from pagecost_app.workspace.my_system import MySystem
from pagecost_app.workspace.system_form import words

DESCRIBE, GO_ON = "Describe my system", "Go on with my system"


class GoOn:
    """`root` is the layout. shows_system, opens_project: the toggles of the bars that do it."""

    def __init__(self, mine: MySystem, shows_system: Toggle, opens_project: Toggle):
        self.mine = mine
        self.system = self._button("system", shows_system)
        self.project = self._button("project", opens_project)
        self.project.label = "Open a project"
        self.words = Div(name="start.system_words", sizing_mode="stretch_width")
        self.root = column(self.system, self.words, self.project, sizing_mode="stretch_width", spacing=6)
        mine.follow(self._tell)
        self._tell()

    def _tell(self) -> None:
        """Say which system it is."""
        found = self.mine.system
        said = "; ".join(words(found).values()) if found else ""
        text = f'<small style="color:var(--muted)">{html.escape(said)}</small>'
        style.change(self.system, label=GO_ON if found else DESCRIBE)
        style.change(self.words, text=text, visible=bool(found))

    def _button(self, name: str, toggle: Toggle) -> Button:
        made = Button(name=f"start.{name}", sizing_mode="stretch_width", stylesheets=[sheet()])
        made.on_click(lambda: style.change(toggle, active=True))
        return made
