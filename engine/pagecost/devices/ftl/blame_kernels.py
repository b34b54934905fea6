"""The chain of blame: what a device does because of one request, beyond the request's own page.

Every layer fills `blame`, uint32[3, requests], zero on entry: pages programmed, pages read and blocks erased.
"""

PROGRAMS_DUE, READS_DUE, ERASES_DUE = range(3)
ROWS = 3
