"""How claims on one SSD beside several disks are measured: a closed queue of users over the disks."""

from collections.abc import Mapping

from pagecost import studies
from pagecost.claims.answers import answer, asks_as, compared, tpcc_at_chosen_buffer
from pagecost.claims.tpcc_measures import LEE_TIMES
from pagecost.studies.transactions.tpcc_throughput import busy_share

LEE_USERS = "Lee 2009, eight disks, 12 users"


def ssd_over_array(
    study: str, mix: str, disks: int, ssd: str, disk: str, preset: str = LEE_USERS, set: Mapping | None = None
) -> float:
    """Lee's comparison: transactions of one SSD over those of several disks, with the users of a preset.

    Pages read and written from the TPC-C study, their times from the simulated devices that L07 and L08 are fitted on.
    """
    result = tpcc_at_chosen_buffer(study, preset, {"mix": mix, **(set or {})})
    row = result.rows(chosen=True)[0]
    times = answer("response_times", LEE_TIMES)
    users = studies.find(study).inputs(preset=preset).users

    def rate(device: str, number: int) -> float:
        rates = [times["iops"][times.rows(device=device, load=load)[0]] for load in ("reads", "writes")]
        seconds = result["reads"][row] / rates[0] + result["writes"][row] / rates[1]
        return number * busy_share(users, number) / seconds

    return float(rate(ssd, 1) / rate(disk, disks))


@asks_as(ssd_over_array)
def ssd_beats_array(than: float = 1.0, **asked) -> str:
    """Whether `ssd_over_array` is "greater" than so much, "equal" or "less"."""
    return compared(ssd_over_array(**asked), than)
