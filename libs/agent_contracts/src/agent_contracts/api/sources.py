"""Where material from outside came from."""

from agent_contracts.api.wire import ResponseBody
from agent_contracts.outside import SourceKind


class ProvenanceSource(ResponseBody, frozen=True, kw_only=True):
    """A source of material from outside."""

    kind: SourceKind
    """What it is: the `web`, a `file`, an MCP server (`mcp`), a service (`wake`), another agent (`peer`), a
    `page` of the agent, or the `clipboard`."""
    name: str
    """Its name, such as a host, a file's path or a service. Empty: several of that kind."""
    first_address: str | None
    """Address of the event that read it first; null: it isn't in this log or in no session."""
    session_id: str | None
    """Id of the session in whose events it is; null: none."""
    count: int
    """How often it was read."""
    last_address: str | None
    """Address of the event that read it last; null: the first is the only one, or it isn't in this log."""
