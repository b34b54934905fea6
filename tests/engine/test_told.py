"""Devices told operation by operation do what their kernels do: the same counts, places and times, to the last one."""

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost import _ahead, catalogue
from pagecost.devices.disk import SCHEDULERS, Disk, Session
from pagecost.devices.disk.queue_kernels import AT_CYLINDER, AT_LBN
from pagecost.devices.disk.told import serve_all
from pagecost.devices.ftl import LAYERS, VICTIMS, Geometry, Options, fast_kernels, told, verify
from pagecost.errors import ModelError
from pagecost.interpreted import source_of

PAGES = 16
VARIANTS = [
    *(("page", {"policy": policy}) for policy in VICTIMS),
    ("page", {"separate": True}),
    ("page", {"heat_pages": 2}),
    ("page", {"reserve_blocks": 1}),
    ("block", {}),
    ("bast", {"log_blocks": 2}),
    ("fast", {"log_blocks": 3}),
    ("dftl", {"cached_entries": 1}),
    ("dftl", {"cached_entries": 5}),
]
VERBS = {"w": "write", "r": "read", "t": "trim"}
requests = st.lists(st.tuples(st.sampled_from("wwwwrt"), st.integers(0, PAGES - 1)), max_size=60)


def device(layer, **options):
    geometry = Geometry(blocks=10, pages_per_block=4, page_bytes=32, spare=1 - (PAGES + 0.5) / 40)
    return LAYERS[layer](geometry, Options(**options))


def test_every_layer_is_told():
    assert {layer for layer, _ in VARIANTS} == LAYERS.keys()


@pytest.mark.parametrize(("layer", "options"), VARIANTS, ids=lambda value: str(value))
@settings(deadline=None, max_examples=10)
@given(requests=requests, filled=st.booleans())
def test_a_told_layer_does_what_its_kernel_does(layer, options, requests, filled):
    kernel, teller = device(layer, **options), told.Told(device(layer, **options))
    if filled:
        kernel.write(np.arange(PAGES))
        teller.fill()
    before = kernel.counts()
    for verb, page in requests:
        teller.serve(verb, page)
        getattr(kernel, VERBS[verb])(np.array([page]))
        _, owner = kernel.whereabouts()
        now = teller.instants[-1]
        assert np.where(now.alive, now.holds, -1).ravel().tolist() == owner.tolist()
        assert (now.holds != told.FREE).sum(axis=1).tolist() == kernel.written_pages().tolist()
        assert now.erases.tolist() == kernel.erase_counts.tolist()
    assert teller.layer.counts() == kernel.counts()
    verify(teller.layer)
    made = kernel.counts() - before
    happened = [one.kind for one in teller.happenings]
    for kinds, count in (
        ((told.PROGRAM,), made.host_pages),
        ((told.COPY, told.FILL), made.copied_pages + made.merged_pages),
        ((told.MAP_WRITE,), made.translation_pages),
        ((told.MAP_READ,), made.translation_reads),
        ((told.ERASE,), made.erases),
        ((told.HOST_READ,), made.host_reads),
        ((told.TRIMMED,), made.trimmed_pages),
        ((told.REQUEST,), len(requests)),
    ):
        assert sum(kind in kinds for kind in happened) == count, kinds
    assert len(teller.instants) == len(happened) + 1


@pytest.mark.parametrize(("layer", "options"), VARIANTS, ids=lambda value: str(value))
def test_an_instant_differs_from_the_one_before_by_its_happening_alone(layer, options):
    teller = told.Told(device(layer, **options))
    teller.fill()
    for page in [0, 5, 0, 9, 0, 13, 5, 0, 1, 2, 3, 0, 5, 9, 0, 4, 8, 12, 0, 5] * 3:
        teller.serve("w", page)
    assert told.ERASE in {one.kind for one in teller.happenings}
    for number, one in enumerate(teller.happenings):
        before, after = teller.instants[number : number + 2]
        changed = np.argwhere(before.holds != after.holds)
        if one.kind in (told.PROGRAM, told.COPY, told.FILL, told.MAP_WRITE):
            assert changed.tolist() == [[one.block, one.place]]
            assert before.holds[one.block, one.place] == told.FREE
        elif one.kind == told.ERASE:
            assert set(changed[:, 0].tolist()) == {one.block}
            assert not before.alive[one.block].any()
            assert after.erases[one.block] == before.erases[one.block] + 1
        else:
            assert changed.size == 0
        if one.kind == told.COPY:
            assert before.holds[one.origin] == one.page
            assert not after.alive[one.origin]


def test_what_is_told_is_checked_like_what_is_served():
    teller = told.Told(device("page"))
    with pytest.raises(ModelError, match=r"pages 0\.\.15; got requests 16\.\.16"):
        teller.serve("w", 16)
    assert teller.happenings == []


def disk():
    return Disk.of(catalogue.device("hp-97560"))


@pytest.mark.parametrize("scheduler", [*SCHEDULERS, "deadline:batch=2"])
@settings(deadline=None, max_examples=8)
@given(
    cylinders=st.lists(st.integers(0, 1960), min_size=1, max_size=12),
    start=st.integers(0, 1961),
    seed=st.integers(0, 99),
)
def test_a_told_queue_is_served_as_the_schedulers_kernel_serves_it(scheduler, cylinders, start, seed):
    drive, dice = disk(), np.random.default_rng(seed)
    cylinder = np.array(cylinders)
    sectors, write = dice.integers(0, 72, cylinder.size), dice.integers(0, 2, cylinder.size)
    lbn = drive.geometry.sector_numbers(cylinder, np.zeros_like(cylinder), sectors)
    served, run = serve_all(drive, scheduler, lbn, 8, write, at_cylinder=start)
    session = Session(drive, scheduler, depth=cylinder.size)
    session._queue.arm[AT_CYLINDER] = start
    session._queue.arm[AT_LBN] = drive.geometry.sector_numbers(start, 0, 0)
    by_kernel = session.serve(lbn, 8, write)
    assert [one.number for one in served] == by_kernel.number.tolist()
    assert run.table.tolist() == by_kernel.table.tolist()
    assert served[-1].end_s == pytest.approx(by_kernel.elapsed_s, rel=1e-12)
    way = [(one.came_from, one.past, one.cylinder) for one in served]
    crossed = sum(abs(b - a) if edge < 0 else abs(edge - a) + abs(b - edge) for a, edge, b in way)
    assert crossed == by_kernel.cylinders_crossed
    assert [len(one.waited) for one in served] == list(range(cylinder.size, 0, -1))


def test_scan_goes_to_the_edge_and_look_does_not():
    drive = disk()
    cylinder = np.array([900, 300])
    lbn = drive.geometry.sector_numbers(cylinder, np.zeros_like(cylinder), np.zeros_like(cylinder))
    scan, look = (serve_all(drive, name, lbn, 8, at_cylinder=600)[0] for name in ("scan", "look"))
    assert [one.past for one in scan] == [-1, drive.geometry.cylinders - 1]
    assert [one.past for one in look] == [-1, -1]
    with pytest.raises(ModelError, match=r"hp-97560 has cylinders 0\.\.1961; got 1962"):
        serve_all(drive, "scan", lbn, 8, at_cylinder=1962)


def test_a_part_is_found_in_every_form_that_it_is_kept_in():
    part, source = fast_kernels.serve, source_of(fast_kernels.serve)
    assert source is not None
    assert source_of(_ahead.kernel(source)) is source  # as in a packaged program
    assert source_of(source) is source  # where nothing is compiled
    assert [source_of(other) for other in (None, 3, len, np.zeros(1), part.__name__)] == [None] * 5


def test_a_layer_can_still_be_copied():
    made = device("fast", log_blocks=3)
    made.write(np.arange(PAGES))
    other = copy.deepcopy(made)
    other.write(np.array([0, 5, 0, 9]))
    assert made.counts().host_pages == PAGES
    assert other.counts().host_pages == PAGES + 4
