"""How large a flash device is, and how much of it the host never sees."""

from dataclasses import dataclass

from pagecost.errors import require

LARGEST_DEVICE = 1 << 30  # pages: a request keeps two bits for what it is


@dataclass(frozen=True, kw_only=True, slots=True)
class Geometry:
    """Erase blocks of pages, and the spare share of them.

    blocks: erase blocks, >= 4. pages_per_block: 2..65 536. page_bytes [B]: > 0. spare: 1 - logical / physical pages,
    0 < spare < 1; logical pages are rounded down. Over-provisioning as vendors state it is physical / logical - 1.
    Raises ModelError with a sentence where one of them is not possible.
    """

    blocks: int = 1024
    pages_per_block: int = 64
    page_bytes: int = 4096
    spare: float = 0.07

    def __post_init__(self):
        for name in ("blocks", "pages_per_block", "page_bytes"):
            number = getattr(self, name)
            require(int(number) == number and number > 0, f"{name} must be a whole number above 0; got {number}")
        require(self.blocks >= 4, f"a device needs at least 4 blocks; got {self.blocks}")
        require(
            2 <= self.pages_per_block <= 1 << 16,
            f"pages_per_block must be 2..65536; got {self.pages_per_block}",
        )
        require(
            0 < self.spare < 1,
            f"spare space must be a share of the flash between 0 and 1 (both excluded); got {self.spare}",
        )
        require(
            self.blocks << (self.pages_per_block - 1).bit_length() <= LARGEST_DEVICE,
            f"at most 2^30 pages can be simulated; got {self.blocks} blocks of {self.pages_per_block} pages",
        )
        require(
            self.logical_pages >= 1,
            f"spare {self.spare} of {self.physical_pages} pages leaves none for the host",
        )

    @classmethod
    def of_capacity(
        cls, physical_bytes: int, page_bytes: int, pages_per_block: int, logical_bytes: int | None = None, **fields
    ) -> "Geometry":
        """From bytes: what the flash holds and what the host sees (or `spare` in `fields`).

        Raises ModelError unless the flash is a whole number of blocks and the host's part a whole number of pages.
        """
        block_bytes = page_bytes * pages_per_block
        require(
            block_bytes > 0 and physical_bytes % block_bytes == 0,
            f"{physical_bytes} bytes of flash are not a whole number of blocks of {pages_per_block} × {page_bytes} "
            f"bytes",
        )
        if logical_bytes is not None:
            require(
                logical_bytes % page_bytes == 0,
                f"{logical_bytes} logical bytes are not a whole number of pages of {page_bytes} bytes",
            )
            pages = physical_bytes // page_bytes
            # half a page more, so that rounding down gives the page that is meant
            fields["spare"] = 1 - (logical_bytes // page_bytes + (0.5 if logical_bytes < physical_bytes else 0)) / pages
        return cls(
            blocks=physical_bytes // block_bytes, pages_per_block=pages_per_block, page_bytes=page_bytes, **fields
        )

    @classmethod
    def over_provisioned(
        cls,
        over_provisioning: float,
        *,
        blocks: int = 1024,
        pages_per_block: int = 64,
        reserve_blocks: int = 0,
        **fields,
    ) -> "Geometry":
        """With an over-provisioning (T - U) / U, T being the physical pages without `reserve_blocks`."""
        require(over_provisioning > 0, f"over-provisioning must be above 0; got {over_provisioning}")
        usable = (blocks - reserve_blocks) * pages_per_block
        logical = round(usable / (1 + over_provisioning))
        spare = 1 - (logical + 0.5) / (blocks * pages_per_block)
        return cls(blocks=blocks, pages_per_block=pages_per_block, spare=spare, **fields)

    @property
    def physical_pages(self) -> int:
        """Pages of all blocks, the spare ones among them."""
        return self.blocks * self.pages_per_block

    @property
    def logical_pages(self) -> int:
        """Pages that the host sees."""
        return int(self.physical_pages * (1 - self.spare) + 1e-9)

    @property
    def logical_blocks(self) -> int:
        """Logical pages in blocks, the last one perhaps not full."""
        return -(-self.logical_pages // self.pages_per_block)

    @property
    def over_provisioning(self) -> float:
        """Physical / logical - 1, the share that vendors state."""
        return self.physical_pages / self.logical_pages - 1
