"""A device in place of a disk unit or under the XML load: what one request takes alone, and how many go at a time."""

import numpy as np
import pytest

from pagecost import catalogue, devices, oltp, studies
from pagecost.answers.device_servers import log_servers_of, servers_of
from pagecost.answers.transaction_runs import terms_of
from pagecost.answers.xml_runs import COUNTED, Load, Processor, alone, counted, times
from pagecost.oscaches import Host
from pagecost.planner.numbers import times_of
from pagecost.studies.transactions import log_allocation
from pagecost.transactions import Computer, debit_credit, hits, rahm, simulate, theory

PAGE_BYTES = 4096
G2 = "intel-x25-m-g2-80gb"
FREE = Computer(
    **dict.fromkeys(("instructions_begin", "instructions_reference", "instructions_end", "instructions_io"), 0),
    logging=False,
)
LOAD = debit_credit()


def ten_times(read: float = 10.0, write: float = 10.0) -> catalogue.Device:
    """An Intel X25-E that takes so many times its device time for a request alone."""
    drive = catalogue.device("intel-x25-e")
    iops = {what: drive.value(f"random_{what}_iops") for what in ("read", "write")}
    slow = drive.replaced("rated_read_latency_s", read / iops["read"])
    return slow.replaced("rated_write_latency_s", write / iops["write"])


def on_one(id: str):
    """A database on one device and nothing else that takes time; reads and writes of a transaction."""
    inputs = studies.find("transaction_configurations").inputs({"database_device": id, "database_disks": 1})
    unit = inputs.database_unit("disk")
    system = rahm.system("disk", "nvem", computer=FREE, database_unit=unit)
    found = hits(system, LOAD, transactions=20_000)  # as many as the formula replays
    return unit, system, sum(found.reads.values()), sum(found.writes.values())


def test_a_device_whose_requests_alone_take_ten_times_its_device_time_is_ten_servers():
    with catalogue.using(ten_times()):
        unit, system, reads, writes = on_one("intel-x25-e")
    busy_s = reads / 35_000 + writes / 3300
    assert (unit.disks, unit.at_once, unit.servers) == (1, 10, 10)
    assert (unit.read_delay_s, unit.write_delay_s) == pytest.approx((0.0, 0.0), abs=1e-12)
    assert (unit.read_s, unit.write_s) == pytest.approx((10 / 35_000, 10 / 3300))
    assert theory.estimate(system, LOAD, 0.999 / busy_s).saturated == ""
    assert theory.estimate(system, LOAD, 1.001 / busy_s).saturated == "database disk"  # as before, by device time
    assert theory.estimate(system, LOAD, 1e-6).response_s == pytest.approx(10 * busy_s)
    run = simulate(system, LOAD, rate_hz=0.01 / busy_s, least=10_000, most=10_000)
    assert run.response_s == pytest.approx(10 * busy_s, rel=0.04)


def test_reads_and_writes_that_differ_keep_their_throughput_and_their_times_alone():
    """30 reads go at a time and 2.5 writes: two servers and delays, by formula and by simulation."""
    with catalogue.using(ten_times(30.0, 2.5)):
        unit, system, reads, writes = on_one("intel-x25-e")
    assert unit.at_once == 2
    assert (unit.read_s + unit.read_delay_s, unit.write_s + unit.write_delay_s) == pytest.approx(
        (30 / 35_000, 2.5 / 3300)
    )
    busy_s, alone_s = reads / 35_000 + writes / 3300, reads * 30 / 35_000 + writes * 2.5 / 3300
    assert theory.estimate(system, LOAD, 0.5 / busy_s).utilisation["database disk"] == pytest.approx(0.5, rel=1e-6)
    assert theory.estimate(system, LOAD, 1e-6).response_s == pytest.approx(alone_s)
    for share in (0.01, 0.5):
        run = simulate(system, LOAD, rate_hz=share / busy_s, least=40_000, most=40_000)
        assert run.utilisation["database disk"] == pytest.approx(share, rel=0.03)
        assert run.response_s == pytest.approx(theory.estimate(system, LOAD, share / busy_s).response_s, rel=0.03)
        # what a page takes beyond its server's time is the device's too, not the channel's
        assert terms_of(run)["database_s"] == pytest.approx(alone_s, rel=0.03)
        assert terms_of(run)["transmission_s"] == pytest.approx(0, abs=1e-9 * alone_s)
        assert sum(run.composition.values()) == pytest.approx(run.response_s)


def test_a_write_that_is_handed_over_keeps_its_device_time_and_the_note_says_so():
    found = servers_of("intel-x25-e", "random", PAGE_BYTES)
    assert (found.at_once, found.write_s, found.write_delay_s) == (1, pytest.approx(1 / 3300), 0.0)
    assert found.read_s + found.read_delay_s == pytest.approx(75e-6)
    assert "though one alone is handed over in 85 µs" in found.note


@pytest.mark.parametrize("name", ["cheetah-15k5", "mtron-pro-7500", "rahm-ssd", "fio-virtual-disk"])
@pytest.mark.parametrize("pattern", ["random", "sequential"])
def test_a_device_of_one_request_at_a_time_is_one_server_without_delay(name, pattern):
    found = servers_of(name, pattern, PAGE_BYTES)
    assert (found.at_once, found.read_delay_s, found.write_delay_s) == (1, 0.0, 0.0)
    assert "not known" not in found.note


@pytest.mark.parametrize(
    ("study", "given", "said"),
    [
        (
            "transaction_configurations",
            {"configurations": ["disk"], "database_device": "intel-660p-1tb", "log_device": "intel-x25-e"},
            [
                "In place of the database disks: Intel SSD 660p",
                "how long a random read or a random write takes alone is not known",
                "alone a sequential write 85 µs, how long a sequential read takes alone is not known",
                "bounds from below",
            ],
        ),
        (
            "transaction_configurations",
            {"configurations": ["disk"], "database_device": "samsung-970-pro-1tb"},
            ["Here a device is 9 servers"],
        ),
        (
            "xml_transactions",
            {"devices": ["wd800aajs", "consumer-ssd-2009"], "plain_bytes": 1e7, "mappings": ["el"]},
            ["takes alone is not known; its device time"],
        ),
        (
            "xml_writes",
            {"devices": ["consumer-ssd-2009"], "plain_bytes": 1e7, "mappings": ["el"]},
            ["how long a random read, a random write or a sequential write takes alone is not known"],
        ),
        (
            "cache_hierarchy",
            {"devices": ["consumer-ssd-2009"], "plain_bytes": 1e7},
            ["random read", "takes alone is not known"],
        ),
        ("tpcc_throughput", {"devices": ["intel-x25-e"]}, ["device time of a page, 1 / pages a second with 32"]),
    ],
)
def test_a_study_says_what_is_not_known_of_a_request_alone(study, given, said):
    chosen = studies.find(study)
    notes = "\n".join(chosen.compute(chosen.inputs(given)).notes)
    assert [part for part in said if part not in notes] == []


def test_a_disk_of_one_request_at_a_time_is_said_of_no_such_thing():
    study = studies.find("xml_transactions")
    result = study.compute(study.inputs({"devices": ["wd800aajs"], "mappings": ["el"], "plain_bytes": 1e7}))
    assert "alone is not known" not in "\n".join(result.notes)


def test_an_xml_transaction_waits_for_each_request_as_long_as_one_alone_takes():
    """One after the other: reads at the latency of one, not at 1 / throughput with 32 outstanding."""
    found = counted(Load("el", 1e8, 0.0, 1), Host(buffer_pages=4096, direct=True))
    reads = found.traffic.waited["random read"]
    processor = Processor(1e-3, 0.0, 0.0)
    drive = catalogue.device(G2)
    io_s = times(G2, found, processor).io_s
    with catalogue.using(drive.replaced("rated_read_latency_s", 2 * drive.value("rated_read_latency_s"))):
        slower_s = times(G2, found, processor).io_s
    assert slower_s - io_s == pytest.approx(reads / COUNTED * 65e-6)
    assert reads > 0


def test_writes_that_are_handed_over_do_not_come_faster_than_the_device_writes():
    """A processor that takes no time: alone a write takes 85 µs, but the drive finishes one only every 152 µs."""
    found = counted(Load("el", 1e7, 1.0, 1), Host(buffer_pages=4096, direct=True, force=True))
    writes = found.traffic.waited["random write"]
    assert writes > COUNTED
    cost = times(G2, found, Processor(0.0, 0.0, 0.0))
    assert cost.elapsed_s >= writes / COUNTED / 6600
    assert cost.load == pytest.approx(1.0)


@pytest.mark.parametrize("disk", ["hgst-7k1000-750gb", "seagate-exos-x18-18tb"])
def test_a_disk_that_writes_a_log_takes_no_more_than_one_transaction_a_turn(disk):
    """Its place has passed when the page before is durable; 62 µs would be as if nobody waited for the platters."""
    turns_hz = catalogue.device(disk).value("rotation_hz")
    inputs = studies.find("log_allocation").inputs({"log_device": disk})
    assert inputs.log_unit("disk", 1).write_s == pytest.approx(1 / turns_hz)
    assert log_allocation.log_limit_hz(inputs, "disk") == pytest.approx(turns_hz)
    assert "a whole turn" in log_servers_of(disk, PAGE_BYTES).note


def test_a_log_on_flash_is_written_as_pages_in_sequence_are():
    assert log_servers_of(G2, PAGE_BYTES) == servers_of(G2, "sequential", PAGE_BYTES)


def test_a_page_of_a_log_is_handed_over_to_solid_state_in_the_time_of_any_write_alone():
    """Neither in 1 / its rate in sequence, 60 times less, nor in more than its rate allows where that is slower."""
    optane = "intel-optane-p4800x-375gb"
    for name, alone_s in ((G2, 85e-6), ("intel-dc-p3700-800gb", 20e-6), (optane, 10e-6), ("mtron-pro-7500", 1 / 21e3)):
        log = log_servers_of(name, PAGE_BYTES)
        assert log.write_s + log.write_delay_s == pytest.approx(alone_s), name
    model = devices.load(G2)
    assert log_servers_of(G2, PAGE_BYTES).write_s == pytest.approx(PAGE_BYTES / model.sequential_write_bytes_per_s)


def test_a_write_to_3d_xpoint_that_nobody_times_takes_what_a_read_does():
    """By rate alone a P5800X would take a page in 0.7 µs; who rates both of such a drive rates them alike."""
    rated = [each for each in catalogue.project().devices.values() if each.device_class == "3D XPoint SSD"]
    both = [each for each in rated if each.get("rated_write_latency_s")]
    assert len(both) >= 2
    assert all(each.value("rated_write_latency_s") == each.value("rated_read_latency_s") for each in both)
    optane = "intel-optane-p5800x-800gb"
    for found in (log_servers_of(optane, PAGE_BYTES), servers_of(optane, "random", PAGE_BYTES)):
        assert found.write_s + found.write_delay_s == pytest.approx(6e-6)
        assert "what a read takes" in found.note
    busy_s, delay_s = oltp.drive(optane).times_s(PAGE_BYTES)
    assert (busy_s + delay_s)[1, :, 0] == pytest.approx(6e-6)
    assert alone(optane, "random write", None).waits_s == pytest.approx(6e-6)


def test_a_large_write_in_sequence_takes_its_transfer_more_than_a_small_one():
    service = devices.load(G2).service("sequential write", [512.0, 4096.0, 2**20])
    rate = devices.load(G2).sequential_write_bytes_per_s
    assert service.latency_s == pytest.approx([85e-6, 85e-6, 85e-6 + (2**20 - 4096) / rate])
    assert np.isnan(devices.load(G2).service("sequential read", 4096).latency_s)


def flash_that_is_rated() -> list[catalogue.Device]:
    known = catalogue.project().devices.values()
    return [each for each in known if each.model == "rated" and each.device_class == "flash SSD"]


@pytest.mark.parametrize("what", ["read", "write"])
def test_what_flash_takes_at_least_is_the_shortest_that_the_catalogue_knows(what):
    models = [devices.load(each.id) for each in flash_that_is_rated()]
    stated = [getattr(model, f"{what}_latency_s") for model in models]
    assert min(each for each in stated if each is not None) == pytest.approx(devices.LEAST_FLASH_S[what])
    assert sum(each is None for each in stated) >= 10


@pytest.mark.parametrize("device", flash_that_is_rated(), ids=lambda device: device.id)
def test_no_flash_drive_answers_a_page_in_less_than_flash_takes(device):
    """By rate alone the newest would take a third of a microsecond; in queues, in the loop and under the XML load."""
    found = servers_of(device.id, "random", PAGE_BYTES)
    least = devices.LEAST_FLASH_S
    assert found.read_s + found.read_delay_s >= least["read"] * (1 - 1e-9)
    assert found.write_s + found.write_delay_s >= least["write"] * (1 - 1e-9)
    busy_s, delay_s = oltp.drive(device.id).times_s(PAGE_BYTES)
    for write, what in enumerate(("read", "write")):
        assert busy_s[write, 0, 0] + delay_s[write, 0, 0] >= least[what] * (1 - 1e-9)
        assert alone(device.id, f"random {what}", None).waits_s >= least[what] * (1 - 1e-9)
    log = log_servers_of(device.id, PAGE_BYTES)
    assert log.write_s + log.write_delay_s >= least["write"] * (1 - 1e-9)
    planned = times_of(device.id, PAGE_BYTES, PAGE_BYTES)
    assert planned.log_s + planned.log_delay_s >= (log.write_s + log.write_delay_s) * (1 - 1e-9)
    assert busy_s[1, 1, 0] + delay_s[1, 1, 0] == pytest.approx(log.write_s + log.write_delay_s)
    model = devices.load(device.id)
    if model.read_latency_s is None and model.rated_queue_depth != 1:
        assert "a random read 30 µs" in found.note
        assert "bounds from below" in found.note


def test_drives_of_which_less_is_known_are_no_longer_the_fastest():
    """Of two drives of a kind the one whose page alone nobody states is not a hundred times as fast as the other."""
    stated, silent = ("samsung-990-pro-2tb", "samsung-990-pro-1tb")
    study = studies.find("force_noforce")
    asked = {"allocations": ("disk",), "rate_hz": 50.0, "transmission_s": 0.0}
    found = {}
    for name in (stated, silent):
        result = study.compute(study.inputs({"database_device": name, **asked}))
        found[name] = float(result["database_s"][0] + result["transmission_s"][0])
    assert 0.5 * found[stated] < found[silent] <= found[stated]
