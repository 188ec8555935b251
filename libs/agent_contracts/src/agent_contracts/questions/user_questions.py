"""What people ask of runners through the gateway, over core NATS request/reply: nothing is stored by it.

A runner answers by the agent's own tools, so that what holds for the agent holds for people.
"""

import msgspec

from agent_contracts.entities.entity import EntityKind
from agent_contracts.ids import AgentId
from agent_contracts.json_value import Json

CHECK_DEFINITION = "definitions.check"
READ_DATABASE = "database.read"
FETCH_PICTURE = "pictures.fetch"
TRY_DELEGATE = "delegates.try"


class CheckDefinition(msgspec.Struct, frozen=True):
    """Could the agent make this definition under this name? The answer's result is the value to store.

    `definition` is what the agent's tool takes besides the name.
    """

    agent_id: AgentId
    kind: EntityKind
    name: str
    definition: dict[str, Json]


class ReadDatabase(msgspec.Struct, frozen=True):
    """What one reading statement gives (without a statement: the tables), now or as of event `at`. Or, for
    `size`, how many `bytes` the database has now. Or, for `exact`, the first event at or after `at` as of
    which the database can be made again (`exact_from`; null: none so far).

    Of the statement's rows, `rows` after the first `skip`; of a value, the first `cell` characters or bytes.
    """

    agent_id: AgentId
    sql: str | None = None
    params: list[Json] = []
    at: int | None = None
    size: bool = False
    exact: bool = False
    skip: int = 0
    rows: int | None = None
    cell: int | None = None


class FetchPicture(msgspec.Struct, frozen=True):
    """The picture at an address, by the agent's way out. The answer's result is a `FetchedPicture`."""

    agent_id: AgentId
    url: str


class TryDelegate(msgspec.Struct, frozen=True):
    """What the delegate of this name answers to a short question. The answer's result is its words."""

    agent_id: AgentId
    name: str


class FetchedPicture(msgspec.Struct, frozen=True):
    """Which blob has its bytes."""

    sha256: str
    size: int
    media_type: str
