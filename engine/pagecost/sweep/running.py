"""Answers the points of a sweep on any executor, and keeps each as soon as it is there."""

import json
import re
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context

from pagecost import provenance, studies
from pagecost._processes import process_pool
from pagecost.errors import ModelError, require
from pagecost.studies import Study
from pagecost.sweep.points import Point
from pagecost.sweep.store import Store

AT_ONCE = 256  # points that are handed to an executor before one of them is finished
CONNECT_S = 10.0
RETRIES = 3  # of a point whose worker died


@dataclass(frozen=True)
class Done:
    """points: of the sweep. computed: of them by this run; the others were there. refused: without an answer, and why,
    each sentence once. seconds: of this run."""

    points: int
    computed: int
    refused: tuple[str, ...]
    seconds: float


def run(
    study: Study,
    points: Sequence[Point],
    store: Store,
    executor: Executor,
    progress: Callable[[float], None] = lambda share: None,
) -> Done:
    """Answer what the store does not hold yet. progress: told the share done; it may raise to stop.

    A point that the study refuses is kept with its sentence. Raises ModelError when the store holds answers with other
    inputs, a worker was lost or has another pagecost, or the store cannot be written; what was finished is kept, and
    the next run goes on there.
    """
    started_at = time.monotonic()
    finished = store.finished()
    waiting = iter([point for point in points if point.key not in finished])
    left = sum(point.key not in finished for point in points)
    same = {name: value for name, value in points[0].asked.items() if name not in points[0].over}
    store.require_same(same, points[0].over)
    store.describe({"versions": json.dumps(provenance.versions()), "inputs": json.dumps(same)})
    computed, faults = 0, []
    pending: dict[Future, Point] = {}
    try:
        _submit(study, waiting, executor, pending, AT_ONCE)
        while pending:
            ready, _ = wait(pending, return_when=FIRST_COMPLETED)
            for future in ready:
                point = pending.pop(future)
                try:
                    seconds, table, error = future.result()
                except (ModelError, BrokenProcessPool) as problem:
                    raise _stopped(problem, computed, left) from None
                except Exception as problem:  # of the code, or of a cluster that lost the point again and again
                    faults.append(f"{type(problem).__name__}: {str(problem).splitlines()[0] if str(problem) else ''}")
                    continue
                store.keep(point, seconds, table, error)
                computed += 1
                progress(computed / left)
            _submit(study, waiting, executor, pending, len(ready))
    finally:
        for future in pending:
            future.cancel()
    require(
        not faults,
        f"sweep of {study.name}: {len(faults)} of {left} points could not be computed and are not kept; the first: "
        f"{faults[0] if faults else ''}",
    )
    refused = tuple(store.refused([point.key for point in points]))
    return Done(len(points), computed, refused, time.monotonic() - started_at)


def _submit(
    study: Study, waiting: Iterator[Point], executor: Executor, pending: dict[Future, Point], most: int
) -> None:
    for _, point in zip(range(most), waiting, strict=False):
        pending[executor.submit(answered, study.name, json.dumps(dict(point.asked)), provenance.state())] = point


def _stopped(problem: Exception, computed: int, left: int) -> ModelError:
    lost = "a worker process ended before its answer" if isinstance(problem, BrokenProcessPool) else str(problem)
    return ModelError(f"{lost}; {computed} of {left} points are kept, ask the same again to go on")


def answered(name: str, asked: str, state: str) -> tuple[float, dict | None, str | None]:
    """What a worker does: (seconds, main table as plain lists with units and notes, or the sentence why there is none).

    asked: all inputs as JSON. state: of the code and data that asks. Raises ModelError where the worker's own differ.
    """
    own = provenance.versions()["pagecost"]
    require(provenance.state() == state, f"a worker has other code or data than this program: its pagecost is {own}")
    study = studies.find(name)
    started_at = time.monotonic()
    try:
        result = study.compute(study.inputs(json.loads(asked)))
    except ModelError as error:
        return time.monotonic() - started_at, None, str(error)
    units = {column: each.unit for column, each in result.columns.items()}
    table = {"columns": result.plain(), "units": units, "notes": result.notes}
    return time.monotonic() - started_at, table, None


@contextmanager
def processes(count: int) -> Iterator[Executor]:
    """So many processes of this machine; what has not begun is dropped at the end. Raises ModelError below 1."""
    require(count >= 1, f"a sweep needs at least one worker; got {count}")
    pool = process_pool(count, get_context("spawn"), _heed_only_the_parent)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _heed_only_the_parent() -> None:
    """Ctrl-C reaches every process of a terminal; the parent ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """The workers of a Dask cluster, by the address of its scheduler such as tcp://127.0.0.1:8786.

    Raises ModelError where Dask is not installed or nobody answers there.
    """
    form = r"(tcp|tls|ucx|ws|wss)://[^/:]+:\d+"
    require(re.fullmatch(form, address) is not None, f"a scheduler is like tcp://127.0.0.1:8786; got {address!r}")
    try:
        from distributed import Client
    except ImportError:
        raise ModelError("a cluster needs Dask, which is not installed: pip install pagecost[cluster]") from None
    try:
        client = Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError) as error:
        why = str(error).splitlines()[0]
        raise ModelError(f"no Dask scheduler can be reached at {address!r}: {why}") from None
    try:
        require(bool(client.scheduler_info()["workers"]), f"the Dask cluster at {address} has no worker; start one")
        yield client.get_executor(pure=False, retries=RETRIES)
    finally:
        client.close()
