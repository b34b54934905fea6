"""Restart times and checkpoint intervals: by hand, and against a search for the least cost."""

import numpy as np
import pytest

from pagecost.errors import ModelError
from pagecost.transactions.restart import best_checkpoint_interval_s, restart_s


def test_a_restart_worked_out_by_hand():
    # 150 pages a second for 600 s, 5 ms to read one: 450 s; 2000 pages of 32.8 ms on 8 disks: 8.2 s
    assert restart_s(150, 600, 5e-3, 2000, 32.8e-3, disks=8) == pytest.approx(458.2)
    assert restart_s(150, 0, 5e-3, 0, 1.0) == 0


@pytest.mark.parametrize(("checkpoint_s", "failure_s", "redo"), [(20, 86_400, 1.0), (5, 3600, 0.2), (60, 1e6, 0.5)])
def test_no_other_interval_costs_less(checkpoint_s, failure_s, redo):
    best = best_checkpoint_interval_s(checkpoint_s, failure_s, redo)
    every = np.geomspace(best / 10, best * 10, 2001)  # its middle is `best`
    cost = checkpoint_s / every + redo * every / 2 / failure_s
    assert every[cost.argmin()] == pytest.approx(best)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: restart_s(-1, 1, 1, 1, 1), "rate_hz of a restart must not be negative; got -1"),
        (lambda: restart_s(1, 1, 1, -3, 1), "redo_pages of a restart must not be negative; got -3"),
        (lambda: restart_s(1, 1, 1, 1, 1, disks=0), "pages are redone by 1 disk at least; got 0"),
        (lambda: restart_s(float("nan"), 1, 1, 1, 1), "rate_hz of a restart must not be negative; got nan"),
        (lambda: best_checkpoint_interval_s(0, 1), "checkpoint_s must be above 0; got 0"),
        (lambda: best_checkpoint_interval_s(1, 1, -1), "redo_per_s must be above 0; got -1"),
    ],
)
def test_what_cannot_be_is_said(call, said):
    with pytest.raises(ModelError) as error:
        call()
    assert str(error.value) == said
