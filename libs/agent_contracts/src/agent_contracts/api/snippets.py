"""Pieces of texts in which something was found."""

from agent_contracts.api.wire import ResponseBody


class SnippetPart(ResponseBody, frozen=True, kw_only=True):
    """A part of a snippet; all parts together are its text, on one line."""

    text: str
    """The text of this part."""
    match: bool = False
    """Whether this is what was searched for."""
