"""Work on the pieces of a file in several threads, with the results in the order of the file."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from pagecost._processors import processors

Piece = TypeVar("Piece")
Made = TypeVar("Made")


def in_order(pieces: Iterable[Piece], work: Callable[[Piece], Made]) -> Iterator[tuple[Piece, Made]]:
    """Each piece with what `work` made of it, as many at once as there are cores.

    What the pieces raise comes when everything before it was handed out; what `work` raises comes in its place.
    """
    cores = processors()
    coming: deque[tuple[Piece, Future[Made]]] = deque()
    with ThreadPoolExecutor(cores, "pieces") as workers:
        try:
            for piece in pieces:
                coming.append((piece, workers.submit(work, piece)))
                if len(coming) > cores:
                    done, made = coming.popleft()
                    yield done, made.result()
        except GeneratorExit:
            raise
        except Exception:
            yield from _rest(coming)
            raise
        yield from _rest(coming)


def _rest(coming: deque) -> Iterator:
    while coming:
        done, made = coming.popleft()
        yield done, made.result()
