"""Numbers that a formula is not for: every public one says so in a sentence instead of giving a number."""

import math

import numpy as np
import pytest

from pagecost import buffer, catalogue, economics, intervals, transactions, units, workload, xmlstore
from pagecost.devices import Flash, Memory, Rated, best_block, energy
from pagecost.devices.disk import theory as of_disk
from pagecost.devices.disk.model import Disk
from pagecost.devices.ftl import lifetime
from pagecost.devices.ftl import theory as of_flash
from pagecost.devices.ssd import theory as of_ssd
from pagecost.errors import ModelError
from pagecost.operators import node_size, selection
from pagecost.transactions import queueing, theory

INF, NAN = math.inf, math.nan
READS = [1, 2, 3, 1, 2]
GROWING = lambda **more: economics.Terms(**{"horizon_s": 1e6, "price_per_kwh": 0.1} | more)  # noqa: E731
NEED = lambda **more: economics.Need(**{"volume_bytes": 1e9, "iops": 10.0, "read_share": 0.5} | more)  # noqa: E731


def flash(**more) -> Flash:
    times = {"page_read_s": 1e-5, "page_program_s": 1e-4, "block_erase_s": 1e-3}
    return Flash(**{"name": "chip", "page_bytes": 4096, "pages_per_block": 64, **times} | more)


def rated(**more) -> Rated:
    iops = {"random_read_iops": 1e5, "random_write_iops": 1e4}
    rates = {"sequential_read_bytes_per_s": 1e9, "sequential_write_bytes_per_s": 1e9}
    return Rated(**{"name": "drive", **iops, **rates} | more)


def disk() -> Disk:
    return Disk.of(catalogue.device("wd400bb"))


def simulated(**source):
    return transactions.simulate(transactions.rahm.system(), transactions.debit_credit(), **source)


REFUSED = {
    "break-even: page": (lambda: economics.break_even_interval_s(-1, 1, 1, 1), "page_bytes must be above 0"),
    "break-even: no page": (lambda: economics.break_even_interval_s(0, 1, 1, 1), "page_bytes must be above 0"),
    "break-even: time": (lambda: economics.break_even_interval_s(1, NAN, 1, 1), "read_s must not be negative"),
    "break-even: device": (lambda: economics.break_even_interval_s(1, 1, -1, 1), "device_price must not be negative"),
    "break-even: memory": (lambda: economics.break_even_interval_s(1, 1, 1, 0), "memory_price_per_byte must be above"),
    "volume: less than nothing": (lambda: economics.devices_for_volume(-1, 1, "raid-0"), "volume must be above 0"),
    "volume: nan": (lambda: economics.devices_for_volume(NAN, 1, "raid-0"), "volume must be above 0"),
    "volume: without end": (
        lambda: economics.devices_for_volume(INF, 1, "raid-0"),
        "volume must be above 0 and finite",
    ),
    "volume: device": (lambda: economics.devices_for_volume(1, 0, "raid-0"), "capacity of a device must be above 0"),
    "volume: group": (lambda: economics.devices_for_volume(1, 1, "raid-6", 2), "group of raid-6 has at least 4"),
    "need: volume": (lambda: NEED(volume_bytes=INF), "volume must be above 0 and finite"),
    "need: requests": (lambda: NEED(iops=INF), "must be finite and not negative"),
    "terms: energy": (lambda: GROWING(price_per_kwh=NAN), "price of energy must be a number; got nan"),
    "terms: PUE": (lambda: GROWING(power_usage_effectiveness=NAN), "must be a number; got nan"),
    "terms: one of many": (lambda: GROWING(growth_per_year=np.array([0.1, NAN])), "growth of a year must be a number"),
    "cost: time": (lambda: economics.Cost(1, 1).at(-5), "runtime must not be negative; got -5"),
    "Student: none": (lambda: intervals.student_95(0), "degrees of freedom must be a whole number, at least 1; got 0"),
    "Student: less than none": (lambda: intervals.student_95(-1), "at least 1; got -1"),
    "Student: half": (lambda: intervals.student_95(1.5), "a whole number, at least 1; got 1.5"),
    "interval of one": (lambda: intervals.mean_and_half_width([3.0]), "at least two values; got 1"),
    "interval of none": (lambda: intervals.mean_and_half_width([]), "at least two values; got 0"),
    "half width of one": (lambda: intervals.half_width([3.0]), "at least two values; got 1"),
    "flash shares: negative": (lambda: of_flash.separated(0.9, [0.5, 0.5], [1.5, -0.5]), "must not be negative"),
    "flash shares: mixed": (lambda: of_flash.fifo_mixed(0.9, [0.5, 0.5], [1.5, -0.5]), "must not be negative"),
    "flash shares: lengths": (lambda: of_flash.fifo_mixed(0.9, [0.5, 0.5], [1.0]), "one of each for every class"),
    "flash shares: table": (lambda: of_flash.separated(0.9, [[0.5, 0.5]], [[0.5, 0.5]]), "one of each for every class"),
    "greedy: block": (lambda: of_flash.greedy(0.9, 0), "pages of a block must be a whole number, at least 1; got 0"),
    "greedy: negative": (lambda: of_flash.greedy(0.9, -4), "at least 1; got -4"),
    "greedy: half": (lambda: of_flash.greedy(0.9, 2.5), "a whole number, at least 1; got 2.5"),
    "choices: block": (lambda: of_flash.d_choices(0.9, 0, 2), "pages of a block must be a whole number"),
    "choices: all": (lambda: of_flash.d_choices(0.9, 4, INF), "d must be a whole number, at least 1; got inf"),
    "choices: half": (lambda: of_flash.d_choices(0.9, 4, 2.5), "d must be a whole number, at least 1; got 2.5"),
    "life: bytes": (lambda: lifetime.years(-1e9, 1), "bytes must not be negative"),
    "life: rate": (lambda: lifetime.rate(-1e9, 1), "bytes must not be negative"),
    "life: drive writes": (lambda: lifetime.drive_writes_per_day(-1e9, 1e9, 1), "bytes must not be negative"),
    "sleep": (lambda: energy.sleep_pays_s(1, NAN, 3), "must not be negative"),
    "power": (lambda: energy.average_w(-3, -5, 0.5), "power must not be negative"),
    "energy": (lambda: energy.request_j(1, 2, -4), "must not take less than 0 s; got -4"),
    "best size: lengths": (lambda: best_block.smallest_near_best([1, 2], [1]), "one throughput for every block size"),
    "best size: other rule": (
        lambda: best_block.best("throughput", [1, 2], [1]),
        "one throughput for every block size",
    ),
    "best size: share": (lambda: best_block.best("throughput", [1, 2], [1, 2], 5), "share must be in"),
    "flash: command": (lambda: flash(overhead_read_s=-1), "overhead_read_s must not be negative; got -1"),
    "flash: command of writes": (lambda: flash(overhead_write_s=NAN), "overhead_write_s must not be negative"),
    "flash: interface": (lambda: flash(transfer_bytes_per_s=-1), "transfer_bytes_per_s must be positive; got -1"),
    "rated: in sequence": (lambda: rated(sequential_read_iops=-1), "sequential_read_iops must be positive; got -1"),
    "memory: page": (lambda: Memory(name="m", access_s=1e-6, page_bytes=0), "page_bytes must be positive; got 0"),
    "disk: sectors": (lambda: of_disk.random_requests(disk(), 1000, -8), "a request must have a sector; got -8"),
    "disk: stream": (lambda: of_disk.sequential_read(disk(), 0), "a request must have a sector; got 0"),
    "disk: pause": (lambda: of_disk.sequential_read(disk(), 8, pause_s=-1), "must not be negative"),
    "disk: bus": (lambda: of_disk.sequential_read(disk(), 8, bus_s=NAN), "must not be negative"),
    "disk: stream without buffer": (lambda: of_disk.sequential_unbuffered(disk(), 0), "a request must have a sector"),
    "disk: next track": (lambda: of_disk.next_track(disk(), 8, pause_s=-1), "must not be negative"),
    "disk: queue": (lambda: of_disk.open_wait_s(1, -5, 0.5), "must not be negative"),
    "disk: queue backwards": (lambda: of_disk.open_wait_s(-1, 1, -0.5), "must not be negative"),
    "disk: batch": (lambda: of_disk.sorted_batch_distance(100, -1), "a batch must have a request; got -1"),
    "disk: shortest wait": (lambda: of_disk.shortest_wait_s(1, -1), "a batch must have a request; got -1"),
    "SSD: queue": (lambda: of_ssd.open_wait_s(0.5, 1, -5), "must not be negative"),
    "SSD: queue backwards": (lambda: of_ssd.open_wait_s(-1, -0.5, 1), "must not be negative"),
    "Yao: picks": (lambda: selection.yao(100, 10, -5), "picks must not be negative; got -5"),
    "Yao: no number": (lambda: selection.yao(100, 10, NAN), "picks must not be negative; got nan"),
    "Yao: rows": (lambda: selection.yao(0, 0, 1), "a page must hold a row and be full; got 0 rows of 0 a page"),
    "Cardenas: pages": (lambda: selection.cardenas(-1, 2), "pages must be above 0; got -1"),
    "Cardenas: picks": (lambda: selection.cardenas(10, -2), "picks must not be negative; got -2"),
    "index or scan: time": (lambda: selection.break_even_formula(-1, 1, 10), "must be above 0"),
    "index or scan: rows": (lambda: selection.break_even_formula(1, 1, 0), "a page must hold a row; got 0"),
    "node: rows": (lambda: node_size.height(0, 4096), "a tree must have a row; got 0"),
    "node: too small": (lambda: node_size.height(10, 10), "must hold at least two entries"),
    "node: fill": (lambda: node_size.height(1e6, 4096, fill=3), "filled to more than 0 and at most 1; got 3"),
    "Che: frames": (lambda: buffer.che_misses(READS, [-1]), "a buffer needs at least one frame; got -1"),
    "Che: warm-up": (lambda: buffer.che_misses(READS, [1], warm_up=99), "must leave references to count"),
    "bounds without MIN": (
        lambda: buffer.cost_bounds(buffer.References.of(READS), [buffer.replay(READS, 2)], 1, 1),
        "bounds need a replay by min among their runs; got lru",
    ),
    "bounds of nothing": (lambda: buffer.cost_bounds(buffer.References.of(READS), [], 1, 1), "got none"),
    "policy: none": (lambda: buffer.replay(READS, 2, policy=None), "unknown replacement policy None; nearest of|known"),
    "transactions: at once": (lambda: simulated(rate_hz=INF), "arrival rate must be positive and finite; got inf"),
    "transactions: thinking": (lambda: simulated(terminals=2, think_s=INF), "think time must be finite"),
    "closed network: think": (
        lambda: theory.closed_network_rate([1.0], [1], 2, -5),
        "times must be finite and not neg",
    ),
    "closed network: servers": (lambda: theory.closed_network_rate([1.0], [0], 2, 1), "at least one server; got 1"),
    "closed network: lengths": (
        lambda: theory.closed_network_rate([1.0], [1, 1], 2, 1),
        "must have at least one server",
    ),
    "waits: variation": (lambda: theory.wait_s(0.5, 1, 1, -3), "squared variation must not be negative; got -3"),
    "station: service": (lambda: queueing.open_station(0.1, -1), "service must not take less than 0 s; got -1"),
    "station: samples": (lambda: queueing.open_station(0.1, 1, law="sampled", samples=()), "needs a sample; got none"),
    "station: customers": (lambda: queueing.open_station(0.1, 1, customers=0), "one customer must be counted; got 0"),
    "station: warm-up": (lambda: queueing.open_station(0.1, 1, warm_up=-1), "warm-up must not be negative; got -1"),
    "network: terminals": (lambda: queueing.central_server(0, 1, [1], [1], []), "needs a terminal; got 0"),
    "network: thinking": (lambda: queueing.central_server(2, -1, [1], [1], []), "think time must be finite and not"),
    "network: lengths": (
        lambda: queueing.central_server(2, 1, [1, 1], [1], []),
        "every station needs servers and a mean",
    ),
    "network: servers": (lambda: queueing.central_server(2, 1, [0], [1], []), "at least one server; got 0"),
    "network: service": (lambda: queueing.central_server(2, 1, [1], [-1], []), "not take less than 0 s; got -1"),
    "network: chance": (lambda: queueing.central_server(2, 1, [1, 1], [1, 1], [-0.5]), "chance must not be negative"),
    "TPC-C: warehouses": (lambda: workload.TpcC(warehouses=1.5), "warehouses must be a whole number; got 1.5"),
    "Zipf: seed": (lambda: workload.zipf_pages(10, 10, 1, seed=-1), "the seed must not be negative; got -1"),
    "Zipf: references": (
        lambda: workload.zipf_pages(10.5, 10),
        "references of a Zipf trace must be a whole number; got 10.5",
    ),
    "Zipf: pages": (lambda: workload.zipf_pages(10, 10.5), "pages of a Zipf trace must be a whole number; got 10.5"),
    "Zipf: exponent": (
        lambda: workload.zipf_pages(10, 10, INF),
        "exponent must be finite and must not be negative; got inf",
    ),
    "XML: page": (lambda: xmlstore.load([], {"fs": "/nowhere/at/all.pages"}), "there is no folder"),
}
"""What is asked, and words of the answer."""


@pytest.mark.parametrize("asked", REFUSED)
def test_a_formula_refuses_what_it_is_not_for(asked):
    ask, sentence = REFUSED[asked]
    with pytest.raises(ModelError, match=sentence):
        ask()


def test_a_duration_that_is_not_known_is_shown_as_such():
    assert (units.format_seconds(NAN), units.format_si(NAN, "W")) == ("–", "–")
    assert (units.format_seconds(INF), units.format_seconds(-INF), units.format_bytes(INF)) == ("∞", "-∞", "∞")


def test_a_tree_of_one_row_has_its_leaf():
    assert node_size.height(1, 4096) == 1
