"""What a session's calls are shown besides its messages: made once, as long as it is made of the same."""

import msgspec
from cachetools import LRUCache

from agent_contracts.ids import SessionId
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.model_context import PictureRule
from model_caller.answers.resolve import ToolOffer
from session_domain.domain.shown.modes import for_small_model
from session_domain.domain.shown.on_demand import needed_by
from session_domain.domain.shown.profile import Profile, ProfileEntry
from session_domain.domain.shown.prompt import offered
from session_domain.domain.state import SessionState
from session_domain.model_requests.request import RequestParts, shown_to

REMEMBERED = 1_000
"""Of how many sessions the last prompt is remembered."""


class ModelTakes(msgspec.Struct, frozen=True):
    """What a model takes besides texts: pictures by this rule, and tools; a `small` one takes few."""

    pictures: PictureRule | None = None
    tools: bool = True
    small: bool = False


class _PromptInputs(msgspec.Struct, frozen=True):
    """What of a session a prompt depends on, and what it leaves out."""

    is_summary: bool
    is_child: bool
    needs: tuple[str, ...]
    refused: tuple[ProfileEntry, ...]
    takes: ModelTakes


class CachedPrompt(msgspec.Struct, frozen=True):
    """Of a `profile`: what is `visible` of it, what a model is shown, and what calls are resolved against."""

    profile: Profile
    made_of: _PromptInputs
    visible: Profile
    shown: RequestParts
    offer: ToolOffer


class PromptCache:
    """Remembers the last prompt of each session: mostly it is the same for each call."""

    def __init__(self) -> None:
        self._known: LRUCache[SessionKey, CachedPrompt] = LRUCache(REMEMBERED)

    def of(
        self, session: SessionState, profile: Profile, refused: tuple[ProfileEntry, ...], takes: ModelTakes
    ) -> CachedPrompt:
        """The prompt of a call, without the tools that are refused."""
        summary = session.model_call is not None and session.model_call.purpose == "summary"
        needed = needed_by(session)
        made_of = _PromptInputs(summary, session.parent_id is not None, needed, refused, takes)
        known = self._known.get(session.key)
        if known is not None and known.profile is profile and known.made_of == made_of:
            return known
        visible = profile.without(refused) if takes.tools else profile.without_tools()
        visible = for_small_model(visible) if takes.small else visible
        shown = msgspec.structs.replace(shown_to(session, visible), pictures=takes.pictures)
        tools = offered(visible.tools, session)
        offer = ToolOffer(tools, visible.tools, visible.disabled, refused, visible.families)
        offer.lacks(visible.lacking, visible.switched_off)
        offer.takes_over(visible.stand_ins, visible.delegates)
        made = self._known[session.key] = CachedPrompt(profile, made_of, visible, shown, offer)
        return made

    def forget(self, session_id: SessionId) -> None:
        """The session was erased: nothing of it stays here."""
        for key in [key for key in self._known if key.session_id == session_id]:
            self._known.pop(key, None)
