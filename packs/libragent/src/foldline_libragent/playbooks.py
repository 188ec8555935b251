"""workflows that worked, to follow again"""

import hashlib
from typing import Annotated, Any, Self

import msgspec
from pydantic import ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from agent_contracts.entities.definitions import (
    LONGEST_DESCRIPTION,
    LONGEST_OF_STEP,
    MOST_STEPS,
    NamedDefinition,
    PlaybookDefinition,
    PlaybookStep,
)
from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.kinds.playbook import PLAYBOOK
from agent_contracts.tool_spec import LastingEffect
from agent_platform.log.storable_text import storable_text
from agent_tools.context import CallContext
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import PURE, RECORDED, Arguments, Result, tool

Goal = Annotated[str, Field(min_length=1, max_length=LONGEST_DESCRIPTION, description="What it reaches.")]
Command = Annotated[str, Field(max_length=LONGEST_DESCRIPTION, description="What the user says to begin it.")]
Criteria = Annotated[str, Field(max_length=LONGEST_DESCRIPTION, description="How one sees that it worked.")]
PlaybookId = Annotated[str, Field(min_length=1, max_length=64, description="Such as pb_0a1b2c3d4e.")]
_Line = Annotated[str, Field(min_length=1, max_length=LONGEST_OF_STEP)]
CAMEL = ConfigDict(alias_generator=to_camel, extra="forbid", strict=True, frozen=True)
SHOWN = ConfigDict(alias_generator=to_camel, extra="forbid", frozen=True, serialize_by_alias=True)


class PlaybookAction(Arguments):
    """Which tool, and for what."""

    model_config = CAMEL
    tool_name: Annotated[str, Field(min_length=1, max_length=64)]
    purpose: _Line


class LibragentPlaybookStep(Arguments):
    """One step."""

    model_config = CAMEL
    step_id: Annotated[str, Field(min_length=1, max_length=64)]
    description: _Line
    action: PlaybookAction
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
    list[LibragentPlaybookStep], Field(min_length=1, max_length=MOST_STEPS, description="The steps in order.")
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


def shown(found: NamedDefinition[PlaybookDefinition]) -> Playbook:
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


async def found(definitions: AgentDefinitions, playbook_id: str) -> NamedDefinition[PlaybookDefinition]:
    """The playbook. `Rejected(kind="not_found")` if there is none."""
    try:
        return await definitions.read(PLAYBOOK, playbook_id)
    except Rejected as refused:
        raise at_id(refused, playbook_id) from refused


def at_id(refused: Rejected, playbook_id: str) -> Rejected:
    """A refusal as it names the argument that the id came from."""
    if refused.kind != ErrorKind.NOT_FOUND:
        return refused
    message = f"there is no playbook {playbook_id!r}: list_playbooks names those that there are"
    return Rejected(message, kind=ErrorKind.NOT_FOUND, path="/id")


MOST = 500
"""Of one agent."""


class CreatePlaybook(Arguments):
    """What it reaches, and how."""

    model_config = CAMEL
    goal: Goal
    initial_command: Command = ""
    workflow: Workflow
    success_criteria: Criteria = ""


@tool("create_playbook", family="playbooks", effect=RECORDED)
async def create_playbook(args: CreatePlaybook, definitions: AgentDefinitions, call: CallContext) -> Playbook:
    """Write down a workflow that worked, as steps with the tools that they use, for all your sessions."""
    known = await definitions.list(PLAYBOOK)
    made = PlaybookDefinition(
        storable_text(args.goal),
        tuple(step.stored() for step in args.workflow),
        storable_text(args.initial_command),
        storable_text(args.success_criteria),
    )
    playbook_id = f"pb_{hashlib.sha256(call.idempotency_key.encode()).hexdigest()[:10]}"
    if len(known) >= MOST and all(one.name != playbook_id for one in known):
        raise Rejected(f"there are {MOST} playbooks: delete some", kind=ErrorKind.TOO_LARGE)
    await definitions.create(PLAYBOOK, playbook_id, made)
    return shown(await definitions.read(PLAYBOOK, playbook_id))


class DeletePlaybook(Arguments):
    """Which one."""

    id: PlaybookId


class DeletedPlaybook(Result):
    """`deleted`: whether there was one."""

    deleted: bool


@tool("delete_playbook", family="playbooks", effect=RECORDED, lasting=LastingEffect.CALL)
async def delete_playbook(args: DeletePlaybook, definitions: AgentDefinitions) -> DeletedPlaybook:
    """Delete a playbook. Its versions stay readable."""
    return DeletedPlaybook(deleted=await definitions.delete(PLAYBOOK, args.id))


class ListPlaybooks(Arguments):
    """Which page."""

    model_config = CAMEL
    page: Annotated[int, Field(ge=1)] = 1
    page_size: Annotated[int, Field(ge=1, le=100)] = 10


class ListedPlaybook(Result):
    """A playbook, without its steps."""

    id: str
    version: int
    goal: str
    steps: int


class Playbooks(Result):
    """A page of them, by id, of `total`."""

    model_config = SHOWN
    playbooks: list[ListedPlaybook]
    page: int
    page_size: int
    total: int


@tool("list_playbooks", family="playbooks", effect=PURE)
async def list_playbooks(args: ListPlaybooks, definitions: AgentDefinitions) -> Playbooks:
    """List your playbooks by what they reach."""
    known = sorted(await definitions.list(PLAYBOOK), key=lambda one: one.name)
    begin = (args.page - 1) * args.page_size
    return Playbooks.model_validate(
        {
            "playbooks": [
                ListedPlaybook(
                    id=one.name,
                    version=one.version,
                    goal=one.value.description,
                    steps=len(one.value.workflow),
                )
                for one in known[begin : begin + args.page_size]
            ],
            "page": args.page,
            "pageSize": args.page_size,
            "total": len(known),
        }
    )


class GetPlaybook(Arguments):
    """Which one."""

    id: PlaybookId


@tool("get_playbook", family="playbooks", effect=PURE)
async def get_playbook(args: GetPlaybook, definitions: AgentDefinitions) -> Playbook:
    """Read a playbook with all its steps."""
    return shown(await found(definitions, args.id))


class SelectPlaybook(Arguments):
    """Which one."""

    id: PlaybookId


class SelectedPlaybook(Result):
    """The playbook, and in words what to do with it."""

    playbook: Playbook
    instructions: str


@tool("select_playbook", family="playbooks", effect=PURE)
async def select_playbook(args: SelectPlaybook, definitions: AgentDefinitions) -> SelectedPlaybook:
    """Choose a playbook to follow in this session: its steps, as instructions."""
    playbook = shown(await found(definitions, args.id))
    lines = [f"Reach this goal: {playbook.goal}"]
    for number, step in enumerate(playbook.workflow, 1):
        needs = f" It needs {', '.join(step.required_data)}." if step.required_data else ""
        gives = f" Call its result {step.output_variable}." if step.output_variable else ""
        with_tool = f"With {step.action.tool_name}: {step.action.purpose}."
        lines.append(f"{number}. {step.description} {with_tool}{needs}{gives}")
    if playbook.success_criteria:
        lines.append(f"It worked if: {playbook.success_criteria}")
    return SelectedPlaybook(playbook=playbook, instructions="\n".join(lines))


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
