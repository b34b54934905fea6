"""How claims on the XML store are measured: labels, what a record holds, what comes back, and power."""

import random
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from pagecost import catalogue, devices
from pagecost.answers import xml_runs
from pagecost.claims.answers import answer, ranked
from pagecost.devices import energy
from pagecost.oscaches import Host
from pagecost.workload import tpox as load_of_tpox
from pagecost.xmlstore import MAPPINGS, Store, labels, load, queries
from pagecost.xmlstore.canonical import digest
from pagecost.xmlstore.documents import tpox
from pagecost.xmlstore.parse_kernels import ELEMENT_NODE
from pagecost.xmlstore.range_labels import RangeLabels

BIBLIOGRAPHY = (
    b'<bib><publication><book year="1994"><author/><publisher/><title>TCP/IP</title></book></publication></bib>'
)


def relabelled(scheme: str, inserts: int) -> str:
    """Whether random inserts below one node change labels that other nodes have: "some" or "none"."""
    draw = random.Random(1)
    if scheme == "range":
        tree = RangeLabels(gap=16)
        for _ in range(inserts):
            tree.insert(0, draw.randint(0, len(tree.children[0])))
        return "some" if tree.relabelled else "none"
    children: list[labels.Label] = []
    handed_out = set()
    for _ in range(inserts):
        place = draw.randint(0, len(children))
        before = children[place - 1] if place else None
        new = labels.between((3,), before, children[place] if place < len(children) else None)
        children.insert(place, new)
        handed_out.add(new)
    return "none" if children == sorted(handed_out) else "some"


def stored_as(label: str, mapping: str) -> str:
    """The record that a store of the paper's cut-out of a bibliography holds under a label: "(label, PCR, value)".

    The paper labels the root 1; here the collection is 1 and a document's root 1.3, so labels are one longer. A path
    class is numbered from 1, elements and attributes in the order of first appearance; that of a text is its element's.
    """
    tag, value = _stored(label, mapping)
    return f"({label}, {_element_classes(tag)[1]}, {value})" if tag else "nothing"


def path_rebuilt(label: str, mapping: str) -> str:
    """The names of all ancestors of the value that such a store holds under a label: "bib/publication/book"."""
    tag, _ = _stored(label, mapping)
    return _element_classes(tag)[0].strip("/") if tag else "nothing"


def _stored(label: str, mapping: str) -> tuple[str, str]:
    """Path class and value of a record of the cut-out; empty texts where there is none."""
    with tempfile.TemporaryDirectory(prefix="pagecost-") as folder, _bibliography(folder, mapping) as store:
        first, *rest = labels.parse(label)
        wanted = labels.encode((labels.FIRST_CHILD, first, *rest))
        for key, kind, body in store.records(wanted, wanted + b"\0"):
            if key == wanted and store.mapping.tag_bytes[kind]:
                return store.path_class(int.from_bytes(body[:2], "little")), body[3:].decode()
    return "", ""


def _element_classes(path: str) -> tuple[str, int]:
    """A path of the cut-out without its text step, and the number of that path class."""
    path = path.removesuffix("/text()")
    with tempfile.TemporaryDirectory(prefix="pagecost-") as folder, _bibliography(folder, "el") as store:
        every = [store.path_class(number) for number in range(len(store.catalogue.path_name))]
    return path, [each for each in every if not each.endswith("text()")].index(path) + 1


def comes_back(mapping: str, whitespace: str = "keep") -> str:
    """Whether canonical XML of one document of each kind comes back from a store: "equal" or "different"."""
    texts = [tpox.document(kind, 3, 50, 50) for kind in tpox.KINDS]
    with tempfile.TemporaryDirectory(prefix="pagecost-") as folder:
        stores = load([("", [text]) for text in texts], {mapping: Path(folder) / mapping}, whitespace=whitespace)
        with stores[mapping] as store:
            same = all(digest([text]) == digest([store.document(number)]) for number, text in enumerate(texts))
    return "equal" if same else "different"


def busy_share_percent(device: str, mean_w: float) -> float:
    """The share of the time under load [%] that a mean power of the device means."""
    known = catalogue.device(device)
    return 100 * energy.busy_share(known.value("idle_w"), known.value("active_w"), mean_w)


def per_watt(device: str, name: str, at_most: float) -> str:
    """Whether a rating per watt under load is within a bound: "within" or "above"."""
    known = catalogue.device(device)
    return "within" if known.value(name) / known.value("active_w") <= at_most else "above"


def best(study: str, column: str, label: str, where: Mapping, set: Mapping | None = None) -> str:
    """The label of the row with the largest value among those that agree with `where`."""
    result = answer(study, values=set)
    rows = result.rows(**where)
    return str(result[label][rows[np.argmax(result[column][rows])]])


def order_of_footprints(study: str, document: str, labels: str = "compressed") -> str:
    """The mappings by rising footprint of one kind of document: "el < pc < fs".

    labels: "whole" counts those of every mapping whole, as a store without compression would hold them.
    """
    result = answer(study, values={"document": document})
    whole = result["label_bytes"] * (1 / result["label_ratio"] - 1) if labels == "whole" else 0.0
    return ranked(dict(zip(result["mapping"].tolist(), (result["bytes"] + whole).tolist(), strict=True)))


def order_of_reads(plain_bytes: float, buffer_bytes: float) -> str:
    """The mappings by rising pages read per query, after the warm-up: "el < pc < fs". No device and no processor."""
    host = Host(buffer_pages=int(buffer_bytes // xml_runs.PAGE_BYTES), direct=True)
    found = {name: xml_runs.counted(xml_runs.Load(name, plain_bytes, 0.0, 1), host) for name in MAPPINGS}
    reads = {name: each.traffic.device_requests(write=False) for name, each in found.items()}
    return ranked(reads)


def compared(study: str, column: str, where: Mapping, set: Mapping, with_set: Mapping, times: float) -> str:
    """Whether a cell is "more" or "less" than `times` the same cell of the study asked with other inputs."""
    asked, other = answer(study, values=set), answer(study, values=with_set)
    (row,) = asked.rows(**where)
    (beside,) = other.rows(**where)
    return "more" if asked[column][row] > times * other[column][beside] else "less"


def always_more(study: str, column: str, label: str, more: str, less: str) -> str:
    """Whether the smallest value of one label is above the largest of another: "all" or "not all"."""
    result = answer(study)
    high, low = (result[column][result.rows(**{label: name})] for name in (more, less))
    return "all" if high.min() > low.max() else "not all"


def rising(study: str, column: str, label: str, where: Mapping, set: Mapping | None = None) -> str:
    """Labels of the rows that agree with `where` by rising value of a column: "el < pc < fs"."""
    result = answer(study, values=set)
    rows = result.rows(**where)
    return ranked(dict(zip(result[label][rows].tolist(), result[column][rows].tolist(), strict=True)))


def order_of_codes(samples: int, code: str = "XTC") -> str:
    """Whether codes of random labels, compared byte by byte, are in the order of the labels: "kept" or "lost"."""
    draw = random.Random(1)
    drawn = sorted(
        {tuple(draw.choice((1, 2, 7, 9, 88, 5000)) for _ in range(draw.randint(1, 6))) for _ in range(samples)}
    )
    codes = [labels.encode(label) if code == "XTC" else labels.show(label).encode() for label in drawn]
    return "kept" if codes == sorted(codes) else "lost"


def stored_elements(mapping: str) -> str:
    """Whether a store of the paper's cut-out of a bibliography has records for inner elements: "some" or "none"."""
    with tempfile.TemporaryDirectory(prefix="pagecost-") as folder, _bibliography(folder, mapping) as store:
        return "some" if any(kind == ELEMENT_NODE for _, kind, _ in store.records()) else "none"


def read_back_share(mapping: str, over: str, bytes_of: str) -> float:
    """Pages read to rebuild documents from one mapping over those of another, over the same ratio of footprints.

    bytes_of: the mapping whose footprint is taken.
    """
    texts = [tpox.document("customer", number, 50, 50) for number in range(40)]
    with tempfile.TemporaryDirectory(prefix="pagecost-") as folder:
        stores = load([("", [text]) for text in texts], {name: Path(folder) / name for name in MAPPINGS}, sync=False)
        touched, stored = {}, {}
        for name, store in stores.items():
            with store, queries.recorded(store) as held:
                for _ in store.text():
                    pass
                stored[name] = store.footprint().bytes
            touched[name] = held[0].page.size
    return (touched[mapping] / touched[over]) / (stored[bytes_of] / stored[over])


def share_of_writers(write_share: float, transactions: int) -> float:
    """Percent of a workload's transactions that write."""
    names = load_of_tpox.workload(xml_runs.database("el", 1e7), transactions, write_share).name
    return 100 * float(np.mean([load_of_tpox.TRANSACTIONS[name].writes for name in names]))


def named_transactions(writing: bool) -> float:
    """How many of the transactions by name write, or only read."""
    return float(sum(transaction.writes == writing for transaction in load_of_tpox.TRANSACTIONS.values()))


def longer_seeks(device: str, small_bytes: float, large_bytes: float) -> str:
    """Whether a random read takes at least 1 % "longer" in the larger of two databases, or is the "same"."""
    model = devices.load(device)
    small, large = (
        model.service("random read", 4096.0, span_bytes=size).total_s for size in (small_bytes, large_bytes)
    )
    return "longer" if large > 1.01 * small else "same"


def share_over_sizes(study: str, column: str, where: Mapping, points: float, set: Mapping | None = None) -> str:
    """Whether a term's share of the elapsed time changes over the sizes by "more" or "less" than so many points."""
    result = answer(study, values=set)
    rows = result.rows(**where)
    return "more" if 100 * np.ptp(result[column][rows] * result["tps"][rows]) > points else "less"


def share_grows(study: str, column: str, where: Mapping, points: float, set: Mapping | None = None) -> str:
    """Whether a term's share of the elapsed time grows from each size to the next, by more than so many points in all.

    "steadily" or "not steadily".
    """
    result = answer(study, values=set)
    rows = result.rows(**where)
    shares = 100 * result[column][rows] * result["tps"][rows]
    return "steadily" if (np.diff(shares) > 0).all() and shares[-1] - shares[0] > points else "not steadily"


def saving_percent(study: str, column: str, where: Mapping, least: str, most: str, set: Mapping | None = None) -> float:
    """How much less of a column one mapping takes than another, in percent of the other."""
    result = answer(study, values=set)
    less, more = (result[column][result.rows(**where, mapping=name)[0]] for name in (least, most))
    return float(100 * (more - less) / more)


def per_watt_over(device: str, name: str, bound: float) -> float:
    """A rating per watt under load over a stated bound."""
    known = catalogue.device(device)
    return known.value(name) / known.value("active_w") / bound


def dominates(study: str, column: str, set: Mapping | None = None) -> str:
    """Whether a term takes more than half of the elapsed time for "all" devices, mappings and sizes, or "not all"."""
    result = answer(study, values=set)
    return "all" if (result[column] * result["tps"] > 0.5).all() else "not all"


def mean_power(device: str, io_s: float, log_s: float, elapsed_s: float) -> float:
    """The mean power [W] of a device that does I/O and log for parts of the elapsed time."""
    known = catalogue.device(device)
    return float(energy.average_w(known.value("idle_w"), known.value("active_w"), (io_s + log_s) / elapsed_s))


def variation_percent(low: float, high: float, of: str = "high") -> float:
    """The difference of two numbers in percent of the higher or lower one."""
    return 100 * (high - low) / {"high": high, "low": low}[of]


def power_over_sizes_percent(study: str, device: str, mapping: str, set: Mapping | None = None) -> float:
    """The variation of mean power over the sizes of the database, in percent of the highest."""
    result = answer(study, values=set)
    powers = result["mean_w"][result.rows(device=device, mapping=mapping)]
    return variation_percent(powers.min(), powers.max())


def _bibliography(folder: str, mapping: str) -> Store:
    return load([("bib", [BIBLIOGRAPHY])], {mapping: Path(folder) / mapping}, sync=False)[mapping]
