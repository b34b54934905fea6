"""What a file is to the database that it belongs to, told by its name and its neighbours' names."""

from collections.abc import Sequence

SQLITE = {
    "-journal": "SQLite rollback journal",
    "-wal": "SQLite write-ahead log",
    "-shm": "SQLite index of the log",
}
SQLITE_DATABASE = "SQLite database"
POSTGRESQL = {
    "pg_wal": "PostgreSQL write-ahead log",
    "pg_xlog": "PostgreSQL write-ahead log",
    "pg_xact": "PostgreSQL transaction status",
    "pg_clog": "PostgreSQL transaction status",
    "pg_subtrans": "PostgreSQL transaction status",
    "pg_multixact": "PostgreSQL transaction status",
    "pg_commit_ts": "PostgreSQL transaction status",
    "base": "PostgreSQL tables and indexes",
    "global": "PostgreSQL tables and indexes",
    "pg_tblspc": "PostgreSQL tables and indexes",
    "pgsql_tmp": "PostgreSQL temporary files",
    "pg_stat": "PostgreSQL statistics",
    "pg_stat_tmp": "PostgreSQL statistics",
}
MAPS = "PostgreSQL free space and visibility maps"
CONTROL = "PostgreSQL control file"
OTHER_POSTGRESQL = "PostgreSQL, other files"
OTHER = "other files"
CHECKPOINTED = {POSTGRESQL["base"], MAPS, POSTGRESQL["pg_xact"], CONTROL}


def labels(paths: Sequence[str]) -> list[str]:
    """A label for each path. SQLite's by their endings, PostgreSQL's by the folders of a cluster."""
    bases = {path.removesuffix(ending) for path in paths for ending in SQLITE if path.endswith(ending)}
    clusters = {path.split("/pg_wal/")[0] + "/" for path in paths if "/pg_wal/" in path}
    clusters |= {path.split("/pg_xact/")[0] + "/" for path in paths if "/pg_xact/" in path}
    return [_label(path, bases, clusters) for path in paths]


def _label(path: str, bases: set[str], clusters: set[str]) -> str:
    for cluster in clusters:
        if path.startswith(cluster):
            return _of_cluster(path.removeprefix(cluster))
    for ending, label in SQLITE.items():
        if path.endswith(ending):
            return label
    return SQLITE_DATABASE if path in bases else OTHER


def _of_cluster(path: str) -> str:
    *folders, name = path.split("/")
    if name == "pg_control":
        return CONTROL
    if "pgsql_tmp" in folders:
        return POSTGRESQL["pgsql_tmp"]
    if folders and POSTGRESQL.get(folders[0]) == POSTGRESQL["base"] and name.split(".")[0].endswith(("_fsm", "_vm")):
        return MAPS
    return POSTGRESQL.get(folders[0], OTHER_POSTGRESQL) if folders else OTHER_POSTGRESQL
