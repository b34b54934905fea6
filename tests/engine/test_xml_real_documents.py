"""Documents that nobody made for these tests come back from every mapping.

Style sheets and schemas that lxml ships are always there; `python tests/documents/fetch.py` adds Debian's.
"""

import importlib.util
from pathlib import Path

import pytest
from lxml import etree

from pagecost.errors import ModelError
from pagecost.xmlstore import MAPPINGS, Store, canonical, labels, load, nodes, queries, updates

SHIPPED = Path(importlib.util.find_spec("lxml").origin).parent / "isoschematron"
FETCHED = Path(__file__).parents[1] / "documents" / "real"
ENDINGS = ("*.xml", "*.xsl", "*.rng")
MOST = 60  # documents of a package: spread over its folders


def documents() -> dict[str, list[Path]]:
    """Of each source its documents."""
    found = {"lxml": sorted(path for ending in ENDINGS for path in SHIPPED.rglob(ending))}
    for folder in sorted(FETCHED.iterdir()) if FETCHED.is_dir() else ():
        paths = sorted(folder.rglob("*.xml"), key=lambda path: (path.stem, path))
        found[folder.name] = paths[:: -(-len(paths) // MOST)]
    return found


def is_xml(path: Path) -> bool:
    """What libxml2 thinks of it: of Debian's documents not all are well-formed."""
    try:
        etree.parse(path, etree.XMLParser(huge_tree=True, load_dtd=False, no_network=True))
    except etree.XMLSyntaxError:
        return False
    return True


GIVEN = documents()
BROKEN = [path for paths in GIVEN.values() for path in paths if not is_xml(path)]
SOURCES = {name: [path for path in paths if path not in BROKEN] for name, paths in GIVEN.items()}


def test_there_are_real_documents_in_any_case():
    assert len(SOURCES["lxml"]) >= 5


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("mapping", MAPPINGS)
def test_real_documents_come_back_and_their_values_are_found(tmp_path, source, mapping):
    texts = [path.read_bytes() for path in SOURCES[source]]
    named = [(path.name, [text]) for path, text in zip(SOURCES[source], texts, strict=True)]
    load(named, {mapping: tmp_path / mapping}, sync=False, value_index=True)[mapping].close()
    with Store.open(tmp_path / mapping) as store:
        for number, (path, text) in enumerate(zip(SOURCES[source], texts, strict=True)):
            assert canonical.digest([store.document(number)]) == canonical.digest([text]), path
        for node in some_attributes(store):
            name = store.path_class(node.path).split("/")[-1]
            found = queries.select(store, f'//*[{name}="{node.value}"]')
            assert labels.parent(labels.parent(node.label)) in {element.label for element in found}


@pytest.mark.parametrize("path", [SHIPPED.parent / "etree.pyx", *BROKEN], ids=lambda path: path.name)
def test_what_is_not_well_formed_is_said_to_be_so(tmp_path, path):
    with pytest.raises(ModelError, match=r"not well-formed XML|an empty file is not XML"):
        load([(path.name, [path.read_bytes()])], {"pc": tmp_path / "pc"}, sync=False)


def some_attributes(store: Store) -> list[nodes.Node]:
    """Five of the first document, spread over it."""
    of_first = nodes.inside(store, (3,), updates.path_class(store, (3,)))
    found = [node for node in of_first if "/@" in store.path_class(node.path) and node.value and '"' not in node.value]
    return found[:: max(1, len(found) // 5)]
