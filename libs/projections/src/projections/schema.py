"""The schema that readers query: its name, its tables, and the channel that announces what is new in it."""

from importlib import resources
from typing import Any

from projections.agent_tables import AGENT_TABLES
from projections.log_tables import EVENTS
from projections.session_tables import ERASURES, SESSION_TABLES
from projections.table import ProjectedTable

SCHEMA = "projections"
"""Where the tables are. `projections_next`, `_old` and `_check` are the projector's while it rebuilds."""

CONSUMER = "projector"
"""The one `consumer` in `checkpoint`."""

CHANNEL = "projections"
"""Each commit is announced here (LISTEN), with the checkpoint's sequence as payload."""

EXTENSIONS = ("pg_trgm", "btree_gin", "unaccent")
"""Of Postgres' contrib, which search needs in the database. Who owns the database may create them."""

TABLES: tuple[ProjectedTable[Any], ...] = (EVENTS, *SESSION_TABLES, ERASURES, *AGENT_TABLES)
"""Every table but `checkpoint`."""

SCHEMA_SQL = "\n".join(
    resources.files("projections").joinpath("sql", name).read_text(encoding="utf-8")
    for name in ("search.sql", "log.sql", "sessions.sql", "entities.sql")
)
"""Creates the tables in the schema that is first in the search path."""
