"""What stands around a number and a term, for whoever reads: windows, meanings, and nothing of a text is markup."""

import re

from pagecost import studies, units
from pagecost.studies import Column
from pagecost.studies.finding import Derived, found
from pagecost.studies.study import Fact
from pagecost_app.pages.explained import finding_html, head_html
from pagecost_app.pages.terms import with_terms, words_html

STUDY = studies.find("buffer_size")
HOSTILE = "<img src=x onerror=hit()>"


def test_each_number_opens_a_window_of_its_own_that_says_how_it_was_computed():
    time = Fact(0.002, "s", "time of a read")
    twice = Derived(0.004, "s", "two reads", "time of a read, twice", (time,))
    shown = finding_html(found("{a} and {b}.", a=time, b=twice), STUDY, ["a read takes 2 ms = 1 ms + 1 ms", "else"])
    opened = re.findall(r'popovertarget="([^"]+)"', shown)
    assert len(set(opened)) == 2
    assert all(f'id="{name}"' in shown for name in opened)
    assert "exactly 0.002 s" in shown
    assert "= time of a read, twice" in shown
    assert shown.count("a read takes 2 ms = 1 ms + 1 ms") == 2
    assert "else" not in shown


def test_names_are_never_markup():
    number = Fact(1, "1", HOSTILE)
    for shown in (
        finding_html(found("{name} has {number}", name=HOSTILE, number=number), STUDY, [HOSTILE]),
        head_html(STUDY, "name", Column([1], "1", HOSTILE)),
        with_terms(HOSTILE),
    ):
        assert "<img" not in shown


def test_a_term_says_its_meaning_once_and_the_keyboard_reaches_it():
    shown = with_terms("A seek and a seek")
    assert shown.count('class="term" tabindex="0"') == 1
    assert "The arm of a disk moves the heads" in shown
    assert words_html([]) == ""
    assert "hit ratio" in head_html(STUDY, "hit_ratio", Column([1], "1", "hit ratio"))


def test_money_is_said_in_the_currency_that_is_shown():
    price, time = Fact(250.0, "USD", "price of a device"), Fact(0.002, "s", "time of a read")
    with units.shown_in(units.Shown(usd_per_euro=1.25)):
        shown = finding_html(found("{price} and {time}", price=price, time=time), STUDY, ["why"])
        head = head_html(STUDY, "price", Column([250.0], "USD", "price"))
        per_byte = head_html(STUDY, "price", Column([250.0], "USD/GB", "price"))
    assert "exactly 200.0 €" in shown
    assert "exactly 0.002 s" in shown
    assert "USD" not in shown + head + per_byte
    assert ", in €." in head
    assert ", in €/GB." in per_byte
    assert ", in $." in head_html(STUDY, "price", Column([250.0], "USD", "price"))
