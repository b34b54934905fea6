"""What a lesson prints of an answer and of the ledger."""

import pytest

from pagecost import studies
from pagecost.errors import ModelError
from pagecost_app.notebook import answer, claimed, reasons


def test_reasons_are_those_of_the_study(capsys):
    reasons("five_minute_rule", pairs=("1987 disk",), device="none")
    asked = studies.find("five_minute_rule")
    inputs = asked.inputs({"pairs": ("1987 disk",), "device": "none"})
    result = answer("five_minute_rule", pairs=("1987 disk",), device="none")
    printed = capsys.readouterr().out
    assert " ".join(printed.split()) == " ".join(" ".join(asked.explain(inputs, result)).split())
    assert max(map(len, printed.splitlines())) <= 120


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: reasons("no-study"), "no-study"),
        (lambda: reasons("five_minute_rule", pages=3), "pages"),
        (lambda: claimed("Z99"), "Z99"),
        (lambda: claimed("G02*", "nothing like it"), "nothing like it"),
    ],
)
def test_what_is_not_there_is_said_in_a_sentence(call, named):
    with pytest.raises(ModelError, match=named):
        call()


def test_claims_are_told_with_what_they_are_worth_and_those_that_fail_are_counted(capsys):
    claimed("G02*")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("G02.iops (Appuswamy 2019, page 118): ")
    assert any("printed 2.7x; here " in line and line.endswith(": holds (arithmetic)") for line in lines)
    assert lines[-1] == "1 of 6 fail: G02.flash_before_disk."


def test_nothing_failed_is_said_too(capsys):
    claimed("G02.iops")
    assert capsys.readouterr().out.splitlines()[-1] == "0 of 1 fail."
