"""Whole curves with prices, and write-backs followed into the flash."""

import numpy as np
import pytest

from pagecost import catalogue
from pagecost.answers import replays
from pagecost.answers.page_costs import page_energies
from pagecost.buffer import mean_block_run, replay
from pagecost.devices import ftl
from pagecost.economics import break_even_interval_s, hierarchy
from pagecost.errors import ModelError
from pagecost.studies import find
from pagecost.studies.buffer.miss_curve import EXACT, SAMPLED, cheapest, last_frames_interval_s, memory_usd_per_gb
from pagecost.studies.economics import five_minute_rule
from pagecost.workload import sources, traces

CURVE, CHAIN = find("miss_curve"), find("write_clustering")


@pytest.fixture(scope="module")
def curve():
    inputs = CURVE.inputs()
    return inputs, CURVE.compute(inputs)


def test_memory_begins_at_its_price_of_2007_which_was_for_a_mb_of_2_to_the_20_bytes():
    assert memory_usd_per_gb() == pytest.approx(0.047 / 2**20 * 1e9)


@pytest.mark.parametrize(
    ("page_bytes", "accesses_per_s", "device", "memory_per_mb", "seconds"),
    [
        (1024, 15, 30_000, 5000, 409.6),
        (8192, 64, 2000, 15, 266.7),
        (4096, 83, 80, 0.047, 5250),
        (4096, 6200, 999, 0.047, 878),
    ],
)
def test_the_five_minute_rule_of_1987_1997_and_2007(page_bytes, accesses_per_s, device, memory_per_mb, seconds):
    """docs/models/economics.md#the-five-minute-rule, as printed to three or four digits."""
    found = break_even_interval_s(page_bytes, 1 / accesses_per_s, device, memory_per_mb / 2**20)
    assert found == pytest.approx(seconds, rel=1e-3)


def test_the_rule_appears_by_itself_where_only_reads_cost(tmp_path):
    """Up to the cheapest size each step pays for itself, beyond it the next does not: break-even lies between."""
    pages = np.random.default_rng(3).zipf(1.3, 20_000) % 3000
    path = tmp_path / "reads.txt"
    path.write_text("\n".join(f"{page} r" for page in pages))
    for memory_price in (1000.0, 10_000.0, 100_000.0):
        inputs = CURVE.inputs({"trace": str(path), "policies": (), "sample": 0.5, "memory_price": memory_price})
        result = CURVE.compute(inputs)
        last, following = last_frames_interval_s(inputs, result)
        row = cheapest(result, EXACT)
        read_s = result["time_per_reference_s"][row] * result["references"][row] / result["misses"][row]
        threshold = break_even_interval_s(4096, read_s, 225.0, memory_price / 1e9)
        assert np.isnan(last) or last <= threshold * (1 + 1e-9)
        assert np.isnan(following) or following >= threshold * (1 - 1e-9)
        assert not (np.isnan(last) and np.isnan(following))


def test_the_exact_curve_equals_a_replay_at_each_of_its_sizes(curve):
    inputs, result = curve
    references = replays.opened(sources.named(inputs.trace)).references
    for row in result.rows(method=EXACT)[::12]:
        run = replay(references, int(result["frames"][row]))
        assert (result["misses"][row], result["write_backs"][row]) == (run.misses, run.write_backs)


def test_the_marked_size_is_the_cheapest_of_its_curve_and_terms_add_up(curve):
    inputs, result = curve
    for name in dict.fromkeys(result["curve"]):
        rows = result.rows(curve=name)
        marked = result.rows(curve=name, cheapest=True)
        assert result["total_price"][marked].tolist() == [result["total_price"][rows].min()]
    device = (result["total_price"] - result["memory_price"]) / 225
    assert device == pytest.approx(result["busy_devices"], nan_ok=True)
    assert "× 44.8 $/GB) = 35 s" in CURVE.explain(inputs, result)[0]


def test_the_sampled_curve_is_within_its_error_bars_at_most_sizes(curve):
    _, result = curve
    exact, sampled = (result.rows(method=method) for method in (EXACT, SAMPLED))
    sampled = sampled[1:]  # its first size is its own
    same = np.isin(result["frames"][exact], result["frames"][sampled])
    off = np.abs(result["miss_ratio"][exact][same] - result["miss_ratio"][sampled])
    inside = off <= result["miss_ratio_half"][sampled] + 1e-12
    assert inside.mean() > 0.8  # the bars are of 95 %, and neighbouring sizes err together
    assert not result["miss_ratio_half"][exact].any()


def test_dearer_memory_never_makes_a_larger_buffer_the_cheapest():
    sizes = []
    for price in (1.0, 47.0, 1000.0, 100_000.0):
        result = CURVE.compute(CURVE.inputs({"policies": (), "memory_price": price}))
        sizes.append(int(result["frames"][cheapest(result, EXACT)]))
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]


def test_without_a_price_no_size_is_called_cheapest_until_one_is_given():
    inputs = CURVE.inputs({"device": "intel-x25-e", "policies": ()})
    result = CURVE.compute(inputs)
    assert cheapest(result, EXACT) is None
    assert "price is not known" in CURVE.explain(inputs, result)[0]
    assert any("no price of a device" in note for note in result.notes)
    priced = CURVE.compute(CURVE.inputs({"device": "intel-x25-e", "policies": (), "device_price": 695.0}))
    assert cheapest(priced, EXACT) is not None


def test_a_sample_too_small_to_say_anything_is_left_out_and_said(tmp_path):
    path = tmp_path / "few.txt"
    path.write_text("\n".join(f"{page % 40} w" for page in range(200)))
    result = CURVE.compute(CURVE.inputs({"trace": str(path), "policies": ("fifo",)}))
    assert SAMPLED not in result["method"]
    assert any("too small to say anything" in note for note in result.notes)


def test_the_chain_counts_what_the_layer_counts_on_the_same_writes():
    inputs = CHAIN.inputs({"policies": ("lru", "fab"), "layers": ("bast",), "frames": 512})
    result = CHAIN.compute(inputs)
    for row in range(len(result)):
        run = replays.written_by(sources.named(inputs.trace), str(result["policy"][row]), 512)
        assert result["block_run"][row] == mean_block_run(run.written, 64)
        # by hand: the same device, written pass after pass
        device = ftl.LAYERS["bast"](
            ftl.Geometry(blocks=189, pages_per_block=64, spare=1 - 10880.5 / 12096), ftl.Options()
        )
        device.write(np.arange(10880))
        counts = [device.counts()]
        for _ in range(5):
            device.write(run.written)
            counts.append(device.counts())
        assert (counts[-1] - counts[-2]).erases == result["erases"][row]
        assert result["programmed_pages"][row] == pytest.approx(result["write_amplification"][row] * run.write_backs)
    assert result["relative_erases"][0] == 1


def test_a_trace_without_writes_erases_nothing(tmp_path):
    path = tmp_path / "reads.txt"
    path.write_text("\n".join(f"{page % 50} r" for page in range(500)))
    inputs = CHAIN.inputs({"trace": str(path), "frames": 8, "policies": ("lru",), "layers": ("page",)})
    result = CHAIN.compute(inputs)
    assert result["erases"].tolist() == [0]
    assert np.isnan(result["write_amplification"][0])
    assert "nothing is written back" in CHAIN.explain(inputs, result)[0]


def test_a_database_too_large_to_simulate_is_refused_in_a_sentence():
    with pytest.raises(ModelError, match=r"needs a device of 50.* pages; at most 1048576"):
        CHAIN.compute(CHAIN.inputs({"trace": "debit-credit-1992"}))


def test_energy_is_given_where_power_is_known_and_blank_elsewhere():
    study = find("policy_cost")
    assert np.isnan(page_energies("intel-x25-e", 4096)).all()
    read_j, write_j = page_energies("samsung-4gb-flash-chip", 4096)
    assert 0 < read_j < write_j
    assert page_energies("samsung-4gb-flash-chip", 8192) == (2 * read_j, 2 * write_j)
    result = study.compute(study.inputs({"device": "intel-x25-m-g2-80gb", "policies": ("lru", "cflru")}))
    rows = result.rows(chosen=True)
    watts = result.tables["energy"]["energy_per_reference_j"] / result["time_per_reference_s"][rows]
    assert watts == pytest.approx([watts[0]] * rows.size)  # the load power, whatever the policy
    unknown = study.compute(study.inputs({"device": "intel-x25-e", "policies": ("lru",)}))
    assert "energy" not in unknown.tables
    assert any("its power is not known" in note for note in unknown.notes)


def test_a_trace_that_does_not_fit_has_a_sampled_curve_with_its_cheapest_size():
    asked = {"reading": "sample", "sample": 0.2, "trace": "debit-credit-1992"}
    shares = []
    inputs = CURVE.inputs(asked)
    result = CURVE.compute(inputs, lambda share, partial: shares.append((share, partial)))
    assert set(result["method"]) == {SAMPLED}
    whole = CURVE.compute(CURVE.inputs(asked | {"reading": "whole", "policies": ()}))
    held = whole.rows(method=SAMPLED)
    # other sizes, as the number of pages is estimated; and the same warm-up
    assert result["references"][0] == whole["references"][held[0]] == 1_800_000
    misses = np.interp(whole["frames"][held], result["frames"], result["misses"])
    assert misses == pytest.approx(whole["misses"][held], rel=0.1)
    assert cheapest(result, SAMPLED) is not None
    assert "about" in result.notes[0]
    assert "begins at" not in " ".join(result.notes)  # its 4 / 0.2 frames are less than any shown
    assert len(CURVE.explain(inputs, result)) == 3
    assert [share for share, _ in shares] == sorted(share for share, _ in shares)
    assert any(partial is not None for _, partial in shares)
    again = []
    CURVE.compute(inputs, lambda share, partial: again.append(share))
    assert again == []  # another price or device reads nothing again


def test_asking_reads_no_more_of_a_file_than_its_first_lines(tmp_path, monkeypatch):
    path = tmp_path / "own.txt"
    path.write_bytes(b"1 r\n2 w\n" * 200_000)
    opened = []
    whole = traces.read
    monkeypatch.setattr(traces, "read", lambda *given: opened.append(given) or whole(*given))
    for study in ("buffer_size", "miss_curve", "policy_cost", "write_clustering"):
        find(study).inputs({"trace": str(path)})
    assert opened == []
    seen = []
    study = find("buffer_size")
    study.compute(study.inputs({"trace": str(path)}), lambda share, partial: seen.append(share))
    assert len(opened) == 1
    assert seen == sorted(seen)
    assert 0 < min(seen) <= 0.3


def test_every_curve_has_the_same_sizes_and_the_sampled_one_begins_where_the_sample_tells_something(curve):
    _, result = curve
    sizes = {name: result["frames"][result.rows(curve=name)].tolist() for name in dict.fromkeys(result["curve"])}
    sizes["che"] = result.tables["che"]["frames"].tolist()
    first, *sampled = sizes.pop(SAMPLED)
    assert len({tuple(frames) for frames in sizes.values()}) == 1
    assert sampled == [frames for frames in sizes[EXACT] if frames > first]
    assert first == pytest.approx(4 / 0.1, rel=0.2)  # the quarters of a sample have as many pages within some percent
    assert any(f"begins at {first} frames" in note for note in result.notes)


@pytest.mark.parametrize("page_bytes", [1024, 4096, 65_536, 2**20])
@pytest.mark.parametrize("share", [1.0, 0.5])
def test_a_drive_of_today_is_worth_the_same_as_a_pair_and_as_a_device_of_ones_own(page_bytes, share):
    """And no page is read faster than the data sheet's bandwidth, 7.45 GB/s."""
    study, memory = find("five_minute_rule"), catalogue.device(five_minute_rule.MEMORY)
    price = hierarchy.newest_price(memory)
    per_gb = price.middle / memory.bytes_of(price) * 1e9
    asked = {"pairs": ("today flash",), "device": "samsung-990-pro-2tb", "memory_price": per_gb, "read_share": share}
    result = study.compute(study.inputs(asked | {"page_bytes": page_bytes}))
    pair, own = result["interval_s"][result["chosen"]]
    assert pair == pytest.approx(own)
    assert page_bytes / result["access_s"][result["chosen"]].min() < 7.46e9
