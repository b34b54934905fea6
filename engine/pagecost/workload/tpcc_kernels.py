"""The page references of TPC-C transactions."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import lean_kernel, lean_part
from pagecost.workload import tpcc_trees_kernels as trees
from pagecost.workload.tpcc_trees_kernels import EMPTY, NO, ONE, OUT, START, YES, Out, emit

OWN_FIRST, MADE, DELIVERED = range(3)  # columns of Database.district
ORDER, ENTRY = 0, 1  # columns of Database.own
NEW_ORDER, PAYMENT, DELIVERY, STOCK_LEVEL, ORDER_STATUS = range(5)
WAREHOUSE, DISTRICT, ITEM, CUSTOMER, STOCK, HISTORY, ORDERS, NEW_ORDERS, ORDER_LINE = np.arange(9)
DISTRICTS, CUSTOMERS, ITEMS, NAMES = np.array([10, 3000, 100_000, 1000])  # per warehouse; per district; in all; in all
UNDELIVERED = 900  # orders per district at first
ITEM_SKEW, CUSTOMER_SKEW, NAME_SKEW = np.array([8191, 1023, 255])  # A of NURand
REMOTE_STOCK, REMOTE_PAYMENT, BY_NAME = 0.01, 0.15, 0.6
RECENT_ORDERS = 20  # that a Stock-Level looks at
HISTORY_NEXT, ORDER_NEXT, NEW_ORDER_NEXT = range(START + 1, START + 4)  # places in Database.scalars
LEAST_LINES, MOST_LINES = 5, 15  # of an order, clause 2.4.1.3
OF_A_NAME = 3  # customers of a district with one last name
LINES_OF_DISTRICT = trees.ORDER_LINE_KEY - trees.ORDERS_KEY
LOCK_BITS = 40  # a lock is table << 40 | row, of a run of order lines its first


class Database(NamedTuple):
    """Orders are numbered as they lie in their table: the loaded ones by district, then those of the run as they come.

    Districts are numbered through all warehouses.
    """

    place: np.ndarray  # int64[tables, 2]: first page, rows of a page
    line_first: np.ndarray  # int64[orders + 1]: first order line of each order
    customer_of: np.ndarray  # int32[orders]: who ordered, numbered through all districts
    last_order: np.ndarray  # int64[customers]: the latest order of each
    item_of: np.ndarray  # int32[order lines of the run]
    district: (
        np.ndarray
    )  # int64[districts, 3]: where its orders of the run stand in `own`, how many of these and of all
    # undelivered ones have been made and delivered
    own: np.ndarray  # int64[orders of the run, 2]: their numbers, and places in NEW_ORDERS, by district
    seen: np.ndarray  # int64[ITEMS]: transaction that last looked at the item, for Stock-Level
    scalars: np.ndarray  # int64[5]
    trees: trees.Trees  # empty arrays without indexes
    out: Out


@lean_part
def nurand(skew, constant, count):
    """Non-uniform random of TPC-C, clause 2.1.6, from 0 to count - 1."""
    mixed = np.random.randint(0, skew + 1) | np.random.randint(0, count)
    return (mixed + constant) % count


@lean_part
def touch(out, place, table, row, changed, locked):
    """Reference the page on which a row of a table lies; changed: it is written. Rows of ITEM never change: no lock."""
    lock = table << LOCK_BITS | row if locked and table != ITEM else EMPTY
    emit(out, place[table, 0] + row // place[table, 1], changed, lock)


@lean_part
def touch_rows(out, place, table, start, end, changed, locked):
    """Rows start .. end - 1 in one go: every page once, under the lock of the first row."""
    lock = table << LOCK_BITS | start if locked else EMPTY
    for number in range(start // place[table, 1], (end - 1) // place[table, 1] + 1):
        emit(out, place[table, 0] + number, changed, lock)


@lean_part
def touch_by_key(db, tree, table, row, changed, locked):
    """Find a row by its key, which is its place in the table, and reference it."""
    if db.trees.node.size > 0:
        trees.look_up(db.out, db.trees, tree, row)
    touch(db.out, db.place, table, row, changed, locked)


@lean_part
def touch_order(db, district, number, order, changed):
    """Find an order by its number in the district and reference its row."""
    if db.trees.node.size > 0:
        trees.scan_leaves(db.out, db.trees, trees.ORDERS_KEY, district, number, number + 1, NO)
    touch(db.out, db.place, ORDERS, order, changed, YES)


@lean_part
def touch_lines(db, district, order, changed):
    """Find the lines of an order and reference their pages."""
    start, end = db.line_first[order], db.line_first[order + 1]
    if db.trees.node.size > 0:
        number = db.trees.line_number[order]
        trees.scan_leaves(db.out, db.trees, trees.ORDER_LINE_KEY, district, number, number + end - start, NO)
    touch_rows(db.out, db.place, ORDER_LINE, start, end, changed, YES)


@lean_part
def order_of(db, district, number):
    """The district's orders in the order of their making: CUSTOMERS were loaded, the others are the run's."""
    if number < CUSTOMERS:
        return np.int64(district * CUSTOMERS + number)
    return db.own[db.district[district, OWN_FIRST] + number - CUSTOMERS, ORDER]


@lean_part
def choose_customer(db, district, constants, changed):
    """By last name the three of that name are read and the middle one is taken; else by number."""
    base = district * CUSTOMERS
    if np.random.random() < BY_NAME:
        name = nurand(NAME_SKEW, constants[2], NAMES)
        if db.trees.node.size > 0:
            rank = base + db.trees.name_rank[name] * OF_A_NAME
            leaf = trees.look_up(db.out, db.trees, trees.CUSTOMER_NAME, rank)
            if (rank + OF_A_NAME - 1) // db.trees.tree[trees.CUSTOMER_NAME, trees.LOADED_ENTRIES] > (
                rank // db.trees.tree[trees.CUSTOMER_NAME, trees.LOADED_ENTRIES]
            ):
                trees.touch_node(db.out, leaf + 1, NO)
        touch(db.out, db.place, CUSTOMER, base + name, NO, YES)
        touch(db.out, db.place, CUSTOMER, base + 2 * NAMES + name, NO, YES)
        customer = base + NAMES + name
        touch(db.out, db.place, CUSTOMER, customer, changed, YES)
    else:
        customer = base + nurand(CUSTOMER_SKEW, constants[1], CUSTOMERS)
        touch_by_key(db, trees.CUSTOMER_KEY, CUSTOMER, customer, changed, YES)
    return customer


@lean_part
def other_than(warehouse, warehouses):
    """A warehouse other than the own one, each as likely."""
    other = np.random.randint(0, warehouses - 1)
    return other + (other >= warehouse)


@lean_part
def order_item(db, warehouse, warehouses, constants):
    """Choose an item, read it, and take it from stock, now and then of another warehouse. Returns the item."""
    item = nurand(ITEM_SKEW, constants[0], ITEMS)
    supplier = warehouse
    if warehouses > 1 and np.random.random() < REMOTE_STOCK:
        supplier = other_than(warehouse, warehouses)
    touch_by_key(db, trees.ITEM_KEY, ITEM, item, NO, YES)
    touch_by_key(db, trees.STOCK_KEY, STOCK, supplier * ITEMS + item, YES, YES)
    return item


@lean_part
def new_order(db, warehouse, district, warehouses, constants):
    """New-Order, clause 2.4: an order with its lines from stock, now and then of another warehouse."""
    customer = district * CUSTOMERS + nurand(CUSTOMER_SKEW, constants[1], CUSTOMERS)
    touch_by_key(db, trees.WAREHOUSE_KEY, WAREHOUSE, warehouse, NO, YES)
    touch_by_key(db, trees.DISTRICT_KEY, DISTRICT, district, YES, YES)
    touch_by_key(db, trees.CUSTOMER_KEY, CUSTOMER, customer, NO, YES)
    order = db.scalars[ORDER_NEXT]
    db.scalars[ORDER_NEXT] += 1
    start, end = db.line_first[order], db.line_first[order + 1]
    loaded = db.line_first[db.line_first.size - 1 - db.own.shape[0]]  # order lines
    for line in range(start, end):
        db.item_of[line - loaded] = order_item(db, warehouse, warehouses, constants)
    touch(db.out, db.place, ORDERS, order, YES, YES)
    if db.trees.node.size > 0:
        trees.append_entries(db.out, db.trees, trees.ORDERS_KEY, district, ONE)
        trees.insert_by_customer(db.out, db.trees, district * CUSTOMERS, (district + 1) * CUSTOMERS, customer)
    touch(db.out, db.place, NEW_ORDERS, db.scalars[NEW_ORDER_NEXT], YES, YES)
    if db.trees.node.size > 0:
        trees.append_entries(db.out, db.trees, trees.NEW_ORDERS_KEY, district, ONE)
    touch_rows(db.out, db.place, ORDER_LINE, start, end, YES, YES)
    if db.trees.node.size > 0:
        db.trees.line_number[order] = db.trees.district[LINES_OF_DISTRICT, district, trees.ENTRIES]
        trees.append_entries(db.out, db.trees, trees.ORDER_LINE_KEY, district, end - start)
    slot = db.district[district, OWN_FIRST] + db.district[district, MADE]
    db.own[slot, ORDER] = order
    db.own[slot, ENTRY] = db.scalars[NEW_ORDER_NEXT]
    db.scalars[NEW_ORDER_NEXT] += 1
    db.district[district, MADE] += 1
    db.customer_of[order] = customer
    db.last_order[customer] = order


@lean_part
def aborted_new_order(db, warehouse, district, warehouses, constants):
    """New-Order whose last item does not exist, clause 2.4.1.4: all its changes are undone where they were made.

    The order and its lines were written before that was seen (clause 2.4.2.2), to the last pages of their tables.
    """
    customer = district * CUSTOMERS + nurand(CUSTOMER_SKEW, constants[1], CUSTOMERS)
    touch_by_key(db, trees.WAREHOUSE_KEY, WAREHOUSE, warehouse, NO, YES)
    touch_by_key(db, trees.DISTRICT_KEY, DISTRICT, district, YES, YES)
    touch_by_key(db, trees.CUSTOMER_KEY, CUSTOMER, customer, NO, YES)
    lines = np.random.randint(LEAST_LINES, MOST_LINES + 1) - 1  # all but the last
    for _ in range(lines):
        order_item(db, warehouse, warehouses, constants)
    touch(db.out, db.place, ORDERS, db.scalars[ORDER_NEXT] - 1, YES, NO)
    touch(db.out, db.place, NEW_ORDERS, db.scalars[NEW_ORDER_NEXT] - 1, YES, NO)
    end = db.line_first[db.scalars[ORDER_NEXT]]
    touch_rows(db.out, db.place, ORDER_LINE, end - lines, end, YES, NO)
    if db.trees.node.size > 0:
        for tree in range(trees.ORDERS_KEY, trees.ORDERS_KEY + trees.GROWING):
            last = db.trees.district[tree - trees.ORDERS_KEY, district, trees.ENTRIES] - 1
            trees.scan_leaves(db.out, db.trees, tree, district, last, last + 1, YES)
        trees.descend(db.out, db.trees.node, np.int64(db.trees.customer[customer, trees.LEAF_OF]), YES)
        trees.look_up(db.out, db.trees, trees.ITEM_KEY, ITEMS - 1)  # where the item would stand


@lean_part
def payment(db, warehouse, district, warehouses, constants):
    """Payment, clause 2.5: a customer, now and then of another warehouse, pays."""
    touch_by_key(db, trees.WAREHOUSE_KEY, WAREHOUSE, warehouse, YES, YES)
    touch_by_key(db, trees.DISTRICT_KEY, DISTRICT, district, YES, YES)
    of = district
    if warehouses > 1 and np.random.random() < REMOTE_PAYMENT:
        of = other_than(warehouse, warehouses) * DISTRICTS + np.random.randint(0, DISTRICTS)
    choose_customer(db, of, constants, YES)
    touch(db.out, db.place, HISTORY, db.scalars[HISTORY_NEXT], YES, NO)  # which nobody reads
    db.scalars[HISTORY_NEXT] += 1


@lean_part
def order_status(db, district, constants):
    """Order-Status, clause 2.6: the lines of the last order of a customer."""
    customer = choose_customer(db, district, constants, NO)
    order = db.last_order[customer]
    if db.trees.node.size > 0:
        trees.descend(db.out, db.trees.node, np.int64(db.trees.customer[customer, trees.LEAF_OF]), NO)
    touch(db.out, db.place, ORDERS, order, NO, YES)
    touch_lines(db, district, order, NO)


@lean_part
def delivery(db, warehouse):
    """Delivery, clause 2.7: the oldest undelivered order of each district of a warehouse."""
    for district in range(warehouse * DISTRICTS, (warehouse + 1) * DISTRICTS):
        number = db.district[district, DELIVERED]
        if number == UNDELIVERED + db.district[district, MADE]:
            continue
        if number < UNDELIVERED:
            entry = district * UNDELIVERED + number
        else:
            entry = db.own[db.district[district, OWN_FIRST] + number - UNDELIVERED, ENTRY]
        order = order_of(db, district, CUSTOMERS - UNDELIVERED + number)
        if db.trees.node.size > 0:
            trees.scan_leaves(db.out, db.trees, trees.NEW_ORDERS_KEY, district, number, number + 1, YES)
        touch(db.out, db.place, NEW_ORDERS, entry, YES, YES)
        touch_order(db, district, CUSTOMERS - UNDELIVERED + number, order, YES)
        touch_lines(db, district, order, YES)
        touch_by_key(db, trees.CUSTOMER_KEY, CUSTOMER, np.int64(db.customer_of[order]), YES, YES)
        db.district[district, DELIVERED] = number + 1


@lean_part
def loaded_item(line):
    """The item of an order line that was there before the run: uniform, and the same whenever it is asked for."""
    return np.int64((np.uint64(line) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(32)) % np.uint64(ITEMS))


@lean_part
def stock_level(db, warehouse, district, transaction):
    """Stock-Level, clause 2.8: the stock of what a district's last orders were for, each item once.

    It may read what is committed without keeping locks (clause 3.4.1).
    """
    touch_by_key(db, trees.DISTRICT_KEY, DISTRICT, district, NO, NO)
    loaded = db.line_first[db.line_first.size - 1 - db.own.shape[0]]  # order lines
    newest = CUSTOMERS + db.district[district, MADE]
    leaf = np.int64(EMPTY)
    for number in range(newest - RECENT_ORDERS, newest):
        order = order_of(db, district, number)
        start, end = db.line_first[order], db.line_first[order + 1]
        if db.trees.node.size > 0:
            first = db.trees.line_number[order]
            if leaf == EMPTY:
                leaf = trees.leaf_with(db.trees, trees.ORDER_LINE_KEY, district, first)
                trees.descend(db.out, db.trees.node, leaf, NO)
            last = trees.leaf_with(db.trees, trees.ORDER_LINE_KEY, district, first + end - start - 1)
            trees.follow(db.out, db.trees.node, leaf, last, NO)
            leaf = last
        touch_rows(db.out, db.place, ORDER_LINE, start, end, NO, NO)
        for line in range(start, end):
            item = loaded_item(line) if line < loaded else np.int64(db.item_of[line - loaded])
            if db.seen[item] != transaction:
                db.seen[item] = transaction
                touch_by_key(db, trees.STOCK_KEY, STOCK, warehouse * ITEMS + item, NO, NO)


@lean_kernel
def references(seed, kinds, aborted, districts, constants, db, end):
    """Fill db.out with what the transactions touch, in order, and end with where each ends.

    kinds: uint8, the type of each transaction; aborted: bool, New-Orders that are rolled back; districts: its district,
    all of shape (transactions,). constants: C of NURand for items, customers and names.
    """
    np.random.seed(seed)
    warehouses = db.district.shape[0] // DISTRICTS
    for transaction in range(kinds.size):
        district = np.int64(districts[transaction])
        warehouse = district // DISTRICTS
        kind = kinds[transaction]
        if aborted[transaction]:
            aborted_new_order(db, warehouse, district, warehouses, constants)
        elif kind == NEW_ORDER:
            new_order(db, warehouse, district, warehouses, constants)
        elif kind == PAYMENT:
            payment(db, warehouse, district, warehouses, constants)
        elif kind == DELIVERY:
            delivery(db, warehouse)
        elif kind == STOCK_LEVEL:
            stock_level(db, warehouse, district, transaction + 1)
        else:
            order_status(db, district, constants)
        end[transaction] = db.scalars[OUT]
