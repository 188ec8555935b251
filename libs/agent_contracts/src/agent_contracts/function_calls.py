"""A call of an agent's function from outside its sessions, over core NATS request/reply: the gateway asks,
runners answer.

It is no event: what the function wrote is."""

import msgspec

from agent_contracts.blob_ref import BlobRef
from agent_contracts.errors import ToolError
from agent_contracts.ids import AgentId, CallId
from agent_contracts.json_value import Json

CALL_FUNCTION = "functions.call"


class FunctionCall(msgspec.Struct, frozen=True):
    """Which function to call, with what. `call_id` is new for each call: what it writes carries it."""

    agent_id: AgentId
    call_id: CallId
    name: str
    arguments: dict[str, Json]


class FunctionAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the function returned, a large result as the blob of its JSON; or why there is none."""

    result: Json = None
    blob: BlobRef | None = None
    error: ToolError | None = None
