"""The page Compare: kept answers to a question side by side, what differs marked, and what was looked at lately."""

import html
from collections.abc import Callable, Sequence
from typing import Any

from bokeh.layouts import column, row
from bokeh.models import CustomJS
from bokeh.models.widgets import Button, Div, MultiChoice, Select, TextInput, Toggle

from pagecost import studies
from pagecost.errors import ModelError
from pagecost_app import answer_report
from pagecost_app.charts import CHARTS, style
from pagecost_app.charts.scales import share_scales
from pagecost_app.compiling import here
from pagecost_app.pages.changes import together
from pagecost_app.pages.controls import chips
from pagecost_app.pages.handing_over import HandingOver
from pagecost_app.pages.look import complaint, sheet
from pagecost_app.pages.project import Project
from pagecost_app.workspace import comparison, side_by_side
from pagecost_app.workspace.answers import Answer
from pagecost_app.workspace.settings import Setting

NAME = "compare"
NOTHING = (
    "<p>No answer is kept yet. Open a question, set it, and press <b>Keep this answer</b> above it; set it "
    "differently, and keep that one too. Here they then stand side by side.</p>"
)
WIDE: dict[str, Any] = {"sizing_mode": "stretch_width"}
LINE = {"flex-wrap": "wrap", "align-items": "end", "gap": "8px"}
ROOM = {"min-width": "min(100%, 460px)"}


class ComparePage:
    """`root` is the layout; the methods are those of every page. files: what hands reports over."""

    def __init__(self, project: Project, files: HandingOver):
        self.project, self.document, self._files = project, project.frame.document, files
        self._setting = self._dark = False
        self._drawn: list = []
        self.question = self._select("question", "Question", self._take_question, width=560)
        self.chosen = MultiChoice(
            name=f"{NAME}.chosen", title="Side by side", max_items=comparison.MOST, stylesheets=[sheet()], **WIDE
        )
        self.chosen.on_change("value", lambda attr, old, new: self._draw())
        self.table = self._select("table", "Table", self._take_table)
        self.column = self._select("column", "Column", self._draw, width=360)
        self.one = self._select("one", "This one", lambda: style.change(self.name, value=self._name()), width=360)
        self.name = TextInput(name=f"{NAME}.name", title="is called", width=300, stylesheets=[sheet()])
        self.name.on_change("value", lambda attr, old, new: self._rename(new))
        self.remove = Button(label="Remove it", name=f"{NAME}.remove", stylesheets=[sheet()])
        self.remove.on_click(self._remove)
        self.charts = Toggle(label="Show the charts", name=f"{NAME}.charts", stylesheets=[sheet()])
        self.charts.on_change("active", lambda attr, old, new: self._draw())
        self.report = Button(label="Report of these", name=f"{NAME}.report", stylesheets=[sheet()])
        self.report.on_click(self._save_report)
        self.project_report = Button(label="Report of the project", name=f"{NAME}.project", stylesheets=[sheet()])
        self.project_report.on_click(self._save_project_report)
        self.message = Div(name=f"{NAME}.message", visible=False, **WIDE)
        css = sheet(side_by_side.SHEET)
        self.asked = Div(name=f"{NAME}.asked", stylesheets=[css], **WIDE)
        self.numbers = Div(name=f"{NAME}.numbers", stylesheets=[css], **WIDE)
        self.pictures = column(name=f"{NAME}.pictures", **WIDE)
        self.pictures.js_on_change("children", CustomJS(code=style.FIT_AGAIN))
        self.empty = Div(name=f"{NAME}.empty", text=NOTHING, **WIDE)
        self.recent = Div(name=f"{NAME}.recent", **WIDE)
        self.sides = column(
            row(self.question, self.charts, self.report, self.project_report, styles=LINE, **WIDE),
            self.chosen,
            row(self.one, self.name, self.remove, styles=LINE, **WIDE),
            self.message,
            self.asked,
            row(self.table, self.column, styles=LINE, **WIDE),
            self.numbers,
            self.pictures,
            visible=False,
            **WIDE,
        )
        heading = '<h1 style="font-size:19px;margin:4px 0">Answers side by side</h1>'
        self.root = column(Div(text=heading, **WIDE), self.empty, self.sides, self.recent, spacing=8, **WIDE)
        project.workspace.on_change(self._follow)
        project.frame.on_open(lambda address, setting: self._follow())
        self.refresh()

    def refresh(self) -> None:
        """Show what is kept now."""
        asked = dict.fromkeys(answer.study for answer in self.project.answers.kept)
        options: list[Any] = [(name, studies.find(name).title) for name in asked]
        with together(self.document):
            style.change(self.empty, visible=not asked)
            style.change(self.sides, visible=bool(asked))
            style.change(self.recent, text=_recent(self.project))
            if not asked:
                return
            self._setting = True
            latest = list(asked)[-1]
            kept = self.question.value if self.question.value in asked else latest
            style.change(self.question, options=options, value=kept)
            self._offer()
            self._setting = False
            self._draw()

    def recolour(self, dark: bool) -> None:
        self._dark = dark
        for chart in self._drawn:
            chart.recolour(dark)

    def stop(self) -> None:
        """Nothing runs."""

    def _follow(self) -> None:
        """Something of the project changed; what nobody sees is shown when it is opened."""
        if self.project.frame.opened == NAME:
            self.refresh()

    @property
    def _places(self) -> dict[str, int]:
        """The kept answers to the chosen question: name -> place among all."""
        kept = enumerate(self.project.answers.kept)
        return {answer.name: place for place, answer in kept if answer.study == self.question.value}

    def answers(self) -> list[Answer]:
        """Those that stand side by side, in the order in which they were kept."""
        kept, places = self.project.answers.kept, self._places
        return [kept[place] for name, place in places.items() if name in self.chosen.value][: comparison.MOST]

    def _take_question(self) -> None:
        self._setting = True
        style.change(self.chosen, value=[])
        self._offer()
        self._setting = False
        self._draw()

    def _offer(self) -> None:
        """Offer the kept answers to the question; one that came is chosen where there is room."""
        names = list(self._places)
        before = {option[0] for option in self.chosen.options}
        kept = [name for name in names if name in self.chosen.value or name not in before]
        style.change(self.chosen, options=chips((name, name) for name in names))
        style.change(self.chosen, value=kept[-comparison.MOST :])
        one = self.one.value if self.one.value in names else names[-1]
        style.change(self.one, options=names, value=one)
        style.change(self.name, value=one)

    def _take_table(self) -> None:
        style.change(self.column, value="")
        self._draw()

    def _name(self) -> str:
        return self.one.value

    def _draw(self) -> None:
        if self._setting:
            return
        answers = self.answers()
        with together(self.document):
            style.change(self.message, visible=False)
            for place in (self.asked, self.numbers, self.report):
                style.change(place, visible=bool(answers))
            if answers:
                words = side_by_side.asked(answers, _link) + side_by_side.found(answers)
                style.change(self.asked, text=words)
                self._draw_numbers(answers)
            self._draw_charts(answers if self.charts.active else [])

    def _draw_numbers(self, answers: Sequence[Answer]) -> None:
        offered = comparison.columns(answers)
        self._setting = True
        table = self.table.value if self.table.value in offered else next(iter(offered), "")
        style.change(self.table, options=list(offered), value=table, visible=len(offered) > 1)
        columns: list[Any] = list(offered.get(table, {}).items())
        names = [name for name, _ in columns]
        chosen = self.column.value if self.column.value in names else next(iter(names), "")
        style.change(self.column, options=columns, value=chosen, visible=bool(names))
        self._setting = False
        found = comparison.numbers(answers, table, chosen) if chosen else None
        style.change(self.numbers, text=side_by_side.numbers(answers, found) if found else "")

    def _draw_charts(self, answers: Sequence[Answer]) -> None:
        """The same chart for each, on the same scales, two in a row; none are held that are not shown."""
        self._drawn, made = [], []
        for number, answer in enumerate(answers, start=1):
            chart = CHARTS[answer.study]()
            words = f"<b>{number}. {html.escape(answer.name)}</b>"
            try:
                with here():  # most is compiled: the answer was shown before it was kept
                    chart.update(answer.inputs, answer.result)
            except Exception:  # of another version: one of this is drawn
                if not answer.is_of_another_version:
                    raise
                words += f": {html.escape(answer_report.OTHER_VERSION.format(answer.version, 'draw'))}"
                made.append(column(Div(text=words, **WIDE), styles=ROOM, **WIDE))
                continue
            chart.recolour(self._dark)
            self._drawn.append(chart)
            made.append(column(Div(text=words, **WIDE), chart.root, styles=ROOM, **WIDE))
        share_scales([chart.root for chart in self._drawn])
        rows = [
            row(*made[at : at + 2], spacing=18, styles={"flex-wrap": "wrap"}, **WIDE) for at in range(0, len(made), 2)
        ]
        style.change(self.pictures, children=rows)

    def _rename(self, name: str) -> None:
        if self._setting or name == self.one.value or self.one.value not in self._places:
            return
        place = self._places[self.one.value]
        try:
            self._setting = True
            chosen = [each for each in self.chosen.value if each != self.one.value]
            self._setting = False
            self.project.answers.rename(place, name)
            called = self.project.answers.kept[place].name
            style.change(self.one, value=called)
            style.change(self.chosen, value=[*chosen, called])
        except ModelError as error:
            self._say(str(error))

    def _remove(self) -> None:
        if self.one.value in self._places:
            self.project.answers.remove(self._places[self.one.value])

    def _save_report(self) -> None:
        answers = self.answers()
        self._files.report("comparison.html", lambda: answer_report.of_comparison(answers), self.message)

    def _save_project_report(self) -> None:
        project = self.project.workspace.project()
        self._files.report(f"{project.name}.html", lambda: answer_report.of_project(project), self.message)

    def _say(self, sentence: str) -> None:
        style.change(self.message, text=complaint(sentence), visible=True)

    def _select(self, name: str, title: str, changed: Callable[[], None], width: int = 200) -> Select:
        made = Select(name=f"{NAME}.{name}", title=title, width=width, stylesheets=[sheet()])
        made.on_change("value", lambda attr, old, new: None if self._setting else changed())
        return made


def _link(answer: Answer) -> str:
    return answer.setting.link()


def _recent(project: Project) -> str:
    """What was looked at lately, as links that open it again."""
    lines = ""
    for record in project.recent.state():
        setting = Setting(record["study"], record["preset"], record["values"])
        title, when = studies.find(record["study"]).title, record["made_at"][11:16]
        lines += (
            f'<li style="margin:4px 0"><a href="{html.escape(setting.link())}" style="color:inherit">'
            f"{html.escape(title)}</a> <span style='color:var(--muted)'>{html.escape(when)} UTC · "
            f"{html.escape(record['headline'][:200])}</span></li>"
        )
    head = "<h2 style='font-size:15px;margin:14px 0 4px'>Looked at lately</h2>"
    return f"{head}<ul style='padding-left:18px;margin:0'>{lines}</ul>" if lines else ""
