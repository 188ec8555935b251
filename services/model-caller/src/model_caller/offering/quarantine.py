"""Which own tools may be why a model server refused a request, and which are in quarantine for that."""

import re
from collections.abc import Mapping, Sequence

from cachetools import LRUCache

from agent_contracts.json_value import Json
from session_domain.domain.shown.profile import OwnTool, Profile, ProfileEntry
from session_domain.domain.state import SessionState
from session_domain.model_requests.contexts import ModelContexts
from session_domain.model_requests.definitions import encoded_definition
from session_domain.model_requests.request import RequestParts
from session_domain.model_requests.shown_before import ShownBefore

REMEMBERED = 10_000
"""Of how many definitions one process knows that a model's server took them."""
_INDEX = re.compile(r"\b(?:tools|functions|function_declarations)(?:\[|\.)(\d+)")
"""How servers name a tool by its place: `tools[3].function.parameters`, `tools.3.custom.input_schema`."""


def quarantined(session: SessionState, profile: Profile, model: str) -> tuple[ProfileEntry, ...]:
    """The own tools that this model's server refused as they are now, each with its words."""
    now = {one.name: one.written_at for one in profile.own}
    return tuple(
        ProfileEntry(one.tool, one.reason)
        for one in session.quarantined
        if one.model == model and now.get(one.tool) == one.written_at
    )


class SuspectDefinitions:
    """Knows which definitions were taken: by this session's last answered call, and by any that it saw."""

    def __init__(self, contexts: ModelContexts, before: ShownBefore) -> None:
        self._contexts = contexts
        self._before = before
        self._taken: LRUCache[tuple[str, str], None] = LRUCache(REMEMBERED)

    def took(self, model: str, shown: RequestParts, own: Sequence[OwnTool]) -> None:
        """A request with these definitions was answered."""
        for _, digest in _own_definitions(shown, own):
            self._taken[model, digest] = None

    async def of(
        self, session: SessionState, model: str, shown: RequestParts, own: Sequence[OwnTool], said: str
    ) -> tuple[OwnTool, ...]:
        """The own tools that changed since the model's server last took them; of these, the ones that its
        words name, if they name any."""
        last = await self._before.answered(session)
        context = await self._before.context(session) if last and last.model == model else None
        taken = await self._contexts.tools(context) if context is not None else frozenset()
        changed = [
            one
            for one, digest in _own_definitions(shown, own)
            if digest not in taken and (model, digest) not in self._taken
        ]
        named = _named(said, [str(_function(tool)["name"]) for tool in shown.tools])
        return tuple([one for one in changed if one.name in named] or changed)


def _own_definitions(shown: RequestParts, own: Sequence[OwnTool]) -> list[tuple[OwnTool, str]]:
    if not own:
        return []
    digests = {str(_function(tool)["name"]): encoded_definition(tool).sha256 for tool in shown.tools}
    return [(one, digests[one.name]) for one in own if one.name in digests]


def _function(tool: dict[str, Json]) -> Mapping[str, Json]:
    function = tool["function"]
    assert isinstance(function, dict)
    return function


def _named(said: str, names: Sequence[str]) -> set[str]:
    by_place = {names[int(index)] for index in _INDEX.findall(said) if int(index) < len(names)}
    quoted = set(re.findall(r"[\'\"`“‘]([A-Za-z0-9_-]{1,64})[\'\"`”’]", said))
    return by_place | quoted.intersection(names)
