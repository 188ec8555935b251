"""`get_playbook`: one, whole."""

from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import PURE, Arguments, tool
from foldline_libragent.playbooks.reading import found
from foldline_libragent.playbooks.shapes import Playbook, PlaybookId, shown


class GetPlaybook(Arguments):
    """Which one."""

    id: PlaybookId


@tool("get_playbook", family="playbooks", effect=PURE)
async def get_playbook(args: GetPlaybook, definitions: AgentDefinitions) -> Playbook:
    """Read a playbook with all its steps."""
    return shown(await found(definitions, args.id))
