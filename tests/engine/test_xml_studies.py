"""The XML studies: bytes add up, files of one's own are taken, and each toggle moves the cost it names."""

import numpy as np
import pytest

from pagecost import buffer, catalogue
from pagecost.answers import xml_runs
from pagecost.answers.xml_runs import COUNTED, TRANSACTIONS, WARM_UP
from pagecost.devices import energy
from pagecost.errors import ModelError
from pagecost.studies import find
from pagecost.workload import tpox as load_of_tpox
from pagecost.xmlstore import CAUSES, load
from pagecost.xmlstore.documents import tpox


def asked(study, **values):
    chosen = find(study)
    return chosen.compute(chosen.inputs(values))


def test_causes_add_up_to_the_stored_bytes_and_kinds_to_their_sum():
    result = asked("xml_footprint", plain_bytes=1e7)
    assert sum(result[cause] for cause in CAUSES) == pytest.approx(result["bytes"])
    for mapping in ("fs", "pc", "el"):
        (whole,) = result.rows(kind="all kinds", mapping=mapping)
        parts = [row for row in result.rows(mapping=mapping) if row != whole]
        assert result["bytes"][parts].sum() == pytest.approx(result["bytes"][whole])
        assert result["plain_bytes"][whole] == pytest.approx(1e7, rel=0.1)


def test_a_file_of_ones_own_is_stored_and_compared(tmp_path):
    path = tmp_path / "own.xml"
    path.write_text("<list>" + "".join(f"<entry id='{n}'>value {n}</entry>\n" for n in range(3000)) + "</list>")
    result = asked("xml_footprint", file=str(path))
    assert set(result["lossless"]) == {"yes"}
    assert set(result["kind"]) == {"your file"}
    assert (result["plain_bytes"] == path.stat().st_size).all()
    shares = dict(zip(result["mapping"], result["share"], strict=True))
    assert shares["fs"] > shares["pc"] > shares["el"]


def test_a_file_that_is_not_xml_is_refused_in_a_sentence(tmp_path):
    (tmp_path / "no.xml").write_text("<a><b></a>")
    with pytest.raises(ModelError, match=r"no\.xml: not well-formed XML: mismatched tag at line 1"):
        asked("xml_footprint", file=str(tmp_path / "no.xml"))


def test_half_full_pages_need_twice_as_many():
    full, half = (asked("xml_footprint", document="order", fill=fill)["bytes"] for fill in (1.0, 0.5))
    assert half == pytest.approx(2 * full, rel=0.04)  # a record more or less at each page's end


def test_the_terms_of_a_transaction_give_its_rate():
    result = asked("xml_transactions", write_share=0.3, overlap=0.5)
    whole = result["cpu_s"] + result["io_s"] + result["log_s"] - result["hidden_s"]
    assert 1 / whole == pytest.approx(result["tps"])
    assert result["energy_j"] == pytest.approx(result["mean_w"] / result["tps"])
    for row in range(len(result)):
        device = catalogue.device(result["device"][row])
        assert device.value("idle_w") <= result["mean_w"][row] <= device.value("active_w")


def test_the_ssd_hardly_feels_the_size_and_the_disk_does():
    """schmidt2009 Fig. 7: at most 10 % spread on the SSD, more than half of the rate lost on the disk."""
    result = asked("xml_transactions")
    for mapping in ("fs", "pc", "el"):
        ssd = result["tps"][result.rows(device="consumer-ssd-2009", mapping=mapping)]
        disk = result["tps"][result.rows(device="wd800aajs", mapping=mapping)]
        assert np.ptp(ssd) / ssd.max() <= 0.1
        assert disk[-1] < 0.5 * disk[0]
        assert (np.diff(disk) < 0).all()


def test_a_larger_buffer_reads_less_and_a_page_cache_helps_below_it():
    reads = [asked("xml_transactions", buffer_bytes=size)["reads"].sum() for size in (4e6, 16e6, 256e6)]
    assert reads == sorted(reads, reverse=True)
    cached = asked("xml_transactions", os_cache_bytes=256e6)
    assert cached["reads"].sum() < asked("xml_transactions")["reads"].sum()


def test_waiting_for_eviction_writes_less_than_commit():
    commit, eviction = (
        asked("xml_transactions", write_share=0.5, pages_written=when) for when in ("commit", "eviction")
    )
    assert (eviction["writes"] <= commit["writes"]).all()
    assert eviction["writes"][0] < 0.5 * commit["writes"][0]


@pytest.mark.parametrize("device", ["fernando-ssd", "samsung-970-pro-1tb"])
def test_a_device_without_known_power_is_refused(device):
    """What the 970 Pro takes asleep is a bound, and says nothing of its energy in a server."""
    with pytest.raises(ModelError, match="idle and load power are not known"):
        asked("xml_transactions", devices=(device,))


@pytest.mark.parametrize("busy", [0.0, 0.131, 0.563, 1.0])
def test_the_power_formula_and_its_inverse(busy):
    average = energy.average_w(6.0, 12.5, busy)
    assert energy.busy_share(6.0, 12.5, average) == pytest.approx(busy)


def test_power_beyond_what_can_be_is_refused():
    with pytest.raises(ModelError, match=r"average power must be 6\.\.12\.5 W; got 13"):
        energy.busy_share(6, 12.5, 13)


def test_labels_grow_where_inserts_crowd_and_deweyids_never_change():
    result = asked("label_length", inserts=240)
    final = {result["history"][row]: row for row in result.rows(chosen=True)}
    mean = {history: result["mean_label_bytes"][row] for history, row in final.items()}
    assert mean["first"] > 2 * mean["random"]
    assert mean["last"] <= mean["random"]
    changed = {history: result["relabelled_per_insert"][row] for history, row in final.items()}
    assert changed["first"] > changed["random"] > 0


def test_the_layout_of_a_database_has_the_pages_of_one_that_is_stored_whole(tmp_path):
    """Orders of a 10 MB database, all of them; the layout is made from a sample of 480."""
    stores = load(tpox.collection("order", 1e7), {"el": tmp_path / "el"}, sync=False, whitespace="drop")
    with stores["el"] as store:
        pages = store.footprint().pages
        height = store.footprint().index_height
    orders = xml_runs.database("el", 1e7).collections["order"]
    assert orders.containers.pages == pytest.approx(pages, rel=0.02)
    assert len(orders.index) == height


def test_direct_transactions_are_the_replay_of_the_buffer_alone():
    """Reads and writes of the study are misses and write-backs of an LRU buffer, counted by another program."""
    result = asked("xml_transactions", write_share=0.5, pages_written="eviction")
    work = load_of_tpox.workload(xml_runs.database("el", 1e8), TRANSACTIONS, 0.5)
    pages, writes = work.requests.page_references()
    run = buffer.replay(pages, 4096, writes=writes, warm_up=int(work.first[WARM_UP]))
    (row,) = result.rows(device="wd800aajs", mapping="el", plain_bytes=1e8)
    # a page that is evicted dirty needs its indirect blocks; at 100 MB they are all in memory after the warm-up
    assert result["reads"][row] * COUNTED == pytest.approx(run.misses, abs=3)
    assert result["writes"][row] * COUNTED == pytest.approx(run.write_backs)


def test_writers_cost_the_ssd_more_than_the_disk_at_every_share():
    """schmidt2009 Fig. 8."""
    result = asked("xml_writes")
    for mapping in ("fs", "el"):
        left = [
            result["tps"][rows] / result["tps"][rows[0]]
            for rows in (result.rows(device=name, mapping=mapping) for name in ("consumer-ssd-2009", "wd800aajs"))
        ]
        assert (left[0][1:] < left[1][1:]).all()
    shares = result["share_cpu"] + result["share_io"] + result["share_log"]
    assert shares == pytest.approx(np.ones(len(result)))


def test_requests_of_data_are_answered_by_one_layer_each():
    result = asked("cache_hierarchy", read_ahead_pages=0)
    for device in ("wd800aajs", "consumer-ssd-2009"):
        layers = result.tables["layers"]
        answered = layers["answered_data"][layers.rows(device=device)].sum()
        work = load_of_tpox.workload(xml_runs.database("el", 1e8), TRANSACTIONS, 0.0)
        assert answered * COUNTED == pytest.approx(work.first[-1] - work.first[WARM_UP])


def test_double_caching_falls_to_nothing_with_direct_io_and_to_little_with_an_exclusive_cache():
    result = asked("cache_hierarchy")
    kept = {result["name"][row]: result["kept_twice"][row] for row in result.rows(device="wd800aajs")}
    assert kept["all of it"] > 0.5
    assert kept["page cache exclusive"] < 0.5 * kept["all of it"]
    assert kept["direct I/O heeded"] == 0


def test_a_disk_that_cannot_keep_up_behind_the_scenes_is_waited_for_after_all():
    """Writes into the disk's cache cost the database nothing until the arm has no idle moment."""
    result = asked("cache_hierarchy", write_share=0.5, devices=("wd800aajs",))
    (row,) = result.rows(name="all of it")
    assert result["behind_s"][row] > result["io_s"][row]
    assert result["tps"][row] * (result["behind_s"][row] + result["log_s"][row]) <= 1


def test_the_index_grows_a_level_where_the_formula_says_or_a_little_later():
    """Loaded separators are shorter than whole labels: never more levels. 100 KB are some dozen pages: within 10 %."""
    result = asked("index_height", page_sizes=(1024, 4096), loaded_bytes=1e6)
    for row in result.rows(way="loaded"):
        same = {name: result[name][row] for name in ("mapping", "page_bytes", "plain_bytes")}
        (formula,) = result.rows(way="formula", **same)
        assert 0 <= result["height"][formula] - result["height"][row] <= 1, same
        assert result["containers"][row] == pytest.approx(result["containers"][formula], rel=0.1), same
        if result["height"][row] > 1:
            full = result["containers"][row] / np.ceil(result["containers"][row] / result["fan_out"][formula])
            assert result["fan_out"][row] >= 0.9 * full
    for mapping in ("fs", "pc", "el"):
        heights = result["height"][result.rows(way="formula", mapping=mapping, page_bytes=4096)]
        assert (np.diff(heights) >= 0).all()
        assert heights[-1] == 3  # schmidt2009 section 6.1: 3 or 4 at 1000 MB
        (ten,) = result.rows(way="formula", mapping=mapping, page_bytes=4096, plain_bytes=1e7)
        assert result["height"][ten] == 2


def test_twice_the_pages_make_the_index_grow_earlier():
    full, half = (asked("index_height", page_sizes=(4096,), fill=fill, loaded_bytes=1e5) for fill in (1.0, 0.5))
    assert (half["height"] >= full["height"]).all()
    assert (half["height"] > full["height"]).any()


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"page_sizes": (4000,)}, "page_bytes must be one of 1024, 2048"),
        ({"page_sizes": (4096, 4096)}, "a page size is named twice"),
        ({"mappings": ("xy",)}, "unknown mapping 'xy'; known: fs, pc, el"),
    ],
)
def test_an_index_of_pages_that_no_store_has_is_refused(values, sentence):
    with pytest.raises(ModelError, match=sentence):
        asked("index_height", **values)


def test_a_disk_whose_cache_takes_writes_answers_sooner_the_longer_pages_rest_and_an_ssd_stays_as_it_was():
    through, at_once, rested = (
        asked("xml_transactions", mappings=["el"], write_share=0.5, **how)
        for how in ({}, {"disk_writes": "swept", "rest_s": 0.0}, {"disk_writes": "swept", "rest_s": 5.0})
    )
    disk, ssd = (through.rows(device=name) for name in ("wd800aajs", "consumer-ssd-2009"))
    for less, more in ((through, at_once), (at_once, rested)):
        assert (less["tps"][disk] < more["tps"][disk]).all()
        assert (less["writes"][disk] > more["writes"][disk]).all()
    for found in (at_once, rested):
        assert (found["load"][disk] < 1).all()  # it does not saturate
        whole = found["cpu_s"] + found["io_s"] + found["log_s"]
        assert 1 / whole == pytest.approx(found["tps"])
        for name in ("tps", "writes", "mean_w"):
            assert found[name][ssd].tolist() == through[name][ssd].tolist()
    assert "the arm empties it" in "\n".join(rested.notes)


def test_reading_alone_takes_in_time_what_requests_alone_take_less_the_seeks_that_neighbours_do_not_need():
    through, swept = (asked("xml_transactions", mappings=["el"], disk_writes=how) for how in ("through", "swept"))
    disk, ssd = (through.rows(device=name) for name in ("wd800aajs", "consumer-ssd-2009"))
    assert through["tps"][ssd].tolist() == swept["tps"][ssd].tolist()
    assert (swept["reads"] == through["reads"]).all()
    assert (swept["behind_s"][disk] == 0).all()
    assert (swept["writes"][disk] == 0).all()
    assert (swept["io_s"][disk] <= 1.02 * through["io_s"][disk]).all()
    # the closed form asks for a seek each; the arm stands where the last read left it
    inputs, stored = find("xml_transactions").inputs({}), xml_runs.database("el", 1e9)
    work = load_of_tpox.workload(stored, TRANSACTIONS, 0.0)
    below = inputs.host.serve(*work.requests.page_references(), stored.pages, buffered=True)
    arm = inputs.disk_of("wd800aajs")
    cylinder = arm.places(below.block * 8)[0][below.cause >= work.first[WARM_UP]]
    seek_s = arm.seek_s(abs(np.diff(cylinder))).sum() / COUNTED
    half_a_turn_s = 0.5 / catalogue.device("wd800aajs").value("rotation_hz")
    expected_s = seek_s + swept["reads"][disk][-1] * half_a_turn_s
    # half a turn is the mean wait of independent places; those of an index page and its container are not quite
    assert swept["io_s"][disk][-1] == pytest.approx(expected_s, rel=0.08)


def test_a_cold_start_reads_all_that_is_touched_and_the_hosts_time_counts_as_load_on_both_devices():
    warm, cold, host = (
        asked("xml_transactions", mappings=["el"], plain_bytes=1e7, **how)
        for how in ({}, {"start": "cold"}, {"start": "cold", "host_io_s": 2e-4})
    )
    small = warm.rows(plain_bytes=1e7)
    assert (cold["reads"][small] > 10 * warm["reads"][small]).all()
    work = load_of_tpox.workload(xml_runs.database("el", 1e7), TRANSACTIONS, 0.0)
    touched = np.unique(work.requests.page_references()[0]).size
    # the buffer holds all of it; beside the pages an inode and two indirect blocks are read
    assert cold["reads"][small] * TRANSACTIONS == pytest.approx(touched, abs=5)
    more_s = host["io_s"] - cold["io_s"]
    assert more_s == pytest.approx(2e-4 * cold["pages"])
    busy_s = (host["load"] / host["tps"]) - (cold["load"] / cold["tps"])
    assert busy_s == pytest.approx(more_s)


def test_a_disks_wait_comes_after_each_read_of_a_disk_and_takes_no_power():
    without, waits = (asked("xml_transactions", mappings=["el"], disk_wait_s=wait) for wait in (0.0, 0.005))
    disk, ssd = (without.rows(device=name) for name in ("wd800aajs", "consumer-ssd-2009"))
    longer_s = 1 / waits["tps"] - 1 / without["tps"]
    assert longer_s[disk] == pytest.approx(0.005 * without["reads"][disk])
    assert longer_s[ssd].tolist() == [0.0] * 3
    assert waits["load"] / waits["tps"] == pytest.approx(without["load"] / without["tps"])
