"""Numbers in order of first appearance."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost.numbering import Numbering, dense_numbers


@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(0, 20), min_size=1, max_size=300))
@settings(deadline=None)
def test_numbers_are_dense_in_order_of_first_appearance(ids):
    known = list(dict.fromkeys(ids))
    expected = [known.index(one) for one in ids]
    array = np.array(ids, np.int64)
    dense, found = dense_numbers(array)
    assert (dense.tolist(), found.tolist()) == (expected, known)
    numbering = Numbering()
    pieces = [numbering.number(part) for part in np.array_split(array, 3)]
    assert np.concatenate(pieces).tolist() == expected
    assert numbering.ids.tolist() == known


def test_a_numbering_grows_over_its_first_table():
    ids = np.random.default_rng(1).permutation(300_000).astype(np.int64) * (1 << 40)
    numbering = Numbering()
    dense = np.concatenate([numbering.number(part) for part in np.array_split(np.concatenate([ids, ids]), 7)])
    assert (dense == np.tile(np.arange(300_000), 2)).all()
