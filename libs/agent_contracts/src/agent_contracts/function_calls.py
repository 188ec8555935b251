"""A call of an agent's function from outside its sessions, over core NATS request/reply: the gateway asks,
runners answer.

It is no event: what the function wrote is. Only of a call under an idempotency key the log keeps that it was
made, and its answer: as an entity, so that the same key gets the same answer from whichever runner.
"""

import msgspec

from agent_contracts.blob_ref import BlobRef
from agent_contracts.errors import ToolError
from agent_contracts.ids import AgentId, CallId
from agent_contracts.json_value import Json

CALL_FUNCTION = "functions.call"


class FunctionCall(msgspec.Struct, frozen=True):
    """Which function to call, with what. What it writes carries `call_id`.

    That is new for each call, or follows from an idempotency key; then `request` is the digest of what is
    asked for under the key.
    """

    agent_id: AgentId
    call_id: CallId
    name: str
    arguments: dict[str, Json]
    request: str | None = None


class FunctionAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the function returned, a large result as the blob of its JSON; or why there is none.

    `request` is the digest of the request that it answers, under an idempotency key: another one than was
    asked with says that the key was used before.
    """

    result: Json = None
    blob: BlobRef | None = None
    error: ToolError | None = None
    request: str | None = None


class KeyedCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """The value of a `call` entity: that a function was called, and how that ended, once it has."""

    name: str
    request: str
    answer: FunctionAnswer | None = None
