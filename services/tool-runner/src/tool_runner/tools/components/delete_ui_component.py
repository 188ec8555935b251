"""`delete_ui_component`."""

from agent_contracts.kinds.component import COMPONENT
from agent_contracts.tool_spec import Lasting
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import RECORDED, tool
from tool_runner.definitions.arguments import Deletion, Named
from tool_runner.definitions.operations import delete


@tool("delete_ui_component", family="components", effect=RECORDED, lasting=Lasting.CALL)
async def delete_ui_component(args: Named, definitions: AgentDefinitions) -> Deletion:
    """Delete a page or component of yours.

    Gives {"deleted": false} if there is none; that is not an error.
    """
    return await delete(COMPONENT, args, definitions)
