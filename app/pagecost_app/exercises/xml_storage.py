"""The exercises of lesson 8: XML storage."""

import random
from collections.abc import Iterator
from functools import lru_cache

from pagecost import catalogue, studies
from pagecost.devices import energy
from pagecost.xmlstore import labels
from pagecost.xmlstore.range_labels import RangeLabels
from pagecost_app.exercises.kinds import EXACT, Choice, Claim, Number, Order

DEVICES = ("wd800aajs", "consumer-ssd-2009")
MAPPINGS = {"fs": "every node stored whole", "pc": "labels compressed within a page", "el": "inner elements not stored"}


def _draw_queries(dice: random.Random) -> dict:
    return {"mapping": dice.choice(list(MAPPINGS)), "cpu_ms": dice.randrange(50, 151) / 10}


@lru_cache(maxsize=512)
def _rates(mapping: str, cpu_ms: float) -> tuple[float, float]:
    """Queries per second on the disk and on the SSD."""
    study = studies.find("xml_transactions")
    result = study.compute(
        study.inputs({"devices": DEVICES, "mappings": (mapping,), "transaction_s": cpu_ms / 1e3}),
    )
    disk, ssd = (float(result["tps"][result.rows(device=name, chosen=True)[0]]) for name in DEVICES)
    return disk, ssd


def _transactions_gain(**numbers) -> float:
    disk, ssd = _rates(**numbers)
    return ssd / disk


def _queries_steps(**numbers) -> Iterator[str]:
    disk, ssd = _rates(**numbers)
    yield f"A query takes {1e3 / disk:.4g} ms on the disk and {1e3 / ssd:.4g} ms on the SSD."
    yield f"At least {numbers['cpu_ms']:g} ms of that is the processor's on both, and no device makes it shorter."
    yield f"{ssd:.4g} / {disk:.4g} queries per second = {ssd / disk:.4g}."


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
    return {"children": dice.randrange(40, 121), "place": dice.randrange(5, 36)}


@lru_cache(maxsize=1024)
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
        "cpu_ms": dice.randrange(60, 151, 5) / 10,
        "io_ms": dice.randrange(30, 81, 5) / 10,
        "log_ms": dice.randrange(8, 31) / 10,
    }


def _show_power(numbers) -> dict:
    device = catalogue.device(numbers["device"])
    return {"idle": f"{device.value('idle_w'):g}", "load": f"{device.value('active_w'):g}"}


def _mean_w(device, cpu_ms, io_ms, log_ms, busy_ms=None) -> float:
    known = catalogue.device(device)
    busy = (io_ms + log_ms if busy_ms is None else busy_ms) / (cpu_ms + io_ms + log_ms)
    return float(energy.average_w(known.value("idle_w"), known.value("active_w"), busy))


def _label_steps(before, label) -> Iterator[str]:
    shared, whole = _shared(before, label), _whole(label)
    yield f"The code of the second label has {whole} bytes: {labels.encode(label).hex(' ')}."
    yield f"Its first {shared} are those of the label before: {labels.encode(label)[:shared].hex(' ') or 'none'}."
    yield (
        f"Stored are the other {whole} − {shared} = {whole - shared} and one byte with the two lengths: "
        f"{1 + whole - shared}."
    )


def _insert_steps(children, place) -> Iterator[str]:
    changed = children - place + 2
    yield f"The children {place} to {children} move on: {children} − {place} + 1 = {changed - 1} labels change."
    yield "The element ends behind the new child, so its label changes too."
    yield f"{changed} of {children + 1} labels: {100 * changed / (children + 1):.4g} %."


def _power_steps(device, cpu_ms, io_ms, log_ms) -> Iterator[str]:
    idle, load = (catalogue.device(device).value(name) for name in ("idle_w", "active_w"))
    whole, busy = cpu_ms + io_ms + log_ms, io_ms + log_ms
    yield f"The device works {io_ms:g} + {log_ms:g} = {busy:g} of {whole:g} ms: {100 * busy / whole:.4g} % of the time."
    mean = idle + (load - idle) * busy / whole
    yield f"{load:g} W · {busy / whole:.4g} + {idle:g} W · {1 - busy / whole:.4g} = {mean:.4g} W."


def _draw_nodes(dice: random.Random) -> dict:
    """An element, some of its children and grandchildren, one of them put between two others later."""
    above = (1, 3, dice.randrange(3, 12, 2))
    places = sorted(dice.sample(range(3, 40, 2), 3))
    late = (*above, places[1] + 1, dice.randrange(3, 20, 2))
    below = (*above, places[dice.randrange(3)], dice.randrange(3, 8, 2))
    return {"nodes": (above, *((*above, place) for place in places), late, below)}


def _named(nodes, rank) -> dict[str, float]:
    """Label -> its place in an order."""
    return {labels.show(node): float(place) for place, node in enumerate(sorted(nodes, key=rank))}


def _nodes_steps(nodes) -> Iterator[str]:
    yield "Number by number, from the left: the first one that differs decides, and a label before its continuations."
    for node in sorted(nodes, key=labels.encode):
        parent = labels.show(labels.parent(node))
        yield f"{labels.show(node)}, a child of {parent}; its code {labels.encode(node).hex(' ')} sorts the same way."


def _draw_watts(dice: random.Random) -> dict:
    return {
        "one_ms": dice.randrange(120, 400) / 10,
        "one_w": dice.randrange(60, 126) / 10,
        "other_ms": dice.randrange(120, 400) / 10,
        "other_w": dice.randrange(60, 126) / 10,
    }


def _energy_ratio(one_ms, one_w, other_ms, other_w) -> float:
    """Energy of a transaction in the first setting over that in the second."""
    return one_ms * one_w / (other_ms * other_w)


def _cheaper_draws_more(one_ms, one_w, other_ms, other_w) -> bool:
    """Whether the one of less energy draws more power."""
    first = _energy_ratio(one_ms, one_w, other_ms, other_w) < 1
    return (one_w > other_w) if first else (other_w > one_w)


def _watts_steps(one_ms, one_w, other_ms, other_w) -> Iterator[str]:
    yield f"A: {one_w} W · {one_ms} ms = {one_w * one_ms:.4g} mJ."
    yield f"B: {other_w} W · {other_ms} ms = {other_w * other_ms:.4g} mJ."


EXERCISES = (
    Number(
        "ssd-for-xml",
        "A disk and an SSD hold the same XML database: 1 GB as text ({mapping}: {meant}), five kinds of queries, a "
        "buffer "
        "of 16 MB; the processor takes {cpu_ms:g} ms for a query and a little for each node. The SSD does 24 times the "
        "random reads of a consumer disk. How many times as many queries per second does it answer?",
        "1",
        draw=_draw_queries,
        lesson_case={"mapping": "fs", "cpu_ms": 9.0},
        show=lambda numbers: {"meant": MAPPINGS[numbers["mapping"]]},
        reference=_transactions_gain,
        steps=_queries_steps,
        why="The processor's time and the pages in the buffer are the same on both.",
        within=1.4,
        hints=("What of a query's time does the SSD make shorter, and what stays?",),
        surprise="Only the reads get faster, and most pages were in the buffer anyway. What the processor "
        "does takes as long as before, and soon it is nearly all of a query.",
    ),
    Number(
        "compressed-label",
        "In a page with compressed labels the record of {before} is followed by that of {label}; in brackets the codes "
        "as bytes. How many bytes does the second label take, the byte with its two lengths included?",
        "B",
        draw=_draw_label,
        reference=lambda before, label: 1.0 + _rest(before, label),
        tolerance=EXACT,
        attempts=2,  # there are few whole numbers
        steps=_label_steps,
        why="What two neighbours have in common stands in the page once.",
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
    Number(
        "range-insert",
        "An element has {children} children without children of their own. They carry range labels (start and end), "
        "numbered without gaps. A new child becomes number {place} of them. What share of the old labels, the "
        "element's own among them, must change?",
        "%",
        draw=_draw_insert,
        tolerance=0.005,
        reference=_relabelled,
        steps=_insert_steps,
        why="Without gaps every label that starts or ends behind the new one must make room.",
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
    Number(
        "mean-power",
        "A transaction takes {cpu_ms} ms of the processor, then {io_ms} ms of data I/O, then {log_ms} ms of log, one "
        "after the other, and then comes the next. The device ({device}) draws {idle} W when idle and {load} W under "
        "load. What does it draw on average?",
        "W",
        draw=_draw_power,
        reference=_mean_w,
        steps=_power_steps,
        why="Both powers count by the share of the time that they are drawn.",
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
    Order(
        "labels-in-order",
        "Six nodes of a document, by their DeweyIDs: {shown}. Put them in document order.",
        draw=_draw_nodes,
        show=lambda numbers: {"shown": ", ".join(sorted(labels.show(node) for node in numbers["nodes"]))},
        items=lambda nodes: {labels.show(node): labels.show(node) for node in nodes},
        sizes=lambda nodes: _named(nodes, labels.encode),
        first="the first of the document first",
        mistakes=(
            (lambda nodes: _named(nodes, labels.show), "that compares characters; 11 is a number, and behind 5."),
            (
                lambda nodes: _named(nodes, lambda node: (len(node), node)),
                "that goes level by level; in a document what is inside an element comes before its next sibling.",
            ),
            (
                lambda nodes: _named(nodes, lambda node: (-len(node), node)),
                "an element begins before what it contains.",
            ),
        ),
        hints=(
            "Compare number by number from the left.",
            "Where one label is the beginning of another, it is the element around it, and comes first.",
        ),
        why="The order of the labels is that of the document, and no look at the document was needed.",
        steps=_nodes_steps,
    ),
    Choice(
        "watts-or-joules",
        "One and the same transaction on two systems. A takes {one_ms} ms and draws {one_w} W on average; B takes "
        "{other_ms} ms and draws {other_w} W. Which of them needs less energy for a transaction?",
        draw=_draw_watts,
        usable=lambda **numbers: (
            abs(_energy_ratio(**numbers) - 1) > 0.05
            and numbers["one_w"] != numbers["other_w"]
            and numbers["one_ms"] != numbers["other_ms"]
        ),
        options=(
            Claim("A", lambda **numbers: _energy_ratio(**numbers) < 1, "multiply watts and time for both."),
            Claim("B", lambda **numbers: _energy_ratio(**numbers) > 1, "multiply both numbers of both systems."),
            Claim("both need the same", lambda **numbers: False, "they differ by more than a twentieth."),
        ),
        reasons=(
            Claim(
                "its power times its time is less, although it draws more watts",
                lambda **numbers: _cheaper_draws_more(**numbers),
                "look at the watts again: it draws fewer.",
            ),
            Claim(
                "its power times its time is less, and it draws fewer watts as well",
                lambda **numbers: not _cheaper_draws_more(**numbers),
                "look at the watts again: it draws more.",
            ),
            Claim("fewer watts are always less energy", lambda **numbers: False, "a watt is a rate: for how long?"),
            Claim("less time is always less energy", lambda **numbers: False, "less time at how many watts?"),
        ),
        hints=("A watt is a joule per second.",),
        why="What a transaction costs is power times time.",
        steps=_watts_steps,
    ),
)
