"""How Sphinx makes the site out of the pages that `site_pages` writes. Everything in it is local: no font, no script
and no picture comes from elsewhere."""

import re

from pagecost import __version__

project, author, release = "pagecost", "", __version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "index"
html_theme = "furo"
html_title = f"pagecost {__version__}"
html_show_copyright = html_show_sphinx = False
html_copy_source = False
myst_heading_anchors = 4
myst_enable_extensions = ["attrs_block"]
default_role = "literal"  # docstrings write `name` for code
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"show-inheritance": True}


def _as_written(app, what, name, obj, options, lines):
    """Docstrings are plain text with `code`: nothing else in them is markup."""
    for number, line in enumerate(lines):
        parts = re.split(r"(`+[^`]*`+)", line)
        parts[::2] = [re.sub(r"([*|\\]|_(?=\W|$))", r"\\\1", part) for part in parts[::2]]
        lines[number] = "".join(parts)


def setup(app):
    app.connect("autodoc-process-docstring", _as_written)
