"""What do writing transactions cost on a disk and on an SSD? Schmidt's mixed load, Figures 8 to 11."""

import numpy as np

from pagecost import catalogue
from pagecost.studies.study import Column, Progress, Result, Study, no_progress
from pagecost.studies.xml.xml_inputs import ExperimentInputs
from pagecost.studies.xml.xml_runs import COUNTED, LAID_OUT, TERMS, WARM_UP, Load, cost_columns, counted, times
from pagecost.units import format_si

SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)


class Inputs(ExperimentInputs):
    """The database, the load, and what the processor needs; the share of writers is that of the bars."""

    mappings: ExperimentInputs.__annotations__["mappings"] = ("fs", "el")
    write_share: ExperimentInputs.__annotations__["write_share"] = 0.5


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per device, mapping and share of writing transactions; `chosen` marks the share of the inputs.

    Columns as those of `xml_transactions`. share_cpu, share_io, share_log: of the elapsed time; with overlap they add
    up to more than 1.
    """
    shares = sorted({*SHARES, inputs.write_share})
    found = {}
    for number, share in enumerate(shares):
        for mapping in inputs.mappings:
            found[mapping, share] = counted(Load(mapping, inputs.plain_bytes, share, inputs.seed), inputs.host)
        progress((number + 1) / len(shares), None)
    rows = [(device, mapping, share) for device in inputs.devices for mapping in inputs.mappings for share in shares]
    device, mapping, share = (np.array(column) for column in zip(*rows, strict=True))
    costs = [times(row[0], found[row[1:]], inputs.processor) for row in rows]
    columns = {
        "device": Column(device, "text", "device"),
        "mapping": Column(mapping, "text", "mapping"),
        "write_share": Column(share, "1", "writing transactions"),
        **cost_columns([found[row[1:]] for row in rows], costs),
        **{
            f"share_{name.removesuffix('_s')}": Column(
                np.array([getattr(cost, name) / cost.elapsed_s for cost in costs]), "1", f"{label}, share of the time"
            )
            for name, label in TERMS.items()
        },
        "chosen": Column(share == inputs.write_share, "1", "chosen share"),
    }
    return Result.of(columns, _notes(inputs))


def _notes(inputs: Inputs):
    yield f"{COUNTED:,} transactions after {WARM_UP:,} that fill the buffer, single user; processor times as fitted."
    yield LAID_OUT
    if inputs.overlap:
        yield "With overlap the three shares of the time add up to more than all of it."


def explain(inputs: Inputs, result: Result) -> list[str]:
    """For each device and mapping: what the chosen share of writers does to rate, power and energy."""
    lines = []
    for row in result.rows(chosen=True):
        device, mapping = str(result["device"][row]), str(result["mapping"][row])
        (readers,) = result.rows(device=device, mapping=mapping, write_share=0.0)
        known = catalogue.device(device)
        parts = ", ".join(f"{label} {result[name][row] * 1e3:.2f} ms" for name, label in TERMS.items())
        lines.append(
            f"{device}, {mapping}: {result['tps'][readers]:.1f} a second when all read, {result['tps'][row]:.1f} with "
            f"{inputs.write_share:.0%} writers ({parts}); {known.value('idle_w'):g} W × {1 - result['load'][row]:.1%} "
            f"+ {known.value('active_w'):g} W × {result['load'][row]:.1%} = {result['mean_w'][row]:.2f} W, "
            f"{format_si(result['energy_j'][row], 'J')} each."
        )
    return lines


STUDY = Study(
    name="xml_writes",
    title="What do writing transactions cost on a disk and on an SSD?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    source="schmidt2009 §6, Fig. 8 to 11",
    presets={
        "10 MB: nothing is read": {"plain_bytes": 1e7},
        "changed pages wait for eviction": {"pages_written": "eviction"},
        "processor and device work at once": {"overlap": 1.0},
        "an SSD that writes well": {"devices": ("consumer-ssd-2009", "high-end-ssd-2009")},
    },
)
