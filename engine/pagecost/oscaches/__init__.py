"""The operating system's caches between a database and its device: layers, read-ahead, block mappings, double caching.

After Schmidt 2009, section 4. A page that the buffer misses is looked for in the page cache; if it is not there, its
place is found through the inode and indirect blocks, and its block through the kernel cache and the device's.
"""

from pagecost.oscaches.host import LAYERS, OFF, WORK, Below, Host, Traffic
from pagecost.oscaches.layout import contiguous_file

__all__ = ["LAYERS", "OFF", "WORK", "Below", "Host", "Traffic", "contiguous_file"]
