"""What do writing transactions cost on a disk and on an SSD? Schmidt's mixed load, Figures 8 to 11."""

from pagecost.studies.finding import Finding, at, bare, cells, found, times
from pagecost.studies.study import Progress, Result, Study, no_progress
from pagecost.studies.xml import xml_inputs, xml_runs
from pagecost.studies.xml.xml_fields import SEVERAL_MAPPINGS
from pagecost.studies.xml.xml_inputs import ExperimentInputs

SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)


class Inputs(ExperimentInputs):
    """The database, the load, and what the processor needs; the share of writers is that of the bars."""

    mappings: SEVERAL_MAPPINGS = ("fs", "el")
    write_share: xml_inputs.WRITE_SHARE = 0.5


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per device, mapping and share of writing transactions, as `xml_runs.over` says, with shares of the time.

    `chosen` marks the share of the inputs.
    """
    axis = ("write_share", "1", "writing transactions")
    result = xml_runs.over(inputs, axis, SHARES, inputs.write_share, "chosen share", progress, xml_runs.shares)
    return result.with_notes((*_notes(inputs), *result.notes))


def _notes(inputs: Inputs):
    yield f"{xml_runs.single_user(inputs)}; processor times as fitted."
    yield xml_runs.LAID_OUT
    if inputs.overlap:
        yield "With overlap the three shares of the time add up to more than all of it."


def explain(inputs: Inputs, result: Result) -> list[str]:
    """For each device and mapping: what the chosen share of writers does to rate, power and energy."""
    lines = []
    for row in result.rows(chosen=True):
        (readers,) = result.rows(device=result["device"][row], mapping=result["mapping"][row], write_share=0.0)
        lines.append(
            f"{result.cell('device', row)}, {result.cell('mapping', row)}: {result['tps'][readers]:.1f} a second when "
            f"all read, {result['tps'][row]:.1f} with {inputs.write_share:.0%} writers "
            f"({', '.join(xml_runs.terms_of(result, row))}); {xml_runs.power_of(result, row)}, "
            f"{result.cell('energy_j', row)} each."
        )
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
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


STUDY = Study(
    name="xml_writes",
    title="What do writing transactions cost on a disk and on an SSD?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="device",
    source="schmidt2009 §6, Fig. 8 to 11",
    presets={
        "10 MB: nothing is read": {"plain_bytes": 1e7},
        "changed pages wait for eviction": {"pages_written": "eviction"},
        "processor and device work at once": {"overlap": 1.0},
        "an SSD that writes well": {"devices": ("consumer-ssd-2009", "high-end-ssd-2009")},
    },
)
