"""Many inputs of one study: every combination of the values of some inputs, answered on processes here or on a cluster,
kept point by point, so that a sweep that was stopped goes on where it was.

    study = studies.find("buffer_size")
    points = sweep.grid(study, {"policy": ["lru", "arc"]})
    with sweep.Store("sizes.duckdb", study) as store, sweep.processes(2) as executor:
        done = sweep.run(study, points, store, executor)
"""

from pagecost.sweep.points import MOST_POINTS, Point, grid
from pagecost.sweep.running import Done, cluster, processes, run
from pagecost.sweep.store import Store, ending_of

__all__ = ["MOST_POINTS", "Done", "Point", "Store", "cluster", "ending_of", "grid", "processes", "run"]
