"""The charts of the study `xml_writes`: rate and energy over the share of writers, and where the time goes."""

from pagecost.studies.finding import Finding, at, bare, cells, found, times
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

    def describe(self, inputs: Inputs, result) -> Finding:
        falls = {}
        for row in result.rows(chosen=True):
            (reads,) = result.rows(device=result["device"][row], mapping=result["mapping"][row], write_share=0.0)
            falls[int(row)] = int(reads)
        worst = max(falls, key=lambda row: result["tps"][falls[row]] / result["tps"][row])
        before, after = at(result, "tps", falls[worst]), at(result, "tps", worst)
        return found(
            "With {share} writing transactions {name} carries {after} per second instead of {before} without: "
            "{times} fewer.",
            share=f"{inputs.write_share:.0%}",
            name=cells(result, "device", "mapping")(worst),
            after=bare(after),
            before=bare(before),
            times=times(before, after),
        )
