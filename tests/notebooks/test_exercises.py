"""The exercises check themselves: right answers pass in any unit, wrong ideas are named, nothing raises."""

import dataclasses
import json
import math
import re
from pathlib import Path

import pytest

from pagecost import devices
from pagecost.answers.file_systems import Cleaning, cleaning
from pagecost.devices import ftl
from pagecost.devices.ftl import theory
from pagecost_app.exercises import EXERCISES, MIME, ask, check, hint, predict

SEEDS = range(1, 9)
TEXTS = (".py", ".toml", ".json", ".js", ".css", ".html", ".yaml")
NUMBERS = [id for id, exercise in EXERCISES.items() if exercise.kind == "number"]
GRADED = [id for id in NUMBERS if not EXERCISES[id].prediction]
EACH = pytest.mark.parametrize("id", EXERCISES)
EACH_NUMBER = pytest.mark.parametrize("id", NUMBERS)
EACH_GRADED = pytest.mark.parametrize("id", GRADED)


@pytest.fixture(autouse=True)
def _nothing_answered(tmp_path, monkeypatch):
    monkeypatch.setenv("PAGECOST_SHEET", str(tmp_path / "answers.json"))


def reference(id, seed=1):
    return EXERCISES[id].reference(**EXERCISES[id].numbers(seed))


@EACH_NUMBER
def test_the_engines_answer_passes_and_three_digits_are_enough(id):
    for seed in SEEDS:
        right = reference(id, seed)
        assert check(id, right, seed)
        assert check(id, float(f"{right:.4g}"), seed)
        assert not check(id, right * 2.5, seed)


@EACH_GRADED
def test_a_wrong_idea_is_named_and_differs_from_the_answer_and_from_other_ideas(id):
    exercise = EXERCISES[id]
    assert exercise.hints
    for seed in SEEDS:
        numbers = exercise.numbers(seed)
        values = [exercise.reference(**numbers), *(wrong(**numbers) for wrong, _ in exercise.mistakes)]
        for at, value in enumerate(values):
            others = values[:at] + values[at + 1 :]
            assert not any(exercise.close(value, other) for other in others), f"{id}, seed {seed}: {values}"
        for (_, say), value in zip(exercise.mistakes, values[1:], strict=True):
            assert exercise.judge(seed, value) == ("failed", say, say)


def test_answers_come_in_any_fitting_unit():
    right_ms = reference("random-read")
    for text in (
        f"{right_ms} ms",
        f"{right_ms / 1e3} s",
        f"{right_ms * 1e3:.1f}µs",
        f"{right_ms:.5g}".replace(".", ","),
    ):
        assert check("random-read", text), text
    share = reference("write-backs")
    assert check("write-backs", f"{share:.4f} %")
    assert "in ms" in check("random-read", "12 W").message


def test_right_digits_in_a_wrong_unit_are_told_from_a_wrong_number():
    right_ms = reference("random-read")
    assert "the unit is not" in check("random-read", right_ms / 1e3).message
    assert "the unit is not" in check("write-backs", reference("write-backs") / 100).message
    assert "too large" in check("random-read", right_ms * 7.7).message


@EACH
@pytest.mark.parametrize(
    "answer", [..., None, "", "twelve", {}, [], float("nan"), float("inf"), -1, 0, lambda: 1, "1e999 ms"]
)
def test_whatever_is_answered_nothing_raises(id, answer):
    for said in (check(id, answer), predict(id, answer)):
        assert not said or (EXERCISES[id].kind == "number" and math.isfinite(float(answer)))
        bundle = said._repr_mimebundle_()
        assert 'role="status"' in bundle["text/html"]
        json.dumps(bundle)
        assert bundle[MIME]["id"] == id
        assert bundle[MIME]["score"] == (said.points if said else 0)


def test_an_unknown_exercise_is_said_and_the_nearest_named():
    for call in (check, predict):
        assert "did you mean 'random-read'?" in call("randomread", 1).message
    assert "there is no exercise 'x'" in ask("x").message
    assert "there is no exercise None" in hint(None).message


def test_an_engine_that_fails_makes_a_message_not_an_exception(monkeypatch):
    def broken(**numbers):
        raise RuntimeError("no engine")

    monkeypatch.setitem(EXERCISES, "overwrite", dataclasses.replace(EXERCISES["overwrite"], reference=broken))
    assert "RuntimeError: no engine" in check("overwrite", 1.0).message


@EACH_GRADED
def test_a_seed_gives_the_same_numbers_again_and_another_seed_others(id):
    assert ask(id, 3).message == ask(id, 3).message
    assert len({ask(id, seed).message for seed in SEEDS}) > 2
    assert "{" not in ask(id).message


def test_a_prediction_is_kept_and_compared_later():
    assert check("random-or-sequential").status == "todo"
    assert predict("random-or-sequential", 10).status == "noted"
    said = check("random-or-sequential")
    assert not said
    assert "you predicted 10, the model says 198.5" in said.message
    assert "ten or twenty" in said.message
    predict("random-or-sequential", "150")
    assert check("random-or-sequential")


def test_hints_go_from_the_first_to_the_last():
    hints = EXERCISES["random-read"].hints
    assert hint("random-read").message.startswith(hints[0])
    assert hint("random-read", 99).message == hints[-1]


def told(answer, text):
    """Whether a text has the answer of a variant in four digits or more; shorter numbers stand everywhere."""
    shown = f"{answer:.4g}"
    digits = re.sub(r"e.*|\D", "", shown).lstrip("0")
    if len(digits) < 4 or "e" in shown or float(shown) % 10 == 0 or shown not in text:
        return False
    return re.search(rf"(?<![\d.]){re.escape(shown)}(?!\d)", text) is not None


def test_an_answer_in_a_text_would_be_found():
    assert told(16.47, "so it is 16.47 %")
    assert told(1247.0, '"1247"')
    for text in ("116.47", "16.471", "1.16.47", "16.4"):
        assert not told(16.471 if text == "16.4" else 16.47, text), text


def notebook_text(path):
    """All that stands in a notebook, outputs too."""
    cells = json.loads(path.read_text("utf8"))["cells"]
    outputs = [json.dumps(output, ensure_ascii=False) for cell in cells for output in cell.get("outputs", ())]
    return "\n".join(["".join(cell["source"]) for cell in cells] + outputs)


def test_no_answer_stands_in_a_notebook_in_the_package_or_in_the_record(tmp_path):
    """Of the numbers that everybody has without a sheet of their own."""
    root = Path(__file__).parents[2]
    texts = {path.name: notebook_text(path) for path in (root / "notebooks").glob("*.ipynb")}
    package = [path for path in (root / "app" / "pagecost_app").rglob("*") if path.suffix in TEXTS]
    texts |= {str(path.relative_to(root)): path.read_text("utf8") for path in package}
    keys = {id: reference(id) for id in NUMBERS}
    for id, key in keys.items():
        check(id, 3 * key)
    texts["the record"] = (tmp_path / "answers.json").read_text("utf8")
    assert len(json.loads(texts["the record"])["attempts"]) == len(NUMBERS)
    found = [(id, name) for id, key in keys.items() for name, text in texts.items() if told(key, text)]
    assert found == []


def test_the_numbers_of_one_variant_are_worked_out_by_hand():
    """A broken engine would also break the reference: one case each is pinned."""
    disk = {"seek_ms": 8.0, "rpm": 6000, "rate_mb_s": 50, "block_bytes": 500_000}
    assert EXERCISES["random-read"].reference(**disk) == pytest.approx(8.0 + 5.0 + 10.0)
    flash = {"pages": 16, "read_us": 100, "program_us": 200, "erase_ms": 2.0}
    assert EXERCISES["overwrite"].reference(**flash) == pytest.approx(15 * 0.3 + 0.2 + 2.0)
    life = {"capacity_gb": 100, "cycles": 3650, "daily_gb": 100, "amplification": 2.0}
    assert EXERCISES["endurance"].reference(**life) == pytest.approx(5.0)
    copies = {"pages": 4, "written": 2, "read_us": 100, "program_us": 200, "erase_ms": 1.0}
    assert EXERCISES["copied-share"].reference(**copies) == pytest.approx(100 * 600 / (600 + 400 + 1000))
    assert EXERCISES["erase-share"].reference(block_kb=16, share_us=499.2) == pytest.approx(1.9968)
    assert EXERCISES["erase-printed"].reference(erase=3.5, program_us=250) == pytest.approx(14.0)
    assert EXERCISES["chip-energy"].reference(reads=1000, writes=1000) == pytest.approx(9.4 + 59.6 + 16.5)
    idle = {"idle_w": 6.0, "load_w": 12.0, "iops": 100, "busy_percent": 10}
    assert EXERCISES["idle-energy"].reference(**idle) == pytest.approx(1e3 * (1.2 + 5.4) / 10)
    curve = {"fixed_us": 100, "rate_mb_s": 24}  # 64 KiB: 2.731 of 2.831 ms is transfer, 96.5 %; 16 KiB: 87 %
    assert EXERCISES["near-best"].reference(**curve) == 64
    walk = {"references": "1w 2r 3r 4r 5r 1r 6w 2w"}  # 5 pushes the dirty 1 out; then 2, 3 and 4 leave, clean
    assert EXERCISES["victims"].reference(**walk) == 1
    busy = {"references": 1000, "hit_percent": 90, "dirty_percent": 50, "read_us": 100, "write_us": 1000}
    assert EXERCISES["buffer-cost"].reference(**busy) == pytest.approx((100 * 100 + 50 * 1000) / 1e6)
    even = {"misses": 100, "more_misses": 130, "written": 60, "less_written": 50}
    assert EXERCISES["break-even"].reference(**even) == pytest.approx(3.0)
    query = {"cpu_ms": 10, "pages": 5, "hit_percent": 80, "read_ms": 15}
    assert EXERCISES["rate-from-parts"].reference(**query) == pytest.approx(1000 / 25)
    assert EXERCISES["kept-twice"].reference(buffer=16, cache=64, twice=75) == pytest.approx(68)
    systems = {"disks": 20, "disk_usd": 50, "disk_w": 10, "ssds": 10, "ssd_usd": 400, "ssd_w": 0.5}
    paid = EXERCISES["ssd-pays"].reference(**systems, kwh_usd=0.1, pue=2.0)  # 3000 $ over 195 W x 8760 h x 0.2 $
    assert paid == pytest.approx(3000 / 341.64)
    rule = {"page_kib": 4, "device_usd": 100, "iops": 100, "memory_usd": 5}
    assert EXERCISES["five-minutes"].reference(**rule) == pytest.approx(1.0 / (4096 * 5e-9))
    mail = EXERCISES["saved-write-backs"].reference(hits_a=90, dirty_a=50, hits_b=88, dirty_b=25, ratio=8)
    assert mail == pytest.approx((120 + 30 * 8) / (100 + 50 * 8))


def test_devices_are_put_in_the_order_of_one_read_alone_and_not_of_their_rates():
    """One over the rated reads per second is the time between two answers of a busy drive: lesson 1, section 4."""
    exercise = EXERCISES["devices-by-random-read"]
    for seed in range(1, 60):
        numbers = exercise.numbers(seed)
        sizes = exercise.sizes(**numbers)
        for name, size_ms in sizes.items():
            alone_s = devices.load(name).service("random read", numbers["kib"] * 1024).latency_s
            assert size_ms == pytest.approx(1e3 * float(alone_s)), name
    alone_ms = exercise.sizes(names=("intel-x25-e",), kib=4)
    assert alone_ms == pytest.approx({"intel-x25-e": 0.075}), "as rated, not 1 / 35 000 s"


@pytest.mark.parametrize("seed", [1, 7])
def test_the_cost_of_cleaning_is_asked_for_as_lesson_12_teaches_it(seed):
    """2 / (1 - u), a segment read whole, and as the engine's cleaner does it where no segment is found empty."""
    exercise = EXERCISES["cleaning-over-fill"]
    blocks = exercise.numbers(seed)["blocks"]
    for full, moved in zip(exercise.form(seed)[0].x.positions, exercise.key(seed), strict=True):
        u = 1 - 1 / theory.greedy(full, blocks)
        assert moved == pytest.approx(2 / (1 - u)), f"{full:.0%} full"
    load = ftl.Workload(kind="uniform")
    found = cleaning(Cleaning("greedy", 0.8, load, False, 1, True, 128, blocks, 1))
    assert 1 + found.read + found.rewritten == pytest.approx(2 / (1 - found.u), rel=0.02)
    assert "whole" in exercise.asked(seed)
