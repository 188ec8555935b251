"""The hosts of foreign servers over core NATS: whoever is connected with one answers."""

from collections.abc import Mapping

import msgspec

from agent_contracts.entities.tool_answers import ToolAnswer
from agent_contracts.errors import Transient
from agent_contracts.ids import AgentId
from agent_contracts.log.lease_keys import mcp_states_key
from agent_contracts.log.subjects import query_subject
from agent_contracts.questions.code_calls import CALL_MCP, STOP_MCP_CALL, CodeCall, StopCodeCall
from agent_contracts.questions.mcp_logins import MCP_LOGIN, LoginQuestion, LoginStep
from agent_contracts.questions.mcp_states import MCP_WANTED, TEST_MCP_SERVER, McpState, TestServer
from agent_platform.log.bucket import Bucket
from agent_platform.nats.connection import NatsConnection
from agent_platform.nats.long_answers import ask_at_need

NOBODY = "No host of MCP servers is running: `foldline up` and `foldline serve mcp-host` start one"


class NatsMcpHosts:
    """`McpHosts` over a connection; `states` is the bucket in which hosts tell how connections are."""

    def __init__(self, connection: NatsConnection, states: Bucket) -> None:
        self._connection = connection
        self._states = states

    async def states(self, agent_id: AgentId) -> Mapping[str, McpState]:
        """See the port."""
        found = await self._states.below(mcp_states_key(agent_id))
        return {
            key.rpartition(".")[2]: msgspec.json.decode(entry.value, type=McpState)
            for key, entry in found.items()
        }

    async def test(self, agent_id: AgentId, server: str) -> McpState:
        """See the port."""
        answer = await self._asked(TEST_MCP_SERVER, msgspec.json.encode(TestServer(agent_id, server)))
        return msgspec.json.decode(answer, type=McpState)

    async def call(self, asked: CodeCall) -> ToolAnswer:
        """See the port."""
        return msgspec.json.decode(await self._asked(CALL_MCP, msgspec.json.encode(asked)), type=ToolAnswer)

    async def stop(self, told: StopCodeCall) -> None:
        """See the port."""
        await self._connection.publish(query_subject(STOP_MCP_CALL), msgspec.json.encode(told))

    async def log_in(self, question: LoginQuestion) -> LoginStep:
        """See the port."""
        answer = await self._asked(MCP_LOGIN, msgspec.json.encode(question))
        return msgspec.json.decode(answer, type=LoginStep)

    async def _asked(self, name: str, question: bytes) -> bytes:
        """What a host answers, which is started if none is there."""
        try:
            return await ask_at_need(
                self._connection, query_subject(name), question, query_subject(MCP_WANTED)
            )
        except Transient as error:
            if error.kind != "no_responders":
                raise
            raise Transient(NOBODY) from error
