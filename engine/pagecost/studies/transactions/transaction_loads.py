"""Where a study's transactions come from: Debit-Credit, relative reference matrices, and page traces."""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pagecost import texts
from pagecost.answers import remembered, replays
from pagecost.answers.transaction_runs import Transactions
from pagecost.errors import ModelError, require, there_is
from pagecost.requests import READ, WRITE, Requests
from pagecost.transactions import Load, TransactionType, before_repeating, synthetic, trace
from pagecost.transactions.loads import TRANSACTIONS
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


def transactions(name: str, references: int, seed: int) -> Transactions:
    """Transactions by the name of their load, or of a file: a .csv that begins with `type,share,references,writes` is a
    matrix, any other a trace.

    references: page references per transaction of a trace. What they are made of is read when they are asked for: then
    `load` raises ModelError for a file that breaks a rule. Raises ModelError for an unknown name.
    """
    if name in (MATRIX, QUERIES):
        return MatrixLoad(name, seed)
    path = Path(name)
    if path.suffix == ".csv" and there_is(path) and path.is_file():
        text = texts.read(path, "replace")
        if text.startswith(",".join(HEADER)):
            return MatrixLoad(path.name, seed, text)
    try:
        return TraceLoad(sources.named(name), references)
    except ModelError as error:
        raise ModelError(str(error).replace("known: ", f"known: {', '.join(titles())}; traces: ", 1)) from None


@dataclass(frozen=True)
class MatrixLoad:
    """A load by a relative reference matrix: one that comes with pagecost, or the text of a file."""

    name: str
    seed: int
    text: str = ""

    def load(self, cached_pages: int = 0) -> Load:
        """The transactions as arrays. Raises ModelError that names the line which breaks a rule."""
        count = before_repeating(cached_pages)
        return (
            _of_text(self.name, self.text, self.seed, count) if self.text else _of_matrix(self.name, self.seed, count)
        )


@dataclass(frozen=True)
class TraceLoad:
    """Consecutive references of a trace as transactions."""

    source: sources.Source
    references: int

    def load(self, cached_pages: int = 0) -> Load:
        """The transactions as arrays. Raises ModelError for a trace that is too short."""
        return _repeated(self.source, self.references)

    def left_out(self) -> Iterator[str]:
        """What of the trace is not in them: its trims."""
        return replays.left_out(replays.opened(self.source).trims)


@remembered
def _of_matrix(name: str, seed: int, count: int) -> Load:
    if name == MATRIX:
        row = TransactionType(share=1.0, references=3, write_share=1.0, row=(1 / 3, 1 / 3, 1 / 3))
        pages = {"ACCOUNT": 5_000_000, "HISTORY": 1, "BRANCH": 500}
        return synthetic(pages, [row], in_order=True, appended={"HISTORY": 20}, transactions=count, seed=seed)
    update = TransactionType(share=0.9, references=4, write_share=1.0, row=(0.0, 0.5, 0.5))
    query = TransactionType(share=0.1, references=20, write_share=0.0, row=(0.7, 0.3, 0.0))
    pages = {"ARCHIVE": 1_000_000, "CURRENT": 20_000, "BRANCH": 500}
    return synthetic(pages, [update, query], transactions=count, seed=seed)


@remembered
def _of_text(name: str, text: str, seed: int, count: int) -> Load:
    return read_matrix(name, text, seed, count)


def read_matrix(name: str, text: str, seed: int = 1, transactions: int = TRANSACTIONS) -> Load:
    """A relative reference matrix from CSV text; `name` is that of its file, transactions how many are drawn.

    First line: type, share, references, writes, then the names of the partitions. Then a line of type "pages" with
    the pages of each partition (`+20`: it grows, 20 records to a page), then one line per transaction type: its share
    of the transactions, its number of references, the share of them that write, and the share that goes to each
    partition. Raises ModelError that names the line.
    """
    lines = [row for row in csv.reader(text.splitlines()) if any(cell.strip() for cell in row)]
    names = [cell.strip() for cell in lines[0][len(HEADER) :]]
    require(bool(names), f"{name}: line 1 names no partition")
    require(
        len(lines) >= 3 and lines[1][0].strip() == "pages",
        f"{name}: line 2 must be of type pages, and a transaction type must follow",
    )
    cells = [cell.strip() for cell in lines[1][len(HEADER) :]]
    pages = {
        n: 1 if cell.startswith("+") else int(_number(name, 2, cell)) for n, cell in zip(names, cells, strict=False)
    }
    grows = {n: int(_number(name, 2, cell)) for n, cell in zip(names, cells, strict=False) if cell.startswith("+")}
    require(len(pages) == len(names), f"{name}: line 2 needs pages for {len(names)} partitions; got {len(pages)}")
    types = []
    for at, row in enumerate(lines[2:], start=3):
        share, references, writes, *shares = (_number(name, at, cell) for cell in row[1:])
        types.append(TransactionType(share=share, references=int(references), write_share=writes, row=tuple(shares)))
    try:
        return synthetic(pages, types, appended=grows, transactions=transactions, seed=seed)
    except ModelError as error:
        raise ModelError(f"{name}: {error}") from None


def _number(name: str, line: int, cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        raise ModelError(f"{name}: line {line}: a number is needed; got {cell!r}") from None


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
