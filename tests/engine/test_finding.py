"""A finding is a sentence that knows its numbers."""

import math
import pickle

import numpy as np
import pytest

from pagecost.errors import ModelError
from pagecost.studies import Column, Result
from pagecost.studies.finding import Finding, at, bare, cells, compared, counted, found, marked, percent, times
from pagecost.studies.study import Fact

RESULT = Result.of(
    {
        "device": Column(np.array(["a", "b", "c"]), "text", "device", {"a": "Alpha", "b": "Beta", "c": "Gamma"}),
        "time_s": Column(np.array([0.002, 0.004, math.nan]), "s", "time of a read"),
        "share": Column(np.array([0.25, 0.25, 0.25]), "1", "hit ratio"),
        "rate": Column(np.array([0.0, 1234.5, 10.0]), "1/s", "requests per second"),
    }
)
SAYS = {"several": "{least} {low}, {most} {high}, {times}", "one": "only {most} {high}", "none": "nothing of {what}"}


def said(column, rows, **more) -> Finding:
    return compared(RESULT, rows, column, cells(RESULT, "device"), **SAYS, what="it", **more)


def test_a_finding_is_its_text_and_knows_its_numbers_in_order():
    finding = found(
        "{name} takes {time}, {share} hits",
        name="Alpha",
        time=at(RESULT, "time_s", 0),
        share=percent(at(RESULT, "share", 0)),
    )
    assert finding == "Alpha takes 2 ms, 25 % hits"
    assert [number.cell for number in finding.numbers] == ["2 ms", "25 %"]
    assert "".join(part if isinstance(part, str) else part.cell for part in finding.parts) == finding


def test_findings_in_a_row_keep_their_numbers():
    finding = Finding(found("{a} and ", a=at(RESULT, "time_s", 0)), "then ", at(RESULT, "time_s", 1))
    assert finding == "2 ms and then 4 ms"
    assert len(finding.numbers) == 2


def test_rows_are_compared_by_what_is_known():
    assert said("time_s", range(3)) == "Alpha 2 ms, Beta 4 ms, 2 times"
    assert said("time_s", [0]) == "only Alpha 2 ms"
    assert said("time_s", [2]) == said("time_s", []) == "nothing of it"
    assert said("share", range(3), show=percent) == "only Alpha 25 %"


@pytest.mark.parametrize(
    ("half", "words"),
    [((1.0, 1.0), "Alpha 100, Beta 110, 1.1 times"), ((5.0, 6.0), "Alpha or Beta"), ((math.nan, 1.0), "Alpha or Beta")],
)
def test_what_lies_within_its_interval_is_not_said_to_be_more(half, words):
    table = Result.of(
        {
            "device": RESULT.columns["device"],
            "rate": Column(np.array([100.0, 110.0, math.nan]), "1", "rate"),
            "half": Column(np.array([*half, math.nan]), "1", "±"),
        }
    )
    same = {"same": "{least} or {most}", "half": "half"}
    assert compared(table, range(3), "rate", cells(table, "device"), **SAYS, what="it", **same) == words
    assert compared(table, [0], "rate", cells(table, "device"), **SAYS, what="it", **same) == "only Alpha 100"


@pytest.mark.parametrize(
    ("half", "words"),
    [
        ((1.0, 1.0, 1.0), ""),
        ((6.0, 5.0, 1.0), " Their intervals do not tell Alpha from Beta."),
        ((20.0, 5.0, 10.0), " Their intervals do not tell Alpha from Beta and Gamma."),
        ((math.nan, 1.0, 1.0), ""),
    ],
)
def test_who_is_called_the_best_is_told_from_the_others_by_intervals_or_it_is_said(half, words):
    """41.1 ms is no less than 41.3 ms where both have been simulated to half a millisecond."""
    table = Result.of(
        {
            "device": Column(np.array(["Alpha", "Beta", "Gamma"]), "text", "device"),
            "time_s": Column(np.array([100.0, 110.0, 130.0]), "s", "time"),
            "half": Column(np.array(half), "s", "±"),
        }
    )
    several = {"several": "{least} first, {most} last.", "one": "", "none": "", "half": "half"}
    assert compared(table, range(3), "time_s", cells(table, "device"), **several) == f"Alpha first, Gamma last.{words}"
    named = compared(table, range(3), "time_s", cells(table, "device"), **several, best="most")
    assert named.endswith("tell Gamma from Alpha." if half[0] == 20 else "last.")


def test_how_often_nothing_goes_into_something_is_not_said():
    assert said("rate", range(3)).endswith("– times")


def test_a_number_without_its_unit_is_for_a_sentence_that_says_it():
    assert bare(at(RESULT, "rate", 1)).cell == "1\N{NARROW NO-BREAK SPACE}230"


def test_more_rows_than_there_are_cannot_be_counted():
    assert counted(RESULT, [0, 1], "slow ones").cell == "2"
    with pytest.raises(ModelError, match="4 rows were counted in a table of 3"):
        counted(RESULT, range(4), "slow ones")


def test_numbers_are_marked_where_a_sentence_says_them():
    finding = marked("It costs 440 $ and takes 2 ms.", Fact(0.002, "s", "time"), Fact(440, "USD", "cost"))
    assert finding == "It costs 440 $ and takes 2 ms."
    assert [number.label for number in finding.numbers] == ["cost", "time"]
    assert marked("Nothing here.", Fact(1, "s", "time")).numbers == ()


def test_times_and_percent_say_where_they_come_from():
    ratio = times(at(RESULT, "time_s", 1), at(RESULT, "time_s", 0))
    assert "4 ms" in ratio.how
    assert "2 ms" in ratio.how
    assert percent(at(RESULT, "share", 0)).of == (at(RESULT, "share", 0),)


def test_a_finding_survives_being_sent_to_another_process():
    finding = found("{a}", a=at(RESULT, "time_s", 0))
    again = pickle.loads(pickle.dumps(finding))
    assert again == finding
    assert again.numbers == finding.numbers
