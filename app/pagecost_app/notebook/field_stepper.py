"""Translation layers, disk arms and joins in a lesson, step by step: `step_ftl("fast", "w0 w1 w0")`,
`step_disk("sstf")`, `step_join("hybrid hash join", memory=8)`."""

import ipywidgets as widgets

from pagecost_app.notebook.walking import WalkWidget
from pagecost_app.walks.disk_walk import DEFAULT_DISK, NOBODY
from pagecost_app.walks.disk_walk import REQUESTS as DISK_REQUESTS
from pagecost_app.walks.face import random_label
from pagecost_app.walks.fields import CHOICE, NUMBER, Field
from pagecost_app.walks.ftl_walk import FILLED
from pagecost_app.walks.ftl_walk import REQUESTS as FTL_REQUESTS
from pagecost_app.walks.kinds import BESIDE, JOIN, KINDS, Kind

FIT = {"description_width": "initial"}


def step_ftl(
    layer: str = "page",
    requests: str = FTL_REQUESTS,
    *,
    beside: str = NOBODY,
    policy: str = "greedy",
    pages: int = 16,
    pages_per_block: int = 4,
    spare_blocks: int = 4,
    log_blocks: int = 2,
    cached_entries: int = 4,
    start: str = FILLED,
) -> "FieldStepper":
    """A stepper through a translation layer: "page", "block", "bast", "fast" or "dftl", operation by operation.

    requests: `w3` writes page 3, `r3` reads it, `t3` trims it, `w0-7` writes eight. beside: another layer, both then go
    request by request, or "none". policy: by which the page map collects. pages: of the host, 4..128, in blocks of
    pages_per_block, 2..8; spare_blocks: 1..16 beyond those. log_blocks: of BAST and FAST; cached_entries: of DFTL.
    start: "filled", every page written once, or "empty". Raises ModelError for what is not possible.
    """
    values = {
        "layer": layer,
        "requests": requests,
        "policy": policy,
        "pages": pages,
        "pages_per_block": pages_per_block,
        "spare_blocks": spare_blocks,
        "log_blocks": log_blocks,
        "cached_entries": cached_entries,
        "start": start,
    }
    return FieldStepper(KINDS["ftl"], **values) if beside == NOBODY else FieldStepper(BESIDE, **values, beside=beside)


def step_disk(
    scheduler: str = "sstf",
    requests: str = DISK_REQUESTS,
    *,
    beside: str = NOBODY,
    disk: str = DEFAULT_DISK,
    start: int = 530,
    sectors: int = 8,
) -> "FieldStepper":
    """A stepper of a disk arm through requests that all wait: chosen, seek, rotation, transfer.

    scheduler: a key of `pagecost.devices.disk.SCHEDULERS`; beside: another one in lock-step, or "none". requests:
    cylinders as in `98 183w 37:12`, with w for a write and :12 for the sector on the track. disk: a hard disk of the
    catalogue. start: cylinder over which the arm stands. Raises ModelError for what is not possible.
    """
    return FieldStepper(
        KINDS["disk"], scheduler=scheduler, requests=requests, beside=beside, disk=disk, start=start, sectors=sectors
    )


def step_join(
    method: str = "block nested loops", *, memory: int = 8, percent: int = 20, outer: int = 16, inner: int = 32
) -> "FieldStepper":
    """A stepper through a join of R and S, outer and inner pages of eight rows, request by request.

    method: of `pagecost.answers.join_runs.METHODS`. memory: pages, 3..64. percent: of S's rows that find a partner, and
    of R's rows that are found. Raises ModelError for what is not possible, too little memory for the join among it.
    """
    return FieldStepper(JOIN, method=method, memory=memory, percent=percent, outer=outer, inner=inner)


class FieldStepper(WalkWidget):
    """A walk whose inputs are declared in `walks`, and its widgets. `fields` has the widgets by name.

    `go(7)` moves it from a cell; `walk` is where it stands.
    """

    def __init__(self, kind: Kind, **values):
        self.kind, self.css = kind, kind.css
        super().__init__(kind.walk(**values))

    def _inputs(self) -> list:
        self.fields = {field.name: _widget(field, self.walk.values[field.name]) for field in self.kind.fields}
        for control in self.fields.values():
            control.observe(lambda change: self._asked(), names="value")
        self._offer()
        text = self.fields.get(self.kind.string)
        others = [control for control in self.fields.values() if control is not text]
        row = widgets.HBox(others, layout={"flex_flow": "row wrap"})
        if text is None:
            return [row]
        self.seed = 0
        self.random = widgets.Button(description=random_label(0), layout={"flex": "none"})
        self.random.add_class("pagecost-walk-wide")
        self.random.on_click(lambda _: self._draw())
        return [row, widgets.HBox([text, self.random], layout={"flex_flow": "row wrap"})]

    def _offer(self) -> None:
        """Show the inputs that count with the others as they are."""
        for field in self.kind.fields:
            self.fields[field.name].layout.display = "" if field.counts(self.walk.values) else "none"

    def _draw(self) -> None:
        self.seed += 1
        self.random.description = random_label(self.seed)
        self.fields[self.kind.string].value = self.walk.random_text(self.seed)

    def _more(self) -> list:
        return [
            self._button(label, wish, lambda wish=wish: self.walk.place_of(wish), wide=True)
            for label, wish in self.kind.wishes.items()
        ]

    def _ask(self) -> None:
        self.walk.ask(**{name: control.value for name, control in self.fields.items()})
        self._offer()

    def _shown(self) -> tuple[str, str, str]:
        return self.kind.title(self.walk), self.kind.sentence(self.walk), self.kind.picture(self.walk)


def _widget(field: Field, value):
    fit = {"description": field.label, "style": FIT}
    if field.kind == CHOICE:
        options = dict(field.options or {})
        options.setdefault(value, str(value))  # with parameters, as it is written in a cell
        pairs = [(title, name) for name, title in options.items()]
        return widgets.Dropdown(options=pairs, value=value, layout={"width": "max-content"}, **fit)
    if field.kind == NUMBER:
        return widgets.BoundedIntText(
            value=value, min=field.least, max=field.most, layout={"width": "max-content"}, **fit
        )
    return widgets.Text(value=value, continuous_update=False, layout={"width": "auto", "flex": "1 1 240px"}, **fit)
