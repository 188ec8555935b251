"""Everything that one model call needs, read as of its request."""

import asyncio
from collections.abc import Sequence
from itertools import chain

import msgspec
from cachetools import LRUCache

from agent_contracts.entities.model_adaptations import Adaptation
from agent_contracts.ids import SessionId
from agent_contracts.json_value import Json
from agent_contracts.log.record.codec import RecordedEvent
from agent_contracts.log.record.records import StoredMessage
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.model_context import ShownMessages, shown_after
from agent_contracts.outside import Sources, joined, unknown
from agent_contracts.policies import lasting
from agent_contracts.session_events.decisions import ModelCallRequested
from agent_contracts.session_events.results import RefusedTool
from agent_domain.budgets.caps import Cap
from agent_domain.policies.judgement import InForce
from agent_domain.policies.policy_request import Context
from agent_platform.entities.entity import Entity
from model_caller.answers.gate import PolicyGate
from model_caller.answers.resolve import ToolOffer
from model_caller.calls.adaptation_memory import with_known
from model_caller.calls.answer_limits import answer_limit
from model_caller.calls.fitting import last_of, part_to_summarise, window_of
from model_caller.calls.prompts import ModelTakes, PromptCache
from model_caller.calls.thinking_options import chosen, thinking_options
from model_caller.calls.windows import Windows
from model_caller.choosing.model_choice import choice_of
from model_caller.choosing.named_models import named_in
from model_caller.choosing.small_models import ALL, why_small
from model_caller.choosing.target import ModelTarget, targets_for
from model_caller.offering.contexts_shown import ContextsShown
from model_caller.offering.profile import Profiles
from model_caller.offering.quarantine import SuspectDefinitions, quarantined
from model_caller.pricing.prices import Prices
from model_caller.providers.interfaces import INTERFACES
from model_caller.providers.vision import sees
from model_caller.settings import ModelCallerSettings
from session_domain.domain.shown import on_demand
from session_domain.domain.shown.profile import OwnTool, Profile, ProfileEntry
from session_domain.domain.state import SessionState
from session_domain.model_requests.contexts import ModelContexts
from session_domain.model_requests.pictures import TODAY, PictureReader
from session_domain.model_requests.rendering import Renderings
from session_domain.model_requests.request import (
    ModelRequest,
    RequestParts,
    build_request,
    returning,
    timezone_for,
)
from session_domain.model_requests.shown_before import ShownBefore
from session_domain.sessions import SessionReader

_CHAINS = 100
"""Choices of models whose targets are kept."""


class RequestMaterial(msgspec.Struct, frozen=True):
    """What a request is made of, and answered by, as of the decision to make it;
    `later` is what the session has after it."""

    session: SessionState
    profile: Profile
    settings: ModelCallerSettings
    policy: InForce
    adaptations: Sequence[Entity]
    later: list[StoredMessage]


class PreparedCall(msgspec.Struct, frozen=True):
    """What to ask whom, what calls are resolved against and judged by, what of it is recorded (the address of
    the stored context, whether it is the one of the last answered call, and which messages are shown), how
    many tokens the session may still use, what tokens cost, the caps on spending, and how many calls that
    act outside may be made in a minute. `left_out` are own tools that were left out since the request with
    them was refused. `outside` is where that came from of what the agent keeps and is shown, as far as the
    session doesn't know. `chosen` are the messages in the request (see `ShownMessages`), `summarised` the
    sequence of the last one where a summary has room for only a part of them. `count_is_off`: the session
    knows that the own count of tokens isn't this model's. `small_since` says why the model gets the preset
    for small ones, `answer_limit` how many tokens its answer may have, `reads_text_calls` that its
    server doesn't parse calls."""

    request: ModelRequest
    target: ModelTarget
    offer: ToolOffer
    context: str
    as_before: bool
    shown: ShownMessages
    tokens_left: int
    tools: RequestParts
    prices: Prices
    gate: PolicyGate
    caps: tuple[Cap, ...]
    session_micros: int
    external_calls: int | None
    own: tuple[OwnTool, ...] = ()
    left_out: tuple[RefusedTool, ...] = ()
    outside: Sources = ()
    chosen: Sequence[int] = ()
    summarised: int | None = None
    count_is_off: bool = False
    small_since: str | None = None
    answer_limit: int | None = None
    reads_text_calls: bool = False


class Preparation:
    """Prepares model calls, by the settings that hold at their requests."""

    def __init__(  # noqa: PLR0913 — what a call is made of
        self,
        sessions: SessionReader,
        profiles: Profiles,
        contexts: ModelContexts,
        before: ShownBefore,
        pictures: PictureReader,
        windows: Windows,
    ) -> None:
        self._windows = windows
        self._pictures = pictures
        self._suspects = SuspectDefinitions(contexts, before)
        self._sessions = sessions
        self._profiles = profiles
        self._contexts = contexts
        self._before = before
        self._renderings = Renderings()
        self._targets_by: ModelCallerSettings | None = None
        self._targets: LRUCache[str | None, tuple[ModelTarget, ...]] = LRUCache(_CHAINS)
        self._contexts_shown = ContextsShown()
        self._prompts = PromptCache()

    async def read(
        self,
        about: SessionKey,
        asked: RecordedEvent[ModelCallRequested],
        fresh: Sequence[StoredMessage] | None = None,
    ) -> RequestMaterial:
        """Everything that must be read. `fresh` is the request's record, if nothing can have come after it
        that counts: then the session isn't read where what is known of it ends right before."""
        followed = self._sessions.follow(fresh) if fresh is not None else None
        if followed is not None:
            brought = await self._profiles.as_of(about, asked.sequence)
            return RequestMaterial(followed, *brought, [])
        (session, later), brought = await asyncio.gather(
            self._sessions.at_and_after(about, asked.sequence),
            self._profiles.as_of(about, asked.sequence),
        )
        return RequestMaterial(session, *brought, later)

    def targets(
        self, material: RequestMaterial, asked: RecordedEvent[ModelCallRequested]
    ) -> Sequence[ModelTarget]:
        """The models that may be asked, with each of their keys, in order, and what is known of each."""
        if self._targets_by is not material.settings:  # most agents have those of the start
            self._targets_by, self._targets = material.settings, LRUCache(_CHAINS)
        chain = self._targets.get(asked.event.model)
        if chain is None:
            chain = targets_for(choice_of(material.settings), asked.event.model)
            self._targets[asked.event.model] = chain
        return [with_known(target, material.adaptations) for target in chain]

    async def prepare(
        self,
        material: RequestMaterial,
        asked: RecordedEvent[ModelCallRequested],
        target: ModelTarget,
        left_out: tuple[RefusedTool, ...] = (),
    ) -> PreparedCall:
        """Build, and store, what the model is about to see: no tool in quarantine, and none of `left_out`."""
        session, settings = material.session, material.settings
        refused = quarantined(session, material.profile, target.model)
        refused += tuple(ProfileEntry(one.tool, one.reason) for one in left_out)
        choice = self._renderings.now(session, timezone_for(session, material.profile))
        blind = target.adapted.has(Adaptation.NO_PICTURES)
        rule = TODAY if choice.pictured and not blind and sees(target, settings.vision_models) else None
        window = await self._windows.of(session, target)
        small = why_small(target, window.tokens, settings.small_models)
        takes = ModelTakes(rule, tools=not target.adapted.has(Adaptation.NO_TOOLS), small=small is not None)
        prompt = self._prompts.of(session, material.profile, refused, takes)
        profile, shown = prompt.visible, prompt.shown
        summarised = None
        if asked.event.purpose == "summary":
            window = window_of(session, target.model, target.context_window)
            whole, choice = choice, part_to_summarise(session, choice, shown, window)
            summarised = last_of(session, choice.chosen) if choice is not whole else None
        # One after the other: mostly all is known, and to begin three tasks takes longer.
        context = await self._contexts.store(shown, session.agent_id)
        before = await self._before.answered(session)
        seen = await self._pictures.seen(choice, rule, shown.shapes)
        pictures = await self._pictures.urls(seen)
        as_before = self._contexts_shown.note(session.session_id, asked.event.call_id, context, before)
        sent = {tool.name for tool in on_demand.sent(profile)}
        read = (*profile.outside.values(), *(one.outside for one in profile.own if one.name in sent))
        outside = unknown(session.outside, joined((), chain.from_iterable(read)))
        request = build_request(seen.choice, shown, target.model, pictures)
        options: dict[str, Json] = {}
        if asked.event.purpose != "summary":
            options = thinking_options(
                chosen(settings, session.thinking, target), INTERFACES[target.interface].thinking
            )
        limit = settings.answer_limit
        if target.own_url is not None:  # providers have limits of their own
            limit = answer_limit(limit, window, request)
        if limit is not None:
            options["max_tokens"] = limit
        return PreparedCall(
            request=msgspec.structs.replace(returning(request, target.adapted.labels), options=options),
            target=target,
            offer=prompt.offer,
            context=context,
            as_before=as_before,
            shown=shown_after(before.shown if before is not None else None, choice.chosen, choice.added),
            tokens_left=session.token_limit - session.totals.tokens,
            tools=shown,
            prices=Prices(settings.prices),
            gate=PolicyGate(
                material.policy, Context(lasting(session.grants), joined(session.outside, outside)), session
            ),
            caps=settings.caps(),
            session_micros=session.totals.cost_micros or 0,
            external_calls=settings.external_calls_limit,
            own=profile.own,
            left_out=left_out,
            outside=outside,
            chosen=choice.chosen,
            summarised=summarised,
            answer_limit=limit,
            count_is_off=session.window.of(target.model).percent != 100,
            small_since=small,
            reads_text_calls=settings.text_calls == ALL or named_in(settings.text_calls, target) is not None,
        )

    def forget(self, session_id: SessionId) -> None:
        """The session was erased: nothing of its messages stays here."""
        self._renderings.forget(session_id)
        self._pictures.forget()
        self._contexts_shown.forget(session_id)
        self._profiles.forget(session_id)
        self._prompts.forget(session_id)

    def took(self, prepared: PreparedCall) -> None:
        """The model's server took this request."""
        self._suspects.took(prepared.target.model, prepared.tools, prepared.own)

    async def suspects(
        self, material: RequestMaterial, prepared: PreparedCall, said: str
    ) -> tuple[RefusedTool, ...]:
        """The own tools that may be why the model's server refused this request, in these words."""
        found = await self._suspects.of(
            material.session, prepared.target.model, prepared.tools, prepared.own, said
        )
        return tuple(RefusedTool(one.name, one.version, one.written_at, said) for one in found)
