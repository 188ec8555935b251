"""The agent's skills as prompts: a person picks one in their program, whose model then reads it."""

import re

import mcp_types as types
import msgspec

from agent_contracts.entities.definitions import SKILL, SKILL_NAME, SkillDefinition
from agent_contracts.errors import Rejected
from agent_domain.mcp_clients.tokens import McpScope
from gateway.mcp.client import McpClient
from gateway.mcp.refusing import Context, refusing
from gateway.operations.agents.definitions import DefinitionName, Made
from gateway.operations.operations import Operations

PAGE = 100


class Prompts:
    """The skills that aren't disabled, for a client whose token has the scope `read`."""

    def __init__(self, operations: Operations, client: McpClient) -> None:
        self._operations = operations
        self._client = client

    async def listed(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        """A page of them, by name."""
        after = (params.cursor if params is not None else None) or ""
        with refusing(context):
            found = await self._skills()
        rest = sorted((one.name, one.description) for one in found if one.enabled and one.name > after)
        page = rest[:PAGE]
        return types.ListPromptsResult(
            prompts=[types.Prompt(name=name, description=described) for name, described in page],
            next_cursor=page[-1][0] if len(rest) > PAGE else None,
            ttl_ms=0,
            cache_scope="private",
        )

    async def get(self, context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        """What it says."""
        with refusing(context, name=params.name[:1_000]):
            skill = await self._find(params.name)
        text = types.TextContent(type="text", text=skill.content)
        return types.GetPromptResult(
            description=skill.description, messages=[types.PromptMessage(role="user", content=text)]
        )

    async def _skills(self) -> list[DefinitionName]:
        if McpScope.READ not in self._client.scopes:
            return []
        return (await self._operations.definitions.list(self._client.agent_id, SKILL)).definitions

    async def _find(self, name: str) -> SkillDefinition:
        if McpScope.READ in self._client.scopes and re.fullmatch(SKILL_NAME, name):
            made = Made(self._client.agent_id, SKILL, name)
            found = await self._operations.definitions.read(made)
            skill = msgspec.convert(found.definition, SkillDefinition)
            if skill.enabled:
                return skill
        raise Rejected("There is no such prompt", kind="not_found")
