"""`update_skill`: the agent changes what it has written down."""

from typing import Annotated, Any

import msgspec
from pydantic import Field

from agent_contracts.api.state import Operation
from agent_contracts.entities.definitions import SkillDefinition
from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.kinds.skill import SKILL
from agent_domain.text_edits import TextEdit, edited
from agent_platform.log.storable_text import storable
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import RECORDED, tool
from tool_runner.agent.edit_arguments import OPERATIONS, EditedTexts
from tool_runner.definitions.arguments import Description, Name, Versioned
from tool_runner.tools.skills.tags import Tags


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
async def update_skill(args: UpdateSkill, definitions: AgentDefinitions) -> Versioned:
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

    return Versioned(name=args.name, version=await definitions.update(SKILL, args.name, change))
