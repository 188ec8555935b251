"""knowledge"""

from typing import Annotated, Any

import msgspec
from pydantic import Field

from agent_contracts.api.state import Operation
from agent_contracts.entities.definitions import SKILL_NAME, SkillDefinition
from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.kinds.skill import SKILL
from agent_contracts.tool_spec import LastingEffect
from agent_domain.text_edits import TextEdit, check_size, edited
from agent_platform.log.storable_text import storable
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import PURE, RECORDED, Arguments, Result, tool
from tool_runner.agent.edit_arguments import OPERATIONS, EditedTexts
from tool_runner.definitions.arguments import (
    DefinitionDeletion,
    DefinitionRef,
    DefinitionSwitch,
    DefinitionVersion,
    Description,
    ListedSwitchable,
    Name,
    WithDisabled,
)
from tool_runner.definitions.operations import create, delete, listed, read, switch

Tags = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=64)]],
    Field(max_length=32, description="A few words by which it is found."),
]


@tool("delete_skill", family="skills", effect=RECORDED, lasting=LastingEffect.CALL)
async def delete_skill(args: DefinitionRef, definitions: AgentDefinitions) -> DefinitionDeletion:
    """Delete a skill of yours. Gives {"deleted": false} if there is none; that is not an error."""
    return await delete(SKILL, args, definitions)


@tool("disable_skill", family="skills", effect=RECORDED, lasting=LastingEffect.CALL)
async def disable_skill(args: DefinitionRef, definitions: AgentDefinitions) -> DefinitionSwitch:
    """Show a skill of yours no longer, without deleting it."""
    return await switch(SKILL, args, False, definitions)


@tool("enable_skill", family="skills", effect=RECORDED, lasting=LastingEffect.CALL)
async def enable_skill(args: DefinitionRef, definitions: AgentDefinitions) -> DefinitionSwitch:
    """Show a disabled skill of yours again in all sessions."""
    return await switch(SKILL, args, True, definitions)


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


class Skill(ListedSwitchable):
    """The skill."""

    tags: list[str]
    content: str


@tool("read_skill", family="skills", effect=PURE, always_sent=True)
async def read_skill(args: DefinitionRef, definitions: AgentDefinitions) -> Skill:
    """Read a skill of yours whole."""
    return await read(SKILL, args, Skill, definitions)


class CreateSkill(Arguments):
    """The skill."""

    name: Annotated[str, Field(pattern=SKILL_NAME, description="A new name: a-z, 0-9 and -, at most 64.")]
    description: Annotated[Description, Field(description="What it is about, and when to read it.")]
    content: Annotated[str, Field(description="All of it, in Markdown.")]
    tags: Annotated[Tags, Field(default_factory=list)]


@tool("create_skill", family="skills", effect=RECORDED)
async def create_skill(args: CreateSkill, definitions: AgentDefinitions) -> DefinitionVersion:
    """Write down knowledge for later: a procedure, a standard, facts about a field.

    In every session you see the names, descriptions and tags of your skills, and read their content when you
    need it."""
    content = storable(args.content)
    check_size(content)
    made = SkillDefinition(storable(args.description), content, tuple(storable(args.tags)))
    return await create(SKILL, args.name, made, definitions)


class UpdateSkill(EditedTexts):
    """What changes: description, tags, and by an operation the content."""

    name: Name
    operation: Annotated[
        Operation | None, Field(description=f"What to do to the content; left out, it stays. {OPERATIONS}")
    ] = None
    description: Description | None = None
    tags: Tags | None = None

    @property
    def edit(self) -> TextEdit | None:
        """The edit of the content. `Rejected` where texts are given but not what to do with them."""
        if self.operation is not None:
            return self.edit_by(self.operation)
        if (self.content, self.find, self.replace) != (None, None, None):
            raise Rejected("say by operation what to do", kind=ErrorKind.INVALID_ARGUMENTS, path="/operation")
        return None


@tool("update_skill", family="skills", effect=RECORDED)
async def update_skill(args: UpdateSkill, definitions: AgentDefinitions) -> DefinitionVersion:
    """Change a skill of yours: its content by one edit, its description, its tags. The rest stays as it
    is."""
    edit = args.edit
    given: dict[str, Any] = {}
    if args.description is not None:
        given["description"] = storable(args.description)
    if args.tags is not None:
        given["tags"] = tuple(storable(args.tags))

    def change(found: SkillDefinition) -> SkillDefinition:
        content = found.content if edit is None else edited(found.content, edit)
        return msgspec.structs.replace(found, content=content, **given)

    return DefinitionVersion(name=args.name, version=await definitions.update(SKILL, args.name, change))
