"""An SSD told span by span: the same run as the compiled one, and what is busy is busy one at a time."""

import itertools

import numpy as np
import pytest

from pagecost import catalogue
from pagecost.answers.ssd_runs import ssd_of
from pagecost.devices.ssd import Session
from pagecost.devices.ssd.told import CELLS, CHANNEL, INTERFACE, reads
from pagecost.errors import ModelError

SSD = ssd_of(catalogue.device("intel-x25-e"))
PARAMS = SSD.params(SSD.unit_bytes, 1, True, True)


@pytest.mark.parametrize("depth", [1, 3, 8, 32])
def test_it_takes_as_long_as_the_compiled_run(depth):
    first = np.random.default_rng(1).integers(0, SSD.logical_units, 40).astype(np.uint32)
    run = Session(SSD, depth=depth).serve(first, last=True)
    told = reads(SSD, depth, 40, seed=1)
    assert told.end_s == run.elapsed_s
    assert told.busy_share(INTERFACE) * told.end_s == pytest.approx(40 * PARAMS.interface_s, rel=1e-9)
    assert told.busy_share(CELLS) * told.end_s == pytest.approx(40 * PARAMS.read_s, rel=1e-9)


def test_one_read_after_the_other_takes_the_sum_of_its_parts():
    told = reads(SSD, 1, 16)
    one = PARAMS.read_s + PARAMS.read_command_s + PARAMS.transfer_s + PARAMS.interface_s + PARAMS.overhead_s
    assert told.end_s == pytest.approx(16 * one, rel=1e-9)


@pytest.mark.parametrize("what", [INTERFACE, CELLS, CHANNEL])
def test_nothing_does_two_things_at_once(what):
    found = sorted(span[1:] for span in reads(SSD, 32, 64).spans if span.what == what)
    assert len(found) == 64
    for (die, _, end), (next_die, start, _) in itertools.pairwise(found):
        assert die != next_die or start >= end - 1e-12


@pytest.mark.parametrize(("depth", "count"), [(0, 5), (257, 5), (1, 0), (1, 65)])
def test_what_cannot_be_told_is_refused_in_a_sentence(depth, count):
    with pytest.raises(ModelError, match=r"reads can be told|a queue depth must be"):
        reads(SSD, depth, count)
