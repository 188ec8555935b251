"""Anthropic's own way to load tools by demand, out of what `find_tools` gave. Pure.

A definition that was found is sent in `tools` with `defer_loading`, and the result of `find_tools` refers to
it: the API puts it where the reference stands. What comes before stays cached, and the model writes the
arguments as it does for any tool that it was sent. Nothing has to be remembered: what was found stands in the
messages.
https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool (client-side search)
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from agent_contracts.tool_spec import FIND_TOOLS
from model_caller.choosing.target import ModelTarget
from model_caller.providers.addresses import is_at_its_own

Block = dict[str, Any]

_TAKES_REFERENCES = re.compile(r"claude-(?!3-|instant|2)(?!.*haiku)(?![a-z]+-4-([0-4](-|$)|20))")
"""Models from 4.5 on, but Haiku."""
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
"""What the API takes for a tool's name."""


class _Definition(msgspec.Struct, frozen=True):
    name: str
    description: str
    parameters: dict[str, Any]
    note: str = ""


class _ToolSearchResult(msgspec.Struct, frozen=True):
    tools: list[_Definition] = []
    more: list[str] = []


def takes_references(target: ModelTarget, environ: Mapping[str, str]) -> bool:
    """Whether the model loads tools by reference: a newer one, asked at Anthropic itself. A server in between
    may know only a part of the API, and would refuse every request that has one."""
    return is_at_its_own(target, environ) and _TAKES_REFERENCES.match(target.name) is not None


class ReferredTools:
    """The tools that are referred to, of one request."""

    def __init__(self, messages: Sequence[Mapping[str, Any]], sent: Sequence[Mapping[str, Any]]) -> None:
        asked = {
            call["id"]
            for message in messages
            for call in message.get("tool_calls") or []
            if call["function"]["name"] == FIND_TOOLS
        }
        given = {tool["function"]["name"] for tool in sent}
        self._results: dict[str, _ToolSearchResult] = {}
        self._tools: dict[str, Block] = {}
        for message in messages:
            found = _read(message) if message.get("tool_call_id") in asked else None
            if found is None or any(
                one.name in given or not _NAME.fullmatch(one.name) for one in found.tools
            ):
                continue  # all of it stays text
            self._results[message["tool_call_id"]] = found
            self._tools |= {one.name: _deferred(one) for one in found.tools}

    @property
    def tools(self) -> list[Block]:
        """Their definitions, each once, in the order in which they were found first."""
        return list(self._tools.values())

    def content(self, call_id: str) -> list[Block] | None:
        """A result's references; `None` if it stays the text that it is."""
        found = self._results.get(call_id)
        return [{"type": "tool_reference", "tool_name": one.name} for one in found.tools] if found else None

    def beside(self, call_id: str) -> str:
        """What else a result said. It may not stand among references."""
        found = self._results.get(call_id)
        return f"More tools: {', '.join(found.more)}" if found and found.more else ""


def _read(message: Mapping[str, Any]) -> _ToolSearchResult | None:
    """`None` for a result without definitions: it failed, or found nothing."""
    try:
        found = msgspec.json.decode(message.get("content") or "", type=_ToolSearchResult)
    except (msgspec.ValidationError, msgspec.DecodeError):
        return None
    return found if found.tools else None


def _deferred(tool: _Definition) -> Block:
    note = f"\n({tool.note})" if tool.note else ""
    return {
        "name": tool.name,
        "description": f"{tool.description}{note}",
        "input_schema": tool.parameters,
        "defer_loading": True,
    }
