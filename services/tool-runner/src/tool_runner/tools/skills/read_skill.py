"""`read_skill`: all of it."""

from agent_contracts.definitions import SKILL
from agent_contracts.tool_spec import Effect
from tool_runner.context import ToolContext
from tool_runner.definition_arguments import ListedSwitchable, Named
from tool_runner.tool import tool


class Skill(ListedSwitchable):
    """The skill."""

    tags: list[str]
    content: str


@tool("read_skill", family="skills", effect=Effect.PURE)
async def read_skill(args: Named, ctx: ToolContext) -> Skill:
    """Read a skill of yours whole. Read it before you act on it: you only see its description otherwise."""
    found = await ctx.definitions.read(SKILL, args.name)
    return Skill(
        name=found.name,
        description=found.value.description,
        version=found.version,
        enabled=found.value.enabled,
        tags=list(found.value.tags),
        content=found.value.content,
    )
