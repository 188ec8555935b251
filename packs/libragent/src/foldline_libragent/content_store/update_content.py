"""`updateContent`: another text, or other metadata."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from agent_platform.log.storable_text import storable, storable_text
from agent_tools.context import CallContext
from agent_tools.ports.database import AgentDatabase
from agent_tools.tool import RECORDED, Arguments, tool
from foldline_libragent.content_store.contents import LARGEST, Contents
from foldline_libragent.content_store.shapes import ContentId, ContentInfo, Metadata, content_info


class UpdateContent(Arguments):
    """What is to be different."""

    content_id: ContentId
    content: Annotated[str | None, Field(min_length=1, max_length=LARGEST, description="All of it.")] = None
    metadata: Metadata = None

    @model_validator(mode="after")
    def _something(self) -> Self:
        if self.content is None and self.metadata is None:
            raise ValueError("give content, metadata, or both")
        return self


@tool("updateContent", family="content_store", effect=RECORDED, timeout_s=120)
async def update_content(args: UpdateContent, database: AgentDatabase, call: CallContext) -> ContentInfo:
    """Replace a content's text, its metadata, or both."""
    text = None if args.content is None else storable_text(args.content)
    metadata = None if args.metadata is None else storable(args.metadata)
    return content_info(await Contents(database, call).update(args.content_id, text, metadata))
