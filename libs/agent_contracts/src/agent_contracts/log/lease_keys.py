"""Keys in the bucket of leases, spelled once."""

from agent_contracts.ids import AgentId, CallId, SessionId, check_id

OWN_COMMANDS = "command"
"""Below which those calls stand that have begun a command of their own."""


def browser_lease_key(session_id: SessionId) -> str:
    """Where it stands which pool holds a session's browser context."""
    return f"browser.{check_id(session_id, 'session id')}"


def mcp_lease_key(agent_id: AgentId, server: str) -> str:
    """Where it stands which host is connected with an agent's foreign server."""
    return f"mcp.{check_id(agent_id, 'agent id')}.{check_id(server, 'server name')}"


def mcp_state_key(agent_id: AgentId, server: str) -> str:
    """Where it stands how that connection is."""
    return f"mcp-state.{check_id(agent_id, 'agent id')}.{check_id(server, 'server name')}"


def mcp_states_key(agent_id: AgentId) -> str:
    """Below which these stand, of all servers of an agent."""
    return f"mcp-state.{check_id(agent_id, 'agent id')}"


def mcp_begun_key(digest: str) -> str:
    """Where a login at a foreign server waits for its person, sealed."""
    return f"mcp-begun.{check_id(digest, 'digest')}"


def mcp_refresh_key(agent_id: AgentId, server: str) -> str:
    """Where it stands who gets a new token for a foreign server just now."""
    return f"mcp-refresh.{check_id(agent_id, 'agent id')}.{check_id(server, 'server name')}"


def own_command_key(agent_id: AgentId, session_id: SessionId, call_id: CallId) -> str:
    """Where it stands that a call has begun a command of its own."""
    where = (check_id(agent_id, "agent id"), check_id(session_id, "session id"), check_id(call_id, "call id"))
    return ".".join((OWN_COMMANDS, *where))
