"""`file_delete`: a file goes."""

from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.tool_spec import Lasting
from agent_platform.entities.entity import EntityKey
from agent_tools.context import CallContext
from agent_tools.ports.files import AgentFiles
from agent_tools.ports.outside import LastingChanges
from agent_tools.tool import RECORDED, Result, tool
from tool_runner.agent.file_arguments import AtVersion


class FileDelete(AtVersion):
    """Which file."""


class Deleted(Result):
    """Whether it was there."""

    deleted: bool


@tool("file_delete", family="files", effect=RECORDED, lasting=Lasting.RUN)
async def file_delete(
    args: FileDelete, files: AgentFiles, call: CallContext, lasting: LastingChanges
) -> Deleted:
    """Delete a file."""
    try:
        file = await files.find(args.ref)
    except Rejected as error:
        if error.kind != ErrorKind.NOT_FOUND:
            raise
    else:
        key = EntityKey(call.agent_id, EntityKind.FILE, file.file_id)
        await lasting.require(file_delete.spec, args.model_dump(exclude_unset=True), key)
    return Deleted(deleted=await files.delete(args.ref, args.version))
