"""The path in a lesson: `walk_path(load="tpc-c")` walks one access after another through all layers, event by event."""

import ipywidgets as widgets

from pagecost.buffer import POLICIES
from pagecost.buffer.policies import title_of
from pagecost.walk import DEVICES, FILE_SYSTEMS, LOADS
from pagecost.walk.setup import MOST_CACHED, MOST_FRAMES
from pagecost_app.notebook.walking import WalkWidget
from pagecost_app.walks import NOBODY, PATH_CSS, PathWalk, path_picture, path_sentence, path_title
from pagecost_app.walks.face import random_label

FIT = {"description_width": "initial"}


def walk_path(**values) -> "PathWidget":
    """A stepper through a small system; values: fields of `pagecost.walk.Setup`.

    load: "debit-credit", "tpc-c" or references such as `1r 2w | 3w`; policy, frames, page_cache_pages, group_commit;
    file_system: "in place", "log-structured" or "out of place"; device: "flash" or "disk". beside: another policy in
    lock-step, or "none". Raises ModelError where one of them is not possible.
    """
    return PathWidget(PathWalk(**values))


class PathWidget(WalkWidget):
    """A small system, its load, and the walk through all of it. Keys besides: e, the next erase; w, who caused this;
    Page Up and Page Down, a transaction.

    `go(7)` moves it from a cell; `walk` is where it stands; `walk.walker` has the models and the record of events.
    """

    css = PATH_CSS

    def _inputs(self) -> list:
        setup = self.walk.setup
        known = {name: policy.title for name, policy in POLICIES.items()}
        policies, others = known | {setup.policy: title_of(setup.policy)}, {NOBODY: "nobody"} | known
        others |= {self.walk.beside: title_of(self.walk.beside)} if self.walk.other else {}

        def choice(label: str, options, value: str) -> widgets.Dropdown:
            return widgets.Dropdown(
                options=options, value=value, description=label, style=FIT, layout={"width": "max-content"}
            )

        def number(label: str, value: int, least: int, most: int) -> widgets.BoundedIntText:
            return widgets.BoundedIntText(
                value=value, min=least, max=most, description=label, style=FIT, layout={"width": "max-content"}
            )

        # a name of a load or a reference string, as it is written in a cell
        self.load = widgets.Combobox(
            value=setup.load,
            options=list(LOADS),
            description="Load",
            continuous_update=False,
            layout={"width": "auto", "flex": "1 1 240px"},
        )
        self.controls = {
            "transactions": number("Transactions", setup.transactions, 1, 1000),
            "policy": choice("Policy", [(shown, name) for name, shown in policies.items()], setup.policy),
            "beside": choice("Beside it", [(shown, name) for name, shown in others.items()], self.walk.beside),
            "frames": number("Frames", setup.frames, 1, MOST_FRAMES),
            "page_cache_pages": number("Page cache", setup.page_cache_pages, 4, MOST_CACHED),
            "group_commit": number("Group commit", setup.group_commit, 1, 64),
            "file_system": choice("File system", list(FILE_SYSTEMS), setup.file_system),
            "device": choice("Device", [(shown, name) for name, shown in DEVICES.items()], setup.device),
        }
        for control in (self.load, *self.controls.values()):
            control.observe(lambda change: self._asked(), names="value")
        self.seed = 0
        self.random = widgets.Button(description=random_label(0), layout={"flex": "none"})
        self.random.add_class("pagecost-walk-wide")
        self.random.on_click(lambda _: self._draw())
        loads = [self.load, self.random, self.controls["transactions"]]
        return [
            widgets.HBox(loads, layout={"flex_flow": "row wrap"}),
            widgets.HBox([self.controls[name] for name in list(self.controls)[1:]], layout={"flex_flow": "row wrap"}),
        ]

    def _draw(self) -> None:
        self.seed += 1
        self.random.description = random_label(self.seed)
        self.load.value = self.walk.random_text(self.seed)

    def _more(self) -> list:
        self.why = widgets.ToggleButton(description="Who caused this?")
        self.why.add_class("pagecost-walk-why")
        self.why.add_class("pagecost-walk-wide")
        self.why.observe(lambda change: self._show(), names="value")
        wishes = {"Next erase": "erase", "Previous transaction": "previous", "Next transaction": "next"}
        buttons = [
            self._button(label, wish, lambda wish=wish: self.walk.place_of(wish), wide=True)
            for label, wish in wishes.items()
        ]
        return [*buttons, self.why]

    def _ask(self) -> None:
        self.walk.ask(load=self.load.value, **{name: control.value for name, control in self.controls.items()})

    def _shown(self) -> tuple[str, str, str]:
        return path_title(self.walk), path_sentence(self.walk), path_picture(self.walk, self.why.value)
