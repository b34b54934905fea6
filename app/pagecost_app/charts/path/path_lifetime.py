"""The charts of the study `path_lifetime`: years by system, and the bytes of each layer."""

import numpy as np

from pagecost.answers.path_runs import FILE_SYSTEMS, SHORT
from pagecost.studies.path.path_lifetime import Inputs, label_of
from pagecost.units import format_bytes, format_seconds, format_si
from pagecost_app.charts import lives, style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.dots import Dots

LAYERS = {
    "asked_bytes_per_s": "pages that transactions change",
    "database_bytes_per_s": "database writes",
    "device_bytes_per_s": "given to the device",
    "flash_bytes_per_s": "programmed in flash",
}


class Chart(StudyChart[Inputs]):
    """A row per system without its file system, a mark per file system; below, the bytes of each layer."""

    def __init__(self):
        super().__init__()
        self.years = Dots(
            f"{self.name}.years",
            "How long until the rated bytes are written?",
            "years",
            "",
            FILE_SYSTEMS,
            about="95 % within",
            spans=True,
        )
        self.layers = Dots(
            f"{self.name}.layers", "How much is written at each layer?", "bytes per second", "B/s", LAYERS
        )
        self.work = Dots(f"{self.name}.work", "How many transactions until then?", "transactions", "", FILE_SYSTEMS)
        self.years.figure.xaxis.formatter = style.written_out()
        self.place(self.years, self.work, self.layers)

    def update(self, inputs: Inputs, result) -> None:
        systems = list(dict.fromkeys(label_of(result, row, inputs) for row in range(len(result))))
        unit = lives.unit_of(result["lifetime_s"])
        style.change(self.years.figure.xaxis[0], axis_label=unit.name)
        shown, low, high = ({layout: np.full(len(systems), np.nan) for layout in FILE_SYSTEMS} for _ in range(3))
        work = {layout: np.full(len(systems), np.nan) for layout in FILE_SYSTEMS}
        said: list[list[str]] = [[] for _ in systems]
        for row in range(len(result)):
            place, layout = systems.index(label_of(result, row, inputs)), str(result["file_system"][row])
            shown[layout][place] = result["lifetime_s"][row] / unit.seconds
            if np.isfinite(result["lifetime_s"][row]):
                work[layout][place] = result["transactions"][row]
                low[layout][place], high[layout][place] = (
                    result[f"lifetime_{end}_s"][row] / unit.seconds for end in ("low", "high")
                )
                said[place].append(f"{SHORT[layout]} {_interval(result, row)}")
        spans = {layout: (low[layout], high[layout]) for layout in FILE_SYSTEMS}
        words = ["; ".join(each) for each in said]
        self.years.show(systems, shown, words, lambda life: format_seconds(life * unit.seconds), spans)
        self.work.show(systems, work, words, lambda value: f"{format_si(value, '')} transactions")
        bars = [
            f"{label_of(result, row, inputs)}, {SHORT[str(result['file_system'][row])]}" for row in range(len(result))
        ]
        values = {
            name: np.where(result[name] > 0, result[name], np.nan)
            if name in result.columns
            else np.full(len(bars), np.nan)
            for name in LAYERS
        }
        self.layers.show(bars, values, [""] * len(bars), lambda value: f"{format_bytes(value)}/s")


def _interval(result, row: int) -> str:
    low, high = (format_seconds(result[f"lifetime_{end}_s"][row]) for end in ("low", "high"))
    return f"{low} to {high}"
