"""`list_skills`: what there is."""

from agent_contracts.kinds.skill import SKILL
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import PURE, Result, tool
from tool_runner.definitions.arguments import ListedSwitchable, WithDisabled
from tool_runner.definitions.operations import listed


class ListedSkill(ListedSwitchable):
    """A skill without its content."""

    tags: list[str]


class Skills(Result):
    """By name."""

    skills: list[ListedSkill]


@tool("list_skills", family="skills", effect=PURE)
async def list_skills(args: WithDisabled, definitions: AgentDefinitions) -> Skills:
    """List your skills, without their content; those that are disabled only if you ask for them."""
    return Skills(skills=await listed(SKILL, ListedSkill, definitions, disabled=args.include_disabled))
