"""What agents' code asks of other runners than its own, over core NATS: tool runners ask; browser pools
answer for the session's browser, hosts for foreign servers of tools. Of hosts the gateway asks, too, for
people.

It is not an event: what came of it is part of the result of the call whose code asked, or of what a person
said.
"""

import msgspec

from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.outside import Sources
from agent_contracts.policies import Grant

CALL_BROWSER = "browser.call"
"""Asked with a `CodeCall`; answered with a `ToolAnswer`, and signs of life until then."""
BROWSER_WANTED = "browser.wanted"
"""Asked where nobody answers: if somebody answers this, a pool is being started."""
STOP_BROWSER_CALL = "browser.stop"
"""Told with a `StopCodeCall` to all pools, where the code that asked has ended."""
CALL_MCP = "mcp.call"
"""The same of the hosts; whether one is being started, `MCP_WANTED` tells."""
STOP_MCP_CALL = "mcp.stop"


class OfApp(msgspec.Struct, frozen=True):
    """That the app of the session's call `call_id` asks. `request` is the digest of what it asks for under
    its key; the person before it `approved` exactly that."""

    call_id: CallId
    request: str
    approved: bool = False


class CodeCall(msgspec.Struct, frozen=True):
    """Run a tool of another runner for code. It is the `number`-th that the code of the call `call_id` asks
    for, on the call's `attempt`; `sequence` is where that call was asked for in the log, `outside` where
    material came from that the code may have. A person who asks has a `call_id` of their own, and maybe no
    session. What pages send meanwhile is in the name of that call's tool,
    the `caller` of a `family`, with the `grants` that people gave it. What is asked `of_app` is judged and
    recorded by the host: nobody else does."""

    agent_id: AgentId
    session_id: SessionId | None
    call_id: CallId
    number: int
    sequence: int
    attempt: int
    tool: str
    arguments: dict[str, Json]
    outside: Sources = ()
    caller: str = ""
    family: str = ""
    grants: tuple[Grant, ...] = ()
    of_app: OfApp | None = None


class StopCodeCall(msgspec.Struct, frozen=True):
    """Nobody waits for this one any more; of a call that brought an app: for nothing that it has in hand."""

    session_id: SessionId | None
    call_id: CallId
    number: int
