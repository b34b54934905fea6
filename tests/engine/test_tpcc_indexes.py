"""TPC-C's indexes, aborts and locks: each page on the way to a row against B-trees that compare keys."""

import re

import numpy as np
import pytest

from pagecost.requests import WRITE
from pagecost.workload import TpcC
from pagecost.workload import tpcc_kernels as kernels
from pagecost.workload import tpcc_trees as trees
from pagecost.workload.tpcc import MIXES, ROW_BYTES, TRANSACTIONS
from twins.tpcc_trees import Tree

LETTERS = "WDICSHONLABEFGJKMPQ"  # tables in the order of ROW_BYTES, then indexes in that of INDEXES
SCRIPTS = {
    "New-Order": r"a+wb+Df+c(e+ij+S){5,15}Ok*K+q*Q+Nm*M+L{1,2}p*P+",
    "Payment": r"a+Wb+D(f+C|g+ccC)H",
    "Delivery": r"(m*M+Nk+Op+L{1,2}f+C){0,10}",
    "Stock-Level": r"b+dp(p*l{1,2}(j+s)*){20}",
    "Order-Status": r"(f+c|g+ccc)q+op+l{1,2}",
}
ABORTED = r"a+wb+Df+c(e+ij+S){4,14}ONL{1,2}k*Km*Mp*Pq*Qe+"
APART = 10**9  # rows of one table
CUSTOMERS, DISTRICTS = kernels.CUSTOMERS, kernels.DISTRICTS


def said(run):
    """A letter for each reference: small where the page is only read."""
    capital, small = np.array(list(LETTERS)), np.array(list(LETTERS.lower()))
    return "".join(np.where(run.write, capital[run.requests.stream], small[run.requests.stream]))


@pytest.mark.parametrize("mix", MIXES)
def test_every_row_is_reached_through_an_index(mix):
    run = TpcC(warehouses=2, mix=mix, indexes=True, aborts=True).run(1000, seed=3)
    letters = said(run)
    for kind, aborted, start, end in zip(run.kinds, run.aborted, run.first, run.ends, strict=False):
        script = ABORTED if aborted else SCRIPTS[TRANSACTIONS[kind]]
        assert re.fullmatch(script, letters[start:end]), f"{TRANSACTIONS[kind]}: {letters[start:end]}"


def test_indexes_add_references_and_change_no_other():
    without, with_indexes = (TpcC(warehouses=2, indexes=indexes).run(500, seed=4) for indexes in (False, True))
    rows = with_indexes.requests.stream < len(ROW_BYTES)
    assert np.array_equal(with_indexes.page[rows], without.page)
    assert np.array_equal(with_indexes.lock[rows], without.lock)
    assert np.array_equal(with_indexes.write[rows], without.write)
    assert (with_indexes.lock[~rows] == -1).all()


def loaded_twin(load, db, lines):
    """The ten trees of one warehouse with their keys, at the pages that the kernel gives them."""
    per_leaf, children, most = trees.entries_of(load.page_bytes)
    customers = [(d, c) for d in range(DISTRICTS) for c in range(CUSTOMERS)]
    name = ["".join(trees.SYLLABLES[int(digit)] for digit in f"{number:03d}") for number in range(kernels.NAMES)]
    orders = [[(d, n) for n in range(CUSTOMERS)] for d in range(DISTRICTS)]
    keys = [
        [[0]],
        [list(range(DISTRICTS))],
        [list(range(kernels.ITEMS))],
        [list(range(len(customers)))],
        [sorted((d, name[c % kernels.NAMES], c) for d, c in customers)],
        [list(range(kernels.ITEMS))],
        orders,
        [of_district[-kernels.UNDELIVERED :] for of_district in orders],
        [[(d, n, k) for d, n in group for k in range(lines[d * CUSTOMERS + n])] for group in orders],
        [[(d * CUSTOMERS + c, 0) for c in range(CUSTOMERS)] for d in range(DISTRICTS)],
    ]
    start = db.scalars[kernels.START] + db.trees.tree[:, 0]
    return name, [
        Tree(group, int(per_leaf[at]), int(children[at]), int(most[at]), int(start[at]))
        for at, group in enumerate(keys)
    ]


def index_pages(twin, name, kind, rows, number_of, made, lines):
    """Pages of indexes that a transaction with these (table, row) needs, by the twin, which grows with it."""
    pages, of = [], {table: [row for at, row in rows if at == table] for table in range(len(ROW_BYTES))}
    key = {table: twin[tree] for tree, table in enumerate((0, 1, 2, 3, None, 4)) if table is not None}
    by_name, orders, new_orders, order_lines, by_customer = twin[4], *twin[6:]

    def customer(rows):
        district, who = divmod(rows[-1], CUSTOMERS)
        if len(rows) == 1:
            return key[kernels.CUSTOMER].find(rows[0])
        surname = name[who % kernels.NAMES]
        return by_name.scan((district, surname, who % kernels.NAMES), (district, surname, CUSTOMERS))

    def of_order(district, number, order):
        return order_lines.scan((district, number, 0), (district, number, lines[order] - 1))

    if kind in (kernels.NEW_ORDER, kernels.PAYMENT):
        pages += key[0].find(0) + key[1].find(of[kernels.DISTRICT][0])
        pages += customer(of[kernels.CUSTOMER])
    if kind == kernels.NEW_ORDER:
        for item, stock in zip(of[kernels.ITEM], of[kernels.STOCK], strict=True):
            pages += key[kernels.ITEM].find(item) + key[kernels.STOCK].find(stock)
        (order,), (district,) = of[kernels.ORDERS], of[kernels.DISTRICT]
        number = made[district] = made.get(district, CUSTOMERS - 1) + 1
        number_of[order] = district, number
        pages += orders.append([(district, number)])
        pages += by_customer.insert_among((of[kernels.CUSTOMER][0], number))
        pages += new_orders.append([(district, number)])
        pages += order_lines.append([(district, number, k) for k in range(lines[order])])
    elif kind == kernels.DELIVERY:
        for order, who in zip(of[kernels.ORDERS], of[kernels.CUSTOMER], strict=True):
            district, number = number_of[order]
            pages += new_orders.find((district, number)) + orders.find((district, number))
            pages += of_order(district, number, order) + key[kernels.CUSTOMER].find(who)
    elif kind == kernels.ORDER_STATUS:
        pages += customer(of[kernels.CUSTOMER]) + by_customer.find((of[kernels.CUSTOMER][-1], 10**9))
        (order,) = of[kernels.ORDERS]
        pages += of_order(*number_of[order], order)
    elif kind == kernels.STOCK_LEVEL:
        (district,) = of[kernels.DISTRICT]
        pages += key[1].find(district)
        newest, leaf = made.get(district, CUSTOMERS - 1), None
        line_keys = iter(
            [
                (n, k)
                for n in range(newest - 19, newest + 1)
                for k in range(lines[order_at(number_of, made, district, n)])
            ]
        )
        for table, row in rows[1:]:
            if table == kernels.STOCK:
                pages += key[kernels.STOCK].find(row)
                continue
            here = (district, *next(line_keys))
            way = order_lines.path(here)
            if leaf is None:
                pages += [node.page for node in way]
            elif way[-1] is not leaf:
                pages.append(way[-1].page)
            leaf = way[-1]
    return pages


def order_at(number_of, made, district, number):
    """Row of the order with this number in its district."""
    if number < CUSTOMERS:
        return district * CUSTOMERS + number
    return next(row for row, key in reversed(number_of.items()) if key == (district, number))


def test_every_index_page_is_the_one_that_a_tree_of_keys_leads_to():
    """Small pages, so that inner nodes split as well: at the right end of a district, and between customers."""
    load = TpcC(warehouses=1, mix="normal", page_bytes=1024, indexes=True)
    transactions, random = 6000, np.random.default_rng(5)
    kinds = random.choice(5, transactions, p=load.shares()).astype(np.uint8)
    districts = random.integers(0, 2, transactions)  # of two districts, which grow fast
    aborted = np.zeros(transactions, bool)
    db = load._database(kinds, aborted, districts, random)
    first_node = int(db.scalars[kernels.START])
    db.place[:, 0], db.place[:, 1] = first_node + APART * np.arange(1, len(ROW_BYTES) + 1), 1
    lines = np.diff(db.line_first)
    name, twin = loaded_twin(load, db, lines)
    loaded_pages = [tree.next_page for tree in twin]
    ends = np.empty(transactions, np.int64)
    kernels.references(7, kinds, aborted, districts, np.array([17, 101, 33]), db, ends)
    page = db.out.page[: ends[-1]]
    number_of = {row: divmod(row, int(CUSTOMERS)) for row in range(DISTRICTS * CUSTOMERS)}
    made = {}
    for kind, start, end in zip(kinds, np.append(0, ends), ends, strict=False):
        of_rows = page[start:end] - first_node >= APART
        rows = [divmod(int(at) - first_node - APART, APART) for at in page[start:end][of_rows]]
        expected = index_pages(twin, name, kind, rows, number_of, made, lines)
        assert page[start:end][~of_rows].tolist() == expected, TRANSACTIONS[kind]
    grown = [tree.next_page - before for tree, before in zip(twin, loaded_pages, strict=True)]
    assert all(pages > 0 for pages in grown[6:])
    assert not any(grown[:6])
    assert any(len(leaf.keys) == 1 or leaf.keys[0][0] == leaf.keys[-1][0] for leaf in twin[9].leaves)


@pytest.mark.parametrize("page_bytes", [1024, 4096, 8192])
def test_an_index_is_as_high_as_its_leaves_and_children_ask_for(page_bytes):
    load = TpcC(warehouses=3, page_bytes=page_bytes, indexes=True)
    run = load.run(300)
    per_leaf, children, _ = trees.entries_of(page_bytes)
    rows, names = load.rows_of(), load.streams()
    stock = names.index("STOCK_KEY")
    (of_stock,) = np.nonzero(run.requests.stream == names.index("STOCK"))
    height = 1 + int(np.ceil(np.log(rows["STOCK"] / per_leaf[5]) / np.log(children[5])))
    for at in of_stock[:200]:
        assert (run.requests.stream[at - height : at] == stock).all()
        assert run.requests.stream[at - height - 1] != stock
    # an entry of PostgreSQL on integers: 8 bytes of header, 4 of line pointer, 8 of key; 366 fill 90 % of 8 KiB
    assert per_leaf[5] == {1024: 44, 4096: 181, 8192: 366}[page_bytes]
    assert load.pages_of()["STOCK_KEY"] == sum(trees.levels(-(-rows["STOCK"] // int(per_leaf[5])), int(children[5])))


def test_one_new_order_in_a_hundred_is_undone_and_leaves_no_order():
    load = TpcC(warehouses=1, mix="new-order", aborts=True)
    run = load.run(30_000, seed=2)
    assert abs(run.aborted.mean() - 0.01) < 4 * np.sqrt(0.01 * 0.99 / 30_000)
    letters = said(run)
    kept = [letters[start:end] for start, end, out in zip(run.first, run.ends, run.aborted, strict=False) if not out]
    pages = run.page[run.requests.stream == list(ROW_BYTES).index("ORDERS")]
    rows = load.rows_of()["ORDERS"] + len(kept)
    assert pages.max() - pages.min() + 1 <= -(-rows // load.rows_per_page()["ORDERS"])
    undone = np.flatnonzero(run.aborted)[0]
    assert (run.write[run.first[undone] : run.ends[undone]]).any()  # what it changed stays changed in the buffer


def test_locks_are_rows_and_reading_the_stock_level_takes_none():
    run = TpcC(warehouses=2, indexes=True, aborts=True).run(3000, seed=6)
    of = np.repeat(run.kinds, np.diff(run.first))
    assert (run.lock[of == kernels.STOCK_LEVEL] == -1).all()
    table, row = run.lock >> kernels.LOCK_BITS, run.lock & (1 << kernels.LOCK_BITS) - 1
    locked = run.lock >= 0
    assert np.array_equal(table[locked], run.requests.stream[locked])
    assert set(np.unique(table[locked])) == {
        kernels.WAREHOUSE,
        kernels.DISTRICT,
        kernels.CUSTOMER,
        kernels.STOCK,
        kernels.ORDERS,
        kernels.NEW_ORDERS,
        kernels.ORDER_LINE,
    }
    load = TpcC(warehouses=2)
    per_page = np.array(list(load.rows_per_page().values()))
    first = np.concatenate([[0], np.flatnonzero(np.diff(run.requests.stream))])
    assert first.size  # a row lies on the page that is locked with it
    stock = locked & (run.requests.stream == kernels.STOCK)
    assert np.unique(run.page[stock] - row[stock] // per_page[kernels.STOCK]).size == 1
    once = locked & (table == kernels.ORDERS) & run.write & (of == kernels.NEW_ORDER)
    assert np.unique(run.lock[once]).size == once.sum()  # an order is made once
    assert run.requests.op[run.write].tolist() == [int(WRITE)] * int(run.write.sum())
