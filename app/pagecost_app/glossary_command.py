"""`pagecost glossary`: what a term of the field means."""

from typing import Annotated

import typer

from pagecost import glossary as words
from pagecost_app import terminal


def glossary(term: Annotated[str | None, typer.Argument(help="A term, such as 'write amplification'.")] = None):
    """What the terms of the field mean: one of them, or all."""
    for each in [words.find(term)] if term else words.terms().values():
        terminal.say(f"{each.term}: {each.said} ({each.source})")
