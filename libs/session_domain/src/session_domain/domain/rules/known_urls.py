"""Which addresses in a call were named by the user, a search result, a page that was read or a list of a
foreign server. Pure.

A URL carries secrets out as well as a body does. One that somebody else wrote, whole, carries none of them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from agent_contracts.entities.mcp_tools import (
    GET_MCP_PROMPT,
    LIST_MCP_PROMPTS,
    LIST_MCP_RESOURCES,
    READ_MCP_RESOURCE,
)
from agent_contracts.json_value import Json
from agent_contracts.sessions.open_questions import ASK_USER
from session_domain.domain.messages import CallStatus, SessionMessage, SessionToolCall
from session_domain.domain.rules.sought_urls import SoughtUri, SoughtUrl
from session_domain.domain.state import SessionState

MOST_URLS = 32
"""Of one call, the first; none that is longer than `LONGEST_URL` characters."""
LONGEST_URL = 2_000
MOST_SEARCHED = 8_000_000
"""Characters of what was said and read, the newest first."""

_URL = re.compile(r"[a-z][a-z0-9+.-]*://[^\s\"'`<>\\{}|^]+", re.IGNORECASE)
_OF_THE_WEB = re.compile("https?:", re.IGNORECASE)
_READING = ("web_read", "fetch_url", "web_search")
_SEEING = (
    "browser_extract_content",
    "browser_extract_html",
    "browser_extract_interactable",
    "browser_extract_text",
    "browser_snapshot",
)
_FILLING = frozenset(("browser_type", "browser_evaluate"))
"""What an agent writes into a page may stand in it afterwards."""


def known_urls(session: SessionState, tool: str, arguments: Mapping[str, Json]) -> tuple[str, ...]:
    """Those of the arguments' URLs that stand whole in what others wrote, as they stand in the arguments; of
    a call for a foreign server's resource its URI, for a prompt its name, where a server listed it."""
    if tool == GET_MCP_PROMPT:
        name = arguments.get("name")
        return (name,) if isinstance(name, str) and name in _listed(session, LIST_MCP_PROMPTS) else ()
    exact = tool == READ_MCP_RESOURCE
    wanted = dict.fromkeys(url for text in _texts(dict(arguments)) for url in _urls(text))
    left = {
        url: SoughtUri(url) if exact or not _OF_THE_WEB.match(url) else SoughtUrl(url)
        for url in list(wanted)[:MOST_URLS]
        if len(url) <= LONGEST_URL
    }
    foreign = exact or any(isinstance(sought, SoughtUri) for sought in left.values())
    listed = _listed(session, LIST_MCP_RESOURCES) if foreign else frozenset()
    if exact and (uri := arguments.get("uri")) in listed:
        return (str(uri),)
    if not left:
        return ()
    known = {url for url, sought in left.items() if isinstance(sought, SoughtUri) and url in listed}
    searched = 0
    for text, is_users in _written_by_others(session):
        searched += len(text)
        if len(known) == len(left) or searched > MOST_SEARCHED:
            break
        known |= {
            url for url, sought in left.items() if url not in known and sought.is_in(text, bare=is_users)
        }
    return tuple(url for url in left if url in known)


def _urls(text: str) -> Iterator[str]:
    """A text that is a URL, or those in code or prose, without the mark that may end a sentence."""
    whole = text.strip()
    if _URL.fullmatch(whole):
        yield text
        return
    for found in _URL.finditer(text):
        url = found[0].rstrip(".,:;!?)]*")
        if url:
            yield url


def _written_by_others(session: SessionState) -> Iterator[tuple[str, bool]]:
    """What the user said, and what was read as it was written; the newest first. With whether it is the
    user's."""
    users = _is_users(session)
    messages = session.messages()
    filled: int | None = None
    for number in range(len(messages) - 1, -1, -1):
        message = messages[number]
        if users and _says(message):
            yield message.text, True
        for call in message.tool_calls:
            if call.status is not CallStatus.COMPLETED:
                continue
            if call.does in _SEEING:
                if filled is None:
                    filled = _first_filling(messages)
                if number >= filled:
                    continue
            yield from _read(call, users)


def _first_filling(messages: Sequence[SessionMessage]) -> int:
    """The first message of which the agent wrote something into a page; behind all if there is none."""
    filling = (number for number, one in enumerate(messages) if any(map(_fills, one.tool_calls)))
    return next(filling, len(messages))


def _read(call: SessionToolCall, users: bool) -> Iterator[tuple[str, bool]]:
    if call.does == ASK_USER and users and not call.outside:
        offered = set(_texts(call.arguments))  # who picks an option says what the model wrote
        yield from ((text, True) for text in _texts(call.result) if text not in offered)
    elif call.does in _READING or call.does in _SEEING:
        result = call.result
        if call.does == "web_search":  # what was looked for is the agent's own
            result = _found(result)
        yield from ((text, False) for text in _texts(result))


def _says(message: SessionMessage) -> bool:
    """Whether a message is a person's; one that the agent left for later has sources, if there were any."""
    written = not message.outside or bool(message.files)
    by_others = message.woken_by is not None or message.prompt is not None
    return message.role == "user" and written and not by_others


def _is_users(session: SessionState) -> bool:
    """Whether what is said in the session is a person's. What begins a sub-session or a scheduled one was
    written by a model, which may have read something by then."""
    if session.parent_id is None and session.begun_by is None:
        return True
    return all(one.session in (None, session.session_id) for one in session.outside)


def _found(result: Json) -> Json:
    """What was found, of a search's results: of a text without its first line, which says for what."""
    match result:
        case {"results": found}:
            return found
        case str():
            return result.partition("\n")[2]
        case _:
            return None


def _fills(call: SessionToolCall) -> bool:
    return call.does in _FILLING


def _listed(session: SessionState, by: str) -> frozenset[str]:
    """What foreign servers listed, by this tool: the URIs of resources, or the names of prompts."""
    part, called = ("resources", "uri") if by == LIST_MCP_RESOURCES else ("prompts", "name")
    calls = (call for message in session.messages() for call in message.tool_calls if call.does == by)
    results = (call.result for call in calls if call.status is CallStatus.COMPLETED)
    lists = (result.get(part) for result in results if isinstance(result, dict))
    things = (one for each in lists if isinstance(each, list) for one in each if isinstance(one, dict))
    return frozenset(name for name in (one.get(called) for one in things) if isinstance(name, str))


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)
