"""Paths: lxml's XPath is the oracle, index and scan agree, and a query touches the pages that the paper says."""

import itertools

import numpy as np
import pytest
from lxml import etree

from pagecost.answers import xml_runs
from pagecost.errors import ModelError
from pagecost.workload import tpox as load_of_tpox
from pagecost.xmlstore import MAPPINGS, load, queries
from pagecost.xmlstore.documents import auction, tpox

BIB = b"""<bib><book year="1994" id="1"><author>A</author><author>B</author><title>T<i>C</i>P</title><e/></book>
<book year="2000"><title>Q</title><part><title>deep</title></part><author/></book><note year="1994">n</note></bib>"""
PATHS = [
    "/bib/book",
    "//title",
    "/bib/book/title",
    "/bib/*",
    "//book[@year='1994']",
    '//book[@year="1994"]/author',
    "//*[@id]",
    "/bib/book[title='Q']//title",
    "//book[author]/title",
    "//note[.='n']",
    "//book[@year='1994'][title='TCP']/e",
    "//book[title='none']",
    "//nothing",
]
VALUES = ["/bib/book/@year", "//title/text()", "//book[@id='1']/author/text()", "//@year"]
# elements in elements of the same name: a step leads from those that hold, not from others of their path class
NESTED = b"""<a x="1"><a x="0"><a x="1">in</a><b>q</b></a><a x="1">out</a><b>q</b><b>q<!--cut-->q</b></a>"""
NESTED_PATHS = ["//a[@x='1']/a", "//a[@x='0']//a", "/a/a[@x='1']", "//a[@x='1']/a[@x='1']", "//a[b='q']", "//b[.='qq']"]
NESTED_VALUES = ["//a[@x='1']/@x", "//a[@x='1']/text()", "//a[@x='0']/b/text()"]
WAYS = ("scan", "elements", "values")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("mapping", MAPPINGS)
@pytest.mark.parametrize(
    ("text", "paths", "values"), [(BIB, PATHS, VALUES), (NESTED, NESTED_PATHS, NESTED_VALUES)], ids=("bib", "nested")
)
def test_paths_find_what_xpath_finds(tmp_path, mapping, way, text, paths, values):
    tree = etree.fromstring(text)
    places, use_index = {mapping: tmp_path / mapping}, way != "scan"
    with load([("it", [text])], places, sync=False, value_index=way == "values")[mapping] as store:
        for path in paths:
            found = [store.subtree(node.label) for node in queries.select(store, path, use_index=use_index)]
            wanted = [etree.tostring(element, with_tail=False) for element in tree.xpath(path)]
            assert found == wanted, path
        for path in values:
            found = [node.value for node in queries.select(store, path, use_index=use_index)]
            assert found == [str(value) for value in tree.xpath(path)], path


@pytest.mark.parametrize("mapping", MAPPINGS)
def test_index_and_scan_agree_on_a_larger_document(tmp_path, mapping):
    text = b"".join(auction.document(1e5))
    with load([("site", [text])], {mapping: tmp_path / mapping}, sync=False, page_bytes=1024)[mapping] as store:
        for path in ("//person[@id='person3']/name/text()", "/site/regions/europe/item/@id", "//keyword"):
            by_index = queries.select(store, path)
            assert by_index == queries.select(store, path, use_index=False)
            assert by_index


@pytest.mark.parametrize("mapping", MAPPINGS)
def test_a_query_touches_index_levels_and_one_or_two_containers(tmp_path, mapping):
    """schmidt2009 section 6: element index, document index, one or two container pages."""
    orders = list(tpox.collection("order", 4e6))
    with load(orders, {mapping: tmp_path / mapping}, whitespace="drop", sync=False)[mapping] as store:
        heights = store.catalogue.heights
        for number in (3, 400, len(orders) - 5):
            root = (3 + 2 * number,)
            with queries.recorded(store) as held:
                key = store.catalogue.names.index("Order").to_bytes(2, "big")
                page = store.file.read(store.leaf("elements", key + queries.labels.encode((*root, 3))))
                assert page is not None
                text = store.subtree((*root, 3))
            assert b"<Order" in text
            requests = held[0]
            containers = requests.size - heights["elements"] - 1 - heights["document"]
            assert 1 <= containers <= 2
            assert len(set(requests.page[: heights["elements"] + 1].tolist())) == heights["elements"] + 1


def test_the_experiments_layout_is_that_of_a_loaded_store(tmp_path):
    """Containers within 3 %, index levels equal: the sample stands for the collection."""
    places = {mapping: tmp_path / mapping for mapping in MAPPINGS}
    stores = load(tpox.collection("order", 5e6), places, whitespace="drop", sync=False, element_index=False)
    for mapping, store in stores.items():
        with store:
            footprint = store.footprint()
        layout = xml_runs.database(mapping, 5e6).collections["order"]
        assert layout.containers.pages == pytest.approx(footprint.pages, rel=0.03)
        assert len(layout.index) == footprint.index_height


def test_areas_of_the_experiment_do_not_overlap_and_every_page_is_inside():
    database = xml_runs.database("pc", 1e8)
    areas = sorted(
        (area.first, area.pages)
        for collection in database.collections.values()
        for area in (collection.containers, *collection.index, *collection.entries)
    )
    assert all(first + pages == following for (first, pages), (following, _) in itertools.pairwise(areas))
    load = load_of_tpox.workload(database, 5000, 0.5)
    assert load.requests.page.min() >= 1
    assert load.requests.page.max() < database.pages
    assert load.first[-1] == load.requests.size


@pytest.mark.parametrize("share", [0.0, 0.3, 0.5, 1.0])
def test_the_write_share_is_the_one_asked_for(share):
    """4 standard deviations of a binomial."""
    load = load_of_tpox.workload(xml_runs.database("el", 1e7), 20_000, share)
    measured = np.count_nonzero(load.log_bytes > 0) / 20_000
    assert measured == pytest.approx(share, abs=4 * (0.25 / 20_000) ** 0.5 * (share not in (0, 1)))
    assert (load.requests.op.max() > 0) == (share > 0)


@pytest.mark.parametrize("mapping", ["fs", "el"])
def test_a_query_reads_each_container_of_its_part_of_the_document(mapping):
    """By hand: documents follow each other evenly, so that a customer of 1.8 pages lies on up to three."""
    database = xml_runs.database(mapping, 1e7)
    load = load_of_tpox.workload(database, 4000, 0.0)
    most = 0
    for name, transaction in load_of_tpox.TRANSACTIONS.items():
        collection = database.collections[transaction.kind]
        area, each = collection.containers, collection.containers.pages / collection.documents
        for number in np.flatnonzero(load.name == name):
            pages = load.requests.page[load.first[number] : load.first[number + 1]]
            begin, end = ((load.document[number] + part) * each for part in (transaction.first, transaction.last))
            held = [page for page in range(area.pages) if page < end - 1e-6 and page + 1 > begin + 1e-6]
            held = held or [min(int(begin), area.pages - 1)]  # of a place alone
            read = [page - area.first for page in pages if area.first <= page < area.first + area.pages]
            assert read == held or (transaction.first == transaction.last and len(read) == 1), (name, number)
            most = max(most, len(read))
    assert most == (3 if mapping == "fs" else 2)


def test_a_read_only_transaction_touches_the_levels_and_its_containers():
    database = xml_runs.database("fs", 1e9)
    load = load_of_tpox.workload(database, 3000, 0.0)
    for name in ("order", "price", "search", "customer", "accounts"):
        collection = database.collections[load_of_tpox.TRANSACTIONS[name].kind]
        levels = len(collection.index) + len(collection.entries)
        touched = np.diff(load.first)[load.name == name]
        most = 3 if name == "accounts" else 2  # 0.6 of a customer of 1.8 pages
        assert set((touched - levels).tolist()) <= set(range(1, most + 1))


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("", "at least one step"),
        ("book", "not understood from 'book' on"),
        ("/a[", "not understood"),
        ("/a[b=5]", "is no predicate"),
        ("/@id/b", "nothing lies below @id"),
        ("/a/text()[b]", "takes no predicate"),
    ],
)
def test_a_path_that_cannot_be_read_is_refused_in_a_sentence(path, sentence):
    with pytest.raises(ModelError, match=sentence.replace("[", r"\[").replace("(", r"\(")):
        queries.parse(path)
