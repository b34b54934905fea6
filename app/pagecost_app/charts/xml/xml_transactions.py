"""The charts of the study `xml_transactions`: throughput over database size, and where a transaction's time goes."""

from pagecost.studies.xml.xml_transactions import Inputs
from pagecost.units import format_bytes
from pagecost_app.charts import style
from pagecost_app.charts.curves import Panel
from pagecost_app.charts.xml.runs import RunsChart


class Chart(RunsChart[Inputs]):
    """One line per device and mapping over the size of the database."""

    x = "plain_bytes"
    panels = (
        Panel("rates", "Throughput as the database grows", "tps"),
        Panel("watts", "Mean power of the device", "mean_w", log=True),
    )
    tips = (
        ("database", "plain_bytes"),
        ("transactions per second", "tps"),
        ("share of the time that the device works", "load"),
        ("mean power", "mean_w"),
        ("energy per transaction", "energy_j"),
        ("pages read", "reads"),
    )

    def detail(self, inputs: Inputs) -> str:
        return f"Where a transaction's time goes at {format_bytes(inputs.plain_bytes)}"

    def ticks(self, axis, values: list) -> None:
        style.bytes_ticks(axis, values)
