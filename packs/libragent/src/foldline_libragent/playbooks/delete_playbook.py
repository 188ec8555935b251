"""`delete_playbook`: one less."""

from agent_contracts.kinds.playbook import PLAYBOOK
from agent_contracts.tool_spec import Lasting
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import RECORDED, Arguments, Result, tool
from foldline_libragent.playbooks.shapes import PlaybookId


class DeletePlaybook(Arguments):
    """Which one."""

    id: PlaybookId


class DeletedPlaybook(Result):
    """`deleted`: whether there was one."""

    deleted: bool


@tool("delete_playbook", family="playbooks", effect=RECORDED, lasting=Lasting.CALL)
async def delete_playbook(args: DeletePlaybook, definitions: AgentDefinitions) -> DeletedPlaybook:
    """Delete a playbook. Its versions stay readable."""
    return DeletedPlaybook(deleted=await definitions.delete(PLAYBOOK, args.id))
