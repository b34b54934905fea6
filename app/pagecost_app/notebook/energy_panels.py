"""Pictures of energy and money that follow a lesson's widgets: `power_over_time()`, `where_a_dollar_goes(costs)`."""

import html

import ipywidgets as widgets

from pagecost.errors import ModelError, require
from pagecost_app.notebook.explorer import Explorer
from pagecost_app.pictures.energy import (
    PARTS,
    RATE_HZ,
    SEED,
    SHOWN,
    USUAL,
    Cut,
    Powered,
    cuts,
    dollar_drawing,
    power_drawing,
    powered,
)

RATES = (1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 60.0, 80.0, 100.0, 120.0)  # requests a second
FIT = {"description_width": "initial"}


def power_over_time(*names: str, rate_hz: float = RATE_HZ, seed: int = SEED) -> "PowerPanel":
    """The power of devices over time, under random reads of 4 KiB that come at random times, rate_hz a second.

    names: devices of which idle and load power are known. Raises ModelError for one of which they are not.
    """
    chosen = names or USUAL
    for name in chosen:
        powered(name, rate_hz, seed)  # what is wrong is said before there is a list to choose from
    return PowerPanel(chosen, rate_hz, seed)


def where_a_dollar_goes(costs: Explorer) -> "DollarPanel":
    """What each dollar of an exploration of `total_cost` pays for, as its widgets stand.

    Raises ModelError for an exploration of another study.
    """
    asked = costs.study.name if isinstance(costs, Explorer) else repr(costs)
    require(asked == "total_cost", f"a dollar is cut of an exploration of total_cost; got {asked}")
    return DollarPanel(costs)


class PowerPanel(widgets.VBox):
    """A rate and the picture. `devices` has the courses that are drawn; `set(rate_hz=5)` moves it from a cell."""

    def __init__(self, names: tuple[str, ...], rate_hz: float, seed: int):
        self.names, self.seed = names, seed
        self.rate = widgets.Dropdown(
            options=[(f"{rate:g} a second", rate) for rate in sorted({*RATES, rate_hz})],
            value=rate_hz,
            description="Requests",
            style=FIT,
            layout={"width": "max-content"},
        )
        self.drawn, self.message = widgets.HTML(), widgets.HTML()
        self.devices: tuple[Powered, ...] = ()
        self._draw()
        self.rate.observe(lambda change: self._moved(), names="value")
        super().__init__([self.rate, self.message, self.drawn])

    def set(self, rate_hz: float) -> "PowerPanel":
        """Choose a rate. Raises ModelError for one that is not offered."""
        rates = [rate for _, rate in self.rate.options]
        require(rate_hz in rates, f"the rates are {', '.join(f'{rate:g}' for rate in rates)}; got {rate_hz:g}")
        self.rate.value = rate_hz
        return self

    def _moved(self) -> None:
        self.message.value = ""
        try:
            self._draw()
        except ModelError as error:
            self.message.value = f'<p role="alert">{html.escape(str(error))}</p>'

    def _draw(self) -> None:
        self.devices = tuple(powered(name, self.rate.value, self.seed) for name in self.names)
        self.drawn.value = power_drawing(self.devices, SHOWN / self.rate.value)

    def __repr__(self):
        return " ".join(f"{each.title}: {each.said}." for each in self.devices)


class DollarPanel(widgets.HTML):
    """The picture of an exploration's dollars, drawn anew with every answer. `dollars` has what is drawn."""

    def __init__(self, costs: Explorer):
        super().__init__()
        self.dollars: tuple[Cut, ...] = ()
        self._follow(costs)
        costs.on_answer(lambda: self._follow(costs))

    def _follow(self, costs: Explorer) -> None:
        self.dollars = cuts(costs.inputs, costs.result)
        self.value = dollar_drawing(self.dollars, PARTS)

    def __repr__(self):
        return " ".join(f"A dollar of {each.title}: {each.said}." for each in self.dollars)
