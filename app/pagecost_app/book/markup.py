"""A lesson's Markdown as HTML of the book: links lead to its pages, pictures go along, words to the glossary."""

import base64
import mimetypes
import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from urllib.parse import unquote

from markdown_it.token import Token

from pagecost import glossary
from pagecost.errors import require
from pagecost.glossary import Term
from pagecost_app.course import prose

GLOSSARY = "glossary.html"
TABLE = '<div class="table" tabindex="0" role="group" aria-label="Table">'
FORMULA = '<div class="formula" tabindex="0" role="group" aria-label="Formula">'


class Markup:
    """Text after text of one page.

    name: of the lesson, for messages; folder: of its pictures; pages: of other lessons, by their file. headings:
    (level, id, text) of what was rendered so far.

    Raises ModelError for a link or a picture that leads to nothing.
    """

    def __init__(self, name: str, folder: Path, pages: Mapping[str, str]):
        self.lesson, self.folder, self.pages = name, folder, pages
        self.headings: list[tuple[int, str, str]] = []
        self._terms: set[Term] = set()
        self._parser = prose.renderer()

    def html(self, markdown: str) -> str:
        """The text as HTML."""
        tokens = self._parser.parse(markdown)
        made, is_heading = [], False
        for number, token in enumerate(tokens):
            is_heading = token.type == "heading_open" or (is_heading and token.type != "heading_close")
            if token.type == "heading_open":
                token.attrSet("id", self._named(int(token.tag[1]), tokens[number + 1]))
            token.children = self._inline(token.children, is_heading) if token.children else token.children
            made += self._framed(token)
        return self._parser.renderer.render(made, self._parser.options, {})

    def _framed(self, token: Token) -> list[Token]:
        """What may be wider than the page is in a frame that is moved by keyboard too."""
        if token.type == "table_open":
            return [_html(TABLE), token]
        if token.type == "table_close":
            return [token, _html("</div>")]
        return [_html(FORMULA), token, _html("</div>")] if token.type == "math_block" else [token]

    def _named(self, level: int, inside: Token) -> str:
        words = "".join(each.content for each in inside.children or ())
        wanted = words.replace(" ", "-")  # as Jupyter names them, so that links work in both
        taken = [name for _, name, _ in self.headings]
        name = next(each for each in (wanted, *(f"{wanted}-{n}" for n in range(2, 1000))) if each not in taken)
        self.headings.append((level, name, words))
        return name

    def _inline(self, tokens: list[Token], is_heading: bool) -> list[Token]:
        made: list[Token] = []
        link, file = None, ""  # that the text is in
        for token in tokens:
            if token.type == "image":
                token.attrSet("src", self._picture(str(token.attrGet("src"))))
                made.append(token)
            elif token.type == "link_open":
                file = str(token.attrGet("href"))
                link = self._address(file)
                token.attrSet("href", link)
                made += [token] if link else []
            elif token.type == "link_close":
                made.append(token if link else _html(f" (<code>{escape(unquote(file))}</code>)"))
                link = None
            elif token.type == "text" and link is None and not is_heading:
                made += self._words(token)
            else:
                made.append(token)
        return made

    def _address(self, target: str) -> str:
        """Where a link leads in the book; empty for a file of the project, which is not in it."""
        if re.match(r"https?:|mailto:|#", target):
            return target
        file, mark, place = unquote(target).partition("#")
        if file.endswith(".ipynb"):
            require(file in self.pages, f"{self.lesson} links to {file}, which is no lesson")
            return self.pages[file] + mark + place
        require((self.folder / file).exists(), f"{self.lesson} links to {file}, which does not exist")
        return ""

    def _picture(self, target: str) -> str:
        path = self.folder / unquote(target)
        require(path.is_file(), f"{self.lesson} shows {unquote(target)}, which does not exist")
        kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode()}"

    def _words(self, token: Token) -> list[Token]:
        """A text in which a word leads to the glossary where it stands first."""
        made = []
        for piece, term in glossary.in_text(token.content):
            if term is None or term in self._terms:
                made.append(Token("text", "", 0, content=piece))
            else:
                self._terms.add(term)
                means = escape(f"{term.term}: {term.said}")
                link = f'<a class="term" href="{GLOSSARY}#{anchor(term)}" title="{means}">{escape(piece)}</a>'
                made.append(_html(link))
        return made


def anchor(term: Term) -> str:
    """Where a term stands on the page of the glossary."""
    return re.sub(r"\W+", "-", term.term.lower())


def _html(text: str) -> Token:
    return Token("html_inline", "", 0, content=text)
