"""What the pages of the book have in common: look, theme, large text, and the data that they are given."""

import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from pagecost import glossary, provenance
from pagecost.glossary import Term
from pagecost_app.book import markup
from pagecost_app.charts import style
from pagecost_app.course import prose

HERE = Path(__file__).parent
INDEX = "index.html"


def whole(title: str, lead: str, name: str, data: dict) -> str:
    """The page of `name`.html and `name`.js in one text, which loads nothing when it is opened from a file."""
    given = data | {"colours": {"light": style.colours(False)[:3], "dark": style.colours(True)[:3]}}
    scripts = [read(each) for each in ("kernel.js", "chart.js", f"{name}.js")]
    main = read(f"{name}.html").replace("{{MADE}}", _made())
    return page(title, lead, main, data=given, scripts=scripts)


def contents(title: str, lead: str, parts: Mapping[str, Mapping[str, tuple[str, str]]]) -> str:
    """The first page. parts: heading -> address -> title and what it shows."""
    main = "".join(f"<h2>{escape(heading)}</h2><ul>{_entries(pages)}</ul>" for heading, pages in parts.items() if pages)
    return page(title, lead, f'<main id="main" class="list">{main}</main>', leads_back=False)


def words(lessons: Mapping[Term, Mapping[str, str]]) -> str:
    """The page of the glossary. lessons: address -> title of those that use a term."""
    lines = "".join(
        f'<dt id="{markup.anchor(term)}">{escape(term.term)}{_also(term.also)}</dt>'
        f'<dd>{escape(term.said)} <span class="muted">({escape(term.source)})</span>{_ways(lessons.get(term, {}))}</dd>'
        for term in glossary.terms().values()
    )
    lead = "The words of the field, each in a sentence. Lessons lead here where a word stands first."
    return page("Glossary", lead, f'<main id="main" class="list"><dl>{lines}</dl></main>')


def page(
    title: str,
    lead: str,
    main: str,
    *,
    data: dict | None = None,
    scripts: Sequence[str] = (),
    beside: Sequence[str] = (),
    wide: bool = False,
    leads_back: bool = True,
) -> str:
    """A page. main: HTML with `<main id="main">`; data: `DATA` of the scripts; beside: addresses of scripts loaded
    first; wide: whether `main` has a list of contents beside it."""
    colours = _variables("light", style.LIGHT) + _variables("dark", style.DARK)
    parts = {
        "TITLE": escape(title),
        "LEAD": f'<p class="muted">{escape(lead)}</p>' if lead else "",
        "BACK": f'<a href="{INDEX}">All lessons</a><a href="{markup.GLOSSARY}">Glossary</a>' if leads_back else "",
        "KIND": "wide" if wide else "plain",
        "STYLE": colours + read("book.css") + prose.SHEET,
        "BESIDE": "".join(f'<script src="{escape(address)}"></script>\n' for address in beside),
        "DATA": json.dumps(data or {}, separators=(",", ":")).replace("</", "<\\/"),
        "SCRIPTS": read("book.js") + "".join(scripts),
        "MADE": _made(),
        "MAIN": main,
    }
    return re.sub(r"\{\{([A-Z]+)\}\}", lambda place: parts[place[1]], read("shell.html"))


def read(name: str) -> str:
    """A file of the book's own."""
    return (HERE / name).read_text("utf8")


def _made() -> str:
    return escape(f"pagecost {provenance.versions()['pagecost']}")


def _entries(pages: Mapping[str, tuple[str, str]]) -> str:
    return "".join(
        f'<li><a href="{escape(address)}">{escape(name)}</a><p class="muted">{escape(what)}</p></li>'
        for address, (name, what) in pages.items()
    )


def _also(forms: Sequence[str]) -> str:
    return f' <span class="muted">also {escape(", ".join(forms))}</span>' if forms else ""


def _ways(lessons: Mapping[str, str]) -> str:
    """Links to the lessons that use a term."""
    links = ", ".join(
        f'<a href="{escape(address)}" title="{escape(title)}">{escape(title.partition(" ")[0])}</a>'
        for address, title in lessons.items()
    )
    return f'<br><span class="muted">Lesson{"s" * (len(lessons) > 1)}</span> {links}' if links else ""


def _variables(theme: str, shades: dict[str, str]) -> str:
    body = " ".join(f"--{name}: {value};" for name, value in shades.items())
    return f":root[data-theme={theme}] {{ {body} color-scheme: {theme}; }}\n"
