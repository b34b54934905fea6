"""Numbers of the engine, more than thirty, one after the other with another value: of a panel of claims those that
rest on it fail, and no others.
"""

import pytest

from helpers.corrupted import corrupted, value_of
from pagecost.claims import claims
from pagecost.claims.changed import measured
from pagecost.claims.checking import agrees
from pagecost.errors import ModelError

pytestmark = pytest.mark.long
LINES = {claim.id: claim for claim in claims()}
PANEL = (
    *("F01.simulated", "F02", "F19.plan", "L07", "L07.range", "L08", "R04", "R17.path", "R23.account", "R23.history"),
    *("R23.hits", "R28", "R36.slower", "S05.disk", "S08", "S10.disk_read_write", "S15.ssd", "S20.fs", "S30.disk"),
    *("S33.ssd", "S34.mappings", "S34.mixed.low", "S34.read.middle", "S35.mixed.high", "S35.mixed.low"),
    *("S36.deviation", "S36.joules.disk", "S36.joules.disk.small", "W05.intel_spec", "W05.mtron_reads"),
    *("W06.mtron_collapses", "W08.reads.intel", "W25.no_arm.waiting", "W25.waiting", "W27.mtron", "W32.map.page"),
)
RUNS = ("W19.ext2fs.disk.commercial", "W20.mysql.disk.size", "W28.rate_ext2.intel.commercial", "W28.rate.nilfs2.mysql")
"""Of the whole system in the loop: the shortest on each file system. Watched where a number of theirs is moved."""
CHIP, ORDINARY = "device:samsung-4gb-flash-chip", "transactions.parameters:Computer"
WATTS = "device:wd800aajs"
CORRUPTED = [
    (f"{CHIP}.block_erase_s", 3e-3, "L08 S08"),
    (f"{CHIP}.page_read_s", 5e-5, "L08 S08 W05.mtron_reads"),
    (f"{CHIP}.page_program_s", 4e-4, "L08 S08"),
    (f"{CHIP}.pages_per_block", 128.0, "S08"),
    ("device:hgst-7k1000-750gb.average_seek_write_s", 0.0184, "S10.disk_read_write W06.mtron_collapses"),
    (
        "device:hgst-7k1000-750gb.average_seek_read_s",
        0.0164,
        "F01.simulated S10.disk_read_write W06.mtron_collapses",
    ),
    ("device:hgst-7k1000-750gb.rotation_hz", 240.0, "F01.simulated"),
    ("device:cheetah-15k5.rotation_hz", 125.0, "L07 L07.range L08"),
    ("device:cheetah-15k5.average_seek_read_s", 0.0105, "L07 L07.range L08"),
    ("device:indilinx-barefoot-ssd.overhead_s", 3.3e-4, "L07 L08"),
    ("device:indilinx-barefoot-ssd.channels", 2.0, "L08"),
    ("device:intel-x25-e.command_s", 6.1e-4, "W05.intel_spec W08.reads.intel"),
    ("device:intel-x25-m-g2-80gb.random_read_iops", 350.0, "F19.plan"),
    (f"{WATTS}.idle_w", 12.0, "S34.mappings S34.mixed.low S34.read.middle S36.joules.disk.small"),
    (f"{WATTS}.active_w", 25.0, "S34.mappings S34.mixed.low S34.read.middle S36.deviation S36.joules.disk"),
    (f"{WATTS}.average_seek_read_s", 0.0178, "S30.disk S34.read.middle S36.joules.disk"),
    ("device:consumer-ssd-2009.active_w", 4.0, "S33.ssd S35.mixed.high S35.mixed.low"),
    ("device:consumer-ssd-2009.random_read_iops", 300.0, "S15.ssd S35.mixed.high"),
    ("workload.debit_credit:DebitCredit.branches", 1000, "R23.hits R28"),
    ("workload.debit_credit:DebitCredit.history_factor", 40, "R23.history R23.hits"),
    ("workload.debit_credit:DebitCredit.accounts_per_branch", 10, "R23.account R23.hits"),
    (f"{ORDINARY}.instructions_begin", 80_000, "R17.path"),
    (f"{ORDINARY}.instructions_reference", 80_000, "R17.path"),
    (f"{ORDINARY}.instructions_end", 100_000, "R17.path"),
    (f"{ORDINARY}.nvem_s", 1.5e-4, "R04"),
    ("studies.disk.disk_sharing:Inputs.wait_s", 1e-6, "W25.no_arm.waiting W25.waiting"),
    ("devices.ftl.lifetime:DAY_S", 172_800, "W27.mtron"),
    ("devices.ftl.layers:ENTRY_BYTES", 8, "W32.map.page"),
    ("devices.ssd.model:Ssd.unit_bytes", 8192, "L08 W05.intel_spec W06.mtron_collapses W08.reads.intel"),
    ("economics.cost:KWH_J", 7.2e6, "S05.disk"),
    (
        "studies.xml.xml_transactions:Inputs.transaction_s",
        0.018,
        "S34.mixed.low S35.mixed.high S35.mixed.low S36.joules.disk.small",
    ),
]
OF_RUNS = [
    ("studies.path.whole_path:Inputs.commercial_s", 0.011, "W28.rate_ext2.intel.commercial"),
    ("studies.path.whole_path:Inputs.mysql_s", 0.017, "W28.rate.nilfs2.mysql"),
    ("oltp.setup:Log.transaction_bytes", 20_000, "W28.rate_ext2.intel.commercial"),
    ("answers.path_runs:TIMES_SYNCED", True, "W19.ext2fs.disk.commercial W28.rate_ext2.intel.commercial"),
    ("answers.path_runs:SYNCS_PER_CHECKPOINT", 1, "W28.rate.nilfs2.mysql"),
    ("filesystem.layouts:InPlace.cached_metadata_blocks", 8, "W28.rate_ext2.intel.commercial"),
    ("filesystem.layouts:LogStructured.segment_bytes", 131_072, "W20.mysql.disk.size"),
]


def fails(claim) -> bool:
    try:
        return not agrees(claim, measured(claim))
    except ModelError:  # a corrupted engine may refuse itself
        return True


def test_the_panel_holds_as_the_engine_is():
    assert [name for name in (*PANEL, *RUNS) if fails(LINES[name])] == []


@pytest.mark.parametrize(("constant", "value", "falls"), CORRUPTED, ids=[row[0] for row in CORRUPTED])
def test_what_rests_on_a_number_fails_with_it_and_nothing_else(constant, value, falls):
    assert value_of(constant) != value
    papers = {name[0] for name in falls.split()}
    near = [name for name in PANEL if name[0] in papers]  # what stands in the same papers, and some of the others
    watched = [*near, *(name for name in ("F02", "R28", "S08", "W32.map.page") if name not in near)]
    with corrupted(constant, value):
        assert sorted(name for name in watched if fails(LINES[name])) == sorted(falls.split())


@pytest.mark.parametrize(("constant", "value", "falls"), OF_RUNS, ids=[row[0] for row in OF_RUNS])
def test_what_rests_on_a_number_of_a_run_fails_with_it_and_nothing_else(constant, value, falls):
    assert value_of(constant) != value
    with corrupted(constant, value):
        assert sorted(name for name in (*RUNS, "F02", "W32.map.page") if fails(LINES[name])) == sorted(falls.split())
