"""The questions about operators: what they answer holds together, and bad input is one sentence."""

import re

import numpy as np
import pytest

from pagecost import catalogue, studies
from pagecost.errors import ModelError
from pagecost.operators import GivenTimes, Pax, joins, late
from pagecost.studies.operators.joins_by_device import DIGEST, FLASH, GRACE, HYBRID, LATE, METHODS, OTHERS, plan_of
from pagecost.studies.operators.operator_fields import times_of

REFUSED = [
    ("index_or_scan", {"selectivity": 1.5}, "selectivity should be less than or equal to 1; got 1.5"),
    ("index_or_scan", {"page_bytes": 1000}, "page_bytes should be a multiple of 512; got 1000"),
    ("index_or_scan", {"row_bytes": 9000}, "a row must have 1..4096 bytes to fit into a page; got 9000"),
    ("index_or_scan", {"order": "backwards"}, "unknown order of fetching 'backwards'"),
    ("index_or_scan", {"depth": -1}, "depth should be greater than or equal to 0; got -1"),
    (
        "joins_by_device",
        {"outer_rows": 9_000_000},
        "R is the smaller table of a join; got 225000 pages",
    ),
    ("joins_by_device", {"memory_share": 1e-5}, "1 pages of memory are too few for every join; ask for more"),
    ("joins_by_device", {"share": 2}, "share should be less than or equal to 1; got 2"),
    ("btree_node_size", {"entry_bytes": 1000}, "entry_bytes should be less than or equal to 179; got 1000"),
    ("joins_on_rows", {"memory_pages": 1}, "block nested loops needs at least 3 pages of memory; got 1"),
    ("joins_on_rows", {"outer_rows": 9000, "inner_rows": 300}, "R is the smaller table of a join; got 563 pages"),
    ("joins_on_rows", {"row_bytes": 2048}, "a row must have 1..1024 bytes to fit into a page; got 2048"),
    ("in_page_logging", {"log_pages": 400}, "the log region must have 1..31 of the 32 pages of a unit; got 400"),
    ("in_page_logging", {"sector_bytes": 3000}, "a log sector must divide a flash page of 4096 bytes; got 3000"),
    ("in_page_logging", {"page_bytes": 5120}, "a database page must be a multiple of a flash page of 4096 bytes"),
    ("in_page_logging", {"buffer_share": 0.999, "updates": 1000}, "no page left the buffer"),
]


@pytest.mark.parametrize(("name", "values", "sentence"), REFUSED)
def test_bad_input_is_refused_in_a_sentence(name, values, sentence):
    study = studies.find(name)
    with pytest.raises(ModelError, match=re.escape(sentence)) as error:
        study.compute(study.inputs(values))
    assert "\n" not in str(error.value)


@pytest.fixture(scope="module")
def answer():
    study = studies.find("joins_by_device")
    inputs = study.inputs()
    return inputs, study.compute(inputs)


def test_each_join_of_the_study_takes_the_time_of_its_plan_and_the_fastest_is_marked(answer):
    inputs, result = answer
    join, pax = inputs.join(inputs.memory_share), Pax(inputs.pax_pages)
    for device in inputs.devices:
        times, _ = times_of(device, inputs.page_bytes, inputs.depth)
        rows = result.rows(device=device)
        assert list(result["method"][rows]) == list(METHODS)
        for row in rows:
            assert result["time_s"][row] == pytest.approx(
                plan_of(str(result["method"][row]), join, pax, times).time_s(times)
            )
        (best,) = rows[result["fastest"][rows]]
        assert result["time_s"][best] == pytest.approx(result["time_s"][rows].min())


def test_the_energy_of_a_join_is_load_power_for_as_long_as_it_takes(answer):
    _, result = answer
    table = result.tables["energy"]
    assert set(table["device"]) == {name for name in result["device"] if catalogue.device(str(name)).get("active_w")}
    for device, method, energy_j in zip(table["device"], table["method"], table["energy_j"], strict=True):
        (row,) = result.rows(device=device, method=method)
        assert energy_j == pytest.approx(catalogue.device(str(device)).value("active_w") * result["time_s"][row])


def test_more_memory_never_makes_a_join_slower_by_more_than_a_cluster_that_does_not_fit(answer):
    """Clusters are whole pages and parts whole numbers: 2 % is left to that."""
    _, result = answer
    table = result.tables["memory"]
    for method in METHODS:
        times_s = table["time_s"][table.rows(method=method)]
        assert (np.diff(times_s) <= 0.02 * times_s[:-1]).all(), method


def test_joins_that_fetch_late_win_while_random_reads_are_cheap_and_lose_when_they_are_dear(answer):
    _, result = answer
    table = result.tables["ratio"]
    others = table["time_s"][table.rows(kind=OTHERS)]
    for kind in LATE:
        ahead = table["time_s"][table.rows(kind=kind)] < others
        assert ahead[0]
        assert not ahead[-1]
        assert np.count_nonzero(np.diff(ahead)) == 1


def test_a_hybrid_hash_join_is_never_slower_than_grace_and_no_slower_than_a_scan_where_r_fits(answer):
    inputs, result = answer
    for device in inputs.devices:
        times = {method: result["time_s"][result.rows(device=device, method=method)[0]] for method in (GRACE, HYBRID)}
        assert times[HYBRID] <= times[GRACE] * (1 + 1e-9)
    fits = inputs.join(1.5)
    given = GivenTimes(random_s=0.01, sequential_s=1e-4)
    scans = (fits.outer.pages - 1) * 1e-4 + (fits.inner.pages - 1) * 1e-4 + 0.02
    assert joins.hybrid(fits, given).time_s(given) == pytest.approx(scans)


def test_without_rows_that_join_late_fetching_reads_the_join_attributes_only():
    study = studies.find("joins_by_device")
    inputs = study.inputs({"share": 0.0})
    join, given = inputs.join(0.5), GivenTimes(random_s=1e-4, sequential_s=1e-4)
    digest = late.best_digest_join(join, given)
    assert digest.pages_read - digest.pages_written == pytest.approx(join.outer.pages + join.inner.pages)
    flash = late.best_flash_join(join, Pax(8), given)
    rows_of_columns = 8 * inputs.page_bytes // inputs.row_bytes  # 327; eight pages of rows have 320
    parts = -(-inputs.outer_rows // rows_of_columns) - (-inputs.inner_rows // rows_of_columns)
    assert flash.pages_read - flash.pages_written == pytest.approx(parts)
    result = study.compute(inputs)
    assert {FLASH} == set(result["method"][(result["device"] == "intel-x25-e") & result["fastest"]])
    assert DIGEST in result["method"]


@pytest.mark.parametrize("name", studies.TOPICS["Operators"])
def test_the_chart_draws_the_answer_and_says_it_in_words(name):
    from pagecost_app.charts import CHARTS

    study = studies.find(name)
    chart = CHARTS[name]()
    for preset in (None, *study.presets):
        inputs = study.inputs(preset=preset)
        result = study.compute(inputs)
        chart.update(inputs, result)
        for dark in (True, False):
            chart.recolour(dark)
        assert len(study.describe(inputs, result)) > 40


def test_the_study_on_rows_shows_what_it_counts_and_grows_join_by_join():
    study = studies.find("joins_on_rows")
    seen = []
    inputs = study.inputs({"outer_rows": 300, "inner_rows": 1000, "memory_pages": 15})
    result = study.compute(inputs, lambda share, growing: seen.append((share, len(growing()))))
    assert [rows for _, rows in seen] == list(range(1, len(result) + 1))
    assert seen[-1][0] == 1.0
    assert result["right"].all()
    exact = [row for row, name in enumerate(result["method"]) if name in ("block nested loops", "sort-merge join")]
    for what in ("read", "written", "requests"):
        assert result[f"expected_{what}"][exact] == pytest.approx(result[what][exact])
    counted_only = np.isnan(result["expected_read"])
    assert list(result["method"][counted_only]) == ["DigestJoin, by connected pages"]


def test_too_little_memory_for_one_join_leaves_the_others():
    study = studies.find("joins_on_rows")
    result = study.compute(study.inputs({"outer_rows": 1000, "inner_rows": 1000, "memory_pages": 5}))
    assert {"block nested loops", "index nested loops", "sort-merge join"} == set(result["method"])
    assert any("GRACE hash join: a hash join of 63 pages in one pass needs about" in note for note in result.notes)


def test_the_wear_of_a_join_is_its_bytes_over_the_rated_ones_and_costs_that_share_of_the_price(answer):
    inputs, result = answer
    rated = {"intel-x25-e": 2e15, "mtron-pro-7500": 2.555e15, "samsung-970-pro-1tb": 1.2e15}  # as the catalogue cites
    table = result.tables["wear"]
    assert not {"hgst-7k1000-750gb", "cheetah-15k5"} & set(table["device"].tolist())
    for device, method, share in zip(table["device"], table["method"], table["rated_share"], strict=True):
        (row,) = result.rows(device=device, method=method)
        if str(device) in rated:
            written_bytes = result["pages_written"][row] * inputs.page_bytes
            assert share == pytest.approx(written_bytes / rated[str(device)])
    price = result.tables["worn_price"]
    for device, method, usd in zip(price["device"], price["method"], price["worn_usd"], strict=True):
        (row,) = result.rows_in("wear", device=device, method=method)
        assert usd == pytest.approx(catalogue.device(str(device)).price_usd * table["rated_share"][row])
    energy = result.tables["energy"]
    assert energy["energy_usd"] == pytest.approx(energy["energy_j"] / 3.6e6 * inputs.price_per_kwh)
    assert any("Not worn by writes" in note for note in result.notes)
