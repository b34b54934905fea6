"""How many XML transactions does a disk or an SSD carry, how long do they wait for what, and at how many watts?"""

import numpy as np

from pagecost import catalogue
from pagecost.studies.study import Column, Progress, Result, Study, no_progress
from pagecost.studies.xml.xml_inputs import SIZES, ExperimentInputs
from pagecost.studies.xml.xml_runs import COUNTED, LAID_OUT, TERMS, WARM_UP, Load, cost_columns, counted, times


class Inputs(ExperimentInputs):
    """The database, the load, and what the processor needs."""


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per device, mapping and size; `chosen` marks the size of the inputs.

    cpu_s, io_s and log_s are per transaction and, less `hidden_s`, add up to 1 / tps. load: share of the time that the
    device works. mean_w: by the paper's formula, energy_j = mean_w / tps.
    """
    sizes = sorted({*SIZES, inputs.plain_bytes})
    found = {}
    for number, size in enumerate(sizes):
        for mapping in inputs.mappings:
            found[mapping, size] = counted(Load(mapping, size, inputs.write_share, inputs.seed), inputs.host)
        progress((number + 1) / len(sizes), None)
    rows = [(device, mapping, size) for device in inputs.devices for mapping in inputs.mappings for size in sizes]
    device, mapping, size = (np.array(column) for column in zip(*rows, strict=True))
    counts = [found[row[1:]] for row in rows]
    costs = [times(row[0], found[row[1:]], inputs.processor) for row in rows]
    columns = {
        "device": Column(device, "text", "device"),
        "mapping": Column(mapping, "text", "mapping"),
        "plain_bytes": Column(size, "B", "database as text"),
        **cost_columns(counts, costs),
        "chosen": Column(size == inputs.plain_bytes, "1", "chosen size"),
    }
    return Result.of(columns, _notes(inputs))


def _notes(inputs: Inputs):
    yield (
        f"{COUNTED:,} transactions after {WARM_UP:,} that fill the buffer, single user. Only the "
        "processor's times are fitted, at 10 MB; the rest comes out of stored sizes, the buffer and the devices."
    )
    yield LAID_OUT
    yield "The element index holds the elements that queries enter by; the paper does not say which it holds."
    if "consumer-ssd-2009" in inputs.devices:
        yield "For the paper's own SSD no rates are stated: its class of Table 1 stands in."


def explain(inputs: Inputs, result: Result) -> list[str]:
    """For each device and mapping at the chosen size: the terms of a transaction, and its power."""
    lines = []
    for row in result.rows(chosen=True):
        device = catalogue.device(result["device"][row])
        parts = " + ".join(f"{label} {result[name][row] * 1e3:.2f} ms" for name, label in TERMS.items())
        hidden = f" - hidden {result['hidden_s'][row] * 1e3:.2f} ms" if inputs.overlap else ""
        lines.append(
            f"{result['device'][row]}, {result['mapping'][row]}: {parts}{hidden} = {1e3 / result['tps'][row]:.2f} ms, "
            f"{result['tps'][row]:.1f} per second; {device.value('idle_w'):g} W × {1 - result['load'][row]:.1%} + "
            f"{device.value('active_w'):g} W × {result['load'][row]:.1%} = {result['mean_w'][row]:.2f} W."
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
