"""Where a study's transactions come from: Debit-Credit, relative reference matrices, and page traces."""

import csv
import functools
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from pagecost.answers import remembered, replays
from pagecost.errors import ModelError, require
from pagecost.requests import READ, WRITE, Requests
from pagecost.transactions import Load, TransactionType, synthetic, trace
from pagecost.workload import sources

DEBIT_CREDIT, MATRIX, QUERIES = "debit-credit", "debit-credit-matrix", "updates and queries"
MOST_REFERENCES = 400_000  # of a trace; they repeat
HEADER = ("type", "share", "references", "writes")


def titles() -> Mapping[str, str]:
    """Every load that comes with pagecost: name -> title."""
    return {
        DEBIT_CREDIT: "Debit-Credit, as set among the inputs of the load",
        MATRIX: "Debit-Credit's row of a reference matrix",
        QUERIES: "updates and long queries, by a reference matrix",
    } | {name: f"{title} (trace)" for name, title in sources.titles().items() if name != MATRIX}


def load(name: str, references: int, seed: int) -> Load:
    """A load by its name, or from a file: a .csv that begins with `type,share,references,writes` is a matrix.

    references: page references per transaction of a trace. Raises ModelError for an unknown name or a file that
    breaks a rule.
    """
    if name in (MATRIX, QUERIES):
        return _of_matrix(name, seed)
    path = Path(name)
    if path.suffix == ".csv" and path.is_file() and path.read_text("utf8", "replace").startswith(",".join(HEADER)):
        return _of_file(path, path.stat().st_mtime_ns, seed)
    return _of_trace(name, references)


@functools.lru_cache(maxsize=4)
def _of_matrix(name: str, seed: int) -> Load:
    if name == MATRIX:
        row = TransactionType(share=1.0, references=3, write_share=1.0, row=(1 / 3, 1 / 3, 1 / 3))
        pages = {"ACCOUNT": 5_000_000, "HISTORY": 1, "BRANCH": 500}
        return synthetic(pages, [row], in_order=True, appended={"HISTORY": 20}, seed=seed)
    update = TransactionType(share=0.9, references=4, write_share=1.0, row=(0.0, 0.5, 0.5))
    query = TransactionType(share=0.1, references=20, write_share=0.0, row=(0.7, 0.3, 0.0))
    return synthetic({"ARCHIVE": 1_000_000, "CURRENT": 20_000, "BRANCH": 500}, [update, query], seed=seed)


@functools.lru_cache(maxsize=4)
def _of_file(path: Path, _changed_ns: int, seed: int) -> Load:
    return read_matrix(path, seed)


def read_matrix(path: Path, seed: int = 1) -> Load:
    """A relative reference matrix from a CSV file.

    First line: type, share, references, writes, then the names of the partitions. Then a line of type "pages" with
    the pages of each partition (`+20`: it grows, 20 records to a page), then one line per transaction type: its share
    of the transactions, its number of references, the share of them that write, and the share that goes to each
    partition. Raises ModelError that names the line.
    """
    with path.open(encoding="utf8", newline="") as file:
        lines = [row for row in csv.reader(file) if any(cell.strip() for cell in row)]
    names = [name.strip() for name in lines[0][len(HEADER) :]]
    require(bool(names), f"{path.name}: line 1 names no partition")
    require(
        len(lines) >= 3 and lines[1][0].strip() == "pages",
        f"{path.name}: line 2 must be of type pages, and a transaction type must follow",
    )
    cells = [cell.strip() for cell in lines[1][len(HEADER) :]]
    pages = {
        n: 1 if cell.startswith("+") else int(_number(path, 2, cell)) for n, cell in zip(names, cells, strict=False)
    }
    grows = {n: int(_number(path, 2, cell)) for n, cell in zip(names, cells, strict=False) if cell.startswith("+")}
    require(len(pages) == len(names), f"{path.name}: line 2 needs pages for {len(names)} partitions; got {len(pages)}")
    types = []
    for at, row in enumerate(lines[2:], start=3):
        share, references, writes, *shares = (_number(path, at, cell) for cell in row[1:])
        types.append(TransactionType(share=share, references=int(references), write_share=writes, row=tuple(shares)))
    try:
        return synthetic(pages, types, appended=grows, seed=seed)
    except ModelError as error:
        raise ModelError(f"{path.name}: {error}") from None


def _number(path: Path, line: int, cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        raise ModelError(f"{path.name}: line {line}: a number is needed; got {cell!r}") from None


def _of_trace(name: str, references: int) -> Load:
    try:
        source = sources.named(name)
    except ModelError as error:
        raise ModelError(str(error).replace("known: ", f"known: {', '.join(titles())}; traces: ", 1)) from None
    return _repeated(source, references)


@remembered
def _repeated(source: sources.Source, references: int) -> Load:
    found = replays.opened(source).references
    size = min(found.size, MOST_REFERENCES) // references * references
    require(
        size > 0, f"{source.name}: it has {found.size} page references, fewer than the {references} of a transaction"
    )
    page = found.ids[found.pages[:size]]
    requests = Requests(
        arrival_s=np.zeros(size),
        op=np.where(found.writes[:size], WRITE, READ).astype(np.uint8),
        page=page - page.min(),
        pages=np.ones(size, np.int32),
        stream=np.zeros(size, np.int16),
        page_bytes=source.page_bytes,
    )
    return trace(requests, np.arange(0, size + 1, references))
