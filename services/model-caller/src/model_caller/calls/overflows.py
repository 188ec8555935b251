"""Requests that are too long for their model: what is learned of its window, and what makes them shorter."""

import msgspec
import structlog

from agent_contracts.log.record.codec import RecordedEvent
from agent_contracts.session_events.decisions import ModelCallRequested
from agent_contracts.session_events.results import ModelCallFailed, Overflow
from agent_platform.log.storable_text import storable_text
from model_caller.answers.failures import ModelFault, explain_overflow
from model_caller.calls.fitting import shortened, surely_too_long, window_of
from model_caller.calls.preparation import PreparedCall
from model_caller.calls.whole_texts import WholeTexts
from session_domain.domain.rules.compaction import hidden_next
from session_domain.domain.state import SessionState
from session_domain.domain.window import KnownWindow, refused

log = structlog.get_logger()


class Overflows:
    """Says of a refused request what the session needs to go on with a shorter one."""

    def __init__(self, whole_texts: WholeTexts) -> None:
        self._whole_texts = whole_texts

    def is_certain(self, session: SessionState, prepared: PreparedCall) -> bool:
        """Whether the model can't take the request by what is known of its window, and something can be won:
        then it isn't asked."""
        target, request = prepared.target, prepared.request
        window = window_of(session, target.model, target.context_window)
        if not surely_too_long(request, window):
            return False
        summarises = session.model_call is not None and session.model_call.purpose == "summary"
        if not summarises and hidden_next(session, 1):
            return True
        return bool(shortened(session, prepared.chosen, request.tokens, window).cuts)

    async def told(
        self,
        session: SessionState,
        asked: RecordedEvent[ModelCallRequested],
        prepared: PreparedCall,
        fault: ModelFault,
        failed: ModelCallFailed,
    ) -> ModelCallFailed:
        """The failure with the overflow. What is cut is kept as files first. What was not sent isn't shown.

        Raises `Transient` where that can't be done now.
        """
        target, counted = prepared.target, prepared.request.tokens
        known = window_of(session, target.model, target.context_window)
        said = Overflow(counted, counted, fault.needed, fault.window or target.context_window)
        window = refused(known, target.model, said)
        assert window.tokens is not None
        shorter = shortened(session, prepared.chosen, counted, window)
        cuts = await self._whole_texts.keep(session, asked, shorter.cuts)
        needed = needed_of(fault, counted, window)
        log.info("model.too_long", window=window.tokens, needed=needed, cuts=len(cuts), left=shorter.left)
        sent = {} if failed.attempts else {"context": None, "shown": None}
        return msgspec.structs.replace(
            failed,
            **sent,
            message=storable_text(explain_overflow(fault, target, needed, window)),
            overflow=msgspec.structs.replace(said, left=shorter.left, cuts=cuts, fits=shorter.fits),
        )


def needed_of(fault: ModelFault, counted: int, window: KnownWindow) -> int:
    """How many tokens a refused request takes: more than the window in any case."""
    return fault.needed or max(window.real(counted), (window.tokens or 0) + 1)
