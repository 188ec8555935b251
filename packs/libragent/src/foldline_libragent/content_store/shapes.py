"""What the tools of the content store take and return."""

from typing import Annotated, Any

import msgspec
from pydantic import Field

from agent_contracts.json_value import Json
from agent_tools.tool import Arguments, Result
from foldline_libragent.content_store.contents import ContentStore, StoredText
from foldline_libragent.content_store.searching import Hit

StoreId = Annotated[
    str | None, Field(min_length=1, max_length=200, description="Else the store of this session.")
]
ContentId = Annotated[str, Field(min_length=1, max_length=40, description="Such as content_17.")]
Metadata = Annotated[dict[str, Json] | None, Field(description="Anything, such as a name.")]


class Pagination(Arguments):
    """Which part."""

    offset: Annotated[int, Field(ge=0)] = 0
    limit: Annotated[int, Field(ge=1, le=200)] = 50


class ContentSearchOptions(Arguments):
    """How many, and how good."""

    top_n: Annotated[int, Field(ge=1, le=50)] = 10
    threshold: Annotated[float | None, Field(description="The least score.")] = None


class SearchContents(Arguments):
    """What to look for, and where."""

    store_id: StoreId = None
    query: Annotated[str, Field(min_length=1, max_length=2_000)]
    options: ContentSearchOptions = ContentSearchOptions()


class StoreInfo(Result):
    """A store, and how much is in it; `size` in characters."""

    store_id: str
    metadata: Json
    created_at: str
    contents: int
    chunks: int
    size: int


class ContentInfo(Result):
    """A content, without its text. `edition` counts its texts; `size` is in characters."""

    content_id: str
    store_id: str
    source: str
    metadata: Json
    size: int
    lines: int
    chunks: int
    edition: int
    updated_at: str


class ContentMatch(Result):
    """A piece of a content, and where it stands in it."""

    content_id: str
    first_line: int
    last_line: int
    text: str
    score: float


def store_info(store: ContentStore) -> StoreInfo:
    """A store as a result."""
    return StoreInfo(**_fields(store))


def content_info(stored: StoredText) -> ContentInfo:
    """A content as a result."""
    return ContentInfo(**_fields(stored))


def found(hits: list[Hit]) -> list[ContentMatch]:
    """Hits as a result."""
    return [ContentMatch(**_fields(hit)) for hit in hits]


def _fields(value: msgspec.Struct) -> dict[str, Any]:
    return msgspec.structs.asdict(value)
