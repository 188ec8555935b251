"""The packs of tools that people enable for an agent, in their order, and what they set of them."""

from collections.abc import Callable, Mapping, Sequence

from agent_contracts.api.packs import PacksOfAgent, RenamedTool, ShownExtension
from agent_contracts.api.versions import VersionTarget
from agent_contracts.entities.definitions import tool_spec
from agent_contracts.entities.enabled_packs import (
    MOST_PACKS,
    PACKS_KIND,
    PACKS_NAME,
    SettingsByPack,
    packs_in,
    settings_in,
)
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Rejected
from agent_contracts.extensions import looked_over
from agent_contracts.ids import AgentId
from agent_contracts.json_value import Json, same_json
from agent_contracts.kinds.component import COMPONENT
from agent_contracts.kinds.function import FUNCTION
from agent_contracts.kinds.library import LIBRARY
from agent_contracts.kinds.tool import TOOL
from agent_contracts.nearest import nearest
from agent_contracts.questions.user_questions import CheckDefinition
from agent_contracts.tool_spec import Catalogue, ToolSpec
from agent_domain.definitions import defined
from agent_domain.packs.naming import named, own_named
from agent_domain.schedules.planning import Planner
from agent_platform.entities.entity import ChangeSet, Entity, EntityKey, Write
from gateway.operations.agents.brought import with_what_they_bring
from gateway.operations.agents.edits import Edits, expecting
from gateway.operations.agents.pack_settings import with_settings
from gateway.operations.agents.pack_views import pack_view
from gateway.operations.agents.things import Things
from gateway.operations.agents.version_records import written
from gateway.operations.idempotency import IdempotentRequest
from gateway.operations.operating.ports import OfferedTools
from gateway.operations.ports import KnownAgents, Runners

_CODE = {one.kind.value: one.noun for one in (TOOL, FUNCTION, LIBRARY, COMPONENT)}
"""Kinds of what packs bring that hold code, and what people call them."""
_NOT_CODE = ("enabled", "examples")
"""Members that are not checked: examples may need what comes with the same pack."""


class Packs(Things[AgentId, PacksOfAgent]):
    """Enables and disables them."""

    def __init__(
        self, edits: Edits, agents: KnownAgents, offered: OfferedTools, planner: Planner, runners: Runners
    ) -> None:
        super().__init__(edits, agents)
        self._runners = runners
        self._offered = offered
        self._planner = planner

    async def write(
        self,
        agent_id: AgentId,
        names: Sequence[str],
        version: int | None,
        request: IdempotentRequest,
        settings: SettingsByPack | None = None,
    ) -> PacksOfAgent:
        """Enable these, and no others, in this order. The same again makes no version. Of the packs that are
        in `settings`, those are all that is set; other packs keep theirs, enabled or not.

        What a pack brings is the agent's as soon as it is enabled, unless it has something of that name. With
        a pack go its scheduled tasks, and of the rest what nobody changed. `Rejected` for a pack that isn't
        installed or can't be used (unless it is enabled already), for one whose code can't be read,
        for more than `MOST_PACKS`, for a setting that a pack doesn't have or take, and with
        `conflict` if they aren't at `version` (None: any) any more; nothing changes then.
        """
        key = await self._key(agent_id)
        packs = await self._packs()
        current = await self._edits.entities.current(key)
        was = _enabled(current)
        _check(names, was, packs)
        with_settings(settings or {}, _settings(current), packs)

        def wanted(before: Entity | None) -> SettingsByPack:
            return with_settings(settings or {}, _settings(before), packs)

        return await self._write(agent_id, names, wanted, version, request)

    async def _write(
        self,
        agent_id: AgentId,
        names: Sequence[str],
        settings: Callable[[Entity | None], SettingsByPack],
        version: int | None,
        request: IdempotentRequest,
    ) -> PacksOfAgent:
        key, packs = await self._key(agent_id), await self._packs()
        was = _enabled(await self._edits.entities.current(key))
        await self._check_code(agent_id, names, packs, was)
        writer = self._edits.writer(request, key.subject, "write")

        async def decide(before: Entity | None) -> ChangeSet:
            expecting(version, before)
            on_before = _enabled(before)
            value: dict[str, Json] = {"packs": [*names]}
            if wanted := settings(before):
                value["settings"] = {name: {**values} for name, values in wanted.items()}
            if same_json(value, before.value if before is not None else {"packs": []}):
                return ChangeSet(None)
            on = [packs[name] for name in names if name not in on_before and name in packs]
            off = [packs[name] for name in on_before if name not in names and name in packs]
            others = await with_what_they_bring(
                agent_id, (on, off), self._edits.entities, self._planner, writer
            )
            return ChangeSet(Write(value), others)

        changed = await self._edits.change_together(key, writer, request, decide)
        return await self._shown(changed.after, agent_id)

    async def revert(self, place: AgentId, target: VersionTarget, request: IdempotentRequest) -> PacksOfAgent:
        """Enable what was enabled at an earlier version, as `write` does, with what was set then."""
        wanted = await self._edits.find(await self._key(place), target)
        names, settings = packs_in(wanted.value), settings_in(wanted.value)
        _check(names, _enabled(await self._edits.entities.current(wanted.key)), await self._packs())
        return await self._write(place, names, lambda _: settings, None, request)

    async def _check_code(
        self, agent_id: AgentId, names: Sequence[str], packs: Mapping[str, Catalogue], was: Sequence[str]
    ) -> None:
        """`Rejected` for a pack that is new here and brings a page or other code that can't be read."""
        for number, name in enumerate(names):
            about = packs[name].about if name in packs and name not in was else None
            for thing in about.brings if about is not None else ():
                if thing.kind not in _CODE or not isinstance(thing.value, dict):
                    continue
                given = {member: one for member, one in thing.value.items() if member not in _NOT_CODE}
                asked = CheckDefinition(agent_id, EntityKind(thing.kind), thing.name, given)
                try:
                    await self._runners.check(asked)
                except Rejected as flaw:
                    raise Rejected(
                        f"The pack {name} can't be enabled: its {_CODE[thing.kind]} {thing.name} can't be "
                        f"used: {flaw.message}. Nothing was changed; tell who made the pack",
                        kind="invalid_request",
                        path=f"/packs/{number}",
                    ) from flaw

    async def _packs(self) -> Mapping[str, Catalogue]:
        return {one.pack: one for one in await self._offered.catalogues() if one.about is not None}

    async def _shown(self, found: Entity | None, place: AgentId, at: int | None = None) -> PacksOfAgent:
        catalogues = await self._offered.catalogues()
        packs = {one.pack: one for one in catalogues if one.about is not None}
        names, settings = _enabled(found), _settings(found)
        on = [packs[name] for name in names if name in packs]
        always = [tool for one in catalogues if one.about is None for tool in one.tools]
        tools = named(always, on)
        own = own_named(await self._own(place), tools)
        secrets = {one.key.name for one in await self._edits.entities.list(place, EntityKind.SECRET)}
        called = {tool.tool: tool.name for tool in tools}
        rest = sorted(name for name in packs if name not in names)
        return PacksOfAgent(
            packs=[
                *(pack_view(one, packs.get(one), called, secrets, settings.get(one, {})) for one in names),
                *(pack_view(one, packs[one], None, secrets, settings.get(one, {})) for one in rest),
            ],
            renamed=[
                RenamedTool(tool=one.tool, name=one.name)
                for one in (*tools, *own)
                if one.as_declared and one.pack not in names
            ],
            extensions=[
                ShownExtension(
                    kind=one.kind,
                    name=one.name,
                    distribution=one.distribution,
                    problem=one.wrong or None,
                    needs_restart=one.since_start,
                )
                for one in looked_over()
            ],
            **written(found),
        )

    async def _own(self, place: AgentId) -> Sequence[ToolSpec]:
        found = await self._edits.entities.list(place, TOOL.kind)
        return [tool_spec(defined(one, TOOL)) for one in found]

    async def _key(self, place: AgentId) -> EntityKey:
        await self._agents.require(place)
        return EntityKey(place, PACKS_KIND, PACKS_NAME)


def _enabled(found: Entity | None) -> tuple[str, ...]:
    return packs_in(found.value) if found is not None else ()


def _settings(found: Entity | None) -> SettingsByPack:
    return settings_in(found.value) if found is not None else {}


def _check(names: Sequence[str], was: Sequence[str], packs: Mapping[str, Catalogue]) -> None:
    if len(names) > MOST_PACKS:
        raise Rejected(f"At most {MOST_PACKS} packs can be enabled", kind="too_large", path="/packs")
    for number, name in enumerate(names):
        path = f"/packs/{number}"
        if name in names[:number]:
            raise Rejected(f"The pack {name[:64]!r} is named twice", kind="invalid_request", path=path)
        if name in was:
            continue
        if name not in packs:
            near = nearest(name, packs)
            hint = f"did you mean {near}?" if near else f"There are: {', '.join(sorted(packs)) or 'none'}"
            raise Rejected(f"No pack {name[:64]!r} is installed; {hint}", kind="not_found", path=path)
        about = packs[name].about
        if about is not None and about.problem:
            raise Rejected(
                f"The pack {name} can't be used: {about.problem}. Install it anew, or ask who made it",
                kind="unavailable",
                path=path,
            )
