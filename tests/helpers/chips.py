"""A flash chip that is small enough to fill in a test; its times and energies are of the order of an SLC chip's."""

from pagecost.devices.nand import Chip

SMALL_CHIP = Chip(
    name="small chip",
    page_bytes=4096,
    pages_per_block=8,
    read_s=25e-6,
    program_s=200e-6,
    erase_s=1.5e-3,
    bus_bytes_per_s=40e6,
    read_j=3e-6,
    program_j=25e-6,
    erase_j=187e-6,
)
