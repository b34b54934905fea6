"""What every finding has to keep: short, few numbers, and those the answer's own."""

import math
import re

from pagecost.studies.finding import Derived, Finding

LONGEST, MOST_NUMBERS, MOST_SENTENCES = 215, 3, 2


def check_finding(finding: Finding, result) -> None:
    """Raise AssertionError where it breaks a rule."""
    assert len(finding) <= LONGEST, finding
    assert 1 <= len(finding.numbers) <= MOST_NUMBERS, finding
    assert finding.count(". ") + finding.endswith(".") <= MOST_SENTENCES, finding
    assert not re.search(r"\bnan\b", finding), finding
    check_numbers(finding, result)


def check_numbers(finding: Finding, result) -> None:
    """Raise AssertionError where it marks a number that the answer does not have, nor how it comes from others."""
    assert isinstance(finding, Finding)
    for number in finding.numbers:
        for one in leaves(number):
            assert one in known(result) or (isinstance(one, Derived) and one.how), (finding, one)


def leaves(number):
    """The numbers that a number comes from, itself if it comes from no other."""
    if isinstance(number, Derived) and number.of:
        return [leaf for each in number.of for leaf in leaves(each)]
    return [number]


class known:
    """Whether a result has a number, in a table or among its facts."""

    def __init__(self, result):
        self.result = result

    def __contains__(self, fact) -> bool:
        cells = [
            value
            for table in self.result.tables.values()
            for column in table.columns.values()
            if column.label == fact.label or column.unit == fact.unit
            for value in column.values.tolist()
        ]
        cells += [each.value for each in self.result.facts.values()]
        cells += [value for table in self.result.tables.values() for value in _figures(table)]
        return any(_same(value, fact.value) for value in cells)


def _figures(table) -> list:
    return table["value"].tolist() if "value" in table.columns else []


def _same(one, other) -> bool:
    numbers = isinstance(one, int | float) and isinstance(other, int | float)
    return math.isclose(one, other, rel_tol=1e-12) if numbers else one == other
