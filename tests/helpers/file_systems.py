"""The plain twin of a file system whose tree of metadata the engine has laid out."""

from pagecost.filesystem import InPlace, LogStructured
from pagecost.filesystem import state_kernels as kernels
from twins.filesystem import InPlaceTwin, LogTwin, Shape


def twin_of(layout, fs):
    """Nothing is written yet. fs: the engine's state, of which the shape is taken and no more."""
    setting, page_blocks = fs.setting, int(fs.setting[kernels.PAGE_BLOCKS])
    shape = Shape(
        blocks=int(setting[kernels.BLOCKS]),
        pages=fs.page.shape[1],
        page_blocks=page_blocks,
        leaf=fs.page[kernels.LEAF].tolist(),
        parent=fs.node[kernels.PARENT].tolist(),
        limit=int(setting[kernels.NODE_LIMIT]),
        translated=int(setting[kernels.TREE_NODES]),
        first=int(setting[kernels.DAT_FIRST]),
        entries=max(1, int(setting[kernels.DAT_ENTRIES])),
    )
    common = {"shape": shape, "streams": layout.streams, "trim": layout.trim}
    if isinstance(layout, InPlace):
        home = dict(enumerate(fs.page[kernels.HOME].tolist()))
        first, group = int(setting[kernels.BITMAP_FIRST]), int(setting[kernels.GROUP_BLOCKS])
        bitmap = {page: first + block // group for page, block in home.items()}
        place = dict(enumerate(fs.node[kernels.PLACE].tolist()))
        return InPlaceTwin(**common, home=home, bitmap=bitmap, place=place)
    return LogTwin(
        **common,
        segment_blocks=int(setting[kernels.SEGMENT_BLOCKS]),
        segments=int(setting[kernels.SEGMENTS]),
        summary=(96, 16) if isinstance(layout, LogStructured) else (0, 0),
        block_bytes=layout.block_bytes,
        checkpoint_blocks=int(setting[kernels.CHECKPOINT_BLOCKS]),
        per_checkpoint=layout.syncs_per_checkpoint,
        per_clean=layout.segments_per_clean,
        selection=layout.selection,
        by_age=layout.by_age,
        whole=layout.read_whole_segments,
    )
