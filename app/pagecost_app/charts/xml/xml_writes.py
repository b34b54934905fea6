"""The charts of the study `xml_writes`: rate and energy over the share of writers, and where the time goes."""

from pagecost.studies.xml.xml_writes import Inputs
from pagecost.units import format_bytes
from pagecost_app.charts.curves import Panel
from pagecost_app.charts.xml.runs import RunsChart


class Chart(RunsChart[Inputs]):
    """One line per device and mapping over the share of transactions that write."""

    x = "write_share"
    shares = True
    log = False
    panels = (
        Panel("rates", "Who loses more throughput to writers?", "tps"),
        Panel("energy", "What does a transaction cost in energy?", "energy_j", log=True),
    )
    tips = (
        ("writers", "write_share"),
        ("transactions per second", "tps"),
        ("share of the time that the device works", "load"),
        ("mean power", "mean_w"),
        ("energy per transaction", "energy_j"),
        ("device requests per second and watt", "iops_per_w"),
    )

    def detail(self, inputs: Inputs) -> str:
        return f"Where does the time go at {format_bytes(inputs.plain_bytes)} with {inputs.write_share:.0%} writers?"
