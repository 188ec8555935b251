"""`semanticSimilaritySearch`: by meaning."""

from agent_tools.context import CallContext
from agent_tools.ports.database import AgentDatabase
from agent_tools.ports.models import Embeddings
from agent_tools.ports.running import Compute
from agent_tools.tool import RECORDED, Result, tool
from foldline_libragent.content_store.contents import Contents
from foldline_libragent.content_store.searching import Wanted, by_meaning
from foldline_libragent.content_store.shapes import Found, Searched, found


class SemanticSearch(Searched):
    """As a question, or a sentence like the one that is looked for."""


class FoundByMeaning(Result):
    """The nearest chunks first; scores are cosines. `not_searched` chunks have no vectors yet: search
    again."""

    results: list[Found]
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
    contents = Contents(database, call)
    if args.store_id is not None:
        await contents.store(args.store_id)
    options = args.options
    wanted = Wanted(args.store_id or contents.own_store, args.query, options.top_n, options.threshold)
    hits, left = await by_meaning(database, embeddings, compute, wanted)
    return FoundByMeaning(results=found(hits), not_searched=left)
