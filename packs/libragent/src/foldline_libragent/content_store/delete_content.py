"""`deleteContent`: forget a text."""

from agent_contracts.tool_spec import Lasting
from agent_tools.context import CallContext
from agent_tools.ports.agent import AgentTexts
from agent_tools.ports.database import AgentDatabase
from agent_tools.tool import RECORDED, Arguments, Result, tool
from foldline_libragent.content_store.contents import Contents
from foldline_libragent.content_store.shapes import ContentId
from foldline_libragent.content_store.status import tell_status


class DeleteContent(Arguments):
    """Which one."""

    content_id: ContentId


class DeletedContent(Result):
    """It is gone, and no search finds it."""

    content_id: str
    deleted: bool = True


@tool("deleteContent", family="content_store", effect=RECORDED, lasting=Lasting.CALL, timeout_s=60)
async def delete_content(
    args: DeleteContent, database: AgentDatabase, texts: AgentTexts, call: CallContext
) -> DeletedContent:
    """Remove a content from its store."""
    contents = Contents(database, call)
    await contents.delete(args.content_id)
    await tell_status(contents, texts, call)
    return DeletedContent(content_id=args.content_id)
