"""How many XML transactions does a disk or an SSD carry, how long do they wait for what, and at how many watts?"""

from pagecost.studies.finding import Finding, bare, cells, compared
from pagecost.studies.study import Progress, Result, Study, no_progress
from pagecost.studies.xml import xml_runs
from pagecost.studies.xml.xml_inputs import SIZES, SWEPT, ExperimentInputs
from pagecost.units import format_bytes


class Inputs(ExperimentInputs):
    """The database, the load, and what the processor needs."""


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per device, mapping and size, as `xml_runs.over` says; `chosen` marks the size of the inputs."""
    axis = ("plain_bytes", "B", "database as text")
    result = xml_runs.over(inputs, axis, SIZES, inputs.plain_bytes, "chosen size", progress)
    return result.with_notes((*_notes(inputs), *result.notes))


def _notes(inputs: Inputs):
    yield (
        f"{xml_runs.single_user(inputs)}. Only the processor's times are fitted, at 10 MB; the rest comes out "
        "of stored sizes, the buffer and the devices."
    )
    yield xml_runs.LAID_OUT
    yield "The element index holds the elements that queries enter by; the paper does not say which it holds."
    if inputs.disk_writes == SWEPT:
        yield (
            "A hard disk's write is done when its cache holds it, and is lost without power until it is written back. "
            f"Pages that touch become one piece. When the oldest has waited for {inputs.rest_s:g} s, or the cache is "
            "full, the arm empties it, the piece that it reaches first before the others, whenever no read wants it."
        )
    if inputs.host_io_s:
        yield "The host's time per page counts as I/O, and as load by the paper's formula, which goes by I/O time."
    if inputs.disk_wait_s:
        yield "A disk's wait is fitted where it is used: nothing in the paper explains it. It idles meanwhile."
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


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    return compared(
        result,
        result.rows(chosen=True),
        "tps",
        cells(result, "device", "mapping"),
        several="At {size} of XML {most} carries {high} transactions per second, {times} as many as {least} "
        "with {low}.",
        one="At {size} of XML {most} carries {high} transactions per second.",
        none="Nothing is known of {size} of XML.",
        show=bare,
        size=format_bytes(inputs.plain_bytes),
    )


STUDY = Study(
    name="xml_transactions",
    title="How many XML transactions do a disk and an SSD carry, and at how many watts?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="whole path",
    source="schmidt2009 §6, Fig. 7 to 11",
    presets={
        "half of the transactions write (Fig. 8)": {"write_share": 0.5},
        "changed pages wait for eviction": {"write_share": 0.5, "pages_written": "eviction"},
        "the disk's cache takes writes": {"write_share": 0.5, "disk_writes": "swept"},
        "cold, with the host's time (Fig. 10 and 11)": {"start": "cold", "host_io_s": 1.5e-4},
        "with a page cache below the buffer": {"os_cache_bytes": 256e6},
        "100 MB": {"plain_bytes": 1e8},
    },
)
