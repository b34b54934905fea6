"""Tables for people: they fit the terminal, and what does not fit is named."""

import pytest

from pagecost_app import terminal
from pagecost_app.terminal import Shown


@pytest.fixture
def narrow(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")


@pytest.fixture
def printed(capsys):
    def lines(*arguments, **options) -> list[str]:
        terminal.table(*arguments, **options)
        return capsys.readouterr().out.splitlines()

    return lines


def numbers(title: str, count: int, start: int = 0) -> Shown:
    return Shown(title, [str(start + number) for number in range(count)], False)


@pytest.mark.usefixtures("narrow")
def test_columns_that_do_not_fit_are_named_and_none_is_lost(printed):
    columns = [numbers(f"a rather long title number {letter}", 3, 10**9) for letter in "abcdefgh"]
    lines = printed(columns)
    assert max(map(len, lines)) <= 60
    told = " ".join(lines)
    left = [each.title for each in columns if each.title in told]  # titles in the table are wrapped
    assert f"{len(left)} more columns: --wide ({', '.join(left)})" in told
    assert 0 < len(left) < len(columns)
    wide = printed(columns, wide=True)
    assert all(each.title in wide[0] for each in columns)


@pytest.mark.usefixtures("narrow")
def test_what_is_the_same_in_each_row_is_said_once(printed):
    lines = printed([Shown("device", ["disk"] * 4, True), numbers("size", 4)])
    assert "device" not in lines[0]
    assert lines[-1] == "in each row: device disk"
    assert printed([Shown("device", ["disk"] * 4, True)])[2:] == ["disk"] * 4  # it is all there is


@pytest.mark.usefixtures("narrow")
def test_long_texts_are_wrapped_and_numbers_never(printed):
    text = "a sentence of many words that goes on and on " * 3
    lines = printed([Shown("why", [text, "short"], True), Shown("how much", ["1 000 000 pages of bytes", "2"], False)])
    assert max(map(len, lines)) <= 60
    assert any("1 000 000 pages of bytes" in line for line in lines)
    assert " ".join(" ".join(line[:34].split()) for line in lines[2:-1]).split() == text.split()


@pytest.mark.usefixtures("narrow")
def test_a_word_that_is_wider_than_the_terminal_is_broken_not_cut(printed):
    lines = printed([Shown("path", ["/" + "x" * 150, "b"], True)])
    assert max(map(len, lines)) <= 60
    assert "".join(lines[2:]).count("x") == 150


@pytest.mark.usefixtures("narrow")
def test_a_single_row_that_is_too_wide_stands_upright(printed):
    lines = printed([Shown(f"fact {number}", ["value of it, in words"], True) for number in range(5)])
    assert lines == [f"fact {number}  value of it, in words" for number in range(5)]


@pytest.mark.usefixtures("narrow")
def test_long_tables_end_with_how_many_rows_are_left(printed):
    lines = printed([numbers("row", 100)])
    assert len(lines) == 2 + terminal.MOST_ROWS + 1
    assert lines[-1] == f"… {100 - terminal.MOST_ROWS} more rows: --wide"
    assert len(printed([numbers("row", 100)], wide=True)) == 102
    assert printed([numbers("row", 0)]) == ["nothing to list"]


@pytest.mark.usefixtures("narrow")
def test_a_long_name_stands_above_what_it_is(capsys):
    terminal.pairs(
        [("a name of many words that fills more than half of the terminal", "value"), ("short", "words " * 20)]
    )
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 60
    assert " ".join(" ".join(lines).split()).startswith(
        "a name of many words that fills more than half of the terminal value"
    )


@pytest.mark.parametrize("columns", ["1", "20", "80", "400"])
def test_any_width_will_do(printed, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    assert printed([Shown("name", ["a b", "[bold]c[/bold]", ""], True), numbers("size", 3)])
    terminal.say("", indent="- ")
    terminal.pairs([("a name", "words " * 30), ("", "")])
