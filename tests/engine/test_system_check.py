"""A system beside its measurements: readers of SMART and pg_stat_io as they are printed, and what is predicted."""

import json
import math

import pytest

from pagecost import system
from pagecost.answers import page_costs, replays
from pagecost.devices import smart
from pagecost.economics import YEAR_S
from pagecost.errors import ModelError
from pagecost.planner import demand, system_check
from pagecost.workload import iostat, pg_stat_io, sources

# as nvme-cli 1 and 2 print it
NVME_TEXT = """Smart Log for NVME device:nvme0n1 namespace-id:ffffffff
critical_warning                    : 0
temperature                         : 36 C (309 Kelvin)
available_spare                     : 100%
available_spare_threshold           : 10%
percentage_used                     : 3%
data_units_read                     : 23,322,380 (11.94 TB)
data_units_written                  : 10,817,317 (5.54 TB)
host_read_commands                  : 94,790,316
power_cycles                        : 132
power_on_hours                      : 5,996
"""
NVME_JSON = {"critical_warning": 0, "percent_used": 3, "data_units_written": 10817317, "power_on_hours": 5996}
SMARTCTL_NVME = {
    "json_format_version": [1, 0],
    "model_name": "Samsung SSD 990 PRO 2TB",
    "nvme_smart_health_information_log": {
        "percentage_used": 3,
        "data_units_written": 10817317,
        "power_on_hours": 5996,
    },
}
SMARTCTL_SATA = {
    "model_name": "Samsung SSD 860 PRO 512GB",
    "logical_block_size": 512,
    "power_on_time": {"hours": 45498},
    "ata_smart_attributes": {
        "table": [
            {"id": 9, "name": "Power_On_Hours", "value": 90, "raw": {"value": 45498}},
            {"id": 177, "name": "Wear_Leveling_Count", "value": 99, "raw": {"value": 4}},
            {"id": 241, "name": "Total_LBAs_Written", "value": 99, "raw": {"value": 3238543698}},
        ]
    },
}
# PostgreSQL 16: select * from pg_stat_io
PG_CSV = """backend_type,object,context,reads,read_time,writes,write_time,op_bytes,hits,evictions,reuses,fsyncs
client backend,relation,normal,900,180,20,1,8192,8000,100,,0
client backend,relation,vacuum,100,20,,,8192,1000,0,10,0
client backend,temp relation,normal,5000,9,9,9,8192,5,0,,
checkpointer,relation,normal,,,400,10,8192,,,,3
"""


def saved(folder, content, name="report"):
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


@pytest.mark.parametrize("content", [NVME_TEXT, NVME_JSON, SMARTCTL_NVME], ids=["text", "json", "smartctl"])
def test_the_reports_of_an_nvme_drive_say_the_same(tmp_path, content):
    found = smart.read(saved(tmp_path, content))
    assert found.used == 0.03
    assert found.written_bytes == 10817317 * 512_000  # 5.54 TB, as the report says
    assert found.on_s == 5996 * 3600


def test_a_sata_drive_counts_blocks_and_what_is_left(tmp_path):
    found = smart.read(saved(tmp_path, SMARTCTL_SATA))
    assert (found.used, found.written_bytes, found.on_s) == (0.01, 3238543698 * 512, 45498 * 3600)
    newer = smart.read(saved(tmp_path, SMARTCTL_SATA | {"endurance_used": {"current_percent": 2}}))
    assert newer.used == 0.02
    bare = smart.read(saved(tmp_path, {"ata_smart_attributes": {"table": []}}))
    assert (bare.used, bare.written_bytes, bare.on_s) == (None, None, None)


def attribute(id, name, value, raw):
    return {"id": id, "name": name, "value": value, "raw": {"value": raw}}


@pytest.mark.parametrize(
    ("rows", "written_bytes"),
    [
        ([attribute(241, "Host_Writes_32MiB", 99, 30518)], 30518 * 2**25),  # Intel: 1.024 TB
        ([attribute(241, "Lifetime_Writes_GiB", 99, 953)], 953 * 2**30),  # SandForce
        ([attribute(241, "Total_Writes_GB", 99, 953)], 953e9),  # SK hynix
        ([attribute(246, "Total_LBAs_Written", 99, 2000)], 2000 * 512),  # Micron
        (  # Intel S4500: what 241 counts is not in the database, 225 says it; 233 is what the flash got
            [
                attribute(241, "Total_LBAs_Written", 99, 30518),
                attribute(233, "Total_LBAs_Written", 99, 40000),
                attribute(225, "Host_Writes_32MiB", 99, 30518),
            ],
            30518 * 2**25,
        ),
        ([attribute(241, "Host_Writes", 99, 953)], None),  # of which unit is not known
        ([attribute(241, "Unknown_Attribute", 99, 953)], None),
        ([attribute(233, "Total_LBAs_Written", 99, 953)], None),
    ],
)
def test_what_a_sata_drive_counts_of_writes_is_said_by_the_name(tmp_path, rows, written_bytes):
    found = smart.read(saved(tmp_path, {"ata_smart_attributes": {"table": rows}}))
    assert found.written_bytes == written_bytes


@pytest.mark.parametrize(
    ("row", "used"),
    [
        (attribute(231, "SSD_Life_Left", 65, 35), 0.35),
        (attribute(233, "Media_Wearout_Indicator", 98, 0), 0.02),
        (attribute(202, "Percent_Lifetime_Remain", 95, 5), 0.05),  # Micron's value is 100 - raw
        (attribute(202, "Perc_Rated_Life_Used", 95, 5), 0.05),
        (attribute(231, "Temperature_Celsius", 65, 35), None),  # a hard disk
        (attribute(202, "Data_Address_Mark_Errs", 99, 1), None),
        (attribute(233, "Flash_Writes_GiB", 1, 5000), None),
        (attribute(177, "Wear_Range_Delta", 0, 3), None),
        (attribute(173, "Wear_Leveling_Count", 190, 9), None),  # Apple: falls from 200
    ],
)
def test_the_worn_share_of_a_sata_drive_is_said_by_the_name(tmp_path, row, used):
    found = smart.read(saved(tmp_path, {"ata_smart_attributes": {"table": [row]}}))
    assert found.used == used


def statistics(name, value, valid=True):
    flags = {"value": 192, "string": "V---", "valid": valid}
    return {"offset": 8, "name": name, "size": 6, "value": value, "flags": flags}


def test_the_statistics_of_the_ata_standard_are_believed_first(tmp_path):
    pages = [
        {"number": 1, "name": "General Statistics", "table": [statistics("Logical Sectors Written", 4000)]},
        {"number": 7, "table": [statistics("Percentage Used Endurance Indicator", 104)]},
    ]
    report = SMARTCTL_SATA | {"logical_block_size": 4096, "ata_device_statistics": {"pages": pages}}
    found = smart.read(saved(tmp_path, report))
    assert (found.used, found.written_bytes) == (1.04, 4000 * 4096)
    bare = {"ata_device_statistics": {"pages": pages}}
    assert smart.read(saved(tmp_path, bare)).written_bytes == 4000 * 512
    pages[0]["table"] = [statistics("Logical Sectors Written", 4000, valid=False)]
    assert smart.read(saved(tmp_path, report)).written_bytes == 3238543698 * 4096
    for wrong in ({"pages": 3}, [], {"pages": [{"table": [statistics("Logical Sectors Written", -1)]}]}):
        with pytest.raises(ModelError, match="SMART "):
            smart.read(saved(tmp_path, SMARTCTL_SATA | {"ata_device_statistics": wrong}))


def test_two_reports_tell_of_the_time_between(tmp_path):
    earlier = smart.read(saved(tmp_path, NVME_JSON))
    later = smart.read(saved(tmp_path, NVME_JSON | {"percent_used": 5, "power_on_hours": 6096}, "later"))
    between = later.since(earlier)
    assert (between.used, between.written_bytes, between.on_s) == (pytest.approx(0.02), 0, 360_000)
    with pytest.raises(ModelError, match="name the earlier report first"):
        earlier.since(later)
    other = smart.read(saved(tmp_path, SMARTCTL_SATA, "other"))
    with pytest.raises(ModelError, match="name two of one drive"):
        other.since(smart.read(saved(tmp_path, SMARTCTL_NVME, "one")))


@pytest.mark.parametrize(
    "content",
    [
        *("", "{", "{}", "[" * 9, '{"a": 1}', "hello", NVME_TEXT.replace("10,817,317", "many")),
        *(NVME_JSON | {"power_on_hours": -1}, NVME_JSON | {"percent_used": True}, NVME_JSON | {"percent_used": 1e99}),
        *(SMARTCTL_SATA | {"ata_smart_attributes": {"table": [1]}}, SMARTCTL_SATA | {"power_on_time": 3}),
    ],
)
def test_what_is_no_smart_report_is_one_sentence(tmp_path, content):
    with pytest.raises(ModelError, match="SMART ") as said:
        smart.read(saved(tmp_path, content))
    assert "\n" not in str(said.value)


def test_postgresql_counts_relations_in_all_contexts(tmp_path):
    found = pg_stat_io.read(saved(tmp_path, PG_CSV))
    assert (found.hits, found.pages_read, found.reads) == (9000, 1000, 1000)
    assert found.hit_ratio == 0.9
    assert found.mean_read_s == pytest.approx(0.2e-3)
    rows = [
        {"object": "relation", "reads": 500, "read_bytes": 8192 * 1000, "read_time": 100.0, "hits": 9000},
        {"object": "wal", "reads": 7, "read_bytes": 7, "read_time": 1.0, "hits": None},
    ]
    later = pg_stat_io.read(saved(tmp_path, rows))  # PostgreSQL 18: a read may be of several pages
    assert (later.hit_ratio, later.mean_read_s) == (0.9, pytest.approx(0.2e-3))
    nothing = later.since(later)
    assert (nothing.hit_ratio, nothing.mean_read_s) == (None, None)
    with pytest.raises(ModelError, match="name the earlier file first"):
        later.since(found)


@pytest.mark.parametrize(
    "content",
    ["", "a,b\n1,2\n", "[1]", "[]", "{", PG_CSV.replace(",8000,", ",-8,"), PG_CSV.replace(",8000,", ",x,"), '"a\n'],
)
def test_what_is_no_pg_stat_io_is_one_sentence(tmp_path, content):
    with pytest.raises(ModelError, match="pg_stat_io ") as said:
        pg_stat_io.read(saved(tmp_path, content))
    assert "\n" not in str(said.value)


def test_what_a_report_of_smart_does_not_tell_is_said(tmp_path):
    rows = [attribute(241, "Host_Writes", 99, 953), attribute(231, "Temperature_Celsius", 65, 35)]
    report = {"power_on_time": {"hours": 9}, "ata_smart_attributes": {"table": rows}}
    compared, notes = system_check.compared(planned(), smart=smart.read(saved(tmp_path, report)))
    assert compared == []
    assert any("how much the host has written" in note for note in notes)
    assert any("how much of the rated life is used" in note for note in notes)


def test_a_missing_file_is_said(tmp_path):
    for read in (smart.read, pg_stat_io.read):
        with pytest.raises(ModelError, match="there is no such file"):
            read(tmp_path / "none")


# What is predicted


def planned(**changes) -> system.System:
    content = {"schema": 1, "load": {"source": "sqlite-order-entry", "rate_hz": 2000.0}}
    content |= {"memory": {"buffer_frames": 512, "policy": "lru"}}
    place = {"role": "database", "device": "intel-x25-m-g2-80gb", "count": 1, "level": "raid-0"}
    return system.of(content | {"devices": [place | changes.pop("place", {})]} | changes)


def test_what_leaves_the_buffer_is_what_a_device_gets():
    run = replays.replayed(sources.named("sqlite-order-entry"), "lru", 512)
    ahead = system_check.predicted(planned())
    assert ahead.hit_ratio == run.hit_ratio
    assert ahead.reads_hz == pytest.approx(2000 * run.misses / run.references)
    assert ahead.writes_hz == pytest.approx(2000 * run.write_backs / run.references)
    costs = page_costs.of_pages("intel-x25-m-g2-80gb", 4096)
    assert ahead.utilisation == pytest.approx(costs.busy_s(ahead.reads_hz, ahead.writes_hz))
    assert ahead.written_bytes_per_s == pytest.approx(ahead.writes_hz * 4096)
    assert ahead.worn_per_s == pytest.approx(ahead.written_bytes_per_s / 7.5e12)  # rated for 7.5 TB at least
    assert ahead.read_s >= 65e-6  # what a read alone takes, and a wait


def test_mirrors_share_reads_and_both_write():
    one, two = system_check.predicted(planned()), system_check.predicted(planned(place={"count": 2, "level": "raid-1"}))
    assert two.reads_hz == pytest.approx(one.reads_hz / 2)
    assert two.writes_hz == pytest.approx(one.writes_hz)


def test_a_page_cache_takes_reads_and_force_writes_every_change():
    bare = system_check.predicted(planned())
    memory = {"buffer_frames": 512, "policy": "lru", "page_cache_bytes": 4096.0 * 100_000}
    cached = system_check.predicted(planned(memory=memory))
    assert cached.reads_hz < bare.reads_hz
    assert (cached.hit_ratio, cached.writes_hz) == (bare.hit_ratio, bare.writes_hz)
    forced = system_check.predicted(planned(log={"update_strategy": "FORCE"}))
    assert forced.writes_hz > bare.writes_hz
    assert any("FORCE" in note for note in forced.notes)


def test_a_device_that_cannot_follow_is_said():
    ahead = system_check.predicted(planned(load={"source": "sqlite-order-entry", "rate_hz": 1e6}))
    assert ahead.utilisation > 1
    assert math.isinf(ahead.read_s)


def test_measured_as_predicted_is_called_so(tmp_path):
    """The files that a system would print that does exactly what was predicted."""
    ahead = system_check.predicted(planned())
    util, wait_ms = 100 * ahead.utilisation, 1e3 * ahead.read_s
    numbers = (ahead.reads_hz, ahead.writes_hz, ahead.written_bytes_per_s / 1024, wait_ms, util)
    row = " ".join(["sda", *(f"{number:.4f}" for number in numbers)])
    text = saved(tmp_path, f"Device r/s w/s wkB/s r_await %util\n{row}\n", "iostat")
    hours = 1000
    units = ahead.written_bytes_per_s * hours * 3600 / smart.DATA_UNIT_BYTES
    used = 100 * ahead.worn_per_s * hours * 3600
    report = {"data_units_written": round(units), "power_on_hours": hours, "percent_used": round(used)}
    drive = smart.read(saved(tmp_path, report, "smart"))
    view = f"object,reads,hits\nrelation,{round(1e6 * (1 - ahead.hit_ratio))},{round(1e6 * ahead.hit_ratio)}\n"
    database = pg_stat_io.read(saved(tmp_path, view, "io"))
    rows, notes = system_check.compared(planned(), iostat.of_device(text, None), drive, database)
    assert len(rows) == 9
    for each in rows:
        assert each.said.startswith("as predicted"), each
        assert abs(each.distance) < 0.02, each
    assert any("sda" in note for note in notes)
    worn = next(each for each in rows if each.quantity == "rated life used in a year")
    assert worn.predicted == pytest.approx(ahead.worn_per_s * YEAR_S)


def test_a_device_of_which_nothing_was_asked_was_measured(tmp_path):
    text = saved(tmp_path, "Device r/s w/s %util\nsda 0.00 0.00 40.00\n", "iostat")
    rows, _ = system_check.compared(planned(), iostat.of_member(text, None))
    asked = {each.quantity: each for each in rows}
    for what, less in (("reads", "less is read than"), ("writes", "less is written than")):
        row = asked[f"{what} of a device"]
        assert (row.measured, row.distance) == (0.0, -1.0)
        assert row.said.startswith(less)


def test_who_holds_joined_devices_against_a_prediction_of_one_is_told(tmp_path):
    text = saved(tmp_path, "Device r/s w/s %util\nsda 5.00 5.00 4.00\nmd0 10.00 10.00 0.00\n", "iostat")
    for named, warned in ((None, False), ("md0", True)):
        _, notes = system_check.compared(planned(), iostat.of_member(text, named))
        assert any("several devices joined" in note for note in notes) == warned


def test_what_differs_is_told_with_its_direction(tmp_path):
    view = pg_stat_io.read(saved(tmp_path, "object,reads,hits\nrelation,900,100\n"))
    rows, _ = system_check.compared(planned(), database=view)
    said = "the buffer holds less of the load than predicted: the load or the system is another one"
    assert [each.said for each in rows] == [said, said]
    assert rows[0].distance < -0.5 < 0.5 < rows[1].distance
    with pytest.raises(ModelError, match="nothing was measured"):
        system_check.compared(planned())


def test_a_system_whose_device_is_not_timed_is_refused_in_a_sentence(tmp_path):
    view = pg_stat_io.read(saved(tmp_path, PG_CSV))
    with pytest.raises(ModelError, match="too little is known"):
        system_check.compared(planned(place={"device": "wd-gold-18tb"}), database=view)


SILENT = {"device": "samsung-990-pro-1tb"}  # nobody says how long a read alone takes


def test_a_read_that_takes_longer_than_a_bound_from_below_is_not_held_against_it(tmp_path):
    view = "object,reads,read_time,hits\nrelation,1000,{},9000\n"
    slow, fast = (pg_stat_io.read(saved(tmp_path, view.format(ms), "io")) for ms in (175, 1))
    (_, _, late), notes = system_check.compared(planned(place=SILENT), database=slow)
    assert late.said.startswith("at least what is predicted, a bound from below")
    assert not late.tells
    assert math.isnan(late.distance)
    assert any("How long a random read takes alone is not known of" in note for note in notes)
    (_, _, early), _ = system_check.compared(planned(place=SILENT), database=fast)
    assert early.said.startswith("reads are faster")
    (_, _, known), notes = system_check.compared(planned(), database=slow)
    assert known.said.startswith("reads wait longer")
    assert not any("How long" in note for note in notes)


TPCC = {"source": "tpc-c", "warehouses": 2, "transaction_rate_hz": 100.0}


def of_tpcc(frames=4096, **load) -> system_check.Predicted:
    return system_check.predicted(planned(load=TPCC | load, memory={"buffer_frames": frames, "policy": "lru"}))


def test_transactions_come_as_often_and_ask_for_as_much_as_a_plan_counts():
    of = demand.asked(planned(load=TPCC))
    references = demand.types(of, 0.1).share @ demand.types(of, 0.1).references
    reads, writes = demand.reads(of, 0.1, "lru", 4096), demand.writes(of, 0.1, "lru", 4096)
    ahead = of_tpcc()
    assert ahead.reads_hz == pytest.approx(100 * (reads.cold + reads.hot))
    assert ahead.writes_hz == pytest.approx(100 * (writes.cold + writes.hot))
    assert ahead.hit_ratio == pytest.approx(1 - (reads.cold + reads.hot) / references, abs=1e-3)


def test_the_load_is_as_large_and_as_mixed_as_the_system_says():
    base, larger, reading = of_tpcc(), of_tpcc(warehouses=8), of_tpcc(mix="read-intensive")
    assert larger.reads_hz > 1.2 * base.reads_hz
    assert reading.writes_hz < 0.5 * base.writes_hz
    assert of_tpcc(source="tpc-c-write-intensive").writes_hz == of_tpcc(mix="write-intensive").writes_hz
    pages = {"buffer_frames": 2048, "policy": "lru", "page_bytes": 8192}
    ahead = system_check.predicted(planned(load=TPCC, memory=pages))
    assert ahead.written_bytes_per_s == pytest.approx(ahead.writes_hz * 8192)
    assert not any("not used" in note for note in ahead.notes)


def test_a_rate_of_references_counts_where_it_alone_is_said():
    """Beside a rate of transactions it is left out, as in a plan, and where it says another one that is told."""
    base = of_tpcc()
    references_hz = base.reads_hz / (1 - base.hit_ratio)
    load = {"source": "tpc-c", "warehouses": 2, "rate_hz": 2 * references_hz}
    alone = planned(load=load, memory={"buffer_frames": 4096, "policy": "lru"})
    ahead = system_check.predicted(alone)
    assert ahead.reads_hz == pytest.approx(2 * base.reads_hz)
    other, same = of_tpcc(rate_hz=2 * references_hz), of_tpcc(rate_hz=references_hz)
    assert other.reads_hz == same.reads_hz == base.reads_hz
    told = [any("load.rate_hz" in note for note in each.notes) for each in (other, same, base)]
    assert told == [True, False, False]


def test_force_writes_what_a_plan_counts_once_in_a_transaction():
    forced = demand.forced(demand.asked(planned(load=TPCC)), 0.1)
    ahead = system_check.predicted(planned(load=TPCC, log={"update_strategy": "FORCE"}))
    assert ahead.writes_hz == pytest.approx(100 * (forced.cold + forced.hot), rel=0.01)


def test_a_trace_of_which_only_transactions_a_second_are_said_takes_the_usual_rate_and_says_so():
    ahead = system_check.predicted(planned(load={"source": "sqlite-order-entry", "transaction_rate_hz": 7.0}))
    assert ahead.reads_hz == system_check.predicted(planned(load={"source": "sqlite-order-entry"})).reads_hz
    assert any("says no load.rate_hz" in note for note in ahead.notes)


def test_what_a_system_says_and_the_prediction_has_no_place_for_is_told():
    load, place = {"source": "sqlite-order-entry", "read_share": 0.5, "users": 4}, {"write_cache_bytes": 2**20}
    ahead = system_check.predicted(planned(load=load, place=place, file_system={"layout": "log-structured"}))
    (note,) = [note for note in ahead.notes if "this is left out" in note]
    for part in ("share of reads", "users and thinking", "log-structured", "write cache"):
        assert part in note
    assert not any("this is left out" in note for note in system_check.predicted(planned()).notes)


def test_a_buffer_that_the_transactions_do_not_fill_is_told(monkeypatch):
    monkeypatch.setattr(demand, "MOST_MADE", 1000)
    assert any("frames: too much is read" in note for note in of_tpcc(frames=200_000).notes)


def test_tpox_is_no_list_of_pages_to_be_held_against_a_measurement():
    with pytest.raises(ModelError, match="not held against tpox, which is no list of pages by itself; name a trace"):
        system_check.predicted(system.System().changed({"load.source": "tpox"}))


def test_a_check_and_a_plan_from_a_trace_say_how_many_trims_are_left_out(tmp_path):
    trace = tmp_path / "own.txt"
    trace.write_text("".join(f"{at % 50} {'t' if at % 100 == 99 else 'w'}\n" for at in range(2000)), "utf8")
    system = planned(load={"source": str(trace), "rate_hz": 1000.0}, memory={"buffer_frames": 20})
    for notes in (system_check.predicted(system).notes, demand.asked(system).left_out()):
        assert sum(note.startswith("20 trims are left out") for note in notes) == 1


def test_a_trace_is_asked_for_the_pages_of_the_system_or_says_that_it_has_its_own(tmp_path):
    """Fifty places of 8 KiB are seven pages of 64 KiB, which 20 frames hold."""
    rows = [f"{at / 1000},r,{(at * 7 % 50) * 8192},8192" for at in range(1000)]
    trace = tmp_path / "own.csv"
    trace.write_text("\n".join(["time_s,op,offset,size", *rows]), "utf8")
    mine = {"source": str(trace), "rate_hz": 1000.0}
    small, large = (
        system_check.predicted(planned(load=mine, memory={"buffer_frames": 20, "page_bytes": size}))
        for size in (8192, 65536)
    )
    assert (large.reads_hz, small.reads_hz) == (pytest.approx(7.0), pytest.approx(1000.0))
    own = system_check.predicted(planned(memory={"buffer_frames": 512, "page_bytes": 65536}))
    assert any("the page size that was asked for, 65536 bytes, is not used" in note for note in own.notes)
