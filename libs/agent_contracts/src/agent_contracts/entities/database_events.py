"""The write log of an agent's database (`agt.<aid>.db`): whoever folds it has the database."""

from agent_contracts.event import Event
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.outside import Sources


class DatabaseWritten(Event, frozen=True, tag="foldline.agent.database_written.v1"):
    """A statement that changed the agent's database, accepted on the database as it was before this event.

    `params` are JSON values, a blob as `{"$base64": text}`. The statement ran at `clock` (milliseconds since
    1970, UTC) with randomness drawn from `seed`, and runs so wherever it is run again. `changes` and
    `last_insert_rowid` are what it gave, and what it must give again. `session_id` and `call_id` say who
    wrote it, `outside` where material came from that they had. `bytes`: how large the database was then.
    """

    sql: str
    params: list[Json]
    clock: int
    seed: str
    changes: int
    last_insert_rowid: int
    session_id: SessionId | None = None
    call_id: CallId | None = None
    outside: Sources = ()
    bytes: int = 0


class DatabaseRestored(Event, frozen=True, tag="foldline.agent.database_restored.v1"):
    """From here on the database is what it was after event `to` of the log; with `agent_id`, what that
    agent's was.

    `session_id` says whose rewind it was, `call_id` which call asked; both absent for a person's own.
    """

    to: int
    session_id: SessionId | None = None
    call_id: CallId | None = None
    agent_id: AgentId | None = None


DatabaseEvent = DatabaseWritten | DatabaseRestored
"""Everything that can stand on a database's subject."""
