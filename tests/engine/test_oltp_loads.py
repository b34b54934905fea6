"""TPoX and traces in the loop: what is asked for, in which order, what is thought in between, and laws on all of it."""

import dataclasses

import numpy as np
import pytest

from helpers.oltp_parts import storage
from pagecost import oltp
from pagecost.answers import path_loads, xml_runs
from pagecost.answers.path_loads import Replayed, Tpox
from pagecost.buffer import replay
from pagecost.errors import ModelError
from pagecost.intervals import batch_interval
from pagecost.oltp.loads import NO_LOCK
from pagecost.oltp.setup import Buffer, Processors, Setup
from pagecost.oscaches import Host
from pagecost.requests import READ, TRIM, WRITE, Requests
from pagecost.transactions.theory import closed_network_rate
from pagecost.workload import sources, tpox, traces
from twins.oltp import Twin

SMALL = Tpox(plain_bytes=1e7)


def a_trace(size=6000, pages=500, seed=1, gap_s=0.0, streams=1):
    random = np.random.default_rng(seed)
    return Requests(
        np.arange(size) * gap_s,
        np.where(random.random(size) < 0.3, WRITE, READ).astype(np.uint8),
        (pages * random.random(size) ** 3).astype(np.int64) + 40,
        np.ones(size, np.int32),
        random.integers(0, streams, size).astype(np.int16),
        4096,
    )


def cut(requests, **how):
    return oltp.recorded("a trace", requests, oltp.Cut(**how or {"references": 10}))


# Traces: which references, in which order


@pytest.mark.parametrize(("users", "rounds"), [(1, 1), (7, 1), (6, 3), (600, 2), (1000, 1)])
def test_each_reference_of_a_trace_is_asked_for_once_a_round(users, rounds):
    trace = cut(a_trace())
    load = oltp.replayed(trace, users=users, transactions=rounds * trace.transactions)
    once = np.bincount(trace.page[trace.write], minlength=trace.pages)
    assert (np.bincount(load.page[load.write], minlength=trace.pages) == rounds * once).all()
    assert (np.bincount(load.page, minlength=trace.pages) == rounds * np.bincount(trace.page)).all()


def test_users_replay_their_parts_side_by_side_and_then_go_round():
    trace = cut(a_trace(40), references=4)  # ten transactions
    load = oltp.replayed(trace, users=2, transactions=20)
    asked = load.page.reshape(-1, 4)
    parts = trace.page.reshape(-1, 4)
    assert (asked[0::2] == parts).all()
    assert (asked[1::2] == np.roll(parts, -5, axis=0)).all()
    alone = oltp.replayed(trace)
    assert (alone.page == trace.page).all()
    assert (alone.write == trace.write).all()


@pytest.mark.parametrize("users", [1, 6])
def test_the_loop_asks_for_the_references_of_the_trace_times_the_rounds(users):
    trace = cut(a_trace())
    load = oltp.replayed(trace, users=users, transactions=2 * trace.transactions)
    setup = Setup(users=users, buffer=Buffer(frames=60), storage=storage())
    made = oltp.run(setup, load, transactions=load.transactions)
    under_way = 10 * (users - 1)  # when the first user finds no transaction left, the run ends
    assert 0 <= 2 * trace.page.size - made.counts["logical reads"] - made.counts["logical writes"] <= under_way
    assert 0 <= 2 * trace.write.sum() - made.counts["logical writes"] <= under_way


@pytest.mark.parametrize("policy", ["lru", "arc", "clock"])
@pytest.mark.parametrize("frames", [20, 200])
def test_one_user_with_a_buffer_for_himself_misses_what_a_plain_replay_misses(policy, frames):
    requests = a_trace()
    load = oltp.replayed(cut(requests))
    setup = Setup(users=1, buffer=Buffer(frames=frames, policy=policy), storage=storage())
    made = oltp.run(setup, load, transactions=load.transactions)
    plain = replay(requests.page, frames, policy, requests.op == WRITE)
    assert made.counts["page reads"] == plain.misses
    assert made.counts["page writes"] == plain.write_backs


def test_a_recording_keeps_the_hit_ratio_of_its_replay_in_the_whole_path():
    source = sources.named("sqlite-order-entry")
    load = path_loads.loaded(Replayed(source=source, timed=False), 5000, 1)
    made = oltp.run(Setup(users=1, buffer=Buffer(frames=381), storage=storage(1e-6, 1e-6)), load, transactions=5000)
    references = made.counts["logical reads"] + made.counts["logical writes"]
    assert references == traces.recordings()["sqlite-order-entry"].accesses
    # the fingerprint in datasets/traces/README.md
    assert 1 - made.counts["page reads"] / references == pytest.approx(0.7642, abs=5e-5)


def test_writes_of_the_log_end_transactions_and_are_no_page_references():
    op = np.array([READ, WRITE, WRITE, WRITE, READ, TRIM, WRITE, READ, WRITE, READ], np.uint8)
    stream = np.array([0, 0, 9, 9, 1, 0, 9, 9, 0, 0], np.int16)
    page = np.array([10, 11, 900, 901, 12, 13, 902, 903, 14, 15])
    pages = np.array([1, 2, 4, 1, 1, 1, 1, 1, 1, 1], np.int32)
    arrival_s = np.array([0.0, 1.0, 2.0, 3.0, 5.0, 6.0, 7.0, 7.0, 11.0, 12.0])
    found = cut(Requests(arrival_s, op, page, pages, stream, 4096), log_stream=9)
    assert found.first.tolist() == [0, 3, 4, 6]  # two writes of the log in a row are one commit
    assert found.page.tolist() == [0, 1, 2, 2, 4, 5]
    assert found.write.tolist() == [False, True, True, False, True, False]
    assert found.think_s.tolist() == [0.0, 3.0, 4.0]  # from the commit to the next request


def test_the_recording_below_the_file_system_is_cut_at_its_log_and_the_others_as_often_as_was_recorded():
    found = {
        name: path_loads.recorded(source, Replayed(source=source).cut)
        for name, source in ((name, sources.named(name)) for name in traces.recordings())
    }
    known = traces.recordings()
    for name in ("sqlite-order-entry", "postgresql-order-entry"):
        assert found[name].transactions == known[name].transactions
        assert found[name].page.size == known[name].accesses
    tpcc = found["postgresql-tpcc"]
    assert tpcc.page.size == known["postgresql-tpcc"].accesses - 66_962  # blocks of the log, datasets/traces/README.md
    assert 0.9 * known["postgresql-tpcc"].transactions < tpcc.transactions < 9492  # of which some change nothing


def test_a_trace_keeps_the_places_of_its_pages_and_holds_no_locks():
    load = oltp.replayed(cut(a_trace()))
    assert (load.page == a_trace().page - a_trace().page.min()).all()
    assert load.pages == np.ptp(a_trace().page) + 1
    assert (load.lock == NO_LOCK).all()


# Think times of the trace


def test_users_think_as_long_as_the_trace_says():
    """One user, all constant: 1 ms of a processor, four misses of 1 ms, and 16 ms of thought."""
    requests = dataclasses.replace(a_trace(4000, gap_s=4e-3), page=np.arange(4000), op=np.full(4000, READ))
    load = oltp.replayed(cut(requests, references=4), timed=True)
    assert load.think_s[1:] == pytest.approx(4e-3)
    load = dataclasses.replace(load, think_s=np.full(1000, 16e-3))
    setup = Setup(
        users=1,
        think_s=99.0,  # what the load says counts
        processors=Processors(transaction_s=1e-3, law="constant"),
        buffer=Buffer(frames=4),
        storage=storage(),
    )
    made = oltp.run(setup, load, transactions=1000)
    assert made.response_s == pytest.approx(5e-3)
    assert made.seconds == pytest.approx(1000 * 21e-3)


@pytest.mark.parametrize(("users", "servers"), [(5, 1), (20, 2)])
def test_thinking_is_a_delay_of_which_the_mean_alone_counts(users, servers):
    """Exact mean value analysis: of a station where nobody waits, product form knows nothing but the mean."""
    random = np.random.default_rng(3)
    page = random.integers(0, 100_000, 40_000)
    arrival_s = np.cumsum(random.choice([0.01, 0.09], page.size))
    none, one, stream = np.zeros(page.size, np.uint8), np.ones(page.size, np.int32), np.zeros(page.size, np.int16)
    requests = Requests(arrival_s, none, page, one, stream, 4096)
    load = oltp.replayed(cut(requests, references=1), users=users, timed=True)
    setup = Setup(
        users=users,
        processors=Processors(servers=servers, transaction_s=3e-3),
        buffer=Buffer(frames=users),
        log=None,
        storage=storage(2e-3, law="exponential", servers=servers),
    )
    made = oltp.run(setup, load, transactions=38_000)
    exact = closed_network_rate([3e-3, 2e-3], [servers, servers], users, float(load.think_s.mean()))
    assert made.tps == pytest.approx(exact, rel=0.015)
    assert made.response_s == pytest.approx(users / made.tps - load.think_s.mean(), rel=0.03)  # Little, of the users


def test_what_comes_by_itself_waits_for_nobodys_thoughts():
    trace = cut(a_trace(gap_s=1.0))
    setup = Setup(users=4, rate_hz=20.0, buffer=Buffer(frames=60), storage=storage())
    timed, untimed = (oltp.run(setup, oltp.replayed(trace, timed=timed), transactions=500) for timed in (True, False))
    assert timed.response_s == untimed.response_s


# TPoX


def test_tpox_asks_for_the_pages_of_its_transactions_in_the_shares_of_its_mix():
    load = path_loads.loaded(dataclasses.replace(SMALL, mix="order=60,place=40"), 20_000, 1)
    titles = [each.title for each in tpox.TRANSACTIONS.values()]
    assert load.kinds == tuple(titles)
    counts = np.bincount(load.kind, minlength=8) / load.transactions
    assert counts[titles.index("return an order")] == pytest.approx(0.6, abs=0.01)
    assert counts[titles.index("place an order")] == pytest.approx(0.4, abs=0.01)
    queries = path_loads.loaded(dataclasses.replace(SMALL, mix="queries"), 2000, 1)
    assert not queries.write.any()
    assert load.pages == SMALL.database().pages


def test_a_document_is_locked_and_never_an_index():
    stored = SMALL.database()
    load = path_loads.loaded(SMALL, 20_000, 1)
    containers = np.zeros(stored.pages, bool)
    for collection in stored.collections.values():
        containers[collection.containers.first : collection.containers.first + collection.containers.pages] = True
    assert ((load.lock != NO_LOCK) == containers[load.page]).all()
    each = np.repeat(np.arange(load.transactions), np.diff(load.first))[load.lock != NO_LOCK]
    held = load.lock[load.lock != NO_LOCK]
    assert (held[1:] == held[:-1])[each[1:] == each[:-1]].all()  # one document a transaction: no deadlock
    placed = load.kind == list(load.kinds).index("place an order")
    new = load.lock[load.first[1:][placed] - 1]
    assert np.unique(new).size == new.size  # nobody waits for a new order


def test_tpox_misses_as_often_as_under_one_user_of_the_xml_questions():
    """`answers.xml_runs` has a host and a buffer of its own; other random numbers, 12,000 transactions each."""
    asked = xml_runs.Load("fs", 1e7, 0.5, 1)
    counted = xml_runs.counted(asked, Host(buffer_pages=500, page_cache_pages=0, direct=True, force=False))
    load = path_loads.loaded(SMALL, 24_001, 1)
    made = oltp.run(
        Setup(users=1, buffer=Buffer(frames=500), storage=storage()), load, transactions=12_000, fill=12_000
    )
    pages = (made.counts["logical reads"] + made.counts["logical writes"]) / made.transactions
    assert pages == pytest.approx(counted.pages, rel=0.01)
    hits = 1 - made.counts["page reads"] / made.transactions / pages
    assert hits == pytest.approx(counted.traffic.hit_ratio("buffer"), abs=0.01)


def test_the_processor_times_of_types_have_the_mean_that_is_set():
    load = path_loads.loaded(SMALL, 20_000, 1)
    times = dict(path_loads.processor_times(SMALL, 5e-3))
    mean_s = np.mean([times[load.kinds[kind]] for kind in load.kind])
    assert mean_s == pytest.approx(5e-3, rel=0.01)
    assert times["report an account summary"] > times["return a security's price"]


def test_what_is_logged_is_what_the_writers_store():
    """1550, 30 and 2400 bytes of text, as the mapping stores them."""
    made = path_loads.logged(dataclasses.replace(SMALL, mix="writers"))
    text = (1550 + 30 + 2400) / 3
    assert made.transaction_bytes == pytest.approx(text * SMALL.database().stored_share, rel=0.03)
    usual = oltp.Log()
    queries = path_loads.logged(dataclasses.replace(SMALL, mix="queries"))
    assert queries == (usual.transaction_bytes, usual.change_bytes)


# The slow twin


@pytest.mark.parametrize("which", ["TPoX", "a trace that says its think times"])
def test_these_loads_agree_with_the_slow_twin(which):
    if which == "TPoX":
        load = path_loads.loaded(SMALL, 30_000, 1)
    else:
        load = oltp.replayed(cut(a_trace(60_000, 3000, gap_s=2e-3)), users=12, transactions=30_000, timed=True)
    common = {"users": 12, "fill": 3000}
    twin = Twin(load, **common, processors=2, transaction_s=4e-3, frames=300, devices=2, seed=2)
    _, responses = twin.run(3000, 300)
    setup = Setup(
        users=12,
        processors=Processors(servers=2, transaction_s=4e-3),
        buffer=Buffer(frames=300),
        log=oltp.Log(storage=storage(write_s=1e-3)),
        storage=storage(count=2, stripe_bytes=4096),
    )
    made = oltp.run(setup, load, transactions=25_000, fill=3000)
    mean_s, half_s = batch_interval(responses)
    assert half_s < 0.05 * mean_s
    assert abs(made.response_s - mean_s) < 1.5 * (half_s + made.half_width_s)


# Bad input


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"references": 0}, "references per transaction must be at least 1; got 0"),
        ({"transactions": 0}, "transactions must be at least 1; got 0"),
        ({"references": 5, "log_stream": 1}, "one of them; got references and log_stream"),
        ({"references": 7000}, "6000 page references, fewer than the 7000 of a transaction"),
        ({"transactions": 7000}, "6000 page references, fewer than the 7000 transactions"),
        ({"log_stream": 5}, "no write of stream 5 marks a commit"),
    ],
)
def test_a_cut_that_makes_no_sense_is_refused_in_a_sentence(how, sentence):
    with pytest.raises(ModelError, match=sentence) as refused:
        cut(a_trace(), **how)
    assert "\n" not in str(refused.value)


def test_traces_that_are_no_load_are_refused_in_a_sentence():
    nothing = a_trace(20).chosen(slice(0, 0))
    with pytest.raises(ModelError, match="the trace is empty"):
        cut(nothing)
    with pytest.raises(ModelError, match=r"cut by references per transaction, .* got none"):
        oltp.Cut()
    far = dataclasses.replace(a_trace(20), page=np.arange(20) * (1 << 30))
    with pytest.raises(ModelError, match="a file of the loop has at most 33554432"):
        cut(far, references=2)
    untimed = cut(a_trace())
    with pytest.raises(ModelError, match="it has no times, so that it says no think times"):
        oltp.replayed(untimed, timed=True)
    with pytest.raises(ModelError, match="at least one user; got 0"):
        oltp.replayed(untimed, users=0)
    with pytest.raises(ModelError, match="a load needs at least one transaction; got 0"):
        oltp.replayed(untimed, transactions=0)
    with pytest.raises(ModelError, match=r"pages must be 0\.\.99; got 0\.\."):
        dataclasses.replace(oltp.replayed(untimed), pages=100)
    with pytest.raises(ModelError, match="needs a think time of at least 0 s"):
        dataclasses.replace(oltp.replayed(untimed), think_s=np.full(600, -1.0))


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"mix": "order=60,place=30"}, "must add up to 100 percent; they add up to 90"),
        ({"mix": "new-order=100"}, "unknown type of transaction in a mix 'new-order'"),
        ({"mix": "order=60,order=40"}, "order is named twice"),
        ({"mix": "normal"}, "unknown TPoX mix 'normal'"),
        ({"mapping": "relational"}, "unknown storage mapping 'relational'"),
        ({"plain_bytes": 1e3}, "at least 1 MB of text; got 1000 bytes"),
        ({"page_bytes": 3000}, "a page has .* bytes; got 3000"),
    ],
)
def test_a_tpox_that_makes_no_sense_is_refused_in_a_sentence(changed, sentence):
    with pytest.raises(ModelError, match=sentence) as refused:
        dataclasses.replace(SMALL, **changed)
    assert "\n" not in str(refused.value)
