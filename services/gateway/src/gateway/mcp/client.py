"""Who uses an agent by MCP."""

import msgspec

from agent_contracts.api.program_tokens import ProgramRight
from agent_contracts.ids import AgentId


class McpClient(msgspec.Struct, frozen=True):
    """The holder of a token, by its name: which agent it may use, and for what."""

    name: str
    agent_id: AgentId
    rights: tuple[ProgramRight, ...]
