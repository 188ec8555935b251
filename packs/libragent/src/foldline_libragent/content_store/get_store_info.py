"""`getStoreInfo`: one store."""

from typing import Annotated

from pydantic import Field

from agent_tools.context import CallContext
from agent_tools.ports.database import AgentDatabase
from agent_tools.tool import PURE, Arguments, tool
from foldline_libragent.content_store.contents import Contents
from foldline_libragent.content_store.shapes import StoreInfo, store_info


class GetStoreInfo(Arguments):
    """Which one."""

    store_id: Annotated[str, Field(min_length=1, max_length=200)]


@tool("getStoreInfo", family="content_store", effect=PURE, timeout_s=60)
async def get_store_info(args: GetStoreInfo, database: AgentDatabase, call: CallContext) -> StoreInfo:
    """Tell what a store holds: how many contents, chunks and characters, and its metadata."""
    return store_info(await Contents(database, call).store(args.store_id))
