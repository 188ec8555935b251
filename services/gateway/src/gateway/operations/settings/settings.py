"""A person's settings, of an agent and of the installation: read, written together, their versions."""

from collections.abc import Mapping

import msgspec

from agent_contracts.api.settings import Level, ModelTest, OwnValue, Setting, Settings, ValueBelow
from agent_contracts.api.versions import Version, VersionTarget
from agent_contracts.api.wire import Page
from agent_contracts.entities.agent_settings import SYSTEM_AGENT, SecretSetting
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Conflict, Rejected
from agent_contracts.ids import AgentId
from agent_contracts.json_value import Json, same_json
from agent_contracts.questions.generation import Intelligence
from agent_contracts.questions.model_tests import ModelTrial, ModelWish
from agent_domain.personal.declarations import INSTALLATION_ONLY
from agent_domain.personal.effective_settings import EffectiveSettings, Layers
from agent_domain.personal.precedence import counts, level_of
from agent_domain.personal.values import (
    NAMES,
    allowed,
    check_name,
    checked,
    choices,
    form,
    is_secret,
    may_be_empty,
    meaning,
    read,
    refused,
)
from agent_platform.entities.entity import Change, ChangeSet, Delete, Entity, EntityKey, OtherChange, Write
from agent_platform.settings.sources import variable
from gateway.operations.agents.edits import Edits, expecting
from gateway.operations.agents.version_records import versions, written
from gateway.operations.idempotency import asked
from gateway.operations.ports import KnownAgents, ModelTesting, SecretValueStore
from gateway.operations.settings.groups import group_of
from gateway.operations.settings.setting_rows import SettingRows
from gateway.settings import GatewaySettings

_ATTEMPTS = 5


class PersonalSettings:
    """What a person sets. An `agent_id` of None means the installation's; `Rejected(kind="not_found")` where
    there is no such agent."""

    def __init__(  # noqa: PLR0913 — who has them, where they are written, who tests them
        self,
        edits: Edits,
        agents: KnownAgents,
        effective: EffectiveSettings[GatewaySettings],
        told: SettingRows,
        values: SecretValueStore,
        models: ModelTesting,
    ) -> None:
        self._edits = edits
        self._agents = agents
        self._effective = effective
        self._told = told
        self._values = values
        self._models = models

    async def read(self, agent_id: AgentId | None, at: int | None = None) -> Settings:
        """All of them now, or as of event `at`."""
        owner = await self._owner(agent_id)
        layers = await self._effective.written(owner, at)
        names = [name for name in NAMES if agent_id is None or name not in INSTALLATION_ONLY]
        shown = [self._shown(name, layers, of_agent=agent_id is not None) for name in names]
        order = {name: at for at, name in enumerate(names)}
        return Settings(
            agent_id=agent_id,
            items=sorted(shown, key=lambda one: order[one.name]),
            operator=self._told.operator,
        )

    async def write(
        self, agent_id: AgentId | None, values: Mapping[str, Json], seen: Mapping[str, int]
    ) -> Settings:
        """Set several together, all or none; null resets one. What is the same already makes no version.

        `seen` are versions that they must still have (0: none). `Rejected` with a path for what can't be:
        `invalid_request`, or `conflict` for one that the environment says or that was changed meanwhile.
        """
        owner = await self._owner(agent_id)
        wanted = self._checked(values, of_agent=agent_id is not None)
        now = await self._now(owner)
        for name in wanted:
            _expect(name, seen.get(name), now.get(name))
        secrets = {name: value for name, value in wanted.items() if is_secret(name) and value is not None}
        for name, value in secrets.items():
            revision = await self._values.put(owner, name, str(value))
            wanted[name] = msgspec.to_builtins(SecretSetting(revision))
        await self._change(owner, wanted, seen)
        for name in wanted:
            if is_secret(name) and wanted[name] is None:
                await self._values.delete(owner, name)
        return await self.read(agent_id)

    async def versions(
        self, agent_id: AgentId | None, name: str, before: int | None, limit: int
    ) -> Page[Version]:
        """The changes of one, newest first."""
        return versions(await self._edits.page(await self._key(agent_id, name), before, limit))

    async def version(self, agent_id: AgentId | None, name: str, version: int) -> OwnValue:
        """One version's value."""
        found = await self._edits.find(await self._key(agent_id, name), VersionTarget(version))
        return _own(name, found)

    async def revert(self, agent_id: AgentId | None, name: str, target: VersionTarget) -> Settings:
        """Give one an earlier version's value again. `Rejected` for a secret: the newest alone is kept."""
        key = await self._key(agent_id, name)
        self._check_open(name)
        if is_secret(name):
            raise Rejected(
                f"{name} is a secret, of which only the newest value is kept: set it anew.",
                kind="invalid_request",
            )
        found = await self._edits.find(key, target)
        checked(name, found.value)
        await self._edits.revert(key, asked(), target)
        return await self.read(agent_id)

    async def test(
        self,
        agent_id: AgentId | None,
        level: Intelligence | None,
        values: Mapping[str, Json],
        wants: ModelWish = "answer",
    ) -> ModelTest:
        """Ask the model of a level (None: of sessions that name none) once, by the settings that hold, with
        these in place of theirs. Nothing is stored."""
        owner = await self._owner(agent_id)
        given = {name: value for name, value in values.items() if value is not None}
        wanted = self._checked(given, of_agent=agent_id is not None)
        sealed = {
            name: self._values.sealed(owner, name, str(value))
            for name, value in wanted.items()
            if is_secret(name)
        }
        plain = {name: value for name, value in wanted.items() if not is_secret(name)}
        tested = await self._models.test(ModelTrial(owner, level, plain, sealed, wants))
        usage = tested.usage
        return ModelTest(
            ok=tested.problem is None,
            model=tested.model,
            server=tested.server,
            said=tested.said,
            problem=tested.problem,
            failure=tested.kind,
            ms=tested.ms,
            tokens=None if usage is None else usage.tokens,
            cost_micros=None if usage is None else usage.cost_micros,
            context_window=tested.context_window,
            checks=[*tested.checks],
            models=[*tested.models],
            small_since=tested.small_since,
        )

    def _checked(self, values: Mapping[str, Json], *, of_agent: bool) -> dict[str, Json]:
        wanted: dict[str, Json] = {}
        for name, value in values.items():
            check_name(name, of_agent=of_agent)
            self._check_open(name)
            wanted[name] = None if value is None else checked(name, value)
        return wanted

    def _check_open(self, name: str) -> None:
        if name in self._locked:
            where = self._told.source(name).partition(" ")[2] or variable(name)
            raise Rejected(
                f"{name} is set by {where} and can't be "
                "changed here: unset that where Foldline is started, and start it again.",
                kind="conflict",
                path=f"/values/{name}",
            )

    @property
    def _locked(self) -> frozenset[str]:
        return self._effective.told.locks

    async def _change(self, owner: AgentId, wanted: Mapping[str, Json], seen: Mapping[str, int]) -> None:
        """Write all that differ, in one record."""
        request = asked()
        for _ in range(_ATTEMPTS):
            now = await self._now(owner)
            for name in wanted:
                _expect(name, seen.get(name), now.get(name))
            changes = {name: change for name in wanted if (change := _change(now.get(name), wanted[name]))}
            if not changes:
                return
            first, *others = changes
            together = tuple(
                OtherChange(
                    _key(owner, name),
                    now.get(name),
                    changes[name],
                    self._edits.writer(request, owner, name, "write"),
                )
                for name in others
            )

            async def decide(
                before: Entity | None, first: str = first, together: tuple[OtherChange, ...] = together
            ) -> ChangeSet:
                _expect(first, seen.get(first), before)
                change = _change(before, wanted[first])
                return ChangeSet(change, together if change else ())

            key = _key(owner, first)
            writer = self._edits.writer(request, owner, first, "write")
            try:
                done = await self._edits.change_together(key, writer, request, decide)
            except Conflict:
                continue
            if done.sequence is not None:
                return
        raise Conflict("These settings are being changed by others again and again. Try once more.")

    async def _now(self, owner: AgentId) -> Mapping[str, Entity]:
        layers = await self._effective.written(owner)
        return layers.installation if owner == SYSTEM_AGENT else layers.agent

    async def _owner(self, agent_id: AgentId | None) -> AgentId:
        if agent_id is None:
            return SYSTEM_AGENT
        await self._agents.require(agent_id)
        return agent_id

    async def _key(self, agent_id: AgentId | None, name: str) -> EntityKey:
        check_name(name, of_agent=agent_id is not None)
        return _key(await self._owner(agent_id), name)

    def _shown(self, name: str, layers: Layers, *, of_agent: bool) -> Setting:
        mine = layers.agent if of_agent else layers.installation
        own = mine.get(name)
        level = self._level(name, layers)
        below = self._level(name, _without(layers, name, of_agent=of_agent))
        value, is_set = self._value(name, level, layers)
        value_below, is_set_below = self._value(name, below, layers)
        return Setting(
            name=name,
            variable=variable(name),
            group=group_of(name),
            form=form(name),
            choices=list(choices(name)),
            may_be_empty=may_be_empty(name),
            meaning=meaning(name),
            allowed=allowed(name),
            value=value,
            is_set=is_set,
            source=level,
            origin=self._told.source(name).partition(" ")[2] or None
            if level in (Level.ENVIRONMENT, Level.FILE)
            else None,
            locked=level is Level.ENVIRONMENT,
            own=None if own is None else _own(name, own),
            below=ValueBelow(value=value_below, is_set=is_set_below, source=below),
        )

    def _level(self, name: str, layers: Layers) -> Level:
        return level_of(
            name,
            locked=self._locked,
            agent=_readable(layers.agent),
            installation=_readable(layers.installation),
            file=self._told.in_file,
        )

    def _value(self, name: str, level: Level, layers: Layers) -> tuple[Json, bool]:
        """What counts, null for a secret, and whether it is anything."""
        if not counts(name, level, self._level("model", layers)):
            return None, False
        entity = {Level.AGENT: layers.agent, Level.INSTALLATION: layers.installation}.get(level, {}).get(name)
        if is_secret(name):
            return None, entity is not None or self._told.is_set(name)
        if entity is not None:
            value = None if entity.value == "" else entity.value
        else:
            told = self._effective.told.model_dump(mode="json", include={name})
            value = told[name]
        return value, value is not None


def _without(layers: Layers, name: str, *, of_agent: bool) -> Layers:
    """The layers as they would be after a reset."""
    if of_agent:
        return Layers({key: one for key, one in layers.agent.items() if key != name}, layers.installation)
    return Layers(layers.agent, {key: one for key, one in layers.installation.items() if key != name})


def _readable(layer: Mapping[str, Entity]) -> set[str]:
    """The settings of a layer that count: what is none any more is passed over, as whoever uses it does."""
    found = set()
    for name, entity in layer.items():
        try:
            if not is_secret(name):
                read(name, entity.value)
            found.add(name)
        except Rejected:
            continue
    return found


def _key(owner: AgentId, name: str) -> EntityKey:
    return EntityKey(owner, EntityKind.SETTING, name)


def _own(name: str, entity: Entity) -> OwnValue:
    return OwnValue(value=None if is_secret(name) else entity.value, **written(entity))


def _change(before: Entity | None, wanted: Json) -> Change:
    if wanted is None:
        return None if before is None else Delete()
    return None if before is not None and same_json(before.value, wanted) else Write(wanted)


def _expect(name: str, version: int | None, before: Entity | None) -> None:
    try:
        expecting(version, before)
    except Rejected as error:
        raise refused_because(name, error) from error


def refused_because(name: str, error: Rejected) -> Rejected:
    """The same, with the path of the setting."""
    at = refused(name, f"{name}: {error.message}")
    return Rejected(at.message, kind=error.kind, path=at.path)
