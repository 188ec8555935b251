"""A call of an agent's function, or a test run of a tool, from outside its sessions, over core NATS
request/reply: the gateway asks, runners answer.

It is not an event: what the function wrote is. Only for a call under an idempotency key does the log keep
that it was made, and its answer: as an entity, so that the same key gets the same answer from any runner.
"""

import msgspec

from agent_contracts.entities.entity import EntityKind
from agent_contracts.ids import AgentId, CallId
from agent_contracts.json_value import Json
from agent_contracts.policies import Grant

CALL_FUNCTION = "functions.call"


class Progress(msgspec.Struct, frozen=True, omit_defaults=True):
    """How far a function is, as its code tells: `done` of a `total`, in units of its own."""

    done: float
    total: float | None = None
    message: str | None = None


class FunctionCall(msgspec.Struct, frozen=True):
    """Which function to call, with what. What it writes carries `call_id`.

    That is new for each call, or follows from an idempotency key; then `request` is the digest of what is
    asked for under the key. With `trial` a person tries what the agent made: a function or, with `kind`, a
    tool, a disabled one too; the answer has what its code logged. `client` is the MCP client that calls it,
    by the name of its token: a page calls it else. `grants` are what the person before the page allowed this
    call to send. With `tells_progress` somebody hears at `progress_subject` how far it is.
    """

    agent_id: AgentId
    call_id: CallId
    name: str
    arguments: dict[str, Json]
    request: str | None = None
    kind: EntityKind = EntityKind.FUNCTION
    trial: bool = False
    client: str | None = None
    grants: tuple[Grant, ...] = ()
    tells_progress: bool = False
