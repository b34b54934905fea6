"""The studies that build and price storage hierarchies, and what they ask of the engine: sources, samples, formulas."""

import math

import numpy as np
import pytest

from pagecost import catalogue, studies
from pagecost.answers import service_samples
from pagecost.answers.transaction_runs import TERMS, estimated
from pagecost.devices import disk
from pagecost.economics.hierarchy import LEVELS
from pagecost.errors import ModelError
from pagecost.studies.fields import group_of
from pagecost.studies.transactions import (
    storage_cost,
    transaction_configurations,
    transaction_loads,
    transaction_system,
)
from pagecost.transactions import Computer, DiskUnit, debit_credit, hits, rahm, simulate, theory
from pagecost.transactions.plans import HOMES, Plan

LOAD = debit_credit()
CONFIGURATIONS = studies.find("transaction_configurations")
COST = studies.find("storage_cost")


@pytest.mark.parametrize(("database", "log"), [("disk", "disk"), ("nvem", "nvem"), ("ssd", "disk")])
def test_terminals_agree_with_exact_mva(database, log):
    """60 terminals: no locks to speak of, all services exponential but NVEM's, so the network has a product form."""
    system = rahm.system(database, log, log_unit=rahm.log_disk(3, 50))
    run = simulate(system, LOAD, terminals=60, think_s=0.05, least=40_000, most=40_000)
    formula = theory.closed(system, LOAD, 60, 0.05)
    assert run.throughput_hz == pytest.approx(60 / (formula.response_s + 0.05), rel=0.015)
    assert formula.utilisation["CPU"] == pytest.approx(run.utilisation["CPU"], abs=0.015)


def test_constant_arrivals_at_a_single_disk_are_d_m_1():
    """Nothing before the log disk takes time: its wait is s σ / (1 - σ) with σ = exp(-(1 - σ) / ρ)."""
    free = dict.fromkeys(("instructions_begin", "instructions_reference", "instructions_end", "instructions_io"), 0)
    unit = DiskUnit(name=rahm.LOG, disks=1, controllers=1, controller_s=0, transmission_s=0, read_s=5e-3, write_s=5e-3)
    system = rahm.system("main memory", "disk", computer=Computer(**free), log_unit=unit)
    run = simulate(system, LOAD, rate_hz=160.0, arrivals="constant", least=200_000, most=200_000)
    sigma = 0.5
    for _ in range(200):
        sigma = math.exp(-(1 - sigma) / 0.8)
    assert run.composition["log disk wait"] == pytest.approx(5e-3 * sigma / (1 - sigma), rel=0.04)
    poisson = simulate(system, LOAD, rate_hz=160.0, least=200_000, most=200_000)
    assert poisson.composition["log disk wait"] == pytest.approx(5e-3 * 0.8 / 0.2, rel=0.08)


def test_the_formula_of_reads_and_writes_with_other_times_is_pollaczek_and_khinchine():
    """One disk for a database in which every miss writes and reads: two kinds of services at one server."""
    unit = DiskUnit(name="database", disks=1, read_s=1e-3, write_s=4e-3, samples=(1.0,), write_samples=(0.5, 1.5))
    free = dict.fromkeys(("instructions_begin", "instructions_reference", "instructions_end", "instructions_io"), 0)
    system = rahm.system("disk", "nvem", computer=Computer(**free), database_unit=unit)
    found = hits(system, LOAD, transactions=20_000)
    reads, writes = sum(found.reads.values()), sum(found.writes.values())
    rate = 0.7 / (reads * 1e-3 + writes * 4e-3)
    second_moment = reads * 1e-3**2 + writes * 4e-3**2 * 1.25
    wait = rate * second_moment / (2 * (1 - 0.7))
    alone = theory.estimate(system, LOAD, 1e-6).response_s
    assert theory.estimate(system, LOAD, rate).response_s - alone == pytest.approx((reads + writes) * wait, rel=0.02)


def test_samples_of_a_disk_have_the_moments_of_its_mechanics():
    name = "hgst-7k1000-750gb"
    model = disk.Disk.of(catalogue.device(name))
    exact = disk.random_requests(model, model.geometry.sectors, 8)
    found = service_samples.times(catalogue.device(name), "random")
    assert found.read_s == pytest.approx(exact.service_s, rel=0.02)
    assert found.read_s**2 * np.var(found.samples) == pytest.approx(exact.variance_s2, rel=0.06)
    log = service_samples.times(catalogue.device(name), "sequential")
    assert log.write_s == pytest.approx(model.turn_s / 2, rel=0.05)  # no seek, and half a turn to wait


@pytest.mark.parametrize("pattern", service_samples.PATTERNS)
def test_as_many_requests_of_a_disk_are_measured_as_the_interval_of_its_quantiles_needs(pattern):
    device = catalogue.device("hgst-7k1000-750gb")
    few, many = (service_samples.times(device, pattern, within=within) for within in (0.03, 0.004))
    assert many.requests >= 2 * few.requests
    for found, within in ((few, 0.03), (many, 0.004)):
        assert not found.unmet
        assert all(0 < width <= within for of in found.half_widths.values() for width in of.values())
    for name in ("read_s", "write_s"):
        width = few.half_widths[name == "write_s"]["mean"]
        assert getattr(few, name) == pytest.approx(getattr(many, name), rel=2 * width)
    model = disk.Disk.of(device)
    if pattern == "random":
        exact = disk.random_requests(model, model.geometry.sectors, 8).service_s
        assert abs(many.read_s - exact) <= 3 * many.half_widths[False]["mean"] * exact


def test_a_study_says_how_well_the_times_of_its_devices_are_known():
    given = {"configurations": ["ssd"], "ssd_device": "intel-dc-p3700-800gb", "device_times": "mechanics"}
    notes = CONFIGURATIONS.compute(CONFIGURATIONS.inputs(given)).notes
    (random,) = (note for note in notes if note.startswith("Times of Intel SSD DC P3700 800 GB: "))
    assert all(f"{of}: mean ± " in random for of in ("reads", "writes"))
    assert "p99 ± " in random
    assert any("answered from its cache of 16 MiB" in note for note in notes)


def test_a_changed_device_is_simulated_as_it_is_not_as_it_was():
    """The same id with another seek time, in a catalogue of its own: the time of before must not be given again."""
    name = "hgst-7k1000-750gb"
    was = service_samples.times(catalogue.device(name), "random")
    inputs = CONFIGURATIONS.inputs({"database_device": name, "device_times": "mechanics"})
    faster = catalogue.device(name).replaced("average_seek_read_s", 0.005)
    with catalogue.using(faster):
        unit = inputs.database_unit("disk")
        alone = service_samples.times(catalogue.device(name), "random")
    model = disk.Disk.of(faster)
    exact_s = disk.random_requests(model, model.geometry.sectors, 8).service_s
    assert unit.read_s == alone.read_s == pytest.approx(exact_s, rel=0.02)
    assert exact_s < 0.9 * was.read_s
    assert inputs.database_unit("disk").read_s == was.read_s


def test_flash_that_collects_spreads_the_times_of_writes():
    found = service_samples.times(catalogue.device("intel-x25-e"), "random")
    assert found.write_s > 5 * found.read_s
    assert np.var(found.write_samples) > 2  # more than exponential: few writes find a collection in their way


def test_mechanics_of_a_device_reach_the_simulation():
    given = {"configurations": ["ssd"], "ssd_device": "intel-x25-e", "rate_hz": 100.0}
    means, mechanics = (
        CONFIGURATIONS.compute(CONFIGURATIONS.inputs(given | {"device_times": times}))["response_s"][0]
        for times in ("average", "mechanics")
    )
    assert mechanics > means + 2e-3  # a rated device knows throughput, not the collection in the way of one write


@pytest.mark.parametrize("name", ["disk", "hot in NVEM", "nvem"])
def test_a_configuration_is_the_system_of_the_papers_study(name):
    inputs = CONFIGURATIONS.inputs({"configurations": [name]})
    case = transaction_configurations.case_of(inputs, name)
    if name != "hot in NVEM":
        wide = rahm.system(name, name, log_unit=rahm.log_disk(50, 200))
        formula = theory.estimate(wide, LOAD, 500.0).response_s  # its replay warms up a little differently
        assert estimated(case).response_s == pytest.approx(formula, rel=1e-4)
    result = CONFIGURATIONS.compute(inputs)
    assert abs(result["response_s"][0] - result["formula_s"][0]) < 3 * result["half_width_s"][0]
    assert sum(result[term][0] for term in TERMS) == pytest.approx(result["response_s"][0], rel=1e-9)


def test_every_interval_of_figure_4_1_is_within_2_percent():
    study = studies.find("log_allocation")
    result = study.compute(study.inputs())
    assert len(result) == 4 * 5 + 2 * 6  # disk and its cache are full from 200 TPS on
    over = result.tables["saturated"]
    assert len(over) == 2 * 6
    assert set(over["configuration"]) == {"disk", "disk cache write buffer"}
    assert (result["half_width_s"] <= 0.02 * result["response_s"]).all()


def test_a_configuration_that_was_built_can_be_kept_and_compared():
    built = CONFIGURATIONS.inputs({"own_account": "ssd", "own_branch": "nvem", "own_log": "disk", "buffer_pages": 500})
    text = built.built
    again = CONFIGURATIONS.inputs({"configurations": ["disk", text]})
    assert again.plan(text) == Plan(
        account="ssd", history="NVEM write buffer", branch="nvem", log="disk", buffer_pages=500
    )
    assert again.plan("disk").buffer_pages == 2000
    assert set(CONFIGURATIONS.compute(again)["configuration"]) == {"disk", "kept, number 2"}


@pytest.mark.parametrize("home", HOMES)
def test_every_home_can_be_simulated_and_terms_add_up(home):
    inputs = CONFIGURATIONS.inputs({"configurations": ["built"], "own_account": home, "own_branch": home})
    result = CONFIGURATIONS.compute(inputs)
    assert result["response_s"][0] > 5e-3
    assert sum(result[term][0] for term in TERMS) == pytest.approx(result["response_s"][0], rel=1e-9)


MATRIX = "type,share,references,writes,ACCOUNT,HISTORY,BRANCH\npages,,,,5000,+20,500\n"


def test_a_reference_matrix_is_read_from_a_file(tmp_path):
    path = tmp_path / "matrix.csv"
    path.write_text(MATRIX + "update,0.75,4,1,0.5,0.25,0.25\nquery,0.25,12,0,1,0,0\n")
    made = transaction_loads.transactions(str(path), 4, 1)
    load = made.load()
    assert load.partitions == ("ACCOUNT", "HISTORY", "BRANCH")
    assert load.appended == {"HISTORY": 20}
    lengths = np.diff(load.first)
    assert (lengths == 12).mean() == pytest.approx(0.25, abs=0.01)
    again = transaction_loads.transactions(str(path), 4, 1)
    assert again == made  # or nothing that was simulated would be found again
    assert again.load() is load
    path.write_text(MATRIX + "update,1,6,1,0.5,0.25,0.25\n")
    changed = transaction_loads.transactions(str(path), 4, 1)
    assert changed != made
    assert set(np.diff(changed.load().first)) == {6}


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ("update,1,4,1,0.5,0.25,0.1\n", "transaction type 1: its row must sum to 1; got 0.85"),
        ("update,0.5,4,1,0.5,0.25,0.25\n", "shares of the transaction types must sum to 1; got 0.5"),
        ("update,1,4,1,0.5,0.5\n", "its row needs 3 shares; got 2"),
        ("update,1,four,1,0.5,0.25,0.25\n", "line 3: a number is needed; got 'four'"),
        ("", "a transaction type must follow"),
    ],
)
def test_a_matrix_that_does_not_fit_is_refused_before_any_run(tmp_path, lines, sentence):
    path = tmp_path / "matrix.csv"
    path.write_text(MATRIX + lines)
    with pytest.raises(ModelError, match=sentence):
        CONFIGURATIONS.inputs({"source": str(path)})


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"own_account": "volatile cache write buffer"}, "lost with the power before it is on disk"),
        ({"own_branch": "inside a non-volatile cache"}, "not whole files"),
        ({"own_log": "main memory"}, "main memory is volatile"),
        ({"configurations": ["account=ssd cache"]}, "nothing to replace"),
        ({"configurations": ["best"]}, "unknown configuration 'best'; known: disk, "),
        ({"configurations": ["buffer_pages=few; log=nvem"]}, "buffer_pages needs a whole number; got 'few'"),
        ({"configurations": ["disk"] * 2}, "named twice"),
        ({"configurations": []}, "at least 1"),
        ({"database_disks": 0}, "database_disks should be greater than or equal to 1; got 0"),
        ({"multiprogramming": 0}, "multiprogramming should be greater than or equal to 1; got 0"),
        ({"terminals": 0}, "terminals should be greater"),
        ({"source": "/nowhere/trace.csv"}, "no such file"),
        ({"device_times": "mechanics", "ssd_device": "samsung-970-pro-1tb"}, "known by mean times only"),
    ],
)
def test_bad_input_is_refused_before_any_run(values, sentence):
    with pytest.raises(ModelError, match=sentence) as error:
        CONFIGURATIONS.inputs(values)
    assert "\n" not in str(error.value)


def test_a_rate_beyond_saturation_is_said_with_the_station_and_nothing_runs():
    inputs = CONFIGURATIONS.inputs({"rate_hz": 5000.0})
    result = CONFIGURATIONS.compute(inputs)
    assert len(result) == 0
    assert set(result.tables["saturated"]["station"]) == {"CPU"}
    assert "NVEM: saturated, by CPU." in result.notes
    with pytest.raises(ModelError, match="no plan bears 5000 transactions per second"):
        COST.compute(COST.inputs({"rate_hz": 5000.0}))


def test_a_trace_drives_the_transactions():
    inputs = CONFIGURATIONS.inputs({"source": "debit-credit-1992", "configurations": ["nvem"], "rate_hz": 100.0})
    result = CONFIGURATIONS.compute(inputs)
    assert result["main_hits"][0] == pytest.approx(0.725, abs=0.01)  # Table 4.2, from a trace of page references
    assert result["throughput_hz"][0] == pytest.approx(100, rel=0.03)


def test_transactions_from_a_trace_say_how_many_of_its_trims_are_left_out(tmp_path):
    trace = tmp_path / "own.txt"
    trace.write_text("".join(f"{at % 50} {'t' if at % 100 == 99 else 'w'}\n" for at in range(2000)), "utf8")
    inputs = CONFIGURATIONS.inputs({"source": str(trace), "configurations": ["nvem"], "rate_hz": 10.0})
    assert any(note.startswith("20 trims are left out") for note in CONFIGURATIONS.compute(inputs).notes)


def test_few_inputs_are_always_shown_and_every_other_stands_in_a_part_that_opens():
    for study in (CONFIGURATIONS, COST, studies.find("log_allocation")):
        shown = [name for name, field in study.Inputs.model_fields.items() if not group_of(field)]
        assert len(shown) <= 11
        assert len(study.Inputs.model_fields) >= 40


def test_what_a_plan_costs_is_what_its_pages_cost():
    """By hand: Table 2.1's middle prices, 4 KB pages, 8 h of HISTORY at 500 TPS with 20 records to a page.

    A MB of memory has 256 pages, one of a disk 10^6 bytes.
    """
    plan = Plan(account="NVEM write buffer", history="NVEM write buffer", branch="nvem", log="nvem", buffer_pages=500)
    found = storage_cost.buy(COST.inputs(), plan)
    page = 1 / 256
    on_disk = 5_000_000 + 500 * 8 * 3600 / 20
    assert found.cost_usd["main"] == pytest.approx(500 * page * 2000)
    assert found.cost_usd["nvem"] == pytest.approx((500 + 500 + 2500) * page * 1000)  # buffer, BRANCH, log
    assert found.cost_usd["disk"] == pytest.approx(on_disk * 4096 / 1e6 * 11.5)
    assert found.cost_usd["ssd"] == found.cost_usd["cache"] == 0


def test_devices_priced_apiece_are_bought_by_bytes_and_by_work():
    inputs = COST.inputs(preset="the same in 2009: devices and prices")
    found = storage_cost.buy(inputs, Plan(buffer_pages=2000))
    busy = 500 * (1.05 * 12.43e-3 + 1.1 * 13.43e-3)  # reads and writes per transaction by their times
    log_busy = 500 / 120  # a log page a transaction, each a turn
    assert found.devices["disk"] == pytest.approx(busy / 0.6 + log_busy / 0.6, abs=2)
    assert found.cost_usd["disk"] == 399 * found.devices["disk"]
    more = storage_cost.buy(COST.inputs(inputs.model_dump() | {"history_hours": 100_000.0}), Plan(buffer_pages=2000))
    size = 4096 * (5_000_000 + 500 + 2500 + 500 * 100_000 * 3600 / 20)
    assert more.devices["disk"] == math.ceil(size / 1e12)


def test_the_front_is_a_front_and_the_chosen_plan_the_cheapest_within_the_target():
    inputs = COST.inputs({"cache_price": "rahm-ssd"})
    result = COST.compute(inputs)
    front = result.rows(front=True)
    assert (np.diff(result["cost_usd"][front]) >= 0).all()
    assert (np.diff(result["formula_s"][front]) < 0).all()
    chosen = result.rows(chosen=True)[0]
    cheaper = result["cost_usd"] < result["cost_usd"][chosen]
    assert (result["formula_s"][cheaper] > inputs.target_s).all()
    simulated = result.tables["simulated"]
    (row,) = simulated.rows(plan=result["plan"][chosen])
    assert abs(simulated["response_s"][row] - simulated["formula_s"][row]) < 3 * simulated["half_width_s"][row]
    levels = sum(result[f"{level}_usd"] for level in LEVELS)
    assert np.allclose(levels, result["cost_usd"])


def test_without_a_price_of_disk_caches_their_plans_have_no_cost_and_are_never_chosen():
    result = COST.compute(COST.inputs())
    cached = (result["account"] == "disk cache write buffer") | (result["log"] == "disk cache write buffer")
    assert np.isnan(result["cost_usd"][cached]).all()
    assert not result["front"][cached].any()
    assert any("prints no price" in note for note in result.notes)


@pytest.mark.parametrize(
    ("study", "values", "sentence"),
    [
        ("log_allocation", {"logs": ["disk", "ssd", "disk"]}, "a log allocation is named twice in disk, ssd, disk"),
        ("log_allocation", {"logs": ["tape"]}, "unknown log allocation 'tape'; known: disk, "),
        ("database_allocation", {"allocations": ["nvem", "nvem"]}, "an? allocation is named twice"),
        ("force_noforce", {"allocations": ["disk", "ssd", "nvem", "main memory", "early writing"]}, "at most 4 can"),
        ("second_level_buffer", {"levels": ["none", "none"]}, "a second level is named twice"),
        ("multi_level_hits", {"strategies": ["MAYBE"]}, "unknown update strategy 'MAYBE'; known: NOFORCE, FORCE"),
    ],
)
def test_what_is_unknown_named_twice_or_too_much_to_draw_is_refused(study, values, sentence):
    with pytest.raises(ModelError, match=sentence):
        studies.find(study).inputs(values)


def test_a_series_is_called_alike_in_its_column_its_notes_and_its_explanation():
    study = studies.find("log_allocation")
    inputs = study.inputs({"logs": ["disk cache write buffer", "nvem"], "rate_hz": 200.0})
    result = study.compute(inputs)
    name = "disk + write buffer in a non-volatile cache"
    over = result.tables["saturated"].columns["configuration"]
    assert set(over.cells()) == {name}
    assert any(note.startswith(f"{name}: saturated from 200 on") for note in result.notes)
    assert any(line.startswith(f"{name}: saturated, the log disk") for line in study.explain(inputs, result))


@pytest.mark.parametrize(
    ("study", "asked", "said"),
    [
        (
            "transaction_configurations",
            {"terminals": 7, "think_s": 3.0},
            "Without effect: Terminals, Think time. Transactions arrive by themselves (open: Poisson arrivals).",
        ),
        (
            "transaction_configurations",
            {"arrivals": "terminals", "terminals": 7, "rate_hz": 70.0},
            "Without effect: Rate. Terminals that think send the next transaction when the last has ended.",
        ),
        ("transaction_configurations", {"rate_hz": 70.0}, None),
        (
            "log_allocation",
            {"group_size": 8, "logs": ("disk",)},
            "Without effect: Commit group. 'disk, group commit' is not among the log allocations.",
        ),
        ("log_allocation", {"group_size": 8, "logs": ("group commit",)}, None),
    ],
)
def test_what_is_set_and_has_no_effect_on_transactions_is_said(study, asked, said):
    asked = ({"configurations": ("disk",)} if study == "transaction_configurations" else {}) | asked
    inputs = studies.find(study).inputs(asked)
    notes = list(transaction_system.notes([], inputs, {}))
    assert [note for note in notes if note.startswith("Without effect")] == ([said] if said else [])
    if said and "terminals" in asked and "arrivals" not in asked:
        plain = studies.find(study).inputs({"configurations": ("disk",)})
        assert transaction_configurations.case_of(inputs, "disk") == transaction_configurations.case_of(plain, "disk")


def test_what_cannot_keep_up_is_named_and_of_many_how_many_more():
    assert transaction_system.saturated({}) == ""
    one = transaction_system.saturated({"disk": "log disk"})
    assert one == " Disk cannot keep up: saturated is the log disk."
    two = transaction_system.saturated({"disk": "log disk", "SSD": "CPU"})
    assert two == " Disk and SSD cannot keep up: saturated is the log disk or the CPU."
    four = transaction_system.saturated(dict.fromkeys(("disk", "SSD", "NVEM", "other"), "CPU"))
    assert four == " Disk, SSD and 2 more cannot keep up: saturated is the CPU."
