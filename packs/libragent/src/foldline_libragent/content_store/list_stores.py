"""`listStores`: all of the session's."""

from agent_tools.context import CallContext
from agent_tools.ports.database import AgentDatabase
from agent_tools.tool import PURE, Arguments, Result, tool
from foldline_libragent.content_store.contents import Contents
from foldline_libragent.content_store.shapes import StoreInfo, store_info


class ListStores(Arguments):
    """Nothing to say."""


class Stores(Result):
    """Oldest first. `own` is what the tools use where no store is named; it is made when it is needed."""

    stores: list[StoreInfo]
    own: str


@tool("listStores", family="content_store", effect=PURE, timeout_s=60)
async def list_stores(args: ListStores, database: AgentDatabase, call: CallContext) -> Stores:
    """List this session's stores of content with what is in them."""
    contents = Contents(database, call)
    return Stores(stores=[store_info(one) for one in await contents.stores()], own=contents.own_store)
