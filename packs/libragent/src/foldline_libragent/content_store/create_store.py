"""`createStore`: a place for content."""

from agent_tools.context import CallContext
from agent_tools.ports.agent import AgentTexts
from agent_tools.ports.database import AgentDatabase
from agent_tools.tool import RECORDED, Arguments, tool
from foldline_libragent.content_store.contents import Contents
from foldline_libragent.content_store.shapes import Metadata, StoreInfo, store_info
from foldline_libragent.content_store.status import tell_status


class CreateStore(Arguments):
    """What is said of it."""

    metadata: Metadata = None


@tool("createStore", family="content_store", effect=RECORDED, timeout_s=60)
async def create_store(
    args: CreateStore, database: AgentDatabase, texts: AgentTexts, call: CallContext
) -> StoreInfo:
    """Make a store for texts that are to be searched later. A session has one of its own without this."""
    contents = Contents(database, call)
    made = await contents.make_store(args.metadata or {})
    await tell_status(contents, texts, call)
    return store_info(made)
