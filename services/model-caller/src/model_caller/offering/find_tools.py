"""What `find_tools` answers: definitions of tools that are offered and weren't sent. Pure and bounded."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

import msgspec

from agent_contracts.errors import Rejected
from agent_contracts.json_value import Json
from agent_contracts.nearest import nearest
from agent_contracts.outside import Sources, joined
from agent_contracts.session_events.results import ResolvedCall
from agent_contracts.tool_spec import FIND_TOOLS, Effect, ToolSpec
from model_caller.offering.search import ranked
from session_domain.domain.shown.profile import OwnTool

MOST_FOUND = 10
"""Of a search; of a family as many more as fit."""
FAMILY_BYTES = 16 * 1024
"""Of a family's definitions: each of the built-in ones fits as a whole, so that no tool of it is known by its
name alone."""
MOST_BYTES = 24 * 1024
"""Of definitions in one answer; the first has its place whatever its size."""
MOST_NAMED = 100
"""Names of tools of one family, or of further hits."""

_Text = Annotated[str, msgspec.Meta(max_length=500)]


class Find(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of `find_tools`."""

    query: _Text | None = None
    family: _Text | None = None


def find(asked: Find, tools: Sequence[ToolSpec], families: Mapping[str, str]) -> dict[str, Json]:
    """What fits, best first. `Rejected` for a family that there isn't. `families` says what each is for."""
    query, family = (asked.query or "").strip(), (asked.family or "").strip()
    known = sorted({tool.family for tool in tools})
    if family and family not in known:
        near = nearest(family, known)
        hint = f" (did you mean {near}?)" if near else ""
        raise Rejected(
            f"there is no family {family[:100]!r}{hint}. There are: {', '.join(known)}", path="/family"
        )
    among = sorted((tool for tool in tools if not family or tool.family == family), key=lambda one: one.name)
    if not query and not family:
        return {"families": [_listed(name, among, families) for name in known]}
    hits = ranked(among, families, query) if query else among
    if not hits:
        return {"tools": [], "families": [_listed(name, among, families) for name in known]}
    shown = _within_bounds(hits, beyond=0 if query else FAMILY_BYTES)
    answer: dict[str, Json] = {"tools": [_definition(tool) for tool in shown]}
    rest = [tool.name for tool in hits[len(shown) :]]
    if rest:
        answer["more"] = _names(rest)
    return answer


def told_by(calls: Iterable[ResolvedCall], own: Iterable[OwnTool]) -> Sources:
    """Where material came from that was there when own tools were written which these calls found."""
    results = [call.result for call in calls if call.tool == FIND_TOOLS]
    found = [one for result in results if isinstance(result, dict) for one in _defined(result.get("tools"))]
    return joined((), [source for one in own if one.name in found for source in one.outside])


def _defined(tools: Json) -> list[Json]:
    return [one.get("name") for one in tools if isinstance(one, dict)] if isinstance(tools, list) else []


def _within_bounds(hits: Sequence[ToolSpec], *, beyond: int) -> list[ToolSpec]:
    """The first ones; from `MOST_FOUND` on, as long as all of it has no more than `beyond` bytes."""
    shown: list[ToolSpec] = []
    size = 0
    for tool in hits:
        size += len(msgspec.json.encode(_definition(tool)))
        if shown and size > (MOST_BYTES if len(shown) < MOST_FOUND else beyond):
            break
        shown.append(tool)
    return shown


def _definition(tool: ToolSpec) -> dict[str, Json]:
    found: dict[str, Json] = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }
    if tool.pauses:
        found["note"] = "waits for the user"
    elif tool.effect is Effect.EXTERNAL:
        found["note"] = "acts on the outside world"
    return found


def _listed(family: str, tools: Sequence[ToolSpec], families: Mapping[str, str]) -> dict[str, Json]:
    names = _names([tool.name for tool in tools if tool.family == family])
    return {"family": family, "purpose": families.get(family, ""), "tools": names}


def _names(names: list[str]) -> list[Json]:
    left = len(names) - MOST_NAMED
    return [*names[:MOST_NAMED], *([f"and {left} more"] if left > 0 else [])]
