"""`list_skills`: what there is."""

from agent_contracts.definitions import SKILL
from agent_contracts.tool_spec import Effect
from tool_runner.context import ToolContext
from tool_runner.definition_arguments import ListedSwitchable, WithDisabled
from tool_runner.tool import Result, tool


class ListedSkill(ListedSwitchable):
    """A skill without its content."""

    tags: list[str]


class Skills(Result):
    """By name."""

    skills: list[ListedSkill]


@tool("list_skills", family="skills", effect=Effect.PURE)
async def list_skills(args: WithDisabled, ctx: ToolContext) -> Skills:
    """List your skills, without their content; those that are disabled only if you ask for them."""
    return Skills(
        skills=[
            ListedSkill(
                name=one.name,
                description=one.value.description,
                version=one.version,
                enabled=one.value.enabled,
                tags=list(one.value.tags),
            )
            for one in await ctx.definitions.list(SKILL)
            if one.value.enabled or args.include_disabled
        ]
    )
