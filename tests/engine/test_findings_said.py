"""The sentences of studies say what their tables say, in numbers as people write them."""

import re

import numpy as np
import pytest

from pagecost.studies import STUDIES, Column, Result, find
from pagecost.studies.finding import Finding, at, found, things, whole
from pagecost.studies.path import ssd_or_disks
from pagecost.studies.plan import response_goal_said
from pagecost.studies.plan.goal_money import DEAR, HOLDS
from pagecost.units import grouped


def said(name, preset=None, **values) -> tuple[Finding, Result]:
    study = find(name)
    inputs = study.inputs(values, preset)
    result = study.compute(inputs)
    return study.describe(inputs, result), result


def test_policies_that_know_the_future_alone_and_the_yardstick_alone_are_told_without_a_rival(tmp_path):
    trace = tmp_path / "own.txt"
    trace.write_text("1 w\n2 r\n1 r\n3 r\n1 r\n")
    asked: dict = {"trace": str(trace), "frames": 1}
    offline = said("policy_cost", **asked, policies=("min",))[0]
    assert offline.startswith("MIN (Belady) costs")
    assert "page reads per reference, and it knows the future: 0 % of its" in offline
    sentence = said("policy_cost", **asked, policies=("lru", "mru"))[0]
    assert "none of the others costs less without knowing the future: 0 % of its" in sentence
    assert "others" not in said("policy_cost", **asked, policies=("lru",))[0]
    assert said("buffer_size", **asked)[0].startswith("With 1 frame ")
    assert (
        "a buffer of 1 frame is"
        in said("miss_curve", trace=str(trace), memory_price=1e9, device_price=1.0, sample=1.0)[0]
    )


def test_min_has_fewest_misses_of_those_that_load_what_they_miss(tmp_path):
    trace = tmp_path / "own.txt"
    trace.write_text("1 w\n2 r\n1 r\n3 r\n1 r\n")
    for name in ("policy_cost", "buffer_size", "miss_curve"):
        for policies, among in (
            (("min", "lru"), "of all policies"),
            (("min", "bplru"), "policies that load what they"),
        ):
            _, result = (
                said(name, trace=str(trace), frames=1, policies=policies)
                if name != "miss_curve"
                else said(name, trace=str(trace), policies=policies)
            )
            (note,) = [each for each in result.notes if "fewest misses" in each]
            assert among in note
            assert ("load" in note) == ("bplru" in policies)


def test_the_greatest_difference_of_a_cache_may_be_a_gain():
    sentence, result = said("cache_hierarchy", devices=("wd800aajs",))
    factors = np.maximum(result["slower"], 1 / result["slower"])
    most = int(factors.argmax())
    assert sentence.startswith(f"“{result['name'][most]}” makes the greatest difference")
    assert f"{factors[most]:.3g} times {'slower' if result['slower'][most] > 1 else 'faster'}" in sentence
    assert result["tps"][most] > result["tps"][result.rows(name="all of it")[0]], "the default is a gain"


@pytest.mark.parametrize(
    ("slower", "ending"), [((1.0, 0.5, 0.8), "2 times faster."), ((1.0, 1.5, 0.8), "1.5 times slower.")]
)
def test_where_every_variant_helps_no_cache_is_called_worth_nothing(slower, ending):
    study = find("cache_hierarchy")
    columns = {
        "device": Column(np.array(["wd800aajs"] * 3), "text", "device"),
        "name": Column(np.array(["all of it", "without the page cache", "page cache exclusive"]), "text", "variant"),
        "slower": Column(np.array(slower), "1", "time over that with all caches"),
        "tps": Column(10 / np.array(slower), "1/s", "transactions per second"),
    }
    sentence = study.describe(study.inputs(), Result.of(columns))
    assert sentence.endswith(ending)
    assert "worth" not in sentence


def test_the_cheapest_buffer_is_that_of_lru_and_is_said_to_be():
    sentence, result = said("miss_curve", trace="zipf", references_per_s=1e5)
    (row,) = result.rows(method="LRU, every size exactly", cheapest=True)
    assert f"At {grouped(1e5)} references" in sentence
    assert f"with LRU a buffer of {grouped(result['frames'][row])} frames is cheapest" in sentence


@pytest.mark.parametrize(
    ("verdicts", "words"),
    [
        ((HOLDS, HOLDS, DEAR, DEAR), "the cheapest of 2 drives that hold, of 4 tried"),
        ((HOLDS, DEAR, DEAR), "the only one of 3 drives tried that holds"),
        ((HOLDS,), "the only drive tried, and it holds"),
    ],
)
def test_a_drive_is_the_cheapest_of_those_that_hold(verdicts, words):
    assert response_goal_said.held_by(Result.of({"verdict": Column(np.array(verdicts), "text", "verdict")})) == words


def test_wear_is_levelled_or_not():
    sentence, _ = said("wear_and_lifetime", "4 KiB writes onto an indirection unit of 64 KiB")
    assert sentence.startswith("Page map, wear levelled or not: ")


def test_less_than_half_is_the_largest_part_and_not_most():
    assert "the largest part, 42 %, is values" in said("xml_page")[0]


def test_runs_that_agree_say_one_size():
    assert said("file_and_block_size", "any pattern, no cache")[0].endswith("8 of 10 runs say 1 MiB.")


def test_a_cost_in_all_is_explained_by_its_parts_in_its_own_currency():
    sentence, result = said("total_cost", currency="EUR=1.25")
    made = result.tables["parts"]
    for number in sentence.numbers:
        assert number.cell.endswith(" EUR")
        assert number.how.startswith("devices, ")
        assert "USD" not in number.how
        (row,) = [row for row in range(len(made)) if made["total"][row] == number.number]
        told = re.findall(r"([\d.\u202f]+) EUR", number.how)
        added = sum(float(cell.replace("\N{NARROW NO-BREAK SPACE}", "")) for cell in told)
        assert added == pytest.approx(made["total"][row], abs=2)


def test_what_a_reader_keeps_is_told_of_the_schedulers_of_one_device():
    """The least was of the disk and the most of a device without an arm: two things differed at once."""
    sentence, result = said("disk_sharing")
    of_disk = result["of_alone"][result.rows(device="wd400bb")]
    assert [each.number for each in sentence.numbers] == [100 * of_disk.min(), 100 * of_disk.max()]
    assert "without an arm" not in sentence


def test_one_page_is_not_one_pages():
    result = Result.of({"pages": Column(np.array([1.0, 1.004, 1.2]), "1", "pages")})
    assert [things(at(result, "pages", row), "page").cell for row in range(3)] == ["1 page", "1.004 pages", "1.2 pages"]
    assert "programs 1 page per host page" in said("device_fill", "sequential overwrite")[0]


def test_references_come_whole():
    fact = at(Result.of({"n": Column(np.array([4863.1]), "1", "references")}), "n", 0)
    assert whole(fact).cell == grouped(4863)
    sentence, result = said("trace_insight")
    assert f"within {grouped(result.facts['median_interval'].number)} references" in sentence


def test_a_sentence_begins_with_a_capital():
    assert found("{name} is first. {name} is {n}.", name="high-end SSD", n="last") == (
        "High-end SSD is first. High-end SSD is last."
    )
    assert said("energy_per_operation", "NAND and NOR; the drives of 2009")[0].startswith("High-end SSD (class)")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("policy_ranking", f"page reads per {grouped(1000)} references"),
        ("response_times", "have the longest tail: half"),
        ("disk_sharing", "of its rate beside a random writer by one-way elevator, and"),
        ("label_length", "when all come behind the last, and"),
        ("five_minute_rule", "(flash of today)"),
    ],
)
def test_words_stand_in_their_order(name, words):
    assert words in said(name)[0]


def test_numbers_of_thousands_are_grouped_in_every_label():
    for name, study in STUDIES.items():
        for field in study.Inputs.model_fields.values():
            for kind in field.metadata:
                label, stops = getattr(kind, "label", None), getattr(kind, "stops", ())
                for stop in stops if label else ():
                    assert not re.search(r"(?<![\d.])\d{4,}", label(stop)), (name, field.title, label(stop))
    assert f"{grouped(4096)} frames" in said("plan_terms", "one NVMe drive")[0]


def replacing(tpm, half, counts=(1, 2, 4)) -> str:
    """What is said of an SSD, whose rate is the first, beside so many disks."""
    result = Result.of(
        {
            "mix": Column(np.array(["new-order"] * len(tpm)), "text", "mix"),
            "role": Column(np.array(["ssd", *["disks"] * (len(tpm) - 1)]), "text", "storage"),
            "count": Column(np.array([1, *counts]), "1", "devices"),
            "tpm": Column(np.array(tpm, float), "1", "transactions per minute"),
            "half_width": Column(np.array(half, float), "1", "±"),
        }
    )
    return str(ssd_or_disks.replaced_by(result, "new-order").words)


def test_how_many_disks_an_ssd_replaces_is_said_in_disks():
    sure = (1, 1, 1, 1)
    assert replacing((100, 20, 40, 80), sure) == "more than 4 disks"
    assert replacing((100, 20, 40, 99), sure) == "about 4 disks"
    assert replacing((100, 20, 60, 150), sure) == "more than 2 and fewer than 4 disks"
    assert replacing((100, 120, 200, 300), sure) == "less than 1 disk"
    assert replacing((100, 120, 200, 300), sure, (8, 12, 16)) == "fewer than 8 disks"
    sentence, result = said("ssd_or_disks", mixes=("order-status",), counts=(1, 2), seconds=5.0)
    assert sentence == "One SSD replaces more than 2 disks (Order-Status alone)."
    assert (result["lead"][result.rows(role="disks")] > 1).all()
