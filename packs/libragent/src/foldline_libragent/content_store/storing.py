"""Tools for stores, what is in them, and searches in them."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from agent_contracts.api.state import Operation
from agent_contracts.entities.enabled_packs import text_of_pack
from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.packs import PromptText
from agent_contracts.tool_spec import LastingEffect
from agent_domain.files.file import FileRef
from agent_domain.text_edits import TextEdit
from agent_platform.log.storable_text import storable, storable_text
from agent_tools.context import CallContext
from agent_tools.ports.agent import AgentTexts
from agent_tools.ports.database import AgentDatabase
from agent_tools.ports.files import AgentFiles, TextFiles
from agent_tools.ports.models import Embeddings
from agent_tools.ports.running import Compute
from agent_tools.tool import PURE, RECORDED, Arguments, Result, tool
from foldline_libragent.content_store.contents import LARGEST, SessionContents
from foldline_libragent.content_store.searching import ContentQuery, by_meaning, by_words
from foldline_libragent.content_store.shapes import (
    ContentId,
    ContentInfo,
    ContentMatch,
    Metadata,
    Pagination,
    SearchContents,
    StoreId,
    StoreInfo,
    content_info,
    found,
    store_info,
)


def status(stores: int, contents: int) -> str:
    """As LibrAgent words it."""
    stored = "1 store" if stores == 1 else f"{stores} stores"
    items = "1 item" if contents == 1 else f"{contents} items"
    return (
        "**Server**: content_store\n"
        "**Status**: Active\n"
        f"**Stores Available**: {stored}\n"
        f"**Total Content**: {items}"
    )


STATUS = PromptText(
    "content_store", "Content Store Server Status", per_session=True, initial=status(stores=0, contents=0)
)
"""The text; each session has its own, as it has its own stores."""


async def tell_status(contents: SessionContents, texts: AgentTexts, call: CallContext) -> None:
    """Write it after a change. The same again makes no version."""
    stores = await contents.stores()
    text = status(len(stores), sum(store.contents for store in stores))
    which = text_of_pack(STATUS, call.session_id)
    if (await texts.read(which)).text != text:
        await texts.edit(which, TextEdit(Operation.REPLACE, content=text))


class GetStoreInfo(Arguments):
    """Which one."""

    store_id: Annotated[str, Field(min_length=1, max_length=200)]


@tool("getStoreInfo", family="content_store", effect=PURE, timeout_s=60)
async def get_store_info(args: GetStoreInfo, database: AgentDatabase, call: CallContext) -> StoreInfo:
    """Tell what a store holds: how many contents, chunks and characters, and its metadata."""
    return store_info(await SessionContents(database, call).store(args.store_id))


class KeywordSearch(SearchContents):
    """Any of the words counts."""


class FoundByWords(Result):
    """The best chunks first; scores are BM25's, and compare within one search."""

    results: list[ContentMatch]


@tool("keywordSimilaritySearch", family="content_store", effect=PURE, timeout_s=60)
async def keyword_similarity_search(
    args: KeywordSearch, database: AgentDatabase, call: CallContext
) -> FoundByWords:
    """Search a store by words, ranked by BM25: pieces of contents with their lines."""
    contents = SessionContents(database, call)
    if args.store_id is not None:
        await contents.store(args.store_id)
    options = args.options
    wanted = ContentQuery(args.store_id or contents.own_store, args.query, options.top_n, options.threshold)
    return FoundByWords(results=found(await by_words(database, wanted)))


class ListContent(Arguments):
    """Of which store, and which part."""

    store_id: StoreId = None
    pagination: Pagination = Pagination()


class ContentPage(Result):
    """A part, oldest first, of `total` contents."""

    contents: list[ContentInfo]
    total: int
    offset: int
    has_more: bool


@tool("listContent", family="content_store", effect=PURE, timeout_s=60)
async def list_content(args: ListContent, database: AgentDatabase, call: CallContext) -> ContentPage:
    """List the contents of a store, without their text, a page at a time."""
    page = args.pagination
    listed, total = await SessionContents(database, call).listed(args.store_id, page.offset, page.limit)
    return ContentPage(
        contents=[content_info(one) for one in listed],
        total=total,
        offset=page.offset,
        has_more=page.offset + len(listed) < total,
    )


class ListStores(Arguments):
    """Nothing to say."""


class Stores(Result):
    """Oldest first. `own` is what the tools use where no store is named; it is made when it is needed."""

    stores: list[StoreInfo]
    own: str


@tool("listStores", family="content_store", effect=PURE, timeout_s=60)
async def list_stores(args: ListStores, database: AgentDatabase, call: CallContext) -> Stores:
    """List this session's stores of content with what is in them."""
    contents = SessionContents(database, call)
    return Stores(stores=[store_info(one) for one in await contents.stores()], own=contents.own_store)


class ReadContent(Arguments):
    """Which one, and which lines of it."""

    content_id: ContentId
    from_line: Annotated[int, Field(ge=1, description="From 1.")] = 1
    to_line: Annotated[int | None, Field(ge=1, description="Included; else to the end.")] = None


class ReadLines(Result):
    """The lines from `from_line` to `to_line`, of `lines` that there are."""

    content_id: str
    text: str
    from_line: int
    to_line: int
    lines: int


@tool("readContent", family="content_store", effect=PURE, timeout_s=60)
async def read_content(args: ReadContent, database: AgentDatabase, call: CallContext) -> ReadLines:
    """Read a content, whole or some lines of it."""
    contents = SessionContents(database, call)
    stored = await contents.content(args.content_id)
    last = min(args.to_line or stored.lines, stored.lines)
    if args.from_line > last:
        message = f"there is no line from {args.from_line} to {last}: it has {stored.lines}"
        raise Rejected(message, kind=ErrorKind.INVALID_ARGUMENTS, path="/from_line")
    lines = (await contents.text(stored)).split("\n")[args.from_line - 1 : last]
    return ReadLines(
        content_id=args.content_id,
        text="\n".join(lines),
        from_line=args.from_line,
        to_line=last,
        lines=stored.lines,
    )


class SemanticSearch(SearchContents):
    """As a question, or a sentence like the one that is looked for."""


class FoundByMeaning(Result):
    """The nearest chunks first; scores are cosines. `not_searched` chunks have no vectors yet: search
    again."""

    results: list[ContentMatch]
    not_searched: int


@tool("semanticSimilaritySearch", family="content_store", effect=RECORDED, timeout_s=180)
async def semantic_similarity_search(
    args: SemanticSearch,
    database: AgentDatabase,
    embeddings: Embeddings,
    compute: Compute,
    call: CallContext,
) -> FoundByMeaning:
    """Search a store by meaning, where the model server gives embeddings: pieces of contents with lines."""
    contents = SessionContents(database, call)
    if args.store_id is not None:
        await contents.store(args.store_id)
    options = args.options
    wanted = ContentQuery(args.store_id or contents.own_store, args.query, options.top_n, options.threshold)
    hits, left = await by_meaning(database, embeddings, compute, wanted)
    return FoundByMeaning(results=found(hits), not_searched=left)


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
    return content_info(await SessionContents(database, call).update(args.content_id, text, metadata))


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
    contents = SessionContents(database, call)
    stored = await contents.add(args.store_id, storable_text(text), source, storable(args.metadata or {}))
    await tell_status(contents, told, call)
    return content_info(stored)


class CreateStore(Arguments):
    """What is said of it."""

    metadata: Metadata = None


@tool("createStore", family="content_store", effect=RECORDED, timeout_s=60)
async def create_store(
    args: CreateStore, database: AgentDatabase, texts: AgentTexts, call: CallContext
) -> StoreInfo:
    """Make a store for texts that are to be searched later. A session has one of its own without this."""
    contents = SessionContents(database, call)
    made = await contents.make_store(args.metadata or {})
    await tell_status(contents, texts, call)
    return store_info(made)


class DeleteContent(Arguments):
    """Which one."""

    content_id: ContentId


class DeletedContent(Result):
    """It is gone, and no search finds it."""

    content_id: str
    deleted: bool = True


@tool("deleteContent", family="content_store", effect=RECORDED, lasting=LastingEffect.CALL, timeout_s=60)
async def delete_content(
    args: DeleteContent, database: AgentDatabase, texts: AgentTexts, call: CallContext
) -> DeletedContent:
    """Remove a content from its store."""
    contents = SessionContents(database, call)
    await contents.delete(args.content_id)
    await tell_status(contents, texts, call)
    return DeletedContent(content_id=args.content_id)
