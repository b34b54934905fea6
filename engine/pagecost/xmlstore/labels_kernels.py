"""Entry points for single labels: encode, decode, and many labels at once for comparisons."""

from pagecost._jit import lean_kernel
from pagecost.xmlstore.codes_kernels import divisions, put_division


@lean_kernel
def encode(values, out):
    """Write the codes of `values` (int64) into `out` (uint8, zeroed); number of bits."""
    at = 0
    for value in values:
        at = put_division(out, at, value)
    return at


@lean_kernel
def decode(label, out):
    """Divisions of `label` (uint8) into `out` (int64, room for 8/5 of the bits); how many."""
    return divisions(label, label.size, out)
