"""Collections shaped like TPoX: customers with accounts, FIXML orders, securities.

Shapes (elements, attributes and texts a document, value lengths, line breaks) follow public samples of the benchmark's
generator; all values are invented. An order names an account that exists and a security that exists; so does a
position. Every document is a function of (seed, kind, number) alone, so any part of a collection can be made.
"""

from collections.abc import Callable, Iterator
from random import Random

from pagecost import reads
from pagecost.errors import known, require
from pagecost.remembering import remembered
from pagecost.xmlstore.documents import words
from pagecost.xmlstore.documents.words import amount, code, date, digits, listed, moment

PER_GIGABYTE = {"customer": 53_286, "order": 266_431, "security": 20_833}  # one customer to five orders
NAMED = 1000
HEAD = '<?xml version="1.0" encoding="US-ASCII"?>\n'
BREAK = "\n"
SPACES = 'xmlns="{0}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="{0} {1}"'
ACCOUNTS = ((1, 2, 3, 4, 5, 6, 7), (0.30, 0.25, 0.17, 0.12, 0.08, 0.05, 0.03))
SHAPES = {"as invented": 1.0, "half of all that repeats": 0.5, "twice all that repeats": 2.0}
"""How many of what repeats within a document (accounts, their days and positions, addresses, industries, attributes of
an order, text)."""
SAMPLE = 200  # documents of each kind by which a shape's bytes are told

# attributes of FIXML 4.4 in the order that they stand here; each is there with probability PRESENT, some always
PRESENT = 0.62
ORDER = listed(
    "ID ID2 OrigntnDt TrdDt Acct AcctTyp AcctIDSrc DayBkngInst BkngUnit PreallocMethod SettlTyp SettlDt "
    "CshMgn ClrFeeInd HandlInst ExecInst MinQty MaxFloor ExDest ProcCode PrevClsPx Side LocReqd TxnTm "
    "QtyTyp Typ PxTyp Px StopPx Ccy ComplianceID SolFlag TmInForce EfctvTm ExpireDt ExpireTm GTBkngInst "
    "Comm CommTyp Covered MaxShow Qty2 SettlDt2 Px2 PosEfct Cap Rndir RegistID"
)
HEADER = listed("SID TID SSub TSub SLoc TLoc Snt OrigSnt PosDup PosRsnd MsgEncd SeqNum OBID")
HOP = ["ID", "Snt", "Ref"]
INSTRUMENT = listed(
    "Sym Sfx ID Src Prod CFI SecTyp SubTyp MMY MatDt CpnPmt Issued RepoTrm RepoRt Fctr CrdRtg Rgstry Ctry "
    "StPrv Lcl RedDt StrkPx StrkCcy OptAt Mult CpnRt Exch Issr Desc Pool CPPgm CPRegTyp Dated IntAcrl"
)
QUANTITY = ["Qty", "Cash", "Pct", "RndDir", "RndMod"]
ALWAYS = {"ID", "Acct", "Side", "Typ", "Sym", "Qty", "Cash", "Snt"}
DATES, MOMENTS = (
    {"OrigntnDt", "TrdDt", "SettlDt", "SettlDt2", "ExpireDt", "MatDt", "RedDt", "Dated", "Issued", "IntAcrl"},
    {"TxnTm", "EfctvTm", "ExpireTm", "Snt", "OrigSnt"},
)
AMOUNTS = {
    "MinQty",
    "MaxFloor",
    "PrevClsPx",
    "Px",
    "StopPx",
    "Comm",
    "MaxShow",
    "Qty2",
    "Px2",
    "RepoRt",
    "Fctr",
    "StrkPx",
    "Mult",
    "CpnRt",
    "Qty",
    "Cash",
    "Pct",
}


def counts(plain_bytes: float) -> dict[str, int]:
    """Documents of each kind in a database of that size, at least one; securities in proportion, too. Fewer
    where another shape has more in each, so that the database is as large."""
    require(plain_bytes > 0, f"a database has more than 0 bytes; got {plain_bytes:g}")
    per_gigabyte = reads.in_force("tpox.PER_GIGABYTE", PER_GIGABYTE)
    reads.note([f"constant:tpox.PER_GIGABYTE={','.join(map(str, per_gigabyte.values()))}"])
    as_many = plain_bytes / 1e9 * _size_ratio(_shape(), tuple(per_gigabyte.items()))
    return {kind: max(1, round(number * as_many)) for kind, number in per_gigabyte.items()}


def _shape() -> str:
    """What a run reads that has documents of these shapes."""
    return known("shape of TPoX documents", reads.constant("tpox.ACCOUNTS", "as invented"), SHAPES)


def _times() -> float:
    return SHAPES[reads.in_force("tpox.ACCOUNTS", "as invented")]


def _some(draw: Random, least: int, most: int) -> int:
    """How many of something that repeats: at least one, as many as the shape in force has of it."""
    return max(1, round(draw.randint(least, most) * _times()))


@remembered
def _size_ratio(shape: str, mix: tuple[tuple[str, int], ...]) -> float:
    """Bytes of a mix of documents in the shape that was invented over those of the same mix in another shape."""
    if SHAPES[shape] == 1:
        return 1.0

    def size(kind: str) -> int:
        return sum(len(document(kind, number, NAMED, NAMED)) for number in range(SAMPLE))

    in_this = sum(number * size(kind) for kind, number in mix)
    with reads.instead({"tpox.ACCOUNTS": "as invented"}):
        return sum(number * size(kind) for kind, number in mix) / in_this


def document(kind: str, number: int, securities: int, customers: int, seed: int = 1) -> bytes:
    """One document of a collection. securities, customers: how many there are to refer to."""
    draw = Random(f"{seed}/{kind}/{number}")
    return (HEAD + KINDS[known("kind of document", kind, KINDS)](draw, number, securities, customers, seed)).encode()


def alone(kind: str, plain_bytes: float, seed: int = 1) -> Iterator[tuple[str, list[bytes]]]:
    """So many bytes of documents of one kind as text, whatever else a database has; customers and securities that they
    name are among `NAMED` each."""
    _shape()
    made, number = 0, 0
    while made < plain_bytes:
        text = document(kind, number, NAMED, NAMED, seed)
        yield f"{kind} {number}", [text]
        made, number = made + len(text), number + 1


def collection(kind: str, plain_bytes: float, seed: int = 1) -> Iterator[tuple[str, list[bytes]]]:
    """All documents of one kind in a database of that size, as `xmlstore.load` takes them."""
    of = counts(plain_bytes)
    for number in range(of[kind]):
        yield f"{kind} {number}", [document(kind, number, of["security"], of["customer"], seed)]


def symbol(security: int) -> str:
    """The ticker of a security: letters that no other has."""
    mixed, letters = (security * 7_368_787 + 11) % 26**5, ""
    for _ in range(5):
        mixed, letter = divmod(mixed, 26)
        letters += chr(65 + letter)
    return letters


def account(customer: int, place: int) -> str:
    """The number of a customer's account."""
    return str(804_130_877 + 7 * customer + place)


def accounts(customer: int, seed: int) -> int:
    """How many accounts a customer has, 1 to 7; more or fewer in another shape."""
    return max(1, round(Random(f"{seed}/accounts/{customer}").choices(*ACCOUNTS)[0] * _times()))


def _leaf(tag: str, value: str) -> str:
    return f"<{tag}>{value}</{tag}>\n"


def _inside(tag: str, *parts: str, attributes: str = "") -> str:
    return f"<{tag}{attributes}>\n{''.join(parts)}</{tag}>\n"


def _customer(draw: Random, number: int, securities: int, customers: int, seed: int) -> str:
    first, last = draw.choice(words.FIRST), draw.choice(words.LAST)
    name = [_leaf("Title", draw.choice(("Mr", "Ms", "Dr"))), _leaf("FirstName", first)]
    name += [_leaf("MiddleName", draw.choice(words.FIRST))] * (draw.random() < 0.4)
    name += [_leaf("LastName", last)]
    name += [_leaf("Suffix", "Jr")] * (draw.random() < 0.2)
    languages = [_leaf("Language", draw.choice(("English", "German", "French"))) for _ in range(_some(draw, 1, 3))]
    addresses = [_address(draw, place) for place in range(_some(draw, 1, 3))]
    mails = [
        f'<Email primary="{"No" if place else "Yes"}">{first}.{last}@{draw.choice(words.vocabulary())}.com</Email>\n'
        for place in range(_some(draw, 1, 3))
    ]
    spaces = SPACES.format("http://tpox-benchmark.com/custacc", "custacc.xsd")
    return _inside(
        "Customer",
        _leaf("Mnemonic", first[:2].upper() + last[:4].upper()),
        _inside("ShortNames", _leaf("ShortName", f"{first} {last}")),
        _inside("Name", *name),
        _leaf("DateOfBirth", date(draw)),
        _leaf("Gender", draw.choice(("Male", "Female"))),
        _leaf("Nationality", draw.choice(words.LAND)),
        _leaf("CountryOfResidence", draw.choice(words.LAND)),
        _inside("Languages", *languages),
        _inside("Addresses", *addresses, _inside("EmailAddresses", *mails)),
        _banking(draw),
        _inside(
            "Accounts",
            *(
                _account(draw, account(number, place), f"{first} {last}", securities)
                for place in range(accounts(number, seed))
            ),
        ),
        attributes=f' {spaces} id="{1011 + number}"',
    )


def _address(draw: Random, place: int) -> str:
    phones = [
        _inside(
            "Phone",
            _leaf("CountryCode", digits(draw, 2)),
            _leaf("AreaCode", digits(draw, 3)),
            _leaf("Number", digits(draw, 7)),
            *[_leaf("Extension", digits(draw, 3))] * (draw.random() < 0.3),
            attributes=f' primary="{"Yes" if not other else "No"}" type="{draw.choice(("Home", "Work", "Mobile"))}"',
        )
        for other in range(_some(draw, 1, 4))
    ]
    streets = [
        _leaf("Street", f"{draw.randint(1, 999)} {draw.choice(words.STREET)} Street") for _ in range(draw.randint(1, 2))
    ]
    return _inside(
        "Address",
        _inside("gStreet", *streets),
        *[_leaf("POBox", digits(draw, 5))] * (draw.random() < 0.4),
        _leaf("City", draw.choice(words.CITY)),
        _leaf("PostalCode", digits(draw, 5)),
        _leaf("State", draw.choice(words.CITY)),
        _leaf("Country", draw.choice(words.LAND)),
        _leaf("CityCountry", draw.choice(words.CITY)),
        _inside("Phones", *phones),
        attributes=f' primary="{"Yes" if not place else "No"}" type="{draw.choice(("Home", "Work"))}"',
    )


def _banking(draw: Random) -> str:
    def secret(tag: str) -> str:
        cipher = _inside("CipherData", _leaf("CipherValue", code(draw, 20, 20)))
        return _inside(tag, _inside("EncryptedData", cipher, attributes=' Type="Content"'))

    return _inside(
        "BankingInfo",
        _leaf("CustomerSince", date(draw)),
        _leaf("PremiumCustomer", draw.choice(("Yes", "No"))),
        _leaf("CustomerStatus", draw.choice(("Active", "Inactive"))),
        _leaf("LastContactDate", date(draw)),
        _leaf("ReviewFrequency", draw.choice(("monthly", "yearly"))),
        _inside("Online", _leaf("Login", code(draw, 6, 12)), secret("Pin"), secret("Trading-password")),
        _inside("Tax", secret("SSN"), _leaf("TaxRate", amount(draw, 50))),
        _leaf("Currency", draw.choice(words.CURRENCY)),
    )


def _account(draw: Random, number: str, owner: str, securities: int) -> str:
    days = [
        _inside(
            "mValueDate",
            _leaf("ValueDate", date(draw)),
            _leaf("CreditMovement", amount(draw)),
            _leaf("ValueDatedBal", amount(draw)),
        )
        for _ in range(_some(draw, 1, 10))
    ]
    positions = []
    for _ in range(_some(draw, 1, 10)):
        security = draw.randrange(securities)
        positions.append(
            _inside(
                "Position",
                _leaf("Symbol", symbol(security)),
                _leaf("Name", security_name(security)),
                _leaf("Type", draw.choice(("Stock", "Fund"))),
                _leaf("Quantity", amount(draw, 99_999)),
            )
        )
    return _inside(
        "Account",
        _leaf("Category", digits(draw, 4)),
        _leaf("AccountTitle", f"{owner} {draw.choice(words.CURRENCY)}"),
        _leaf("ShortTitle", owner),
        _leaf("Mnemonic", code(draw, 8, 10).upper()),
        _leaf("Currency", draw.choice(words.CURRENCY)),
        _leaf("CurrencyMarket", digits(draw, 1)),
        _leaf("OpeningDate", date(draw)),
        _leaf("AccountOfficer", draw.choice(words.LAST)),
        _leaf("LastUpdate", moment(draw)),
        _inside(
            "Balance",
            _leaf("OnlineActualBal", amount(draw)),
            _leaf("OnlineClearedBal", amount(draw)),
            _leaf("WorkingBalance", amount(draw)),
        ),
        _leaf("Passbook", draw.choice(("Yes", "No"))),
        _inside("gValueDate", *days),
        _leaf("ChargeCcy", draw.choice(words.CURRENCY)),
        _leaf("InterestCcy", draw.choice(words.CURRENCY)),
        _leaf("AllowNetting", draw.choice(("Yes", "No"))),
        _inside("gInputter", *(_leaf("Inputter", code(draw, 6, 10)) for _ in range(_some(draw, 1, 5)))),
        _inside("Holdings", *positions),
        attributes=f' id="{number}"',
    )


def _order(draw: Random, number: int, securities: int, customers: int, seed: int) -> str:
    owner, times = draw.randrange(customers), _times()
    fixed = {
        "ID": str(103_415 + number),
        "Acct": account(owner, draw.randrange(accounts(owner, seed))),
        "Sym": symbol(draw.randrange(securities)),
        "Side": draw.choice("12"),
        "Typ": draw.choice("1234"),
    }

    def attributes(pool, known_values=fixed) -> str:
        return "".join(
            f' {name}="{known_values.get(name) or _fix_value(draw, name)}"'
            for name in pool
            if name in ALWAYS or draw.random() < PRESENT * times
        )

    hops = "".join(f"<Hop{attributes(HOP, {})}></Hop>\n" for _ in range(draw.randint(0, 2)))
    party = f'<Pty Src="{code(draw, 1, 1)}" Sub="{code(draw, 3, 8)}"></Pty>\n' if draw.random() < 0.5 else ""
    spaces = SPACES.format("http://www.fixprotocol.org/FIXML-4-4", "fixml-order-main-4-4.xsd")
    return _inside(
        "FIXML",
        _inside(
            "Order",
            f"<Hdr{attributes(HEADER, {})}>{BREAK if hops else ''}{hops}</Hdr>\n",
            party,
            f"<Instrmt{attributes(INSTRUMENT, {'Sym': fixed['Sym']})}></Instrmt>\n",
            f"<OrdQty{attributes(QUANTITY, {})}></OrdQty>\n",
            attributes=attributes(ORDER),
        ),
        attributes=f' {spaces} v="4.4" r="20030618" s="20040109"',
    )


def _fix_value(draw: Random, name: str) -> str:
    if name in DATES:
        return date(draw)
    if name in MOMENTS:
        return moment(draw)
    if name in AMOUNTS:
        return amount(draw, 9999)
    return digits(draw, 10) if name.endswith("ID") else code(draw, 3, 10)


def security_name(security: int) -> str:
    """The company or fund behind a ticker."""
    of = words.vocabulary()
    return f"{of[security % 2000].capitalize()} {of[security * 7 % 1999].capitalize()} Inc"


def _security(draw: Random, number: int, securities: int, customers: int, seed: int) -> str:
    fund = draw.random() < 0.6
    industries = [_leaf("Industry", draw.choice(words.vocabulary())) for _ in range(_some(draw, 1, 6))]
    if fund:
        information = _inside(
            "FundInformation",
            _leaf("FundFamily", security_name(number)),
            *industries,
            _leaf("AssetGroup", draw.choice(("Equity", "Bond", "Mixed"))),
            _leaf("Category", draw.choice(words.vocabulary())),
            _leaf("ExpenseRatio", amount(draw, 5)),
            _leaf("TotalAssets", digits(draw, 9)),
            _leaf("MinInitialInvestment", digits(draw, 4)),
            _leaf("MinSubsequentInvestment", digits(draw, 3)),
        )
        texts = _mixed("FundDescription", draw) + _mixed("Management", draw)
    else:
        information = _inside(
            "StockInformation",
            _leaf("Sector", draw.choice(words.vocabulary())),
            *industries,
            f'<Category Capitalization="{draw.choice(("Large", "Small"))}" Class="{draw.choice(("Growth", "Value"))}">'
            f"{draw.choice(words.vocabulary())}</Category>\n",
            _leaf("OutstShares", digits(draw, 9)),
        )
        texts = _mixed("BusinessSummary", draw)
    spaces = SPACES.format("http://tpox-benchmark.com/security", "security.xsd")
    return _inside(
        "Security",
        _leaf("Symbol", symbol(number)),
        _leaf("Name", security_name(number)),
        _leaf("ShortName", security_name(number).split()[0]),
        _leaf("SecurityType", "Fund" if fund else "Stock"),
        _inside("SecurityInformation", information),
        _inside("Description", texts),
        _price(draw),
        _leaf("PE", amount(draw, 40)),
        _leaf("Yield", amount(draw, 9)),
        _leaf("DivPerShare", amount(draw, 9)),
        attributes=f" {spaces}",
    )


def _price(draw: Random) -> str:
    def money(*tags):
        return [_leaf(tag, amount(draw, 400)) for tag in tags]

    year = [*money("Price52week-low"), _leaf("Price52week-low-date", date(draw))]
    year += [*money("Price52week-high"), _leaf("Price52week-high-date", date(draw))]
    return _inside(
        "Price",
        *money("LastTrade", "Ask", "Bid", "Price50DayAvg", "Price200DayAvg"),
        _inside("PriceToday", *money("PreviousClose", "Open", "High", "Low")),
        _inside("Price52week", *year),
    )


def _mixed(tag: str, draw: Random) -> str:
    """Running text with a few marked words."""
    inline = draw.choices(("Risk", "CEO", "Holdings", "Keyword", "Strategy", "Competitor"), k=draw.randint(2, 5))
    size = _some(draw, 500, 3000) // (len(inline) + 1)
    parts = [words.prose(draw, size)]
    for mark in inline:
        parts += [f" <{mark}>{words.prose(draw, draw.randint(5, 40))}</{mark}> ", words.prose(draw, size)]
    return f"<{tag}>{''.join(parts)}</{tag}>\n"


KINDS: dict[str, Callable[..., str]] = {"customer": _customer, "order": _order, "security": _security}
"""The three collections, by kind."""

READING = {
    "order": ("order", "//FIXML/Order[@ID=?]"),
    "price": ("security", "//Security[Symbol=?]/Price/LastTrade/text()"),
    "search": ("security", "//Security[Symbol=?]/Name/text()"),
    "customer": ("customer", "//Customer[@id=?]/Name"),
    "accounts": ("customer", "//Customer[@id=?]/Accounts"),
}
"""The transactions that read: the collection that each asks, and its path with the value left open."""
