"""Which writes a drive is rated for is said with the rating: in sequence they wear it least."""

import pytest

from pagecost import catalogue
from pagecost.economics import endurance


@pytest.mark.parametrize(
    ("device", "said"),
    [
        ("mtron-pro-7500", "2.555 PB of sequential writes"),
        ("intel-x25-e", "2 PB of random writes"),
        ("micron-9550-max-12800gb", "of random writes"),
        ("samsung-850-pro", "150 TB of writes"),
    ],
)
def test_the_kind_of_writes_stands_with_their_bytes(device, said):
    assert said in endurance(catalogue.device(device)).said
