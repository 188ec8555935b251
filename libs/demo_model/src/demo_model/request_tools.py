"""Which tools a request offers: those that it was sent with, and those that its system prompt names."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from agent_contracts.errors import Rejected
from agent_contracts.tool_spec import CALL_TOOL

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_DESCRIBED = re.compile(r"- `([A-Za-z0-9_-]{1,64})`")
"""A tool with its description, in a line of its own."""
_MANY = re.compile(r"([A-Za-z0-9_-]*)\*([A-Za-z0-9_-]*) \(\d+\)")


class BadBody(Rejected):
    """A request body that no OpenAI-compatible server would take."""

    def __init__(self, message: str) -> None:
        super().__init__(message, kind="bad_body")


@dataclass(frozen=True)
class RequestTools:
    """The tools that a model may call. Of a large family the prompt has the form of the names only."""

    names: tuple[str, ...] = ()
    forms: tuple[tuple[str, str], ...] = ()
    """How the names of large families begin and end: `browser_* (18)` is `("browser_", "")`."""

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        return name in self.names or any(
            name.startswith(begin) and name.endswith(end) for begin, end in self.forms
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)


def offered(body: Mapping[str, Any], system: str) -> RequestTools:
    """What the request offers: with `call_tool` also what the system prompt names. Raises `BadBody`."""
    sent = _sent(body)
    if CALL_TOOL not in sent:
        return RequestTools(sent)
    written = [one for line in _lines(system) for one in line.rpartition(": ")[2].split(", ")]
    names = [name for one in written for name in _ungrouped(one) if _NAME.fullmatch(name)]
    forms = [found.group(1, 2) for one in written if (found := _MANY.fullmatch(one))]
    return RequestTools((*sent, *names), tuple((begin, end) for begin, end in forms))


def _sent(body: Mapping[str, Any]) -> tuple[str, ...]:
    if body.get("tool_choice") == "none":
        return ()
    tools = body.get("tools") or ()
    try:
        return tuple(str(tool["function"]["name"]) for tool in tools)
    except (TypeError, KeyError) as error:
        raise BadBody("each of 'tools' must be an object with 'function' and its 'name'") from error


def _lines(system: str) -> Iterator[str]:
    """The lists of tools in those parts of the system prompt that say which there are besides."""
    lines = system.splitlines()
    for heading, marker in (("# More tools", "- "), ("# Made by you (family own)", "")):
        after = lines[lines.index(heading) + 1 :] if heading in lines else []
        part = takewhile(lambda one: not one.startswith("# "), after)
        for line in part:
            described = _DESCRIBED.match(line)
            if described is not None:
                yield described[1]
            elif line.startswith(marker):
                yield line


def _ungrouped(written: str) -> list[str]:
    """`file_{copy,rename}` as the two names that it stands for."""
    before, _, rest = written.partition("{")
    parts, closed, after = rest.partition("}")
    return [f"{before}{part}{after}" for part in parts.split(",")] if closed else [written]
