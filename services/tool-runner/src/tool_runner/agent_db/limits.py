"""How much an agent's database may hold, and a statement do.

What bounds the statement itself (`VALUE_BYTES`, `PATTERN_BYTES`, `SEARCH_WORK`) holds in replays too: a
statement that was accepted once must be accepted for ever. So these may be raised, never lowered.
"""

DATABASE_BYTES = 100_000_000
"""Bytes that a database may have, unless `FOLDLINE_AGENT_DATABASE_LIMIT` says otherwise. Writes that were
accepted are replayed whatever the limit is now."""
STATEMENT_S = 5.0
"""Seconds that a statement may run."""
ROWS = 1000
"""Rows that a statement may return."""
RESULT_BYTES = 4 * 1024 * 1024
"""About how many bytes of values a statement may return."""
PAGE_BYTES = 4096
WRITE_BYTES = 4 * 1024 * 1024
"""Bytes that a write may have as an event: statement and parameters."""
SQL_BYTES = 1_000_000
"""Bytes that a statement's text may have."""
VALUE_BYTES = 1024 * 1024
"""Bytes that one value, and one row, may have. Some functions of SQLite take the square of it in time, and
can't be interrupted."""
PATTERN_BYTES = 500
"""Bytes that a pattern of LIKE or GLOB may have."""
SEARCH_WORK = 2_000_000_000
"""Bytes times bytes that `instr`, `replace` and `trim` may compare: about a second."""
