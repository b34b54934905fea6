"""The recorded run of TPC-C's transactions on a real PostgreSQL: what was counted beside its trace."""

import functools
import json
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from pagecost import catalogue
from pagecost.workload import traces
from pagecost.workload.tpcc import TRANSACTIONS

NAME = "postgresql-tpcc"
"""Of the trace among the recordings."""

NAMES = MappingProxyType(
    {
        "warehouse": "WAREHOUSE",
        "district": "DISTRICT",
        "item": "ITEM",
        "customer": "CUSTOMER",
        "stock": "STOCK",
        "history": "HISTORY",
        "orders": "ORDERS",
        "new_order": "NEW_ORDERS",
        "order_line": "ORDER_LINE",
        "warehouse_pkey": "WAREHOUSE_KEY",
        "district_pkey": "DISTRICT_KEY",
        "item_pkey": "ITEM_KEY",
        "customer_pkey": "CUSTOMER_KEY",
        "customer_by_name": "CUSTOMER_NAME",
        "stock_pkey": "STOCK_KEY",
        "orders_pkey": "ORDERS_KEY",
        "new_order_pkey": "NEW_ORDERS_KEY",
        "order_line_pkey": "ORDER_LINE_KEY",
        "orders_by_customer": "ORDERS_CUSTOMER",
    }
)
"""PostgreSQL's tables and indexes by the names that the generator gives them."""


class Demand(NamedTuple):
    """Means of one type of transaction: processor time of the server process [s], bytes that it logs."""

    processor_s: float
    log_bytes: int


@dataclass(frozen=True, kw_only=True)
class Counted:
    """What PostgreSQL and the kernel counted.

    page_bytes: of PostgreSQL. buffer_bytes, page_cache_bytes: memory of each. transactions: in the trace. references,
    reads: page references of each table and index by the generator's name, and those that the buffer did not answer.
    streams: whose the requests of each stream of the trace are. demand: by type, in the order of `TRANSACTIONS`.
    """

    software: str
    recorded_on: str
    warehouses: int
    page_bytes: int
    buffer_bytes: int
    page_cache_bytes: int
    transactions: int
    seconds: float
    references: MappingProxyType[str, int]
    reads: MappingProxyType[str, int]
    streams: tuple[str, ...]
    demand: tuple[Demand, ...]


@functools.cache
def counted() -> Counted:
    """The numbers of `datasets/traces/postgresql-tpcc.json`."""
    found = json.loads((catalogue.root() / "traces" / f"{NAME}.json").read_text("utf8"))
    by_kind = {name: found["by_kind"][name.lower().replace("-", "_")] for name in TRANSACTIONS}
    references = {NAMES[name]: each for name, each in found["references"].items()}
    return Counted(
        software=found["software"],
        recorded_on=found["recorded_on"],
        warehouses=found["warehouses"],
        page_bytes=found["page_bytes"],
        buffer_bytes=int(found["shared_buffers"].removesuffix("MB")) * 2**20,
        page_cache_bytes=found["page_cache_bytes"],
        transactions=sum(found["transactions"].values()),
        seconds=found["seconds"],
        references=MappingProxyType({name: each["references"] for name, each in references.items()}),
        reads=MappingProxyType({name: each["reads"] for name, each in references.items()}),
        streams=tuple(NAMES.get(name, name) for name in found["streams"]),
        demand=tuple(Demand(each["processor_s"], each["log_bytes"]) for each in by_kind.values()),
    )


def processor_s() -> np.ndarray:
    """Processor time of a transaction of each type [s], shape (5,): of the server process, on a machine of 2026.

    Another machine has other times; what holds elsewhere is rather how they are to each other.
    """
    return np.array([each.processor_s for each in counted().demand])


def log_bytes() -> np.ndarray:
    """Bytes that a transaction of each type logs, without images of whole pages, shape (5,)."""
    return np.array([each.log_bytes for each in counted().demand])


def trace() -> traces.Trace:
    """The requests that the device got, in blocks; the stream of each is a place in `Counted.streams`."""
    return traces.load(NAME)
