"""The recorded run of TPC-C's transactions on PostgreSQL, and the generator beside it."""

import math
from collections import OrderedDict

import numpy as np
import pytest

from pagecost import studies
from pagecost.requests import WRITE
from pagecost.studies.path.tpcc_recorded import SIDES, WARM_UP, distance, names, share_of_hottest
from pagecost.workload import TpcC, tpcc_recorded
from pagecost.workload.tpcc import TRANSACTIONS

# requests that read and blocks, requests that write and blocks, as the recording script printed them
COUNTED = {
    "STOCK": (33534, 82606, 57097, 121586),
    "CUSTOMER": (18159, 37857, 12544, 25768),
    "ORDER_LINE_KEY": (1114, 2643, 2206, 4934),
    "write-ahead log": (0, 0, 9492, 66962),
    "file system": (32, 92, 193, 662),
}


@pytest.fixture(scope="module")
def study():
    return studies.find("tpcc_recorded")


@pytest.fixture(scope="module")
def answer(study):
    return study.compute(study.inputs())


def test_the_trace_holds_what_the_recording_counted():
    known, requests = tpcc_recorded.counted(), tpcc_recorded.trace().requests
    for name, expected in COUNTED.items():
        own = requests.chosen(requests.stream == known.streams.index(name))
        write = own.op == WRITE
        found = (np.sum(~write), own.pages[~write].sum(), np.sum(write), own.pages[write].sum())
        assert found == expected, name


def test_every_miss_is_a_reference_and_no_table_is_unknown():
    known = tpcc_recorded.counted()
    assert set(known.references) == set(names())
    assert all(known.reads[name] <= known.references[name] for name in names())
    assert set(names()) <= set(known.streams)


def test_each_type_of_transaction_has_a_processor_time_and_a_log():
    times, logged = tpcc_recorded.processor_s(), tpcc_recorded.log_bytes()
    assert times.shape == logged.shape == (len(TRANSACTIONS),)
    assert (times > 0).all()
    # Delivery changes ten orders, New-Order ten rows of stock, Payment three rows, Order-Status nothing
    delivery, new_order, payment, status = (
        TRANSACTIONS.index(name) for name in ("Delivery", "New-Order", "Payment", "Order-Status")
    )
    assert logged[delivery] > logged[new_order] > logged[payment] > logged[status]


def test_generated_misses_are_those_of_a_list_of_the_latest_pages(answer):
    known = tpcc_recorded.counted()
    load = TpcC(warehouses=known.warehouses, mix="lee2009", page_bytes=known.page_bytes, indexes=True, aborts=True)
    run = load.run(WARM_UP + known.transactions, 1)
    frames, kept, misses = known.buffer_bytes // known.page_bytes, OrderedDict(), np.zeros(len(names()))
    for at, (page, stream) in enumerate(zip(run.page.tolist(), run.requests.stream.tolist(), strict=True)):
        if page in kept:
            kept.move_to_end(page)
            continue
        if len(kept) == frames:
            kept.popitem(last=False)
        kept[page] = None
        misses[stream] += at >= run.first[WARM_UP]
    assert answer["misses_generated"] == pytest.approx(misses / known.transactions)


def test_the_page_cache_answers_some_of_the_misses_and_invents_none(answer):
    for side in SIDES:
        assert 0 < answer[f"reads_{side}"].sum() < answer[f"misses_{side}"].sum()
    hottest = answer.tables["skew"]
    for side in SIDES:
        assert (np.diff(hottest[side]) > 0).all()
        assert hottest[side][-1] == 1
        assert (hottest[side] >= hottest["hottest"]).all()


def test_with_indexes_the_generator_misses_the_tables_that_the_database_misses(study, answer):
    alone = study.compute(study.inputs({"indexes": "no"}))
    near, far = (result.facts["distance_misses"].number for result in (answer, alone))
    assert near < 0.1 < 0.3 < far
    per_transaction = [answer[f"misses_{side}"].sum() for side in SIDES]
    assert per_transaction[1] == pytest.approx(per_transaction[0], rel=0.1)


def test_a_distance_is_the_share_that_lies_elsewhere():
    assert distance(np.array([1.0, 1, 2]), np.array([10.0, 10, 20])) == 0
    assert distance(np.array([1.0, 0]), np.array([0.0, 3])) == 1
    assert distance(np.array([3.0, 1]), np.array([1.0, 1])) == 0.25


@pytest.mark.filterwarnings("error")
def test_where_the_buffer_holds_all_that_is_generated_nothing_is_written_and_that_is_said(study):
    inputs = study.inputs({"buffer_bytes": 256 * 2**20})
    found = study.compute(inputs)
    assert math.isnan(found.facts["distance_writes"].number)
    assert found.facts["write_bytes_generated"].cell == "–"
    assert found.facts["write_ratio_generated"].number == 0
    assert any("there are none generated" in line for line in study.explain(inputs, found))


def test_pages_that_are_all_as_hot_get_what_their_number_says():
    even = share_of_hottest(np.full(1000, 7))
    assert even == pytest.approx([0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0])
    assert share_of_hottest(np.array([91, *[1] * 9]))[3] == 0.91
