"""`create_playbook`: a way of working, to follow again."""

import hashlib

from agent_contracts.entities.definitions import PlaybookDefinition
from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.kinds.playbook import PLAYBOOK
from agent_platform.log.storable_text import storable_text
from agent_tools.context import CallContext
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import RECORDED, Arguments, tool
from foldline_libragent.playbooks.shapes import (
    CAMEL,
    Command,
    Criteria,
    Goal,
    Playbook,
    Workflow,
    shown,
)

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
