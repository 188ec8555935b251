"""Foreign servers of tools as people are shown them."""

import msgspec

from agent_contracts.api.mcp import McpServerOfAgent, McpStateView
from agent_contracts.entities.mcp_servers import McpServer
from agent_contracts.questions.mcp_states import McpState
from agent_domain.mcp.offered_tools import escaped
from agent_platform.entities.entity import Entity
from gateway.operations.agents.version_records import written


def state_view(state: McpState) -> McpStateView:
    """How it is, for people; what a server said stands there with all that can't be seen spelled out."""
    return McpStateView(
        state=state.state,
        changed_at=state.since,
        error=escaped(state.error),
        stderr=escaped(state.stderr),
        protocol=state.protocol,
        tools=state.tools,
        resources=state.resources,
        prompts=state.prompts,
        confined=state.confined,
        lacks=state.lacks,
        needs=state.needs,
        login=escaped(state.login),
        flaws=tuple(escaped(one) for one in state.flaws),
    )


def shown(entity: Entity, state: McpState | None = None) -> McpServerOfAgent:
    """One as it is kept, and how it is."""
    server = msgspec.convert(entity.value, McpServer)
    return McpServerOfAgent(
        name=entity.key.name,
        transport=server.transport,
        enabled=server.enabled,
        timeout_s=server.timeout_s,
        accepted=len(server.accepted),
        unconfined=server.unconfined,
        private=server.private,
        sampling=server.sampling,
        status=None if state is None else state_view(state),
        **written(entity),
    )
