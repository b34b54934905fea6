"""How long do node labels get, and what does an insert cost that cannot leave old labels alone?"""

import random
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field

from pagecost.answers import remembered
from pagecost.studies.fields import Choices, From, Steps, how_many
from pagecost.studies.finding import Finding, compared
from pagecost.studies.shared_fields import SEED
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress
from pagecost.units import grouped
from pagecost.xmlstore import labels
from pagecost.xmlstore.range_labels import RangeLabels

HISTORIES = {
    "last": "always behind the last",
    "random": "anywhere",
    "first": "always before the first",
    "one place": "always behind the same one",
}
ROUNDS = 12  # points of a curve


class Inputs(StudyInputs):
    """Where children are inserted, and how much room the schemes leave."""

    histories: Annotated[
        tuple[str, ...],
        Choices(lambda: HISTORIES, noun="history"),
        Field(min_length=1, title="Where inserts go", description="Among the children of one element."),
    ] = tuple(HISTORIES)
    inserts: Annotated[
        int,
        Steps((100, 200, 500, 1000, 2000), "1", how_many("inserts")),
        Field(ge=ROUNDS, le=5000, title="Inserts", description="One child after another."),
    ] = 500
    room: Annotated[
        int,
        Steps((2, 4, 8, 16, 32, 64), "1", lambda room: f"room {room}"),
        Field(ge=2, le=1024, title="Room of a new division", description="DeweyIDs: first number below an even one."),
    ] = 16
    gap: Annotated[
        int,
        Steps((1, 4, 16, 64, 256), "1", lambda gap: f"gap {gap}"),
        Field(ge=1, le=10**6, title="Gap of range labels", description="Free numbers between neighbours."),
    ] = 16
    depth: Annotated[
        int,
        Steps((1, 2, 4, 6, 8, 12), "1", lambda depth: f"level {depth}"),
        From("schmidt2009 §5.1"),
        Field(ge=1, le=40, title="Level", description="Of the element whose children are inserted."),
    ] = 4
    seed: SEED = 1


class Point(NamedTuple):
    """After so many inserts: encoded bytes of the children's labels, and range labels that were changed so far."""

    inserts: int
    mean_bytes: float
    longest_bytes: int
    relabelled: int


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per history and number of inserts; relabelled_per_insert is of range labels: DeweyIDs change none."""
    rows = []
    for number, history in enumerate(inputs.histories):
        points = _grown(history, inputs.inserts, inputs.room, inputs.gap, inputs.depth, inputs.seed)
        rows += [(history, point) for point in points]
        progress((number + 1) / len(inputs.histories), None)
    table = {name: np.array([getattr(point, name) for _, point in rows]) for name in Point._fields}
    columns = {
        "history": Column(np.array([history for history, _ in rows]), "text", "inserts go", HISTORIES),
        "inserts": Column(table["inserts"], "1", "inserts so far"),
        "mean_label_bytes": Column(table["mean_bytes"], "B", "mean label"),
        "longest_label_bytes": Column(table["longest_bytes"], "B", "longest label"),
        "relabelled_per_insert": Column(table["relabelled"] / table["inserts"], "1", "range labels changed per insert"),
        "chosen": Column(table["inserts"] == inputs.inserts, "1", "all inserts"),
    }
    return Result.of(columns, _notes())


@remembered
def _grown(history: str, inserts: int, room: int, gap: int, depth: int, seed: int) -> tuple[Point, ...]:
    draw = random.Random(seed)
    above = (labels.FIRST_CHILD,) * depth
    children: list[labels.Label] = []
    total = longest = 0
    tree = RangeLabels(gap=gap)
    stops = {max(1, round(inserts * (step + 1) / ROUNDS)) for step in range(ROUNDS)}
    points = []
    for number in range(1, inserts + 1):
        last = len(children)
        place = {"last": last, "random": draw.randint(0, last), "first": 0, "one place": min(1, last)}[history]
        before = children[place - 1] if place else None
        after = children[place] if place < last else None
        child = labels.between(above, before, after, room)
        children.insert(place, child)
        size = len(labels.encode(child))
        total, longest = total + size, max(longest, size)
        tree.insert(0, place)
        if number in stops:
            points.append(Point(number, total / number, longest, tree.relabelled))
    return tuple(points)


def _notes():
    yield "A DeweyID that was handed out never changes; where the place is tight, the new label grows instead."
    yield (
        f"A store refuses to insert an element whose label has over {labels.LONGEST_INSERTED_BYTES} bytes, and any "
        f"label of over {labels.LONGEST_BYTES}; a new load would make them short again."
    )


def explain(inputs: Inputs, result: Result) -> list[str]:
    """For each history the lengths after all inserts, and what range labels paid."""
    return [
        f"{result.cell('history', row)}: after {grouped(inputs.inserts)} inserts a label takes "
        f"{result['mean_label_bytes'][row]:.1f} bytes on average and {result['longest_label_bytes'][row]} at most; "
        f"of range labels, {result['relabelled_per_insert'][row]:.1f} were changed per insert."
        for row in result.rows(chosen=True)
    ]


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    return compared(
        result,
        result.rows(chosen=True),
        "mean_label_bytes",
        lambda row: result.cell("history", row).removeprefix("always "),
        several="After {inserts} inserts a label has {low} on average when all come {least}, and {high} when "
        "all come {most}.",
        one="After {inserts} inserts a label has {high} on average when all come {most}.",
        none="Nothing was inserted.",
        inserts=grouped(inputs.inserts),
    )


STUDY = Study(
    name="label_length",
    title="How long do labels get, and what does an insert change?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="load",
    source="schmidt2009 §5.1; Härder, Haustein, Mathis and Wagner 2007",
    presets={
        "as dense as a load: room 2": {"room": 2, "inserts": 200},
        "range labels without gaps": {"gap": 1},
        "many inserts anywhere": {"histories": ("random", "last"), "inserts": 2000},
    },
)
