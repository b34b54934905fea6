"""File systems between a database and its device: in place, log-structured, and out of place in the database itself.

fs = LogStructured().state(volume_blocks=65536, file_pages=40000, page_bytes=4096)

The verbs on it are compiled (`verbs_kernels`); `Volume` calls them from Python.
"""

from pagecost.filesystem.layouts import SELECTIONS, FileSystem, InPlace, LogStructured, OutOfPlace
from pagecost.filesystem.volume import CAUSES, Volume

__all__ = ["CAUSES", "SELECTIONS", "FileSystem", "InPlace", "LogStructured", "OutOfPlace", "Volume"]
