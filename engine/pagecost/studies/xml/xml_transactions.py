"""How many XML transactions does a disk or an SSD carry, how long do they wait for what, and at how many watts?"""

from pagecost.studies.study import Progress, Result, Study, no_progress
from pagecost.studies.xml import xml_runs
from pagecost.studies.xml.xml_inputs import SIZES, SWEPT, ExperimentInputs


class Inputs(ExperimentInputs):
    """The database, the load, and what the processor needs."""


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per device, mapping and size, as `xml_runs.over` says; `chosen` marks the size of the inputs."""
    axis = ("plain_bytes", "B", "database as text")
    result = xml_runs.over(inputs, axis, SIZES, inputs.plain_bytes, "chosen size", progress)
    return result.with_notes((*_notes(inputs), *result.notes))


def _notes(inputs: Inputs):
    yield (
        f"{xml_runs.SINGLE_USER}. Only the processor's times are fitted, at 10 MB; the rest comes out of stored sizes, "
        "the buffer and the devices."
    )
    yield xml_runs.LAID_OUT
    yield "The element index holds the elements that queries enter by; the paper does not say which it holds."
    if inputs.disk_writes == SWEPT:
        yield (
            "A hard disk's write is done when its cache holds it, and is lost without power until then. When the cache "
            "is full, all that waits goes out in one sweep of the arm, each page once, while the database goes on: the "
            "least work that a write cache leaves. What it holds when the run ends is not counted."
        )
    if "consumer-ssd-2009" in inputs.devices:
        yield "For the paper's own SSD no rates are stated: its class of Table 1 stands in."


def explain(inputs: Inputs, result: Result) -> list[str]:
    """For each device and mapping at the chosen size: the terms of a transaction, and its power."""
    lines = []
    for row in result.rows(chosen=True):
        hidden = f" - hidden {result['hidden_s'][row] * 1e3:.2f} ms" if inputs.overlap else ""
        lines.append(
            f"{result.cell('device', row)}, {result.cell('mapping', row)}: "
            f"{' + '.join(xml_runs.terms_of(result, row))}{hidden} = {1e3 / result['tps'][row]:.2f} ms, "
            f"{result['tps'][row]:.1f} per second; {xml_runs.power_of(result, row)}."
        )
    return lines


STUDY = Study(
    name="xml_transactions",
    title="How many XML transactions do a disk and an SSD carry, and at how many watts?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    source="schmidt2009 §6, Fig. 7 to 11",
    presets={
        "half of the transactions write (Fig. 8)": {"write_share": 0.5},
        "changed pages wait for eviction": {"write_share": 0.5, "pages_written": "eviction"},
        "with a page cache below the buffer": {"os_cache_bytes": 256e6},
        "100 MB": {"plain_bytes": 1e8},
    },
)
