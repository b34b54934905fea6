"""Kernels compile in other processes: in which order, never twice, and never in the one that serves."""

import json
import os
import queue
import subprocess
import sys
import threading
import time

import pytest

from helpers.page_session import Session, opened
from pagecost import _jit, studies
from pagecost_app import compiling, kernels_found, kernels_needed
from pagecost_app.compiling import Pool, Question
from pagecost_app.pages import worker as worker_module
from pagecost_app.pages.worker import Worker

pytestmark = pytest.mark.long

PATIENCE_S = 60


def until(condition):
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.002)


class Bench:
    """Stands for the compilers: which kernels a question needs, which are compiled, and when one may be finished."""

    def __init__(self, needs: dict[str, list[str]]):
        self.needs = {Question("study", name): kernels for name, kernels in needs.items()}
        self.begun: list[str] = []
        self.cache: set[str] = set()
        self.finish = {kernel: threading.Event() for kernels in needs.values() for kernel in kernels}
        self.dies_at = ""

    def let(self, *kernels):
        for kernel in kernels:
            self.finish[kernel].set()


class Compiler:
    """A compiler that compiles what the bench says."""

    bench: Bench

    def __init__(self):
        self.to_say, self.told = queue.SimpleQueue(), queue.SimpleQueue()
        self.ended = False  # nothing is answered any more, whatever is said before that is noticed
        threading.Thread(target=self._serve, daemon=True).start()

    def say(self, **facts):
        self.told.put(facts)

    def hear(self):
        said = self.to_say.get(timeout=PATIENCE_S)
        if said is None:
            raise ValueError("exit code 9")
        return said

    def end(self):
        self.ended = True
        self.told.put(None)
        self.to_say.put(None)

    def hear_no_more(self):
        self.heard_no_more = True

    def _serve(self):
        while (asked := self.told.get()) and not self.ended:
            self.to_say.put(self._answer(Question(*asked["ask"][:2])))

    def _answer(self, question):
        self.to_say.put({"needs": len(set(self.bench.needs[question]) - self.bench.cache)})
        for kernel in self.bench.needs[question]:
            if kernel == self.bench.dies_at:
                return None
            if kernel not in self.bench.cache:
                self.to_say.put({"wants": kernel})
                reply = self.told.get()
                if not (reply and reply["compile"]):
                    return {"left": kernel}
                self.bench.begun.append(kernel)
                self.bench.finish[kernel].wait(PATIENCE_S)
                self.bench.cache.add(kernel)
                self.to_say.put({"kept": kernel})
        return {"done": True}


@pytest.fixture
def pool_of(monkeypatch):
    """pool_of(needs, processes) -> a pool over such compilers, and their bench."""
    pools = []

    def make(needs, processes=2):
        Compiler.bench = Bench(needs)
        monkeypatch.setattr(compiling, "_Compiler", Compiler)
        pools.append(Pool(processes))
        return pools[-1], Compiler.bench

    yield make
    for pool in pools:
        pool.stop()


def asked(name):
    return Question("study", name)


def test_two_questions_are_compiled_side_by_side(pool_of):
    pool, bench = pool_of({"a": ["k1"], "b": ["k2"], "c": ["k3"]})
    tickets = [pool.ask(asked(name)) for name in "abc"]
    until(lambda: len(bench.begun) == 2)
    time.sleep(0.05)
    assert sorted(bench.begun) == ["k1", "k2"]  # two at a time
    bench.let("k1", "k2", "k3")
    assert all(ticket.wait(PATIENCE_S) and not ticket.failed for ticket in tickets)


def test_no_kernel_is_compiled_twice(pool_of):
    pool, bench = pool_of({"a": ["k1", "k2"], "b": ["k1", "k3"]})
    tickets = [pool.ask(asked(name)) for name in "ab"]
    until(lambda: tickets[0].behind or tickets[1].behind)
    until(lambda: bench.begun)  # it is given its turn before the other waits, and begins on its own thread
    assert bench.begun == ["k1"]
    bench.let("k1", "k2", "k3")
    assert all(ticket.wait(PATIENCE_S) for ticket in tickets)
    assert sorted(bench.begun) == ["k1", "k2", "k3"]


def test_a_process_that_compiles_too_waits_for_a_kernel_that_another_one_compiles(pool_of):
    pool, bench = pool_of({"a": ["k1"]}, processes=1)
    pool.ask(asked("a"), urgent=False)
    until(lambda: bench.begun == ["k1"])
    waiting = threading.Thread(target=pool.take, args=("k1",))
    waiting.start()
    until(lambda: pool.waited_for == "k1")
    bench.let("k1")
    waiting.join(PATIENCE_S)
    assert not waiting.is_alive()
    assert pool.waited_for == ""


def test_it_does_not_wait_for_a_process_that_died(pool_of):
    pool, bench = pool_of({"a": ["k1"]}, processes=1)
    bench.dies_at = "k1"
    ticket = pool.ask(asked("a"), urgent=False)
    assert ticket.wait(PATIENCE_S)
    pool.take("k1")
    pool.take("k1")  # nor for itself, when it was interrupted


def test_what_it_compiles_itself_is_left_alone_until_it_has(pool_of):
    pool, bench = pool_of({"a": ["k1", "k2"], "b": ["k3"]}, processes=1)
    pool.take("k1")
    first, second = (pool.ask(asked(name), urgent=False) for name in "ab")
    bench.let("k1", "k2", "k3")
    assert second.wait(PATIENCE_S)
    assert first.behind == "k1"
    assert bench.begun == ["k3"]
    bench.cache.add("k1")
    pool.leave("k1")
    assert first.wait(PATIENCE_S)
    assert bench.begun == ["k3", "k2"]


def test_what_somebody_waits_for_comes_before_what_is_prepared(pool_of):
    pool, bench = pool_of({"a": ["k1", "k2"], "b": ["k3"], "c": ["k4"]}, processes=1)
    pool.ask(asked("a"), urgent=False)
    pool.ask(asked("b"), urgent=False)
    until(lambda: bench.begun == ["k1"])
    wanted = pool.ask(asked("c"))
    bench.let("k1", "k4")  # the question that nobody waits for gives way between its kernels
    assert wanted.wait(PATIENCE_S)
    assert bench.begun[:2] == ["k1", "k4"]
    bench.let("k2", "k3")
    until(lambda: bench.begun == ["k1", "k4", "k2", "k3"])


def test_the_questions_of_the_page_that_is_opened_are_prepared_next(pool_of):
    pool, bench = pool_of({"a": ["k1"], "b": ["k2"], "c": ["k3"], "d": ["k4"]}, processes=1)
    for name in "abcd":
        pool.ask(asked(name), urgent=False)
    until(lambda: bench.begun == ["k1"])
    pool.prefer([asked("c"), asked("d")])
    bench.let("k1", "k2", "k3", "k4")
    until(lambda: bench.begun == ["k1", "k3", "k4", "k2"])


def test_one_question_asked_twice_is_compiled_once(pool_of):
    pool, bench = pool_of({"a": ["k1"]})
    assert pool.ask(asked("a"), urgent=False) is pool.ask(asked("a"))
    bench.let("k1")
    until(lambda: bench.cache == {"k1"})
    assert bench.begun == ["k1"]


def test_a_question_that_nobody_waits_for_any_more_is_dropped_if_it_was_not_begun(pool_of):
    pool, bench = pool_of({"a": ["k1"], "b": ["k2"], "c": ["k3"]}, processes=1)
    pool.ask(asked("a"))
    until(lambda: bench.begun == ["k1"])
    pool.release(pool.ask(asked("b")))
    last = pool.ask(asked("c"))
    bench.let("k1", "k2", "k3")
    assert last.wait(PATIENCE_S)
    assert bench.begun == ["k1", "k3"]


def test_a_compiler_that_dies_is_said_and_another_one_goes_on(pool_of):
    pool, bench = pool_of({"a": ["k1"], "b": ["k2"]}, processes=1)
    bench.dies_at = "k1"
    bench.let("k2")
    broken, whole = pool.ask(asked("a")), pool.ask(asked("b"))
    assert broken.wait(PATIENCE_S)
    assert whole.wait(PATIENCE_S)
    assert "exit code 9" in broken.failed
    assert not whole.failed


def test_a_pool_that_is_stopped_lets_nobody_wait(pool_of):
    pool, bench = pool_of({"a": ["k1"]})
    ticket = pool.ask(asked("a"))
    until(lambda: bench.begun)
    pool.stop()
    assert ticket.wait(PATIENCE_S)
    assert ticket.failed


def test_the_news_say_what_is_compiled_how_many_of_how_many_and_how_long(pool_of):
    pool, bench = pool_of({"a": ["buffer.policies.lru_kernels.replay_narrow", "k2", "k3", "k4"]})
    ticket = pool.ask(asked("a"))
    until(lambda: ticket.kernel)
    assert str(ticket.news()) == (
        "Compiling this question for this machine, which happens once: kernel 1 of about 4 (lru: replay narrow), "
        "0 s so far"
    )
    assert ticket.news().share == 0
    bench.let(ticket.kernel)
    until(lambda: ticket.kernel == "k2")
    assert ticket.news().share == 0.25
    bench.let("k2", "k3", "k4")


def test_kernels_that_are_in_the_cache_by_now_are_not_counted_again(pool_of):
    pool, bench = pool_of({"a": ["k1", "k2"], "b": ["k1", "k3", "k4"]})
    first, second = pool.ask(asked("a")), pool.ask(asked("b"))
    until(lambda: first.behind or second.behind)  # both need k1, and one of them waits for it
    bench.let("k1", "k2")
    until(lambda: second.kernel == "k3")
    assert (second.of - second.kernels) == 1  # k4
    bench.let("k3", "k4")


def test_where_it_is_not_known_how_many_kernels_there_will_be_no_number_stands():
    for of in (0, 2):  # more than was known are needed
        news = compiling.News("buffer.policies.lru_kernels.replay", 3, of, 2.0)
        assert news.share is None
        assert ": kernel 3 (lru: replay), 2 s so far" in str(news)


WRITE_ANEW = "the list of kernels is out of date: make lists writes it anew, or python -m pagecost_app.kernels_found"


def test_the_list_of_kernels_knows_the_questions_and_names_kernels_that_there_are():
    asked_for = {kernels_needed.key(question.kind, question.name) for question in kernels_found.questions()}
    listed = kernels_needed.listed()
    named = {kernel for kernels in listed.values() for kernel in kernels}
    assert len(asked_for & set(listed)) >= 0.9 * len(asked_for), WRITE_ANEW  # a new question may come without
    assert len(named & set(_jit.kernels())) >= 0.9 * len(named), WRITE_ANEW


@pytest.mark.long
def test_the_list_of_kernels_says_what_answers_ask_for():
    looked_at = {"block_size", "disk_scheduling", "buffer_size", "lru", "label_length"}
    asked = [question for question in kernels_found.questions() if question.name in looked_at]
    assert {question.name for question in asked} == looked_at
    for question, kernels in kernels_found.found(asked).items():
        assert kernels_needed.listed()[question] == kernels, WRITE_ANEW


SERVE = """
import json, sys, threading
from pagecost import _jit
from pagecost_app import compiling
from pagecost_app.walks import Walk
pool = compiling.begin()
try:
    Walk("lru", "1r 2w 1r", 2)
except _jit.NotCompiled as refused:
    wanted = refused.kernel
ticket = pool.ask(compiling.Question("walk", "lru", json.dumps({"text": "1r 2w 1r", "frames": 2})))
pids = [child._process.pid for child in pool._children] if ticket.wait(120) else []
pids = [child._process.pid for child in pool._children]
walk = Walk("lru", "1r 2w 1r", 2)
compiling.prepare([ticket.question])
print(json.dumps([wanted, ticket.kernels, ticket.of, ticket.failed, _jit.compilations(), walk.hits, pids]))
compiling.end()
"""


def test_a_process_that_serves_compiles_nothing_and_gets_its_kernels_from_another(tmp_path):
    env = {**os.environ, "PAGECOST_KERNEL_CACHE": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", SERVE], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    wanted, kernels, of, failed, compilations, hits, pids = json.loads(done.stdout)
    assert wanted
    assert kernels == of == sum(kernels_needed.listed()["walk lru"].values())  # on an empty cache it needs all
    assert (failed, compilations, hits) == ("", 0, [False, False, True])
    assert pids
    for pid in pids:  # none is left
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_compiler_ends_when_the_process_that_serves_is_killed():
    started = (
        "import time; from pagecost_app.compiling import _Compiler; c = _Compiler(); print(c._process.pid, flush=True)"
    )
    parent = subprocess.Popen([sys.executable, "-c", started + "; time.sleep(100)"], stdout=subprocess.PIPE, text=True)
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()

    def is_gone():
        try:
            with open(f"/proc/{child}/stat") as state:
                return state.read().rpartition(")")[2].split()[0] == "Z"
        except OSError:
            return True

    until(is_gone)


class Refusing:
    """A study that wants a kernel until it was compiled elsewhere, or may be compiled here."""

    name = "refusing"
    inputs = staticmethod(dict)

    def __init__(self):
        self.compiled = False

    def compute(self, inputs, progress):
        if not self.compiled and not compiling._here:
            raise _jit.NotCompiled("some.kernel")
        return "answer"


@pytest.fixture
def refusing(monkeypatch):
    """A worker on such a study; what it told; and the tickets that it was given."""
    study, told, tickets = Refusing(), [], []

    class Tickets(Pool):
        def ask(self, question, *, urgent=True):
            tickets.append(compiling.Ticket(question, 0))
            return tickets[-1]

        def release(self, ticket):
            told.append(("released",))

    pool = Tickets()
    monkeypatch.setattr(compiling, "pool", lambda: pool)
    monkeypatch.setattr(worker_module, "SAID_AFTER_S", 0.01)
    worker = Worker(
        study,
        lambda callback: callback(),
        lambda inputs, result, final: told.append(("show", result)),
        lambda message: told.append(("fail", message)),
        lambda share: None,
        waiting=lambda seconds, news: told.append(("waiting", news)),
    )
    worker.ask({"a": 1})
    yield study, told, tickets, worker
    worker.stop()


def test_an_answer_waits_for_its_kernels_and_says_so(refusing):
    study, told, tickets, _ = refusing
    until(lambda: any(said[0] == "waiting" and said[1] for said in told))
    assert tickets[0].question == Question.of_study("refusing", {"a": 1})
    study.compiled = True
    tickets[0]._over.set()
    until(lambda: ("show", "answer") in told)
    assert told.index(("released",)) < told.index(("show", "answer"))


def test_a_newer_question_does_not_wait_for_the_kernels_of_an_older_one(refusing):
    study, told, tickets, worker = refusing
    until(lambda: tickets)
    study.compiled = True
    worker.ask({"a": 2})
    until(lambda: ("show", "answer") in told)
    assert not tickets[0].wait(0)


def test_kernels_that_cannot_be_compiled_elsewhere_are_compiled_here(refusing):
    _, told, tickets, _ = refusing
    until(lambda: tickets)
    tickets[0].failed = "the process that compiles ended"
    tickets[0]._over.set()
    until(lambda: ("show", "answer") in told)


def test_kernels_that_the_cache_does_not_keep_are_compiled_here_in_the_end(refusing):
    _, told, tickets, _ = refusing
    for number in range(worker_module.ASKED_AT_MOST):
        until(lambda number=number: len(tickets) > number)
        tickets[number]._over.set()
    until(lambda: ("show", "answer") in told)


def test_while_kernels_compile_the_new_question_is_shown_and_says_so(monkeypatch):
    """Not the page of the question before, and not an empty chart."""
    from pagecost_app import pages

    session = Session()
    pages.build(session.document)
    opened(session, "block_size")
    monkeypatch.setattr(worker_module, "SAID_AFTER_S", 0.01)
    study, go = studies.find("best_block_size"), threading.Event()
    compute = study.compute

    def waits(inputs, progress):
        assert go.wait(PATIENCE_S)
        return compute(inputs, progress)

    object.__setattr__(study, "compute", waits)
    try:
        session.model("Devices.question").value = "best_block_size"
        session.until(lambda: "computing" in session.model("best_block_size.status").text)
        assert session.document.get_model_by_name("block_size.answer") is None
        assert not session.model("best_block_size.results").visible
        assert session.model("best_block_size.preset").visible
        page_status = session.model("best_block_size.status").text
        assert 'role="status"' in page_status
        assert 'role="progressbar"' in page_status
        go.set()
        session.until(lambda: session.model("best_block_size.results").visible)
        go.clear()
        slider = session.model("best_block_size.devices")
        slider.value = slider.value[:1]
        session.until(
            lambda: session.model("best_block_size.results").styles["opacity"] != "1"
        )  # it is the answer before
        assert "computing" in session.model("best_block_size.status").text
        go.set()
        session.until(lambda: session.model("best_block_size.results").styles["opacity"] == "1")
        assert session.model("best_block_size.status").text == ""
    finally:
        object.__setattr__(study, "compute", compute)
        session.document.session_destroyed_callbacks.copy().pop()(None)


def test_a_kernel_that_only_a_chart_needs_is_compiled_elsewhere_too(monkeypatch):
    from pagecost_app import pages
    from pagecost_app.charts import CHARTS

    session, asked = Session(), []
    chart, drawn = CHARTS["block_size"], []
    update = chart.update

    def refuses(self, inputs, result):
        if not drawn:
            drawn.append(result)
            raise _jit.NotCompiled("some.kernel")
        update(self, inputs, result)

    def wait_apart(question, news, over):
        asked.append(question)
        news(compiling.News("buffer.policies.lru_kernels.replay", 1, 0, 2.0))
        over("")

    monkeypatch.setattr(chart, "update", refuses)
    monkeypatch.setattr("pagecost_app.pages.study_page.wait_apart", wait_apart)
    pages.build(session.document)
    opened(session, "block_size")
    assert [(question.kind, question.name) for question in asked] == [("study", "block_size")]
    assert session.model("block_size.results").visible
    session.document.session_destroyed_callbacks.copy().pop()(None)
