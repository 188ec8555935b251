"""The agent's skills as prompts, and those of its tools that are exposed as such: a person picks one in their
program, whose model then reads it."""

import re

import mcp_types as types
import msgspec

from agent_contracts.api.definitions import DefinitionName
from agent_contracts.api.program_tokens import ProgramRight
from agent_contracts.entities.definitions import SKILL_NAME, SkillDefinition
from agent_contracts.errors import Rejected
from agent_contracts.kinds.skill import SKILL
from gateway.mcp.client import McpClient
from gateway.mcp.own import OwnOffers, prompt_of
from gateway.mcp.refusals import Context, refusing
from gateway.operations.agents.definitions import DefinitionKey
from gateway.operations.operations import Operations

PAGE = 100


class ClientPrompts:
    """The skills that aren't disabled, for a client whose token has the right `read`; own tools for one with
    `tools`."""

    def __init__(self, operations: Operations, client: McpClient) -> None:
        self._operations = operations
        self._client = client
        self._own = OwnOffers(operations, client)

    async def listed(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        """A page of them, by name."""
        after = (params.cursor if params is not None else None) or ""
        with refusing(context):
            skills = [one for one in await self._skills() if one.enabled]
            found = {one.name: types.Prompt(name=one.name, description=one.description) for one in skills}
            found |= {one.name: prompt_of(one) for one in await self._own.prompts()}
        rest = sorted(name for name in found if name > after)
        page = rest[:PAGE]
        return types.ListPromptsResult(
            prompts=[found[name] for name in page],
            next_cursor=page[-1] if len(rest) > PAGE else None,
            ttl_ms=0,
            cache_scope="private",
        )

    async def get(self, context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        """What it says."""
        with refusing(context, name=params.name[:1_000]):
            own = await self._own.prompt(params.name, params.arguments or {})
            if own is not None:
                return own
            skill = await self.skill(params.name)
        text = types.TextContent(type="text", text=skill.content)
        return types.GetPromptResult(
            description=skill.description, messages=[types.PromptMessage(role="user", content=text)]
        )

    async def _skills(self) -> list[DefinitionName]:
        if ProgramRight.READ not in self._client.rights:
            return []
        return (await self._operations.definitions.list(self._client.agent_id, SKILL)).items

    async def skill(self, name: str) -> SkillDefinition:
        """The skill of this name. `Rejected(kind="not_found")` where the client may read none."""
        if ProgramRight.READ in self._client.rights and re.fullmatch(SKILL_NAME, name):
            made = DefinitionKey(self._client.agent_id, SKILL, name)
            found = await self._operations.definitions.read(made)
            skill = msgspec.convert(found.definition, SkillDefinition)
            if skill.enabled:
                return skill
        raise Rejected("There is no such prompt", kind="not_found")
