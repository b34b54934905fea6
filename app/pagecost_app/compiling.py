"""Compiling away from the process that serves: what is compiled for whom, in which order, and how far it is.

`begin()` turns this process into one that never compiles a kernel: a call that would have to raises
`pagecost._jit.NotCompiled`. Whoever gets that hands its question to `ask`, waits for the ticket, and asks again; the
kernels then come from the cache.
"""

import contextlib
import hashlib
import itertools
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pagecost import _jit

PROCESSES = 2
IDLE_S = 20.0  # a compiler that has nothing to do ends after that long: it holds some 500 MB
WITHOUT_WINDOW_AT_LOW_PRIORITY = 0x08000000 | 0x00004000  # flags of CreateProcess
PREPARED = "prepared.json"  # in the cache's folder
COMPILER = "--compiler"  # as an argument of the packaged program, which has no `python -m`


@dataclass(frozen=True)
class Question:
    """What is answered so that its kernels are compiled: one of `compiler.KINDS`, a name, and values as JSON."""

    kind: str
    name: str
    values: str = "{}"

    @classmethod
    def of_study(cls, study: str, values: Mapping) -> "Question":
        """The question that a study answers for inputs of these values."""
        return cls("study", study, json.dumps(dict(values)))


def shown(kernel: str) -> str:
    """What people read of a kernel's name: the file that it stands in and the entry point."""
    *_, file, function = kernel.split(".")
    return f"{file.removesuffix('_kernels')}: {function}".replace("_", " ")


@dataclass(frozen=True)
class News:
    """How far the compiling for a question is. kernel: the one that is being compiled, empty while it waits for one.

    kernels: how many were begun. of: about how many there will be, 0 where that is not known. seconds: since it was
    asked for.
    """

    kernel: str
    kernels: int
    of: int
    seconds: float

    @property
    def share(self) -> float | None:
        """Of the kernels that are done, 0 .. 1; None where it is not known how many there are."""
        return (self.kernels - 1) / self.of if self.of >= self.kernels else None

    def __str__(self):
        so_far = f"{self.seconds:.0f} s so far"
        if not self.kernel:
            return f"Preparing this question for this machine, which happens once … {so_far}"
        of = f" of about {self.of}" if self.of >= self.kernels else ""
        return (
            f"Compiling this question for this machine, which happens once: kernel {self.kernels}{of} "
            f"({shown(self.kernel)}), {so_far}"
        )


@dataclass(eq=False)
class Ticket:
    """A question whose kernels are being compiled. `failed` says why they could not be; empty when they could."""

    question: Question
    number: int  # the order of their turns
    wanted: int = 0  # by how many who wait for it
    kernel: str = ""
    kernels: int = 0
    of: int = 0
    behind: str = ""  # a kernel that another question is having compiled
    running: bool = False
    failed: str = ""
    asked_at: float = field(default_factory=time.monotonic)
    _over: threading.Event = field(default_factory=threading.Event)

    def wait(self, timeout_s: float | None = None) -> bool:
        """Whether it is over, at the latest after that time."""
        return self._over.wait(timeout_s)

    def news(self) -> News:
        """How far it is."""
        return News(self.kernel or self.behind, max(self.kernels, 1), self.of, time.monotonic() - self.asked_at)


HERE = Ticket(Question("here", ""), 0)  # for whom this process compiles a kernel itself


class Pool:
    """Compiles for questions in up to `PROCESSES` other processes, what somebody waits for first.

    No kernel is compiled twice: a question that needs one which is being compiled for another steps back until it is
    there. A question that nobody waits for gives way at its next kernel.
    """

    def __init__(self, processes: int = PROCESSES):
        self._processes = processes
        self._changed = threading.Condition()
        self._tickets: dict[Question, Ticket] = {}
        self._busy: dict[str, Ticket] = {}  # kernel -> for whom it is being compiled
        self._children: set[_Compiler] = set()
        self._threads = self._idle = 0
        self._later, self._sooner = itertools.count(), itertools.count(-1, -1)
        self._stopped = False
        self.waited_for = ""  # the kernel for which `take` waits

    def ask(self, question: Question, *, urgent: bool = True) -> Ticket:
        """Have the kernels of a question compiled. urgent: somebody waits for it, and will `release` the ticket."""
        with self._changed:
            ticket = self._tickets.get(question)
            if ticket is None:
                ticket = self._tickets[question] = Ticket(question, next(self._later))
            ticket.wanted += urgent
            if not self._idle and self._threads < self._processes and not self._stopped:
                self._threads += 1
                threading.Thread(target=self._work, daemon=True, name="compiling").start()
            self._changed.notify_all()
            return ticket

    def prefer(self, questions: list[Question]) -> None:
        """Compile for these next, in this order, as far as they are waiting for their turn."""
        with self._changed:
            for question in reversed(questions):
                if question in self._tickets:
                    self._tickets[question].number = next(self._sooner)

    def release(self, ticket: Ticket) -> None:
        """Somebody waits no longer. What was begun goes on with the rest of the time; what was not is dropped."""
        with self._changed:
            ticket.wanted -= 1
            if not ticket.wanted and not ticket.kernels and not ticket.running:
                self._tickets.pop(ticket.question, None)

    def take(self, kernel: str) -> None:
        """This process is about to compile a kernel itself: wait for the process that does so already, if one does."""
        with self._changed:
            if self._busy.setdefault(kernel, HERE) is HERE:
                return
            self.waited_for = kernel
            try:
                self._changed.wait_for(lambda: self._stopped or kernel not in self._busy)
            finally:
                self.waited_for = ""

    def leave(self, kernel: str) -> None:
        """This process has compiled a kernel, which is in the cache."""
        with self._changed:
            self._busy.pop(kernel, None)
            self._changed.notify_all()

    def stop(self) -> None:
        """End every compiler at once, whatever it does."""
        with self._changed:
            self._stopped = True
            for child in self._children:
                child.end()
            for ticket in self._tickets.values():
                ticket.failed = "the program ends"
                ticket._over.set()
            self._changed.notify_all()

    def _work(self) -> None:
        child = None
        while ticket := self._next():
            try:
                if child is None:
                    child = self._start()
                self._answer(child, ticket)
            except (OSError, ValueError) as error:  # the compiler died, or could not be started
                self._over(ticket, f"the process that compiles ended ({error})")
                if child:
                    self._end(child)
                    child = None
        if child:
            self._end(child)

    def _start(self) -> "_Compiler":
        child = _Compiler()
        with self._changed:
            self._children.add(child)
            if self._stopped:
                child.end()
        return child

    def _end(self, child: "_Compiler") -> None:
        child.end()
        child.hear_no_more()
        with self._changed:
            self._children.discard(child)

    def _next(self) -> Ticket | None:
        """The ticket to work on; None when there was none for a while."""
        with self._changed:
            self._idle += 1
            self._changed.wait_for(lambda: self._stopped or self._first() is not None, IDLE_S)
            self._idle -= 1
            ticket = None if self._stopped else self._first()
            if ticket is None:
                self._threads -= 1
            else:
                ticket.running, ticket.behind = True, ""
            return ticket

    def _first(self) -> Ticket | None:
        waiting = [
            ticket for ticket in self._tickets.values() if not ticket.running and ticket.behind not in self._busy
        ]
        return min(waiting, key=lambda ticket: (not ticket.wanted, ticket.number), default=None)

    def _answer(self, child: "_Compiler", ticket: Ticket) -> None:
        question = ticket.question
        child.say(ask=[question.kind, question.name, json.loads(question.values)])
        while True:
            said = child.hear()
            if "needs" in said:  # what is in the cache by now is not among them
                ticket.of = ticket.kernels + said["needs"]
            elif "wants" in said:
                child.say(compile=self._may_compile(ticket, said["wants"]))
            elif "kept" in said:
                with self._changed:
                    self._busy.pop(said["kept"], None)
                    ticket.kernel = ""
                    self._changed.notify_all()
            elif "left" in said:
                with self._changed:
                    ticket.running = False
                    self._changed.notify_all()
                return
            else:
                self._over(ticket, said.get("failed", ""))
                return

    def _may_compile(self, ticket: Ticket, kernel: str) -> bool:
        with self._changed:
            first = self._first()
            if kernel in self._busy:
                ticket.behind = kernel
                return False
            if not ticket.wanted and not self._idle and first is not None and first.wanted:
                return False
            self._busy[kernel] = ticket
            ticket.kernel = kernel
            ticket.kernels += 1
            return True

    def _over(self, ticket: Ticket, failed: str) -> None:
        with self._changed:
            self._busy = {kernel: other for kernel, other in self._busy.items() if other is not ticket}
            self._tickets.pop(ticket.question, None)
            ticket.failed, ticket.running = failed, False
            ticket._over.set()
            self._changed.notify_all()


class _Compiler:
    """A `pagecost_app.compiler` of our own. Its methods raise OSError or ValueError when it is gone."""

    def __init__(self):
        own = [COMPILER] if getattr(sys, "frozen", False) else ["-m", "pagecost_app.compiler"]
        quietly = WITHOUT_WINDOW_AT_LOW_PRIORITY if sys.platform == "win32" else 0
        self._process = subprocess.Popen(
            [sys.executable, *own],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            creationflags=quietly,
        )
        assert self._process.stdin is not None  # a pipe, as is what it says
        assert self._process.stdout is not None
        self._said, self._heard = self._process.stdin, self._process.stdout

    def say(self, **facts) -> None:
        self._said.write(json.dumps(facts) + "\n")
        self._said.flush()

    def hear(self) -> dict:
        line = self._heard.readline()
        if not line:
            raise ValueError(f"exit code {self._process.wait()}")
        return json.loads(line)

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        with contextlib.suppress(OSError):
            self._said.close()

    def hear_no_more(self) -> None:
        """Close what is heard; for the thread that listens, which a thread that ends the process must not do."""
        self._heard.close()


_pool: Pool | None = None
_beside: Pool | None = None  # of a process that compiles too
_here = 0  # how many may compile in this process after all


def begin() -> Pool:
    """From now on compile nothing in this process; returns the pool that does."""
    global _pool
    if _pool is None:
        _share_cache()
        _pool = Pool()
        _jit.ask_before_compiling(_refuse)
    return _pool


def end() -> None:
    """Stop the compilers; from now on this process compiles for itself."""
    global _pool
    if _pool is not None:
        _pool.stop()
        _pool = None
        _jit.ask_before_compiling(None)


def pool() -> Pool:
    """The pool of this process. `begin` made it, or nobody would have raised `NotCompiled`."""
    return begin()


def wait_apart(question: Question, news: Callable[[News], None], over: Callable[[str], None]) -> None:
    """Have a question compiled; a thread tells the `news` twice a second and `over(why not)` at the end."""

    def wait() -> None:
        ticket = pool().ask(question)
        while not ticket.wait(0.5):
            news(ticket.news())
        pool().release(ticket)
        over(ticket.failed)

    threading.Thread(target=wait, daemon=True, name="waiting").start()


def prefer(questions: list[Question]) -> None:
    """Compile for these next, if this process has compilers."""
    if _pool is not None:
        _pool.prefer(questions)


def prepare(questions: list[Question]) -> None:
    """Have all of them compiled behind what is waited for; return when they are.

    The cache's folder remembers for which questions that was done since a file of the engine changed.
    """
    source = _source()
    done = _prepared(source)
    tickets = [pool().ask(question, urgent=False) for question in questions if _key(question) not in done]
    for ticket in tickets:
        ticket.wait()
        if not ticket.failed:
            done.add(_key(ticket.question))
    if tickets:
        with contextlib.suppress(OSError):  # then it is found out anew at the next start
            text = json.dumps({"source": source, "questions": sorted(done)}, indent=1)
            (_jit.kernel_cache() / PREPARED).write_text(text, encoding="utf-8")


def ahead(questions: list[Question]) -> None:
    """Have these compiled by one other process, one after the other, while this one compiles what it asks for itself.

    No kernel is compiled by both: who comes second waits, or goes on with something else.
    """
    global _beside
    _share_cache()
    _beside = Pool(1)
    _jit.ask_before_compiling(_beside.take, _beside.leave)
    for question in questions:
        _beside.ask(question, urgent=False)


def waited_for() -> str:
    """The kernel that another process compiles and this one waits for; empty where it does not."""
    return _beside.waited_for if _beside else ""


def _prepared(source: str) -> set[str]:
    """The questions whose kernels are in the cache in their present state."""
    try:
        found = json.loads((_jit.kernel_cache() / PREPARED).read_text(encoding="utf-8"))
        return set(found["questions"]) if found["source"] == source else set()
    except (OSError, ValueError, KeyError, TypeError):
        return set()


def _source() -> str:
    """Changes whenever a file of the engine does."""
    files = sorted(_jit.PACKAGE.rglob("*.py"))
    states = [(path.as_posix(), path.stat().st_mtime_ns, path.stat().st_size) for path in files]
    return hashlib.sha256(repr(states).encode()).hexdigest()


def _key(question: Question) -> str:
    return f"{question.kind} {question.name} {question.values}"


@contextlib.contextmanager
def here() -> Iterator[None]:
    """Compile in this process after all: when the other one cannot, slow is better than no answer."""
    global _here
    _here += 1
    try:
        yield
    finally:
        _here -= 1


def _refuse(kernel: str) -> None:
    if not _here:
        raise _jit.NotCompiled(kernel)


def problem() -> str:
    """Why what is compiled will not be kept, as a sentence; nothing where it is."""
    if not _only_for_now:
        return ""
    return (
        "pagecost cannot keep what it compiles, since its folder cannot be written or another user could write to it: "
        "each start compiles anew. PAGECOST_KERNEL_CACHE names another folder."
    )


_only_for_now = False


def _share_cache() -> None:
    """A cache that is only this process's, since the usual place cannot be written, is named to the others too."""
    global _only_for_now
    folder = _jit.kernel_cache()
    if folder.parent == Path(tempfile.gettempdir()):
        _only_for_now = True
        os.environ["PAGECOST_KERNEL_CACHE"] = str(folder)
        _jit.kernel_cache.cache_clear()
