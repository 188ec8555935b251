"""`listContent`: what is in a store."""

from agent_tools.context import CallContext
from agent_tools.ports.database import AgentDatabase
from agent_tools.tool import PURE, Arguments, Result, tool
from foldline_libragent.content_store.contents import Contents
from foldline_libragent.content_store.shapes import ContentInfo, Pagination, StoreId, content_info


class ListContent(Arguments):
    """Of which store, and which part."""

    store_id: StoreId = None
    pagination: Pagination = Pagination()


class Contained(Result):
    """A part, oldest first, of `total` contents."""

    contents: list[ContentInfo]
    total: int
    offset: int
    has_more: bool


@tool("listContent", family="content_store", effect=PURE, timeout_s=60)
async def list_content(args: ListContent, database: AgentDatabase, call: CallContext) -> Contained:
    """List the contents of a store, without their text, a page at a time."""
    page = args.pagination
    listed, total = await Contents(database, call).listed(args.store_id, page.offset, page.limit)
    return Contained(
        contents=[content_info(one) for one in listed],
        total=total,
        offset=page.offset,
        has_more=page.offset + len(listed) < total,
    )
