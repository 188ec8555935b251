"""`keywordSimilaritySearch`: by words."""

from agent_tools.context import CallContext
from agent_tools.ports.database import AgentDatabase
from agent_tools.tool import PURE, Result, tool
from foldline_libragent.content_store.contents import Contents
from foldline_libragent.content_store.searching import Wanted, by_words
from foldline_libragent.content_store.shapes import Found, Searched, found


class KeywordSearch(Searched):
    """Any of the words counts."""


class FoundByWords(Result):
    """The best chunks first; scores are BM25's, and compare within one search."""

    results: list[Found]


@tool("keywordSimilaritySearch", family="content_store", effect=PURE, timeout_s=60)
async def keyword_similarity_search(
    args: KeywordSearch, database: AgentDatabase, call: CallContext
) -> FoundByWords:
    """Search a store by words, ranked by BM25: pieces of contents with their lines."""
    contents = Contents(database, call)
    if args.store_id is not None:
        await contents.store(args.store_id)
    options = args.options
    wanted = Wanted(args.store_id or contents.own_store, args.query, options.top_n, options.threshold)
    return FoundByWords(results=found(await by_words(database, wanted)))
