"""The charts of the study `energy_per_operation`: the chip, the device, and what a device gives for a watt."""

import numpy as np

from pagecost import units
from pagecost.devices import PATTERNS, title_of
from pagecost.devices.energy import OPERATIONS
from pagecost.studies.devices.energy_per_operation import CHIPS, ENERGY, TABLE_OF, Inputs, status_of, value_of
from pagecost.units import format_si
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.dots import Dots

TITLES = {"iops_per_w": "Most for a watt?", "iops_per_gb": "Most for a GB?", "usd_per_iops": "Most for a dollar?"}
UNITS = {"iops_per_w": "{}s/s for a W", "iops_per_gb": "{}s/s for a GB", "usd_per_iops": "{money} for a {}/s"}
BETTER = {"iops_per_w": "right is better", "iops_per_gb": "right is better", "usd_per_iops": "left is better"}


PRICE = "usd_per_iops"
ONE = "measure"  # the only kind of dot in the right chart


class Chart(StudyChart[Inputs]):
    """A row of dots per chip, and per device: its energy, and what it is judged by."""

    def __init__(self):
        super().__init__()
        self.chip = Dots(
            "energy_per_operation.chip",
            "Inside the chip: how much energy do 4 KiB need?",
            "energy inside the chip",
            "J",
            {operation: operation for operation in OPERATIONS},
        )
        self.device = Dots(
            "energy_per_operation.device",
            "",
            "energy of a request of 4 KiB (1 J = 1 W per request/s)",
            "J",
            {pattern: pattern for pattern in PATTERNS},
        )
        self.judged = Dots("energy_per_operation.judged", "", " ", "", {ONE: ONE})
        self.place(self.chip, self.device, self.judged)

    def update(self, inputs: Inputs, result) -> None:
        for table, names, part in ((CHIPS, inputs.chips, self.chip), (ENERGY, inputs.devices, self.device)):
            values = {
                kind: np.array([value_of(result, table, "energy_j", name, kind) for name in names])
                for kind in part.kinds
            }
            statuses = [status_of(result, table, name) for name in names]
            part.show(list(map(title_of, names)), values, statuses, lambda joule: format_si(joule, "J"))
        title = f"What does a request need, {inputs.busy:.0%} busy?"
        style.change(self.device.figure.title, text=title)
        money = units.money()
        unit = UNITS[inputs.measure].format(inputs.pattern, money=money.sign)
        style.change(self.judged.figure.title, text=TITLES[inputs.measure])
        style.change(self.judged.figure.xaxis[0], axis_label=f"{unit} ({BETTER[inputs.measure]})")
        statuses = [status_of(result, ENERGY, name) for name in inputs.devices]
        measured = _measured(inputs, result)
        drawn = {ONE: money.of_usd(measured) if inputs.measure == PRICE else measured}
        self.judged.show(list(map(title_of, inputs.devices)), drawn, statuses, lambda x: f"{x:.4g} {unit}")


def _measured(inputs: Inputs, result) -> np.ndarray:
    """The measure that is judged by, of each device; nan where it is not known."""
    table = TABLE_OF[inputs.measure]
    return np.array([value_of(result, table, inputs.measure, name, inputs.pattern) for name in inputs.devices])
