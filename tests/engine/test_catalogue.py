"""The catalogue: every number has a source, the numbers are the papers', and broken tables are refused by line."""

import pickle

import pytest

from pagecost import catalogue, catalogue_tables, units
from pagecost.catalogue import NEEDS, STATUSES, device, devices, load, root, sources
from pagecost.economics.wear import RATED
from pagecost.errors import ModelError

SCHMIDT_TABLE_1 = {  # IOPS random read, write; MB/s sequential read, write; W idle, load
    "consumer SSD": ("consumer-ssd-2009", 3000, 50, 70, 50, 0.06, 2.0),
    "high-end SSD": ("high-end-ssd-2009", 35000, 5000, 250, 170, 0.9, 3.5),
    "consumer disk": ("consumer-disk-2009", 125, 100, 100, 100, 6.0, 12.5),
    "high-end disk": ("high-end-disk-2009", 200, 200, 160, 150, 10.0, 18),
}

OF_THE_PAPERS = {
    "schmidt2009": (
        *("consumer-ssd-2009", "high-end-ssd-2009", "consumer-disk-2009", "high-end-disk-2009"),
        *("wd800aajs", "supertalent-duradrive-at"),
    ),
    "fernando2011": (
        *("fernando-hard-disk", "fernando-flash-drive", "fernando-microsd", "fernando-memory-stick", "fernando-ssd"),
        *("fernando-slc-nand", "fernando-mlc-nand", "nand-lee-chang-2005", "nor-lee-chang-2005", "ramac-350"),
    ),
    "rahm1992": (
        *("rahm-nvem", "rahm-ssd", "rahm-disk-cache", "rahm-db-disk", "rahm-log-disk"),
        *("ibm-3090-expanded-storage", "fujitsu-ssu", "ibm-3990-cache"),
    ),
    "lee2009": ("indilinx-barefoot-ssd", "cheetah-15k5", "ibm-tpcc-disk-2008"),
    "wang2011": ("hgst-7k1000-750gb", "mtron-pro-7500", "intel-x25-e", "ocz-vertex-ex", "samsung-4gb-flash-chip"),
}

PARAMETERS = [parameter for one in devices().values() for parameter in one.parameters.values()]


# What stands in the tables


@pytest.mark.parametrize("paper", OF_THE_PAPERS)
def test_every_device_of_a_paper_is_present_with_a_number_from_that_paper(paper):
    for name in OF_THE_PAPERS[paper]:
        assert paper in {parameter.source for parameter in device(name).parameters.values()}, name


def test_at_least_twelve_later_devices_are_present():
    named = {name for names in OF_THE_PAPERS.values() for name in names}
    later = [one for one in devices().values() if one.id not in named and (one.year or 0) >= 2008]
    assert len(later) >= 12
    assert {"flash SSD", "3D XPoint SSD", "hard disk", "removable flash", "flash chip"} <= {
        x.device_class for x in later
    }


TODAY = {
    *("ssdiq-devices", "enterprise-ssd-survey-2026", "server-ssd-notes-2026", "storage-media-notes-2026"),
    *("storagereview-exos-m", "storagereview-wd-gold-24tb", "blocksandfiles-exos-x24", "mezha-990pro-4tb"),
    *("cnews-d7-p5810", "storagereview-cm9-r", "storagereview-cd9p-r", "storagereview-6600-ion", "storagereview-x200p"),
    *("storagereview-p5336-122tb", "storagereview-r6060", "storagereview-ps1030", "storagereview-9550-max"),
    *("storagereview-7600-max", "storagereview-6550-ion", "samsung-lineup-ledger-2026", "pc-parts-notes-2026"),
    "fio-990-pro-report",
}


def test_drives_of_today_have_cited_numbers_only():
    """What is not cited stays blank; only the size of the rated requests is known from elsewhere."""
    drives = [one for one in devices().values() if {row.source for row in one.parameters.values()} & TODAY]
    drives = [one for one in drives if one.id != "samsung-pm9a3-7680gb"]
    recalled = {name for one in drives for name, row in one.parameters.items() if row.status == "recalled"}
    assert recalled <= {"rated_block_bytes"}

    def known(*names: str) -> int:
        return sum(any(name in one.parameters for name in names) for one in drives)

    assert known("random_read_iops") >= 24
    assert known(*RATED, "drive_writes_per_day", "rated_workload_bytes_per_s") >= 20
    assert known("rated_read_latency_s", "rated_write_latency_s") >= 8
    assert known("idle_w") >= 6


FOUR = (  # how long one read takes, throughput at depth, endurance, idle power
    ("qd1_read_s", "rated_read_latency_s", "qd1_random_read_iops"),
    ("random_read_iops",),
    (*RATED, "drive_writes_per_day"),
    ("idle_w",),
)


def test_a_dozen_drives_since_2021_have_latency_throughput_endurance_and_idle_power_cited():
    """Cited: seen in a text that the source names, not from general knowledge and not derived."""

    def cited(one, names) -> bool:
        rows = [one.parameters[name] for name in names if name in one.parameters]
        return any(
            row.status in ("specified", "quoted", "measured") and row.source != "general-knowledge" for row in rows
        )

    def recent(one) -> bool:  # by its year; where that is not known, by its interface, which older drives do not have
        return (one.year or 0) >= 2021 or (one.year is None and one.get("interface") == "PCIe 5.0 x4")

    drives = [one for one in devices().values() if one.device_class == "flash SSD" and recent(one)]
    assert sum(all(cited(one, names) for names in FOUR) for one in drives) >= 14


def test_every_number_has_a_known_unit_status_and_source():
    for parameter in PARAMETERS:
        assert parameter.unit in units.UNITS or parameter.unit == units.TEXT, parameter
        assert parameter.source in sources(), parameter
        assert parameter.status in STATUSES, parameter
    for one in devices().values():
        for price in one.prices:
            assert price.source in sources(), price


def test_what_is_not_verified_says_so():
    for parameter in PARAMETERS:
        if parameter.source == "general-knowledge":
            assert parameter.status in ("recalled", "derived"), parameter
    assert "not verified" in sources()["general-knowledge"].note


def test_numbers_of_a_paper_say_where_they_stand():
    for parameter in PARAMETERS:
        if parameter.source in OF_THE_PAPERS and parameter.status != "fitted":
            assert parameter.place, parameter


def test_a_device_with_a_model_has_what_the_model_needs():
    for one in devices().values():
        for need in NEEDS.get(one.model, ()):
            choice = (need,) if isinstance(need, str) else need
            assert any(one.get(name) is not None for name in choice), (one.id, need)
    assert {one.model for one in devices().values()} == {*NEEDS, ""}


# The papers, by hand


@pytest.mark.parametrize("row", SCHMIDT_TABLE_1)
def test_schmidt_table_1(row):
    name, *numbers = SCHMIDT_TABLE_1[row]
    one = device(name)
    assert one.name.startswith(row)
    assert [
        one.value("random_read_iops"),
        one.value("random_write_iops"),
        one.value("sequential_read_bytes_per_s") / 1e6,
        one.value("sequential_write_bytes_per_s") / 1e6,
        one.value("idle_w"),
        one.value("active_w"),
    ] == numbers


def test_schmidt_table_1_marks_the_bounds_and_the_announced_drive():
    assert {device("high-end-disk-2009").parameter(f"random_{way}_iops").bound for way in ("read", "write")} == {"<="}
    assert device("high-end-disk-2009").parameter("random_read_iops").stated == "<= 200 1/s"
    assert device("high-end-ssd-2009").parameter("random_read_iops").status == "announced"


def test_schmidt_test_bed():
    disk, ssd = device("wd800aajs"), device("supertalent-duradrive-at")
    assert (disk.value("capacity_bytes"), disk.value("cache_bytes"), disk.value("rotation_hz")) == (80e9, 2**23, 120)
    assert disk.get("command_queueing") == "NCQ"
    assert (ssd.value("capacity_bytes"), ssd.value("cache_bytes")) == (32e9, 0)


def test_fernando_table_2_1():
    nand, nor = device("nand-lee-chang-2005"), device("nor-lee-chang-2005")
    columns = [f"{verb}_4kb_{unit}" for unit in ("s", "j") for verb in ("read", "write", "erase")]
    assert [nand.value(x) * 1e6 for x in columns] == pytest.approx([284.2, 1833.0, 499.2, 9.4, 59.6, 16.5])
    assert [nor.value(x) * 1e6 for x in columns] == pytest.approx([53.8, 14054.4, 15616.0, 8.6, 3251.2, 3609.6])
    assert nand.value("write_4kb_s") / nand.value("read_4kb_s") == pytest.approx(6.45, abs=0.005)
    assert nand.value("write_4kb_j") / nand.value("read_4kb_j") == pytest.approx(6.34, abs=0.005)


def test_fernando_flash_classes_use_milliseconds_for_the_erase_printed_in_microseconds():
    slc, mlc = device("fernando-slc-nand"), device("fernando-mlc-nand")
    assert [slc.value("page_read_s"), slc.value("page_program_s")] == [25e-6, 250e-6]
    assert [mlc.value("page_read_s"), mlc.value("page_program_s")] == [60e-6, 900e-6]
    assert [slc.value("program_erase_cycles"), mlc.value("program_erase_cycles")] == [100_000, 10_000]
    assert slc.value("channel_bytes_per_s") == 40e6
    erase = slc.parameter("block_erase_s")
    assert (erase.value, erase.bound, erase.status) == (0.0035, "<=", "derived")
    assert "3.5 µs" in erase.note
    assert (slc.parameter("pages_per_block").low, slc.parameter("pages_per_block").high) == (64, 128)


def test_the_performance_of_fernandos_drives_is_marked_as_fitted():
    """The thesis prints none of it."""
    for name in ("hard-disk", "flash-drive", "microsd", "memory-stick", "ssd"):
        one = device(f"fernando-{name}")
        stated = {x for x, parameter in one.parameters.items() if parameter.status == "stated"}
        assert stated <= {"capacity_bytes", "interface", "cell", "partition_bytes"}, name
        assert {one.parameters[x].status for x in set(one.parameters) - stated} <= {"fitted", "recalled"}, name
    assert device("fernando-hard-disk").value("partition_bytes") == 41e6


def test_the_densities_of_the_first_disk_give_its_capacity_within_a_factor_of_two():
    disk = device("ramac-350")
    bits = disk.value("bits_per_m") * disk.value("tracks_per_m") * disk.value("surface_m2")
    assert 5e6 < bits / 8 < 2 * 5e6  # 8.6 MB if all of the surface had these densities


@pytest.mark.parametrize(
    ("name", "milliseconds"),
    [("rahm-nvem", 0.05), ("rahm-ssd", 1.4), ("rahm-disk-cache", 1.4), ("rahm-log-disk", 6.4), ("rahm-db-disk", 16.4)],
)
def test_rahm_access_times_are_the_sums_of_the_terms_of_table_4_1(name, milliseconds):
    one = device(name)
    terms = [one.get(term, 0.0) for term in ("controller_s", "transmission_s", "device_s")]
    assert one.value("access_s") * 1e3 == pytest.approx(milliseconds)
    assert sum(terms) == pytest.approx(one.value("access_s"))


def test_rahm_table_2_1():
    nvem, ssd, disk = (device(f"rahm-{name}") for name in ("nvem", "ssd", "db-disk"))
    ranges = {one.id: one.parameter("access_s") for one in (nvem, ssd, disk)}
    assert {name: (x.low, x.high) for name, x in ranges.items()} == {
        "rahm-nvem": (10e-6, 100e-6),
        "rahm-ssd": (1e-3, 3e-3),
        "rahm-db-disk": (10e-3, 20e-3),
    }
    prices = {one.id: [(x.low, x.high, x.currency, x.per, x.date) for x in one.prices] for one in (nvem, ssd, disk)}
    assert prices == {
        "rahm-nvem": [(500, 1500, "USD", "MB", "1991")],
        "rahm-ssd": [(200, 800, "USD", "MB", "1991")],
        "rahm-db-disk": [(3, 20, "USD", "MB", "1991")],
    }


def test_rahm_expanded_storage_and_system_storage_unit():
    assert device("ibm-3090-expanded-storage").value("access_s") == 75e-6
    ssu = device("fujitsu-ssu")
    assert 4096 / ssu.value("interface_bytes_per_s") == pytest.approx(ssu.value("transmission_s"), rel=1e-3)


def test_lee_slides():
    ssd, disk = device("indilinx-barefoot-ssd"), device("cheetah-15k5")
    assert (disk.value("capacity_bytes"), disk.value("rotation_hz")) == (pytest.approx(73.4e9), 250)
    assert 8 * disk.value("active_w") == 104
    assert ssd.value("active_w") == 5
    assert [(ssd.parameter(x).low, ssd.parameter(x).high) for x in ("random_read_ratio", "random_write_ratio")] == [
        (20, 30),
        (5, 6),
    ]


def test_wang_table_1():
    chip = device("samsung-4gb-flash-chip")
    assert [chip.value(x) for x in ("page_read_s", "page_program_s", "block_erase_s")] == [25e-6, 200e-6, 1.5e-3]
    assert chip.value("page_bytes") * chip.value("pages_per_block") == chip.value("block_bytes") == 262_144


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        (
            "hgst-7k1000-750gb",
            {
                **{"capacity_bytes": 750e9, "cache_bytes": 2**25, "rotation_hz": 120, "heads": 8},
                **{"average_seek_read_s": 0.0082, "average_seek_write_s": 0.0092, "interface_bytes_per_s": 300e6},
            },
        ),
        (
            "mtron-pro-7500",
            {
                **{"capacity_bytes": 32e9, "cache_bytes": 2**24, "channels": 4},
                **{"sequential_read_bytes_per_s": 130e6, "sequential_write_bytes_per_s": 120e6},
                **{"sequential_read_iops": 12000, "sequential_write_iops": 21000},
                **{"random_read_iops": 12000, "random_write_iops": 130, "rated_block_bytes": 4096},
            },
        ),
        (
            "intel-x25-e",
            {
                **{"capacity_bytes": 64e9, "cache_bytes": 2**24, "channels": 10},
                **{"sequential_read_bytes_per_s": 250e6, "sequential_write_bytes_per_s": 170e6},
                **{"random_read_iops": 35000, "random_write_iops": 3300, "rated_block_bytes": 4096},
            },
        ),
        (
            "ocz-vertex-ex",
            {
                **{"capacity_bytes": 120e9, "cache_bytes": 2**26, "average_seek_read_s": 0.0001},
                **{"sequential_read_bytes_per_s": 260e6, "sequential_write_bytes_per_s": 100e6},
            },
        ),
    ],
)
def test_wang_table_2(name, numbers):
    assert {x: device(name).value(x) for x in numbers} == numbers


def test_the_interface_of_wangs_disk_is_never_its_sequential_rate():
    assert device("hgst-7k1000-750gb").value("sequential_read_bytes_per_s") < 100e6


def test_wang_table_5():
    hours = {name: device(name).value("mtbf_s") / 3600 for name in OF_THE_PAPERS["wang2011"][1:4]}
    assert hours == {"mtron-pro-7500": 1_000_000, "intel-x25-e": 2_000_000, "ocz-vertex-ex": 1_500_000}
    assert device("intel-x25-e").value("random_rated_write_bytes") == 2e15
    mtron = device("mtron-pro-7500")
    written = mtron.value("endurance_s") / 86400 * mtron.value("endurance_daily_bytes")
    assert mtron.value("sequential_rated_write_bytes") == pytest.approx(written)
    assert mtron.parameter("endurance_s").bound == ">="


# How it is used


def test_an_unknown_number_is_refused_by_name_or_replaced_by_a_default():
    with pytest.raises(ModelError, match=r"ocz-vertex-ex: random_read_iops is not known; known: average_seek_read_s"):
        device("ocz-vertex-ex").value("random_read_iops")
    assert device("ocz-vertex-ex").get("random_read_iops") is None
    assert device("ocz-vertex-ex").get("random_read_iops", 7.0) == 7.0


def test_a_range_or_a_text_is_not_a_number():
    ssd = device("indilinx-barefoot-ssd")
    with pytest.raises(ModelError, match="random_read_ratio is known only as a range, 20–30; take its low or high"):
        ssd.value("random_read_ratio")
    with pytest.raises(ModelError, match="cell is a text, 'SLC NAND', not a number"):
        ssd.value("cell")
    assert ssd.get("random_read_ratio", 25.0) == 25.0


def test_replacing_a_number_leaves_the_catalogue_as_it_was():
    disk = device("hgst-7k1000-750gb")
    slow = disk.replaced("average_seek_read_s", 0.02)
    assert slow.value("average_seek_read_s") == 0.02
    assert slow.parameter("average_seek_read_s").status == "fitted"
    assert slow.value("rotation_hz") == disk.value("rotation_hz")
    assert device("hgst-7k1000-750gb").value("average_seek_read_s") == 0.0082
    with pytest.raises(ModelError, match="wheel_s is not known"):
        disk.replaced("wheel_s", 1.0)
    with pytest.raises(ModelError, match="must be finite and >= 0; got -1"):
        disk.replaced("average_seek_read_s", -1)


def test_a_changed_device_counts_within_using_and_not_after_it():
    before = catalogue.current()
    slow = device("hgst-7k1000-750gb").replaced("average_seek_read_s", 0.02)
    with catalogue.using(slow) as changed:
        assert device("hgst-7k1000-750gb") is slow
        assert catalogue.current() is changed
        assert list(changed.devices) == list(before.devices)
        with catalogue.using(slow.replaced("heads", 4)):
            assert device("hgst-7k1000-750gb").value("heads") == 4
        assert device("hgst-7k1000-750gb") is slow
    assert catalogue.current() is before
    assert device("hgst-7k1000-750gb").value("average_seek_read_s") == 0.0082


def test_devices_travel_to_another_process():
    copy = pickle.loads(pickle.dumps(device("intel-x25-e")))
    assert copy.parameters == device("intel-x25-e").parameters


def test_the_tables_are_found_and_a_missing_folder_is_named(tmp_path, monkeypatch):
    assert (root() / "parameters.csv").is_file()
    monkeypatch.setattr(catalogue_tables, "__file__", str(tmp_path / "engine" / "pagecost" / "catalogue.py"))
    with pytest.raises(ModelError, match=r"the datasets are missing: no devices\.csv in .*_datasets or .*datasets"):
        root()


def test_tables_inside_the_package_win_over_the_checkout(tmp_path, monkeypatch):
    packed = tmp_path / "engine" / "pagecost" / "_datasets"
    for folder in (packed, tmp_path / "datasets"):
        folder.mkdir(parents=True)
        (folder / "devices.csv").touch()
    monkeypatch.setattr(catalogue_tables, "__file__", str(tmp_path / "engine" / "pagecost" / "catalogue.py"))
    assert root() == packed.resolve()


# Broken tables

GOOD = {
    "devices.csv": "device,name,class,model,year,note\ndemo,Demo,hard disk,,2001,\n",
    "parameters.csv": (
        "device,parameter,value,unit,low,high,bound,status,source,place,note\n"
        "demo,average_seek_read_s,8.2,ms,,,,specified,sheet,Table 1,\n"
    ),
    "prices.csv": (
        "device,amount,low,high,currency,per,date,status,source,place,note\n"
        "demo,100,,,USD,device,2001,specified,sheet,,\n"
    ),
    "sources.csv": (
        "source,title,authors,publisher,year,url,read_on,licence,note\nsheet,A data sheet,,,2001,,2001-01-01,,\n"
    ),
}


@pytest.fixture
def tables(tmp_path):
    """A function that writes the good tables with one piece of one of them changed, and returns their folder."""

    def write(table="devices.csv", old="", new=""):
        assert old in GOOD[table]
        for name, text in GOOD.items():
            (tmp_path / name).write_text(text.replace(old, new) if name == table and old else text, encoding="utf-8")
        return tmp_path

    return write


def test_another_folder_can_be_read(tables):
    own = load(tables())
    assert own.device("demo").value("average_seek_read_s") == 0.0082
    assert own.device("demo").prices[0].amount == 100
    assert own.sources["sheet"].read_on == "2001-01-01"


SEEK = "demo,average_seek_read_s,8.2,ms,,,,specified,sheet,Table 1,\n"
PARAMETER = "parameters.csv line 2: "


@pytest.mark.parametrize(
    ("table", "old", "new", "message"),
    [
        ("parameters.csv", ",ms,", ",parsec,", PARAMETER + "unknown unit 'parsec'; known: 1, s, ms"),
        ("parameters.csv", ",ms,", ",MB,", PARAMETER + "average_seek_read_s must be a time; unit 'MB' is a bytes"),
        ("parameters.csv", ",sheet,", ",rumour,", PARAMETER + "unknown source 'rumour'; add it to sources.csv"),
        ("parameters.csv", "specified", "certain", PARAMETER + "unknown status 'certain'; known: specified, "),
        ("parameters.csv", "specified", "fitted", PARAMETER + "status 'fitted' needs a note that says how"),
        ("parameters.csv", "specified", "bound", PARAMETER + "status 'bound' needs <= or >= in column bound"),
        ("parameters.csv", "8.2", "8,2", PARAMETER + "11 fields are needed, as in line 1"),
        ("parameters.csv", "8.2", "fast", PARAMETER + "value is not a number: 'fast'"),
        ("parameters.csv", "8.2", "nan", PARAMETER + "value must be finite and >= 0; got 'nan'"),
        ("parameters.csv", "8.2", "-1", PARAMETER + "value must be finite and >= 0; got '-1'"),
        ("parameters.csv", "8.2", "", PARAMETER + "a number is needed: a value, or low or high"),
        ("parameters.csv", "8.2,ms,,", "8.2,ms,9,", PARAMETER + "low <= value <= high must hold; got 9.0 / 8.2"),
        ("parameters.csv", "8.2,ms,,,", "8.2,ms,,,~", PARAMETER + "bound must be blank, <= or >=; got '~'"),
        ("parameters.csv", "8.2,ms", ",text", PARAMETER + "the text average_seek_read_s of demo is empty"),
        ("parameters.csv", "average_seek", "Average seek", PARAMETER + "parameter must be snake_case"),
        ("parameters.csv", SEEK, SEEK + SEEK, "parameters.csv line 3: demo has average_seek_read_s twice"),
        ("parameters.csv", "demo,", "demon,", "parameters.csv: device 'demon' is not in devices.csv"),
        ("parameters.csv", ",status,", ",state,", "parameters.csv line 1: column status is missing; needs device, "),
        (
            "devices.csv",
            "\ndemo",
            "\nDemo Disk",
            "devices.csv line 2: device must be lower-case words joined by hyphens",
        ),
        ("devices.csv", "2001,\n", "2001,\ndemo,Demo,hard disk,,,\n", "devices.csv line 3: device 'demo' stands twice"),
        ("devices.csv", ",,2001", ",tape,2001", "devices.csv line 2: unknown model 'tape'; known: hard_disk, flash, "),
        ("devices.csv", ",,2001", ",hard_disk,2001", "demo has model 'hard_disk' but no rotation_hz"),
        ("devices.csv", "2001", "old", "devices.csv line 2: year must be blank or four digits; got 'old'"),
        ("devices.csv", "Demo,", ",", "devices.csv line 2: demo needs a name and a class"),
        ("prices.csv", "2001", "", "prices.csv line 2: a price needs a date like 2008 or 2008-12; got ''"),
        ("prices.csv", "USD", "dollars", "prices.csv line 2: unknown currency 'dollars'"),
        ("prices.csv", "USD,device", "USD,dozen", "prices.csv line 2: per must be one of device, MB, GB; got 'dozen'"),
        ("prices.csv", "demo", "other", "prices.csv: device 'other' is not in devices.csv"),
        ("sources.csv", "A data sheet", "", "sources.csv line 2: source 'sheet' needs a title"),
        ("sources.csv", ",read_on", ",seen", "sources.csv line 1: column read_on is missing"),
    ],
)
def test_a_broken_table_is_refused_by_file_line_rule_and_value(tables, table, old, new, message):
    with pytest.raises(ModelError) as refusal:
        load(tables(table, old, new))
    assert message in str(refusal.value)


def test_a_missing_table_is_named(tables):
    folder = tables()
    (folder / "prices.csv").unlink()
    with pytest.raises(ModelError, match=r"prices\.csv is missing in"):
        load(folder)


def test_of_many_names_an_error_lists_the_nearest():
    with pytest.raises(ModelError, match=r"unknown device 'intel-x25e'; nearest of \d+: intel-x25-e, "):
        device("intel-x25e")
    with pytest.raises(ModelError, match=r"unknown device '§'; nearest of \d+: consumer-ssd-2009, "):
        device("§")


def test_a_text_and_a_number_are_told_apart_when_they_are_asked_for():
    ssd = device("intel-x25-e")
    assert device(ssd.text("flash_chip")).id == ssd.parameter("flash_chip").value
    with pytest.raises(ModelError, match=r"intel-x25-e: channels is a number, 10.*, not a text"):
        ssd.text("channels")
    with pytest.raises(ModelError, match="intel-x25-e: flash_chip is a text"):
        ssd.value("flash_chip")


def test_a_price_that_is_only_a_range_is_no_amount():
    assert device("five-minute-memory-1987").prices[0].stated_amount == 5000
    with pytest.raises(ModelError, match=r"rahm-nvem: its price of 1991 is known only as a range, 500\.0 to 1500\.0"):
        device("rahm-nvem").prices[0].stated_amount  # noqa: B018
