"""One of the agent's playbooks, by its id."""

from agent_contracts.entities.definitions import Defined, PlaybookDefinition
from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.kinds.playbook import PLAYBOOK
from agent_tools.ports.agent import AgentDefinitions


async def found(definitions: AgentDefinitions, playbook_id: str) -> Defined[PlaybookDefinition]:
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
