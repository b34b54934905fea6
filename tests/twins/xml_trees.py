"""Random documents for property tests, and a plain tree with labels to compare axes with."""

import io
import random

from hypothesis import strategies as st
from lxml import etree

ELEMENT_NAMES, ATTRIBUTE_NAMES = ["a", "b", "item", "n:c", "data-x", "ä"], ["x", "y", "n:z", "id"]
LETTERS = "ab <>&\"'\t\n\r ]é€😀"
BESIDES = ["<!-- c -->", "<?pi some data?>", "<?p?>", "\n  "]
NAMES = st.sampled_from(ELEMENT_NAMES)
TEXTS = st.text(
    st.one_of(
        st.sampled_from(LETTERS),
        st.characters(codec="utf-8", exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff"),
    ),
    min_size=1,
    max_size=30,
)
COMMENTS = st.sampled_from(["", " c ", "a-b", "é<&>"])


@st.composite
def elements(draw, depth=4):
    """One element as text, with attributes and mixed content."""
    name = draw(NAMES)
    attributes = draw(st.dictionaries(st.sampled_from(ATTRIBUTE_NAMES), st.just("") | TEXTS, max_size=3))
    inside = "".join(f" {key}={quoted(value)}" for key, value in attributes.items())
    content = []
    for _ in range(draw(st.integers(0, 4 if depth else 0))):
        kind = draw(st.integers(0, 5))
        if kind <= 2:
            content.append(draw(elements(depth=depth - 1)))
        elif kind == 3:
            content.append(escaped(draw(TEXTS)))
        elif kind == 4:
            content.append(f"<!--{draw(COMMENTS)}-->")
        else:
            content.append(draw(st.sampled_from(["<?pi some data?>", "<?p?>", "<![CDATA[<&>]]>", "\n  "])))
    return f'<{name} xmlns:n="urn:n"{inside}>{"".join(content)}</{name}>'


def random_document(draw: random.Random) -> bytes:
    """One small document with something of everything, without Hypothesis: ten thousand of them in seconds."""

    def text() -> str:
        return escaped("".join(draw.choices(LETTERS, k=draw.randint(1, 9))))

    def element(depth: int) -> str:
        name = draw.choice(ELEMENT_NAMES)
        inside = "".join(
            f" {key}={quoted(''.join(draw.choices(LETTERS, k=draw.randint(0, 6))))}"
            for key in draw.sample(ATTRIBUTE_NAMES, draw.choice((0, 0, 1, 2)))
        )
        content = []
        for _ in range(draw.randint(0, 4) if depth else 0):
            kind = draw.randint(0, 5)
            content.append(
                element(depth - 1) if kind <= 2 else text() if kind == 3 else draw.choice((*BESIDES, "<![CDATA[<&>]]>"))
            )
        return f"<{name}{inside}>{''.join(content)}</{name}>"

    before, behind = (draw.choice(("", *BESIDES[:2])) for _ in range(2))
    return f'{before}<r xmlns:n="urn:n">{element(3)}</r>{behind}'.encode()


@st.composite
def documents(draw):
    """A document with something around its root."""
    around = st.sampled_from(["", "<!--note-->", "<?style sheet?>", "<!--a--><?b c?>"])
    return (draw(around) + draw(elements()) + draw(around)).encode()


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")


def quoted(text: str) -> str:
    plain = escaped(text).replace('"', "&quot;").replace("\n", "&#10;").replace("\t", "&#9;")
    return f'"{plain}"'


def canonical_form(document: bytes) -> bytes:
    """C14N by libxml2."""
    out = io.BytesIO()
    etree.parse(io.BytesIO(document), etree.XMLParser(huge_tree=True, attribute_defaults=True)).write_c14n(out)
    return out.getvalue()
