"""Everything that one model call needs, read as of its request."""

import asyncio

import msgspec

from agent_contracts.codec import Recorded
from agent_contracts.model_context import ShownMessages, shown_after
from agent_contracts.session_events.decisions import ModelCallRequested
from agent_contracts.session_key import SessionKey
from agent_platform.log.port import StoredMessage
from model_caller.answers.resolve import Offer
from model_caller.choosing.model_choice import ModelChoice
from model_caller.choosing.target import Target, target_for
from model_caller.offering.profile import Profiles
from session_domain.domain.prompt import Profile, offered
from session_domain.domain.showing import asked_besides, shown_now
from session_domain.domain.state import Session
from session_domain.model_requests.contexts import Contexts
from session_domain.model_requests.request import ModelRequest, build_request, shown_to
from session_domain.model_requests.shown_before import ShownBefore
from session_domain.sessions import SessionReader


class Material(msgspec.Struct, frozen=True):
    """What a request is made of, as of the decision to make it; `later` is what the session has after it."""

    session: Session
    profile: Profile
    later: list[StoredMessage]


class Prepared(msgspec.Struct, frozen=True):
    """What to ask whom, what calls are resolved against, what of it is recorded (the address of the stored
    context, and which messages are shown), and how many tokens the session may still use."""

    request: ModelRequest
    target: Target
    offer: Offer
    context: str
    shown: ShownMessages
    tokens_left: int


class Preparation:
    """Prepares model calls. `choice` is the model for sessions that name none, and its server."""

    def __init__(
        self,
        sessions: SessionReader,
        profiles: Profiles,
        contexts: Contexts,
        before: ShownBefore,
        choice: ModelChoice,
    ) -> None:
        self._sessions = sessions
        self._profiles = profiles
        self._contexts = contexts
        self._before = before
        self._choice = choice

    async def read(self, about: SessionKey, asked: Recorded[ModelCallRequested]) -> Material:
        """Everything that must be read."""
        (session, later), profile = await asyncio.gather(
            self._sessions.at_and_after(about, asked.sequence),
            self._profiles.as_of(about, asked.sequence),
        )
        return Material(session, profile, later)

    async def prepare(self, material: Material, asked: Recorded[ModelCallRequested]) -> Prepared:
        """Build, and store, what the model is about to see."""
        session, profile = material.session, material.profile
        shown = shown_to(session, profile)
        target = target_for(self._choice, asked.event.model)
        chosen, added = shown_now(session), asked_besides(session)
        context, before = await asyncio.gather(self._contexts.store(shown), self._before.last(session))
        return Prepared(
            request=build_request(session, chosen, added, shown, target.model),
            target=target,
            offer=Offer(offered(profile.tools, session), profile.tools, profile.disabled),
            context=context,
            shown=shown_after(before, chosen, added),
            tokens_left=session.token_limit - session.totals.tokens,
        )
