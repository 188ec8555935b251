"""What an agent brings to a model call: its texts and tools, as of the call's request."""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

import msgspec
from cachetools import LRUCache

from agent_contracts.entities.agent_settings import SYSTEM_AGENT
from agent_contracts.entities.agent_texts import LEARNED_NOTES, SYSTEM_PROMPT, notepad_of
from agent_contracts.entities.chosen_tools import CHOSEN_KIND, MOST_PINNED, PINNED_NAME, names_in
from agent_contracts.entities.delegates import DELEGATES_KIND, DELEGATES_NAME, delegates_in
from agent_contracts.entities.enabled_packs import PACKS_KIND, PACKS_NAME
from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.model_adaptations import ADAPTATIONS_KIND
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.log.subjects import entity_filter
from agent_contracts.outside import Sources
from agent_contracts.policies import POLICY_NAME
from agent_contracts.tool_spec import Catalogue, ToolSpec
from agent_domain.packs.naming import own_named
from agent_domain.personal.effective_settings import EffectiveSettings
from agent_domain.policies.judgement import InForce, in_force
from agent_domain.text_entities import text_version
from agent_platform.entities.entity import Entity, EntityKey
from model_caller.offering.foreign import ForeignToolCache
from model_caller.offering.foreign import families as families_of
from model_caller.offering.made_things import IN_PROMPT, READ_ANEW_S, MadeByAgents, MadeThing
from model_caller.offering.needs import has, lacking, offered, stand_ins
from model_caller.offering.packs import EnabledPacks
from model_caller.offering.workspace_shown import WorkspacesShown
from model_caller.settings import ModelCallerSettings
from session_domain.domain.shown.profile import OwnTool, Profile, ProfileEntry

REMEMBERED = 1_000
"""Of how many sessions the last profile is remembered."""


class EntityReader(Protocol):
    """Where entities of the past come from."""

    async def all_as_of(self, keys: Sequence[EntityKey], sequence: int) -> Sequence[Entity | None]:
        """The entities after event `sequence` of the log; None for each that there wasn't."""
        ...

    async def list(
        self, agent_id: AgentId, kind: EntityKind, *, up_to: int | None = None
    ) -> Sequence[Entity]:
        """All of one kind that there were after event `up_to`."""
        ...

    async def any_written(self, subjects: Sequence[str], *, after: int, up_to: int) -> bool:
        """Whether anything was written there after event `after`, up to `up_to`."""
        ...


class ToolSource(Protocol):
    """Where the tools of all runners are listed."""

    async def tools(self) -> tuple[ToolSpec, ...]:
        """Every tool there is now, in an order that only changes when the tools do."""
        ...

    def families(self) -> Mapping[str, str]:
        """What the tools of each family are for, as far as anybody says."""
        ...

    def packs(self) -> Mapping[str, Catalogue]:
        """What agents may have besides, by pack."""
        ...


class SessionProfile(NamedTuple):
    """A profile, and the settings, the policy and the adaptations of models that hold at the same moment."""

    profile: Profile
    settings: ModelCallerSettings
    policy: InForce
    adaptations: Sequence[Entity] = ()


class _KnownSession(msgspec.Struct, frozen=True):
    """What was read of a session last: as of which event, when, and with which built-in tools."""

    brought: SessionProfile
    sequence: int
    read_at: float
    built_in: tuple[ToolSpec, ...]
    families: Mapping[str, str]
    packs: Mapping[str, Catalogue]
    texts: tuple[EntityKey, ...]
    shows_files: bool


class Profiles:
    """Reads profiles, by the agent's settings.

    The one that a session's last call saw is remembered: where nothing that it is made of was written since,
    which one request tells, the next call sees the same. `now` counts seconds.
    """

    def __init__(  # noqa: PLR0913 — what a profile is made of, and the time
        self,
        entities: EntityReader,
        made: MadeByAgents,
        tools: ToolSource,
        settings: EffectiveSettings[ModelCallerSettings],
        workspaces: WorkspacesShown,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._entities = entities
        self._made = made
        self._tools = tools
        self._settings = settings
        self._workspaces = workspaces
        self._now = now
        self._enabled = EnabledPacks()
        self._foreign = ForeignToolCache()
        self._known: LRUCache[SessionKey, _KnownSession] = LRUCache(REMEMBERED)

    async def as_of(self, session: SessionKey, sequence: int) -> SessionProfile:
        """All that the agent has as of log sequence `sequence`, and the built-in tools as of now."""
        built_in, families, packs = await self._tools.tools(), self._tools.families(), self._tools.packs()
        texts = (SYSTEM_PROMPT, LEARNED_NOTES, notepad_of(session.session_id))
        keys = [EntityKey(session.agent_id, which.kind, which.name) for which in texts]
        keys.append(EntityKey(session.agent_id, CHOSEN_KIND, PINNED_NAME))
        keys.append(EntityKey(session.agent_id, EntityKind.POLICY, POLICY_NAME))
        keys.append(EntityKey(session.agent_id, PACKS_KIND, PACKS_NAME))
        keys.append(EntityKey(session.agent_id, DELEGATES_KIND, DELEGATES_NAME))
        known = self._known.get(session)
        same = known is not None and known.built_in is built_in and known.packs == packs
        if known is not None and same and known.families == families:
            fresh = known.sequence <= sequence and self._now() - known.read_at <= READ_ANEW_S
            made_of = [
                *(key.subject for key in (*keys, *known.texts)),
                *(entity_filter(session.agent_id, kind) for kind in (*IN_PROMPT, EntityKind.SETTING)),
                entity_filter(SYSTEM_AGENT, EntityKind.SETTING),
                entity_filter(SYSTEM_AGENT, ADAPTATIONS_KIND),
                *([entity_filter(session.agent_id, EntityKind.FILE)] if known.shows_files else []),
            ]
            if fresh and not await self._entities.any_written(made_of, after=known.sequence, up_to=sequence):
                self._known[session] = msgspec.structs.replace(known, sequence=sequence)
                return known.brought
        began = self._now()
        (*entities, pinned, policy, chosen, delegates), made, settings, adaptations = await asyncio.gather(
            self._entities.all_as_of(keys, sequence),
            self._made.as_of(session.agent_id, sequence),
            self._settings.of(session.agent_id, sequence),
            self._entities.list(SYSTEM_AGENT, ADAPTATIONS_KIND, up_to=sequence),
        )
        prompt, notes, notepad = (
            text_version(entity, which.initial).text for entity, which in zip(entities, texts, strict=True)
        )
        enabled = self._enabled.of(built_in, families, packs, chosen.value if chosen else None)
        handed_to = delegates_in(delegates.value) if delegates else ()
        there = has(handed_to, _known(made[EntityKind.SECRET]))
        own = [one for one in made[EntityKind.TOOL] if one.spec and one.enabled]
        named = own_named([one.spec for one in own if one.spec], enabled.tools)
        written = enabled.texts_of(session)
        shown = await self._entities.all_as_of(written, sequence) if written else ()
        files = await self._workspaces.as_of(session, sequence) if enabled.workspaces else ()
        foreign, servers = self._foreign.of(session.agent_id, made)
        taken = {tool.name for tool in (*enabled.tools, *named)}
        profile = Profile(
            prompt,
            notes,
            (
                *offered(enabled.usable, there),
                *named,
                *(one for one in foreign if one.name not in taken),
            ),
            settings.timezone,
            notepad,
            disabled=tuple(one.known.name for one in made[EntityKind.TOOL] if not one.enabled),
            functions=_known(made[EntityKind.FUNCTION]),
            libraries=_known(made[EntityKind.LIBRARY]),
            components=_known(made[EntityKind.COMPONENT]),
            secrets=_known(made[EntityKind.SECRET]),
            skills=_known(made[EntityKind.SKILL]),
            own=tuple(
                OwnTool(spec.name, one.version, one.written_at, one.known.outside)
                for spec, one in zip(named, own, strict=True)
            ),
            pinned=names_in(pinned.value, MOST_PINNED) if pinned else (),
            servers=servers,
            families={**enabled.families, **families_of(servers)},
            sends_all=settings.tools == "all",
            outside=_outside(
                (
                    *zip(("prompt", "notes", "notepad"), entities, strict=True),
                    *((f"text {one.name}", found) for one, found in zip(enabled.texts, shown, strict=True)),
                )
            ),
            packs=enabled.prompts,
            texts=enabled.shown(shown, files),
            renamed=tuple((one.name, one.as_declared) for one in named if one.as_declared),
            lacking=lacking(enabled.usable, there),
            stand_ins=stand_ins(enabled.usable, there),
            switched_off=enabled.switched_off,
            delegates={one.name: one.type for one in handed_to},
        )
        judged = in_force(policy.value, policy.version) if policy else InForce()
        brought = SessionProfile(profile, settings, judged, adaptations)
        self._known[session] = _KnownSession(
            brought, sequence, began, built_in, families, packs, tuple(written), bool(enabled.workspaces)
        )
        return brought

    def forget(self, session_id: SessionId) -> None:
        """The session was erased: nothing of its notepad stays here."""
        for key in [key for key in self._known if key.session_id == session_id]:
            self._known.pop(key, None)


def _outside(texts: Iterable[tuple[str, Entity | None]]) -> Mapping[str, Sources]:
    """Where material came from that was there when a text was written, of those that it holds for."""
    return {part: text.outside for part, text in texts if text is not None and text.outside}


def _known(told: Sequence[MadeThing]) -> tuple[ProfileEntry, ...]:
    return tuple(one.known for one in told if one.enabled)
