"""The page references of TPC-C transactions."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import kernel, part

NEW_ORDER, PAYMENT, DELIVERY, STOCK_LEVEL, ORDER_STATUS = range(5)
WAREHOUSE, DISTRICT, ITEM, CUSTOMER, STOCK, HISTORY, ORDERS, NEW_ORDERS, ORDER_LINE = range(9)
DISTRICTS, CUSTOMERS, ITEMS, NAMES = 10, 3000, 100_000, 1000  # per warehouse; per district; in all; in all
UNDELIVERED = 900  # orders per district at first
ITEM_SKEW, CUSTOMER_SKEW, NAME_SKEW = 8191, 1023, 255  # A of NURand
REMOTE_STOCK, REMOTE_PAYMENT, BY_NAME = 0.01, 0.15, 0.6
RECENT_ORDERS = 20  # that a Stock-Level looks at
HISTORY_NEXT, ORDER_NEXT, NEW_ORDER_NEXT, OUT = range(4)  # places in Database.scalars


class Database(NamedTuple):
    """Orders are numbered as they lie in their table: the loaded ones by district, then those of the run as they come.

    Districts are numbered through all warehouses.
    """

    first: np.ndarray  # int64[tables]: first page
    per_page: np.ndarray  # int64[tables]: rows of a page
    line_first: np.ndarray  # int64[orders + 1]: first order line of each order
    customer_of: np.ndarray  # int32[orders]: who ordered, numbered through all districts
    last_order: np.ndarray  # int64[customers]: the latest order of each
    item_of: np.ndarray  # int32[order lines of the run]
    own_first: np.ndarray  # int64[districts + 1]: where the district's orders of the run stand in `own`
    own: np.ndarray  # int64[orders of the run]: their numbers, by district
    new_order_at: np.ndarray  # int64[orders of the run]: place in NEW_ORDERS, by district as `own`
    made: np.ndarray  # int64[districts]: orders of the run so far
    delivered: np.ndarray  # int64[districts]: orders delivered so far, of the undelivered and then of the run
    seen: np.ndarray  # int64[ITEMS]: transaction that last looked at the item, for Stock-Level
    scalars: np.ndarray  # int64[4]


@part
def nurand(skew, constant, low, high):
    """Non-uniform random of TPC-C, clause 2.1.6."""
    mixed = np.random.randint(0, skew + 1) | np.random.randint(low, high + 1)
    return (mixed + constant) % (high - low + 1) + low


@part
def touch(db, page, write, table, row, changed):
    """Reference the page on which a row of a table lies; changed: it is written."""
    at = db.scalars[OUT]
    page[at] = db.first[table] + row // db.per_page[table]
    write[at] = changed
    db.scalars[OUT] = at + 1


@part
def touch_rows(db, page, write, table, start, end, changed):
    """Rows start .. end - 1 in one go: every page once."""
    row = start
    while row < end:
        touch(db, page, write, table, row, changed)
        row = (row // db.per_page[table] + 1) * db.per_page[table]


@part
def order_of(db, district, number):
    """The district's orders in the order of their making: CUSTOMERS were loaded, the others are the run's."""
    if number < CUSTOMERS:
        return np.int64(district * CUSTOMERS + number)
    return db.own[db.own_first[district] + number - CUSTOMERS]


@part
def choose_customer(db, page, write, district, constants, changed):
    """By last name the three of that name are read and the middle one is taken; else by number."""
    base = district * CUSTOMERS
    if np.random.random() < BY_NAME:
        name = nurand(NAME_SKEW, constants[2], 0, NAMES - 1)
        touch(db, page, write, CUSTOMER, base + name, False)
        touch(db, page, write, CUSTOMER, base + 2 * NAMES + name, False)
        customer = base + NAMES + name
    else:
        customer = base + nurand(CUSTOMER_SKEW, constants[1], 0, CUSTOMERS - 1)
    touch(db, page, write, CUSTOMER, customer, changed)
    return customer


@part
def other_than(warehouse, warehouses):
    """A warehouse other than the own one, each as likely."""
    other = np.random.randint(0, warehouses - 1)
    return other + (other >= warehouse)


@part
def new_order(db, page, write, warehouse, district, warehouses, constants):
    """New-Order, clause 2.4: an order with its lines from stock, now and then of another warehouse."""
    customer = district * CUSTOMERS + nurand(CUSTOMER_SKEW, constants[1], 0, CUSTOMERS - 1)
    touch(db, page, write, WAREHOUSE, warehouse, False)
    touch(db, page, write, DISTRICT, district, True)
    touch(db, page, write, CUSTOMER, customer, False)
    order = db.scalars[ORDER_NEXT]
    db.scalars[ORDER_NEXT] += 1
    start, end = db.line_first[order], db.line_first[order + 1]
    loaded = db.line_first[db.line_first.size - 1 - db.own.size]  # order lines
    for line in range(start, end):
        item = nurand(ITEM_SKEW, constants[0], 0, ITEMS - 1)
        db.item_of[line - loaded] = item
        supplier = warehouse
        if warehouses > 1 and np.random.random() < REMOTE_STOCK:
            supplier = other_than(warehouse, warehouses)
        touch(db, page, write, ITEM, item, False)
        touch(db, page, write, STOCK, supplier * ITEMS + item, True)
    touch(db, page, write, ORDERS, order, True)
    touch(db, page, write, NEW_ORDERS, db.scalars[NEW_ORDER_NEXT], True)
    touch_rows(db, page, write, ORDER_LINE, start, end, True)
    slot = db.own_first[district] + db.made[district]
    db.own[slot] = order
    db.new_order_at[slot] = db.scalars[NEW_ORDER_NEXT]
    db.scalars[NEW_ORDER_NEXT] += 1
    db.made[district] += 1
    db.customer_of[order] = customer
    db.last_order[customer] = order


@part
def payment(db, page, write, warehouse, district, warehouses, constants):
    """Payment, clause 2.5: a customer, now and then of another warehouse, pays."""
    touch(db, page, write, WAREHOUSE, warehouse, True)
    touch(db, page, write, DISTRICT, district, True)
    of = district
    if warehouses > 1 and np.random.random() < REMOTE_PAYMENT:
        of = other_than(warehouse, warehouses) * DISTRICTS + np.random.randint(0, DISTRICTS)
    choose_customer(db, page, write, of, constants, True)
    touch(db, page, write, HISTORY, db.scalars[HISTORY_NEXT], True)
    db.scalars[HISTORY_NEXT] += 1


@part
def order_status(db, page, write, district, constants):
    """Order-Status, clause 2.6: the lines of the last order of a customer."""
    order = db.last_order[choose_customer(db, page, write, district, constants, False)]
    touch(db, page, write, ORDERS, order, False)
    touch_rows(db, page, write, ORDER_LINE, db.line_first[order], db.line_first[order + 1], False)


@part
def delivery(db, page, write, warehouse):
    """Delivery, clause 2.7: the oldest undelivered order of each district of a warehouse."""
    for district in range(warehouse * DISTRICTS, (warehouse + 1) * DISTRICTS):
        number = db.delivered[district]
        if number == UNDELIVERED + db.made[district]:
            continue
        if number < UNDELIVERED:
            entry = district * UNDELIVERED + number
        else:
            entry = db.new_order_at[db.own_first[district] + number - UNDELIVERED]
        order = order_of(db, district, CUSTOMERS - UNDELIVERED + number)
        touch(db, page, write, NEW_ORDERS, entry, True)
        touch(db, page, write, ORDERS, order, True)
        touch_rows(db, page, write, ORDER_LINE, db.line_first[order], db.line_first[order + 1], True)
        touch(db, page, write, CUSTOMER, np.int64(db.customer_of[order]), True)
        db.delivered[district] = number + 1


@part
def loaded_item(line):
    """The item of an order line that was there before the run: uniform, and the same whenever it is asked for."""
    return np.int64((np.uint64(line) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(32)) % np.uint64(ITEMS))


@part
def stock_level(db, page, write, warehouse, district, transaction):
    """Stock-Level, clause 2.8: the stock of what a district's last orders were for, each item once."""
    touch(db, page, write, DISTRICT, district, False)
    loaded = db.line_first[db.line_first.size - 1 - db.own.size]  # order lines
    newest = CUSTOMERS + db.made[district]
    for number in range(newest - RECENT_ORDERS, newest):
        order = order_of(db, district, number)
        touch_rows(db, page, write, ORDER_LINE, db.line_first[order], db.line_first[order + 1], False)
        for line in range(db.line_first[order], db.line_first[order + 1]):
            item = loaded_item(line) if line < loaded else np.int64(db.item_of[line - loaded])
            if db.seen[item] != transaction:
                db.seen[item] = transaction
                touch(db, page, write, STOCK, warehouse * ITEMS + item, False)


@kernel
def references(seed, kinds, districts, constants, db, page, write, end):
    """Fill page (int64) and write (bool) with what the transactions touch, in order, and end with where each ends.

    kinds: uint8, the type of each transaction; districts: its district, both of shape (transactions,). constants: C of
    NURand for items, customers and names. page and write must be long enough.
    """
    np.random.seed(seed)
    warehouses = db.made.size // DISTRICTS
    for transaction in range(kinds.size):
        district = np.int64(districts[transaction])
        warehouse = district // DISTRICTS
        kind = kinds[transaction]
        if kind == NEW_ORDER:
            new_order(db, page, write, warehouse, district, warehouses, constants)
        elif kind == PAYMENT:
            payment(db, page, write, warehouse, district, warehouses, constants)
        elif kind == DELIVERY:
            delivery(db, page, write, warehouse)
        elif kind == STOCK_LEVEL:
            stock_level(db, page, write, warehouse, district, transaction + 1)
        else:
            order_status(db, page, write, district, constants)
        end[transaction] = db.scalars[OUT]
