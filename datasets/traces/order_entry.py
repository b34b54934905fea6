"""Order-entry workload in the spirit of TPC-C: schema, loading, and the five transactions in plain SQL.

Wholesale suppliers (warehouses) with ten districts each sell items to customers. Customers and items are chosen with
the non-uniform random function NURand; the mix is 45 % new-order, 43 % payment, and 4 % each of order-status, delivery
and stock-level. It is not a TPC-C implementation: tables are smaller, there are no terminals, no keying and no think
times, one client works without a pause. Every choice comes from a seeded generator and every date from a counter, so
one seed gives the same sequence of transactions on every database system.

The SQL is the part that SQLite and PostgreSQL share; `?` marks a parameter. Standard library only.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

DISTRICTS_PER_WAREHOUSE = 10
UNDELIVERED_SHARE = 0.3  # of the orders loaded
MIX_PERCENT = {"new_order": 45, "payment": 43, "order_status": 4, "delivery": 4, "stock_level": 4}
NAME_SYLLABLES = ("BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING")
LAST_NAMES = 1000
# TPC-C's constant A of NURand and the range it is meant for; other ranges get an A in proportion.
CUSTOMER_NURAND = (1023, 3000)
ITEM_NURAND = (8191, 100_000)
LAST_NAME_NURAND = (255, 1000)

DISTRICT_INFO_COLUMNS = ", ".join(f"s_dist_{n:02d} TEXT" for n in range(1, DISTRICTS_PER_WAREHOUSE + 1))

TABLES = (
    """CREATE TABLE warehouse (
        w_id INTEGER PRIMARY KEY, w_name TEXT, w_street TEXT, w_city TEXT, w_zip TEXT,
        w_tax DOUBLE PRECISION, w_ytd DOUBLE PRECISION)""",
    """CREATE TABLE district (
        d_w_id INTEGER, d_id INTEGER, d_name TEXT, d_street TEXT, d_city TEXT, d_zip TEXT,
        d_tax DOUBLE PRECISION, d_ytd DOUBLE PRECISION, d_next_o_id INTEGER, PRIMARY KEY (d_w_id, d_id))""",
    """CREATE TABLE customer (
        c_w_id INTEGER, c_d_id INTEGER, c_id INTEGER, c_first TEXT, c_middle TEXT, c_last TEXT, c_street TEXT,
        c_city TEXT, c_zip TEXT, c_phone TEXT, c_since INTEGER, c_credit TEXT, c_credit_lim DOUBLE PRECISION,
        c_discount DOUBLE PRECISION, c_balance DOUBLE PRECISION, c_ytd_payment DOUBLE PRECISION,
        c_payment_cnt INTEGER, c_delivery_cnt INTEGER, c_data TEXT, PRIMARY KEY (c_w_id, c_d_id, c_id))""",
    """CREATE TABLE history (
        h_c_id INTEGER, h_c_d_id INTEGER, h_c_w_id INTEGER, h_d_id INTEGER, h_w_id INTEGER, h_date INTEGER,
        h_amount DOUBLE PRECISION, h_data TEXT)""",
    """CREATE TABLE new_order (
        no_w_id INTEGER, no_d_id INTEGER, no_o_id INTEGER, PRIMARY KEY (no_w_id, no_d_id, no_o_id))""",
    """CREATE TABLE orders (
        o_w_id INTEGER, o_d_id INTEGER, o_id INTEGER, o_c_id INTEGER, o_entry_d INTEGER, o_carrier_id INTEGER,
        o_ol_cnt INTEGER, o_all_local INTEGER, PRIMARY KEY (o_w_id, o_d_id, o_id))""",
    """CREATE TABLE order_line (
        ol_w_id INTEGER, ol_d_id INTEGER, ol_o_id INTEGER, ol_number INTEGER, ol_i_id INTEGER,
        ol_supply_w_id INTEGER, ol_delivery_d INTEGER, ol_quantity INTEGER, ol_amount DOUBLE PRECISION,
        ol_dist_info TEXT, PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number))""",
    "CREATE TABLE item (i_id INTEGER PRIMARY KEY, i_im_id INTEGER, i_name TEXT, i_price DOUBLE PRECISION, i_data TEXT)",
    f"""CREATE TABLE stock (
        s_w_id INTEGER, s_i_id INTEGER, s_quantity INTEGER, {DISTRICT_INFO_COLUMNS},
        s_ytd INTEGER, s_order_cnt INTEGER, s_remote_cnt INTEGER, s_data TEXT, PRIMARY KEY (s_w_id, s_i_id))""",
)
INDEXES = (
    "CREATE INDEX customer_by_name ON customer (c_w_id, c_d_id, c_last, c_first)",
    "CREATE INDEX orders_by_customer ON orders (o_w_id, o_d_id, o_c_id, o_id)",
)

Execute = Callable[..., Any]
"""Run one SQL statement with `?` parameters (a tuple, may be left out) and return a DB-API cursor."""
InsertMany = Callable[[str, Iterator[tuple]], Any]
"""Run one INSERT statement for each row."""


@dataclass(frozen=True)
class Scale:
    """How much is loaded."""

    warehouses: int
    items: int
    customers_per_district: int


class Draws:
    """The workload's random choices, all from one seeded generator."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self._letters = "".join(self.random.choices("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", k=1 << 16))
        self._nurand_c: dict[tuple[int, int], int] = {}

    def number(self, low: int, high: int) -> int:
        """Return a uniform integer from low to high, both included."""
        return self.random.randint(low, high)

    def chance(self, percent: float) -> bool:
        """Return True in `percent` of all calls."""
        return self.random.random() * 100 < percent

    def text(self, low: int, high: int) -> str:
        """Return low to high letters."""
        start = self.number(0, len(self._letters) - high)
        return self._letters[start : start + self.number(low, high)]

    def nurand(self, proportion: tuple[int, int], low: int, high: int) -> int:
        """Return TPC-C's NURand(A, low, high), with A the largest 2^k - 1 within the given proportion of the range."""
        most = proportion[0] * (high - low + 1) // proportion[1]
        a = (1 << (most + 1).bit_length() - 1) - 1
        if proportion not in self._nurand_c:
            self._nurand_c[proportion] = self.number(0, a)
        c = self._nurand_c[proportion]
        return ((self.number(0, a) | self.number(low, high)) + c) % (high - low + 1) + low

    def last_name(self, names: int) -> str:
        """Return the last name of a customer, non-uniformly among the first `names` names."""
        return last_name(self.nurand(LAST_NAME_NURAND, 0, names - 1))


def last_name(number: int) -> str:
    """Return the name TPC-C spells for a number of three digits."""
    return "".join(NAME_SYLLABLES[int(digit)] for digit in f"{number:03d}")


def insert_sql(table: str, columns: int) -> str:
    """Return the INSERT statement for a whole row."""
    return f"INSERT INTO {table} VALUES ({', '.join('?' * columns)})"


def load(execute: Execute, insert_many: InsertMany, scale: Scale, seed: int) -> None:
    """Create the tables, fill them in key order, then build the secondary indexes."""
    draws = Draws(seed)
    for statement in TABLES:
        execute(statement)
    execute("BEGIN")
    insert_many(insert_sql("item", 5), item_rows(draws, scale))
    for w_id in range(1, scale.warehouses + 1):
        execute(insert_sql("warehouse", 7), (w_id, *address(draws), draws.random.random() * 0.2, 300_000.0))
        insert_many(insert_sql("stock", 17), stock_rows(draws, scale, w_id))
        for d_id in range(1, DISTRICTS_PER_WAREHOUSE + 1):
            tax, next_o_id = draws.random.random() * 0.2, scale.customers_per_district + 1
            execute(insert_sql("district", 9), (w_id, d_id, *address(draws), tax, 30_000.0, next_o_id))
            insert_many(insert_sql("customer", 19), customer_rows(draws, scale, w_id, d_id))
            load_orders(execute, insert_many, draws, scale, w_id, d_id)
    execute("COMMIT")
    for statement in INDEXES:
        execute(statement)


def address(draws: Draws) -> tuple[str, str, str, str]:
    """Return name, street, city and postal code."""
    return draws.text(6, 10), draws.text(10, 20), draws.text(10, 20), f"{draws.number(0, 9999):04d}11111"


def item_rows(draws: Draws, scale: Scale) -> Iterator[tuple]:
    """Yield the rows of the item catalogue."""
    for i_id in range(1, scale.items + 1):
        yield i_id, draws.number(1, 10_000), draws.text(14, 24), draws.number(100, 10_000) / 100, draws.text(26, 50)


def stock_rows(draws: Draws, scale: Scale, w_id: int) -> Iterator[tuple]:
    """Yield one row per item for a warehouse."""
    for i_id in range(1, scale.items + 1):
        district_infos = (draws.text(24, 24) for _ in range(DISTRICTS_PER_WAREHOUSE))
        yield w_id, i_id, draws.number(10, 100), *district_infos, 0, 0, 0, draws.text(26, 50)


def customer_rows(draws: Draws, scale: Scale, w_id: int, d_id: int) -> Iterator[tuple]:
    """Yield the customers of a district; the first thousand bear the thousand different last names."""
    for c_id in range(1, scale.customers_per_district + 1):
        name = last_name(c_id - 1) if c_id <= LAST_NAMES else draws.last_name(LAST_NAMES)
        credit = "BC" if draws.chance(10) else "GC"
        _, street, city, postal_code = address(draws)
        phone, discount = f"{draws.number(0, 10**16 - 1):016d}", draws.random.random() * 0.5
        yield (
            *(w_id, d_id, c_id, draws.text(8, 16), "OE", name, street, city, postal_code, phone, 0, credit),
            *(50_000.0, discount, -10.0, 10.0, 1, 0, draws.text(300, 500)),
        )


def load_orders(execute: Execute, insert_many: InsertMany, draws: Draws, scale: Scale, w_id: int, d_id: int) -> None:
    """Load one order per customer of a district, in random order of the customers; the newest are undelivered."""
    customers = list(range(1, scale.customers_per_district + 1))
    draws.random.shuffle(customers)
    first_undelivered = int(len(customers) * (1 - UNDELIVERED_SHARE)) + 1
    for o_id, c_id in enumerate(customers, start=1):
        delivered, line_count = o_id < first_undelivered, draws.number(5, 15)
        carrier_id = draws.number(1, 10) if delivered else None
        execute(insert_sql("orders", 8), (w_id, d_id, o_id, c_id, 0, carrier_id, line_count, 1))
        if not delivered:
            execute(insert_sql("new_order", 3), (w_id, d_id, o_id))
        delivery_d = 0 if delivered else None
        lines = [
            (w_id, d_id, o_id, n, draws.number(1, scale.items), w_id, delivery_d, 5, 0.0, draws.text(24, 24))
            for n in range(1, line_count + 1)
        ]
        insert_many(insert_sql("order_line", 10), iter(lines))


class Client:
    """The one client: runs transactions of the mix one after the other."""

    def __init__(self, execute: Execute, scale: Scale, seed: int) -> None:
        self.execute = execute
        self.scale = scale
        self.draws = Draws(seed)
        self.date = 0

    def run(self, transactions: int) -> dict[str, int]:
        """Run so many transactions and return how many there were of each kind."""
        counts = dict.fromkeys(MIX_PERCENT, 0)
        kinds = self.draws.random.choices(list(MIX_PERCENT), weights=list(MIX_PERCENT.values()), k=transactions)
        for kind in kinds:
            self.transaction(kind)
            counts[kind] += 1
        return counts

    def transaction(self, kind: str) -> None:
        """Run one transaction of a kind at some warehouse."""
        self.date += 1
        self.execute("BEGIN")
        keep = getattr(self, kind)(self.draws.number(1, self.scale.warehouses))
        self.execute("COMMIT" if keep else "ROLLBACK")

    def new_order(self, w_id: int) -> bool:
        """Enter an order of 5 to 15 lines; 1 % name an item that does not exist and are rolled back."""
        draws, d_id = self.draws, self.any_district()
        c_id = draws.nurand(CUSTOMER_NURAND, 1, self.scale.customers_per_district)
        lines = [self.draw_line(w_id) for _ in range(draws.number(5, 15))]
        if draws.chance(1):
            lines[-1] = (self.scale.items + 1, w_id, 1)
        (w_tax,) = self.row("SELECT w_tax FROM warehouse WHERE w_id = ?", w_id)
        d_tax, o_id = self.row("SELECT d_tax, d_next_o_id FROM district WHERE d_w_id = ? AND d_id = ?", w_id, d_id)
        self.write("UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = ? AND d_id = ?", w_id, d_id)
        (discount,) = self.row(
            "SELECT c_discount FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?", w_id, d_id, c_id
        )
        all_local = int(all(supply_w_id == w_id for _, supply_w_id, _ in lines))
        self.write(insert_sql("orders", 8), w_id, d_id, o_id, c_id, self.date, None, len(lines), all_local)
        self.write(insert_sql("new_order", 3), w_id, d_id, o_id)
        factor = (1 + w_tax + d_tax) * (1 - discount)
        for number, (i_id, supply_w_id, quantity) in enumerate(lines, start=1):
            item = self.row("SELECT i_price, i_name, i_data FROM item WHERE i_id = ?", i_id)
            if item is None:
                return False
            info = self.take_from_stock(supply_w_id, i_id, d_id, quantity, remote=supply_w_id != w_id)
            amount = quantity * item[0] * factor
            line = (w_id, d_id, o_id, number, i_id, supply_w_id, None, quantity, amount, info)
            self.write(insert_sql("order_line", 10), *line)
        return True

    def draw_line(self, w_id: int) -> tuple[int, int, int]:
        """Choose item, supplying warehouse (1 % another one) and quantity of an order line."""
        draws = self.draws
        supply_w_id = self.other_warehouse(w_id) if draws.chance(1) else w_id
        return draws.nurand(ITEM_NURAND, 1, self.scale.items), supply_w_id, draws.number(1, 10)

    def take_from_stock(self, w_id: int, i_id: int, d_id: int, quantity: int, remote: bool) -> str:
        """Book a quantity out of the stock and return the district's text for the order line."""
        in_stock, info, _ = self.row(
            f"SELECT s_quantity, s_dist_{d_id:02d}, s_data FROM stock WHERE s_w_id = ? AND s_i_id = ?", w_id, i_id
        )
        left = in_stock - quantity if in_stock >= quantity + 10 else in_stock - quantity + 91
        self.write(
            "UPDATE stock SET s_quantity = ?, s_ytd = s_ytd + ?, s_order_cnt = s_order_cnt + 1, "
            "s_remote_cnt = s_remote_cnt + ? WHERE s_w_id = ? AND s_i_id = ?",
            *(left, quantity, int(remote), w_id, i_id),
        )
        return info

    def payment(self, w_id: int) -> bool:
        """Book a customer's payment; 15 % pay at a district of another warehouse than their own."""
        draws, d_id, amount = self.draws, self.any_district(), self.draws.number(100, 500_000) / 100
        c_w_id, c_d_id = w_id, d_id
        if draws.chance(15):
            c_w_id, c_d_id = self.other_warehouse(w_id), self.any_district()
        self.write("UPDATE warehouse SET w_ytd = w_ytd + ? WHERE w_id = ?", amount, w_id)
        (w_name,) = self.row("SELECT w_name FROM warehouse WHERE w_id = ?", w_id)
        self.write("UPDATE district SET d_ytd = d_ytd + ? WHERE d_w_id = ? AND d_id = ?", amount, w_id, d_id)
        (d_name,) = self.row("SELECT d_name FROM district WHERE d_w_id = ? AND d_id = ?", w_id, d_id)
        c_id = self.find_customer(c_w_id, c_d_id)
        key = (c_w_id, c_d_id, c_id)
        credit, data = self.row(
            "SELECT c_credit, c_data FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?", *key
        )
        if credit == "BC":
            data = f"{c_id} {c_d_id} {c_w_id} {d_id} {w_id} {amount:.2f} {data}"[:500]
        self.write(
            "UPDATE customer SET c_balance = c_balance - ?, c_ytd_payment = c_ytd_payment + ?, "
            "c_payment_cnt = c_payment_cnt + 1, c_data = ? WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
            *(amount, amount, data, *key),
        )
        history = (c_id, c_d_id, c_w_id, d_id, w_id, self.date, amount, f"{w_name}    {d_name}")
        self.write(insert_sql("history", 8), *history)
        return True

    def order_status(self, w_id: int) -> bool:
        """Look up a customer's last order and its lines."""
        d_id = self.any_district()
        c_id = self.find_customer(w_id, d_id)
        self.row(
            "SELECT c_balance, c_first FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?", w_id, d_id, c_id
        )
        (o_id, *_) = self.row(
            "SELECT o_id, o_entry_d, o_carrier_id FROM orders WHERE o_w_id = ? AND o_d_id = ? AND o_c_id = ? "
            "ORDER BY o_id DESC LIMIT 1",
            *(w_id, d_id, c_id),
        )
        self.execute(
            "SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line "
            "WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?",
            (w_id, d_id, o_id),
        ).fetchall()
        return True

    def delivery(self, w_id: int) -> bool:
        """Deliver the oldest undelivered order of each district."""
        carrier_id = self.draws.number(1, 10)
        for d_id in range(1, DISTRICTS_PER_WAREHOUSE + 1):
            (o_id,) = self.row("SELECT min(no_o_id) FROM new_order WHERE no_w_id = ? AND no_d_id = ?", w_id, d_id)
            if o_id is not None:
                self.deliver(w_id, d_id, o_id, carrier_id)
        return True

    def deliver(self, w_id: int, d_id: int, o_id: int, carrier_id: int) -> None:
        """Deliver one order and charge its customer."""
        key, of_order = (w_id, d_id, o_id), "WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?"
        of_lines = "WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?"
        self.write("DELETE FROM new_order WHERE no_w_id = ? AND no_d_id = ? AND no_o_id = ?", *key)
        (c_id,) = self.row(f"SELECT o_c_id FROM orders {of_order}", *key)
        self.write(f"UPDATE orders SET o_carrier_id = ? {of_order}", carrier_id, *key)
        self.write(f"UPDATE order_line SET ol_delivery_d = ? {of_lines}", self.date, *key)
        (total,) = self.row(f"SELECT sum(ol_amount) FROM order_line {of_lines}", *key)
        self.write(
            "UPDATE customer SET c_balance = c_balance + ?, c_delivery_cnt = c_delivery_cnt + 1 "
            "WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
            *(total, w_id, d_id, c_id),
        )

    def stock_level(self, w_id: int) -> bool:
        """Count the items of a district's last 20 orders that run short."""
        d_id, threshold = self.any_district(), self.draws.number(10, 20)
        (next_o_id,) = self.row("SELECT d_next_o_id FROM district WHERE d_w_id = ? AND d_id = ?", w_id, d_id)
        self.row(
            "SELECT count(DISTINCT s_i_id) FROM order_line JOIN stock ON s_w_id = ol_w_id AND s_i_id = ol_i_id "
            "WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id >= ? AND ol_o_id < ? AND s_quantity < ?",
            *(w_id, d_id, next_o_id - 20, next_o_id, threshold),
        )
        return True

    def find_customer(self, w_id: int, d_id: int) -> int:
        """Choose a customer: 60 % by last name (the middle one of that name), 40 % by number."""
        customers = self.scale.customers_per_district
        if not self.draws.chance(60):
            return self.draws.nurand(CUSTOMER_NURAND, 1, customers)
        found = self.execute(
            "SELECT c_id FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_last = ? ORDER BY c_first",
            (w_id, d_id, self.draws.last_name(min(customers, LAST_NAMES))),
        ).fetchall()
        return found[len(found) // 2][0]

    def any_district(self) -> int:
        """Choose a district number."""
        return self.draws.number(1, DISTRICTS_PER_WAREHOUSE)

    def other_warehouse(self, w_id: int) -> int:
        """Choose another warehouse than this one, if there is one."""
        others = [other for other in range(1, self.scale.warehouses + 1) if other != w_id]
        return self.draws.random.choice(others or [w_id])

    def row(self, sql: str, *parameters: Any) -> Any:
        """Return the first row, or None."""
        return self.execute(sql, parameters).fetchone()

    def write(self, sql: str, *parameters: Any) -> None:
        """Run a statement without a result."""
        self.execute(sql, parameters)
