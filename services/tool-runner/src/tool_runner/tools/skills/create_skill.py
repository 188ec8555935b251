"""`create_skill`: the agent writes down how something is done."""

from typing import Annotated

from pydantic import Field

from agent_contracts.entities.definitions import SKILL_NAME, SkillDefinition
from agent_contracts.kinds.skill import SKILL
from agent_domain.text_edits import check_size
from agent_platform.log.storable_text import storable
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import RECORDED, Arguments, tool
from tool_runner.definitions.arguments import Description, Versioned
from tool_runner.definitions.operations import create
from tool_runner.tools.skills.tags import Tags


class CreateSkill(Arguments):
    """The skill."""

    name: Annotated[str, Field(pattern=SKILL_NAME, description="A new name: a-z, 0-9 and -, at most 64.")]
    description: Annotated[Description, Field(description="What it is about, and when to read it.")]
    content: Annotated[str, Field(description="All of it, in Markdown.")]
    tags: Annotated[Tags, Field(default_factory=list)]


@tool("create_skill", family="skills", effect=RECORDED)
async def create_skill(args: CreateSkill, definitions: AgentDefinitions) -> Versioned:
    """Write down knowledge for later: a procedure, a standard, facts about a field.

    In every session you see the names, descriptions and tags of your skills, and read their content when you
    need it."""
    content = storable(args.content)
    check_size(content)
    made = SkillDefinition(storable(args.description), content, tuple(storable(args.tags)))
    return await create(SKILL, args.name, made, definitions)
