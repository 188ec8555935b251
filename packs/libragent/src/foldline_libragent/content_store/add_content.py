"""`addContent`: keep a text, so that it can be found."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from agent_domain.files.file import FileRef
from agent_platform.log.storable_text import storable, storable_text
from agent_tools.context import CallContext
from agent_tools.ports.agent import AgentTexts
from agent_tools.ports.database import AgentDatabase
from agent_tools.ports.files import AgentFiles, TextFiles
from agent_tools.tool import RECORDED, Arguments, tool
from foldline_libragent.content_store.contents import LARGEST, Contents
from foldline_libragent.content_store.shapes import ContentInfo, Metadata, StoreId, content_info
from foldline_libragent.content_store.status import tell_status


class AddContent(Arguments):
    """What to keep, and where."""

    store_id: StoreId = None
    content: Annotated[str | None, Field(min_length=1, max_length=LARGEST, description="The text.")] = None
    file_id: Annotated[str | None, Field(min_length=1, description="Or a file that has text.")] = None
    metadata: Metadata = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.content is None) == (self.file_id is None):
            raise ValueError("give content or file_id, one of them")
        return self


@tool("addContent", family="content_store", effect=RECORDED, timeout_s=120)
async def add_content(  # noqa: PLR0913 — the ports of what is read, kept and told
    args: AddContent,
    database: AgentDatabase,
    files: AgentFiles,
    texts: TextFiles,
    told: AgentTexts,
    call: CallContext,
) -> ContentInfo:
    """Keep a text, or what a file says, in a store: in chunks with their lines, found by
    keywordSimilaritySearch and semanticSimilaritySearch."""
    text, source = args.content, "text"
    if text is None:
        file = await files.find(FileRef(file_id=args.file_id))
        text, source = await texts.read(file), file.path
    contents = Contents(database, call)
    stored = await contents.add(args.store_id, storable_text(text), source, storable(args.metadata or {}))
    await tell_status(contents, told, call)
    return content_info(stored)
