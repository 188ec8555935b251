"""What a request carries besides its URL. Pure."""

import re
from collections.abc import Collection, Iterable, Mapping

from agent_contracts.entities.mcp_tools import GET_MCP_PROMPT, READ_MCP_RESOURCE
from agent_contracts.json_value import Json

READERS_AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0 Foldline"
"""How pages are asked for that are to be read."""
_TYPES = frozenset(("*", "application", "audio", "image", "text", "video"))
_SUBTYPES = frozenset(
    {
        *("*", "atom+xml", "avif", "csv", "geo+json", "gif", "html", "jpeg", "json", "ld+json", "markdown"),
        *("octet-stream", "pdf", "plain", "png", "rss+xml", "svg+xml", "webp", "x-ndjson", "xhtml+xml"),
        *("xml", "yaml"),
    }
)
_QUALITY = re.compile(r"q=(?:0(?:\.[0-9])?|1(?:\.0)?)")
_LANGUAGES = re.compile(r"(?:[a-z]{2}|\*)(?:-[A-Z]{2})?(?:;q=0\.[0-9])?(?:, ?[a-z]{2}(?:;q=0\.[0-9])?)?")


_ADDRESSES: Mapping[str, str] = {READ_MCP_RESOURCE: "uri", GET_MCP_PROMPT: "name"}
"""In which argument a call says where to; in others it is `url`."""


def says_only_known(tool: str, arguments: Mapping[str, Json], known: Collection[str]) -> bool:
    """Whether all that a call tells whom it asks is an address that others named. `known`: those of its
    arguments."""
    headers = arguments.get("headers")
    given = headers.items() if isinstance(headers, dict) else ()
    besides = arguments.get("body") or (tool == GET_MCP_PROMPT and arguments.get("arguments"))
    address = arguments.get(_ADDRESSES.get(tool, "url"))
    return address in known and carries_nothing(((name, str(value)) for name, value in given), besides)


def carries_nothing(headers: Iterable[tuple[str, str]], body: object = None) -> bool:
    """Whether a request says no more than its URL does: without a body, and with no headers but those that
    say in which type or language an answer is wanted. Any other can hold what a model was told to send."""
    return not body and all(_is_plain(name.strip().lower(), value.strip()) for name, value in headers)


def _is_plain(name: str, value: str) -> bool:
    if name == "accept":
        return len(value) <= 200 and all(_is_type(one.strip()) for one in value.split(","))
    if name == "user-agent":
        return value == READERS_AGENT
    return name == "accept-language" and _LANGUAGES.fullmatch(value) is not None


def _is_type(text: str) -> bool:
    media_type, _, quality = text.partition(";")
    kind, _, of_kind = media_type.strip().lower().partition("/")
    said = kind in _TYPES and of_kind in _SUBTYPES
    return said and (not quality or _QUALITY.fullmatch(quality.strip()) is not None)
