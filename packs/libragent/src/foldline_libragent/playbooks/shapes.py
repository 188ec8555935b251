"""What the tools of playbooks take and return."""

from typing import Annotated

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from agent_contracts.entities.definitions import (
    LONGEST_DESCRIPTION,
    LONGEST_OF_STEP,
    MOST_STEPS,
    Defined,
    PlaybookDefinition,
    PlaybookStep,
)
from agent_platform.log.storable_text import storable_text
from agent_tools.tool import Arguments, Result

Goal = Annotated[str, Field(min_length=1, max_length=LONGEST_DESCRIPTION, description="What it reaches.")]
Command = Annotated[str, Field(max_length=LONGEST_DESCRIPTION, description="What the user says to begin it.")]
Criteria = Annotated[str, Field(max_length=LONGEST_DESCRIPTION, description="How one sees that it worked.")]
PlaybookId = Annotated[str, Field(min_length=1, max_length=64, description="Such as pb_0a1b2c3d4e.")]
_Line = Annotated[str, Field(min_length=1, max_length=LONGEST_OF_STEP)]
CAMEL = ConfigDict(alias_generator=to_camel, extra="forbid", strict=True, frozen=True)
SHOWN = ConfigDict(alias_generator=to_camel, extra="forbid", frozen=True, serialize_by_alias=True)


class Action(Arguments):
    """Which tool, and for what."""

    model_config = CAMEL
    tool_name: Annotated[str, Field(min_length=1, max_length=64)]
    purpose: _Line


class Step(Arguments):
    """One step."""

    model_config = CAMEL
    step_id: Annotated[str, Field(min_length=1, max_length=64)]
    description: _Line
    action: Action
    required_data: Annotated[list[_Line], Field(default_factory=list, max_length=50)]
    output_variable: Annotated[str, Field(max_length=200)] = ""

    def stored(self) -> PlaybookStep:
        """As it is kept."""
        return PlaybookStep(
            storable_text(self.step_id),
            storable_text(self.description),
            storable_text(self.action.tool_name),
            storable_text(self.action.purpose),
            tuple(map(storable_text, self.required_data)),
            storable_text(self.output_variable),
        )


Workflow = Annotated[
    list[Step], Field(min_length=1, max_length=MOST_STEPS, description="The steps in order.")
]


class ActionShown(Result):
    """Which tool, and for what."""

    model_config = SHOWN
    tool_name: str
    purpose: str


class StepShown(Result):
    """One step."""

    model_config = SHOWN
    step_id: str
    description: str
    action: ActionShown
    required_data: list[str]
    output_variable: str


class Playbook(Result):
    """A playbook, whole, at one version."""

    model_config = SHOWN
    id: str
    version: int
    goal: str
    initial_command: str
    workflow: list[StepShown]
    success_criteria: str


def shown(found: Defined[PlaybookDefinition]) -> Playbook:
    """A playbook as a result."""
    value = found.value
    return Playbook.model_validate(
        {
            "id": found.name,
            "version": found.version,
            "goal": value.description,
            "initialCommand": value.initial_command,
            "successCriteria": value.success_criteria,
            "workflow": [
                {
                    "stepId": one.step_id,
                    "description": one.description,
                    "action": {"toolName": one.tool_name, "purpose": one.purpose},
                    "requiredData": list(one.required_data),
                    "outputVariable": one.output_variable,
                }
                for one in value.workflow
            ],
        }
    )
