"""What an agent's connection to its database may never do, as SQLite itself says."""

from pathlib import Path

import apsw
import pytest

from tool_runner.agent_db.connection import SqlConnection

CONFIG = {
    apsw.SQLITE_DBCONFIG_DEFENSIVE: 1,
    apsw.SQLITE_DBCONFIG_ENABLE_FKEY: 1,
    apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA: 0,
    apsw.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION: 0,
}


@pytest.mark.parametrize("reads_only", [False, True])
def test_schemas_are_not_trusted_and_nothing_is_loaded(tmp_path: Path, reads_only: bool) -> None:
    path = tmp_path / "agent.db"
    SqlConnection(path, reads_only=False).close()
    connection = SqlConnection(path, reads_only=reads_only)
    try:
        assert {option: connection.sqlite.config(option, -1) for option in CONFIG} == CONFIG
    finally:
        connection.close()
