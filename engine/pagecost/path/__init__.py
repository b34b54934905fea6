"""The path of a page request, stage by stage: each takes `Requests` and hands on `Requests` and an account of its own.

path = Path(BufferStage(frames=1000), DiskStage(Disk.of(catalogue.device("wd400bb"))))
path.serve(requests).accounts[-1].time_s
"""

from pagecost.path.account import Account, Passed
from pagecost.path.chain import MAY_FOLLOW, Journey, Path
from pagecost.path.devices import DiskStage, FtlStage, SchedulerStage, SsdStage
from pagecost.path.filesystem import FileSystemStage
from pagecost.path.memory import BufferStage, PageCacheStage

__all__ = ["MAY_FOLLOW", "Account", "BufferStage", "DiskStage", "FileSystemStage", "FtlStage", "Journey"]
__all__ += ["PageCacheStage", "Passed", "Path", "SchedulerStage", "SsdStage"]
