"""Flash translation layers: what one overwritten page costs in programs, reads and erases, and who caused it."""

from pagecost.devices.ftl import lifetime, theory
from pagecost.devices.ftl.buffers import WRITE_POLICIES
from pagecost.devices.ftl.counts import Counts
from pagecost.devices.ftl.geometry import Geometry
from pagecost.devices.ftl.layers import LAYERS, Layer, Options, verify
from pagecost.devices.ftl.page_map_kernels import WEAR_CHECK_ERASES
from pagecost.devices.ftl.run import Round, Run, Simulation, Steadiness, measure, simulate, warm
from pagecost.devices.ftl.slc_cache import SlcCache
from pagecost.devices.ftl.victims import VICTIMS
from pagecost.devices.ftl.workload import KINDS, Stream, Workload, classes
from pagecost.devices.ftl.write_buffer import WriteBuffer

__all__ = ["KINDS", "LAYERS", "VICTIMS", "Counts", "Geometry", "Layer", "Options", "Round", "Run", "Simulation"]
__all__ += ["Steadiness", "Stream", "Workload", "lifetime", "measure", "simulate", "theory"]
__all__ += ["WEAR_CHECK_ERASES", "WRITE_POLICIES", "SlcCache", "WriteBuffer", "classes", "verify", "warm"]
