"""What a lesson calls: `explore("buffer_size")` shows a study's inputs as widgets above its live chart."""

from pagecost_app.notebook.explorer import Explorer, answer, explore
from pagecost_app.notebook.table import Table

__all__ = ["Explorer", "Table", "answer", "explore"]
