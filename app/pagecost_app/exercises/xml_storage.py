"""The exercises of lesson 6: XML storage."""

import random

from pagecost import catalogue, studies
from pagecost.devices import energy
from pagecost.xmlstore import labels
from pagecost.xmlstore.range_labels import RangeLabels
from pagecost_app.exercises.exercise import Exercise


def _transactions_gain() -> float:
    study = studies.find("xml_transactions")
    inputs = study.inputs({"devices": ("wd800aajs", "consumer-ssd-2009"), "mappings": ("fs",)})
    result = study.compute(inputs)
    disk, ssd = (result["tps"][result.rows(device=name, chosen=True)[0]] for name in inputs.devices)
    return float(ssd / disk)


def _draw_label(dice: random.Random) -> dict:
    before = (dice.randrange(1001, 4000, 2), *(dice.choice((3, 5, 7)) for _ in range(6)))
    kept = dice.randrange(1, 6)
    below = (dice.choice((3, 5, 7, 11)) for _ in range(dice.randrange(2, 7)))
    return {"before": before, "label": (*before[:kept], before[kept] + 2, *below)}


def _show_label(numbers) -> dict:
    code = labels.encode(numbers["label"])
    return {
        "before": f"{labels.show(numbers['before'])} ({labels.encode(numbers['before']).hex(' ')})",
        "label": f"{labels.show(numbers['label'])} ({code.hex(' ')})",
    }


def _shared(before, label) -> int:
    """Leading bytes that two codes have in common."""
    pairs = zip(labels.encode(before), labels.encode(label), strict=False)
    return next((place for place, (one, other) in enumerate(pairs) if one != other), len(labels.encode(before)))


def _whole(label, **_) -> int:
    return len(labels.encode(label))


def _rest(before, label) -> int:
    return _whole(label) - _shared(before, label)


def _draw_insert(dice: random.Random) -> dict:
    return {"children": dice.choice((40, 50, 60, 80)), "place": dice.choice((5, 10, 15, 20))}


def _relabelled(children, place) -> float:
    """Percent of the labels that one insert changes, counted in a tree of range labels without gaps."""
    tree = RangeLabels(gap=1)
    for number in range(children):
        tree.insert(0, number)
    before = tree.relabelled
    tree.insert(0, place - 1)
    return 100 * (tree.relabelled - before) / (children + 1)


def _draw_power(dice: random.Random) -> dict:
    return {
        "device": dice.choice(("consumer-disk-2009", "consumer-ssd-2009", "high-end-ssd-2009")),
        "cpu_ms": dice.choice((8, 9, 12)),
        "io_ms": dice.choice((4, 5, 7)),
        "log_ms": dice.choice((1, 2)),
    }


def _show_power(numbers) -> dict:
    device = catalogue.device(numbers["device"])
    return {"idle": f"{device.value('idle_w'):g}", "load": f"{device.value('active_w'):g}"}


def _mean_w(device, cpu_ms, io_ms, log_ms, busy_ms=None) -> float:
    known = catalogue.device(device)
    busy = (io_ms + log_ms if busy_ms is None else busy_ms) / (cpu_ms + io_ms + log_ms)
    return float(energy.average_w(known.value("idle_w"), known.value("active_w"), busy))


EXERCISES = (
    Exercise(
        "ssd-for-xml",
        "A disk and an SSD hold the same XML database: 1 GB as text, five kinds of queries, a buffer of 16 MB. The SSD "
        "does 24 times the random reads of a consumer disk. How many times as many queries per second does it answer?",
        "1",
        draw=lambda dice: {},
        reference=_transactions_gain,
        within=1.4,
        hints=("What of a query's time does the SSD make shorter, and what stays?",),
        surprise="Only the reads get faster, and most pages were in the buffer anyway. What the processor "
        "does takes as long as before, and soon it is nearly all of a query.",
    ),
    Exercise(
        "compressed-label",
        "In a page with compressed labels the record of {before} is followed by that of {label}; in brackets the codes "
        "as bytes. How many bytes does the second label take, the byte with its two lengths included?",
        "B",
        draw=_draw_label,
        reference=lambda before, label: 1.0 + _rest(before, label),
        hints=(
            "Compare the two codes byte by byte from the left; what is equal is not stored again.",
            "Stored are one byte that says how many bytes are shared and how many follow, and those that follow.",
        ),
        mistakes=(
            (lambda **numbers: float(_rest(**numbers)), "and the byte that says how many are shared and follow?"),
            (lambda **numbers: 1.0 + _whole(**numbers), "that is the whole label with its length, as fs stores it."),
            (lambda **numbers: float(_whole(**numbers)), "that is the whole code; its first bytes are those before."),
        ),
        show=_show_label,
    ),
    Exercise(
        "range-insert",
        "An element has {children} children without children of their own. They carry range labels (start and end), "
        "numbered without gaps. A new child becomes number {place} of them. What share of the old labels, the "
        "element's own among them, must change?",
        "%",
        draw=_draw_insert,
        tolerance=0.005,
        reference=_relabelled,
        hints=(
            "Write down the numbers of an element with three children: 0 (1 2) (3 4) (5 6) 7. Insert one in front.",
            "All that start or end behind the new child change. That includes the element, which ends behind it.",
        ),
        mistakes=(
            (lambda children, place: 0.0, "that is so for DeweyIDs; range labels have no room here."),
            (lambda children, place: 100.0, "the children before the new one keep their numbers."),
            (
                lambda children, place: 100 * (children - place + 1) / (children + 1),
                "one more: the element itself ends behind its new child.",
            ),
            (lambda children, place: 100 * (place - 1) / (children + 1), "those are the children that do not change."),
        ),
    ),
    Exercise(
        "mean-power",
        "A transaction takes {cpu_ms} ms of the processor, then {io_ms} ms of data I/O, then {log_ms} ms of log, one "
        "after the other, and then comes the next. The device ({device}) draws {idle} W when idle and {load} W under "
        "load. What does it draw on average?",
        "W",
        draw=_draw_power,
        reference=_mean_w,
        hints=(
            "Which share of the time does the device work? Writing the log is work, too.",
            "Load power times that share plus idle power times the rest.",
        ),
        mistakes=(
            (
                lambda io_ms, **numbers: _mean_w(io_ms=io_ms, busy_ms=io_ms, **numbers),
                "the log is written by the device, too.",
            ),
            (
                lambda device, **_: catalogue.device(device).value("active_w"),
                "the device is under load only while it works; while the processor does, it is idle.",
            ),
            (
                lambda device, **_: sum(catalogue.device(device).value(name) for name in ("idle_w", "active_w")) / 2,
                "that is the middle between the two; they count by their shares of the time.",
            ),
            (
                lambda cpu_ms, **numbers: _mean_w(cpu_ms=cpu_ms, busy_ms=cpu_ms, **numbers),
                "you took the processor's time for that of the device.",
            ),
        ),
        show=_show_power,
    ),
)
