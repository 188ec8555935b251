"""earlier sessions"""

from typing import Annotated

from pydantic import Field

from agent_contracts.questions.history_search import LONGEST_QUERY, MOST_FOUND, SearchHistory
from agent_platform.log.storable_text import storable_text
from agent_tools.context import CallContext
from agent_tools.tool import PURE, Arguments, Result, tool
from tool_runner.agent.history import HistorySearch


class SearchHistoryArguments(Arguments):
    """What to look for."""

    query: Annotated[
        str, Field(min_length=1, max_length=LONGEST_QUERY, description="Words, or parts of words.")
    ]
    limit: Annotated[int, Field(ge=1, le=MOST_FOUND, description="At most so many.")] = 10


class HistoryMatch(Result):
    """A place; `event` is its address in the session, `role` user, assistant or title."""

    session_id: str
    title: str | None
    role: str
    event: str
    time: str
    snippet: str


class HistoryMatches(Result):
    """Where all words are said, newest first."""

    results: list[HistoryMatch]


@tool("search_history", family="history", effect=PURE)
async def search_history(
    args: SearchHistoryArguments, call: CallContext, history: HistorySearch
) -> HistoryMatches:
    """Find what the user and you said in earlier sessions: messages and titles that have all the words."""
    asked = SearchHistory(call.agent_id, args.query, args.limit, call.session)
    found = await history.search(asked)
    call.outside.bring(*(source for one in found for source in one.outside))
    return HistoryMatches(
        results=[
            HistoryMatch(
                session_id=one.session_id,
                title=one.title and storable_text(one.title),
                role=one.role,
                event=one.event,
                time=one.time,
                snippet=storable_text(one.snippet),
            )
            for one in found
        ]
    )
