"""`update_playbook`: some of it anew."""

from typing import Any, Self

import msgspec
from pydantic import model_validator

from agent_contracts.errors import Rejected
from agent_contracts.kinds.playbook import PLAYBOOK
from agent_platform.log.storable_text import storable_text
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import RECORDED, Arguments, tool
from foldline_libragent.playbooks.reading import at_id
from foldline_libragent.playbooks.shapes import (
    CAMEL,
    Command,
    Criteria,
    Goal,
    Playbook,
    PlaybookId,
    Workflow,
    shown,
)


class UpdatePlaybook(Arguments):
    """Which one, and what of it is different; the rest stays."""

    model_config = CAMEL
    id: PlaybookId
    goal: Goal | None = None
    initial_command: Command | None = None
    workflow: Workflow | None = None
    success_criteria: Criteria | None = None

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not self.changes:
            raise ValueError("say what is to be different: goal, initialCommand, workflow, successCriteria")
        return self

    @property
    def changes(self) -> dict[str, Any]:
        """The fields that are different."""
        given = {
            "description": None if self.goal is None else storable_text(self.goal),
            "initial_command": None if self.initial_command is None else storable_text(self.initial_command),
            "success_criteria": None
            if self.success_criteria is None
            else storable_text(self.success_criteria),
            "workflow": None if self.workflow is None else tuple(step.stored() for step in self.workflow),
        }
        return {name: value for name, value in given.items() if value is not None}


@tool("update_playbook", family="playbooks", effect=RECORDED)
async def update_playbook(args: UpdatePlaybook, definitions: AgentDefinitions) -> Playbook:
    """Change a playbook; what is not given stays. Earlier versions stay readable."""
    try:
        await definitions.update(
            PLAYBOOK, args.id, lambda found: msgspec.structs.replace(found, **args.changes)
        )
    except Rejected as refused:
        raise at_id(refused, args.id) from refused
    return shown(await definitions.read(PLAYBOOK, args.id))
