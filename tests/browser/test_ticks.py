"""What stands at the ticks of an axis, as the browser writes it."""

import pytest

from pagecost_app.charts import style

WRITTEN = "([code, args, tick]) => new Function('tick', ...Object.keys(args), code)(tick, ...Object.values(args))"


@pytest.fixture(scope="module")
def blank(chromium):
    page = chromium.new_page()
    yield page
    page.close()


@pytest.mark.parametrize(
    ("unit", "tick", "text"),
    [
        ("s", 0, "0"),
        ("s", 0.0042, "4.2 ms"),
        ("s", 100, "100 s"),
        ("s", 1000, "1 000 s"),
        ("s", 250_000, "250 000 s"),
        ("s", 1e7, "10 Ms"),
        ("", 3500, "3.5 k"),
        ("", 0.2, "0.2"),
        ("", 0.005, "0.005"),
        ("B", 0.2, "200 mB"),
        ("B/s", 25e6, "25 MB/s"),
    ],
)
def test_numbers_at_an_axis_have_the_prefixes_that_people_use(blank, unit, tick, text):
    formatter = style.prefixed(unit)
    assert blank.evaluate(WRITTEN, [formatter.code, formatter.args, tick]).replace(style.THIN, " ") == text
