"""What a request takes of its model's window; of a summary, the part that fits. Pure."""

from collections.abc import Sequence

import msgspec

from session_domain.domain.rules.compaction import hidden_next
from session_domain.domain.rules.cutting import PlannedCut, planned
from session_domain.domain.rules.overflows import KEPT_WHEN_TOO_LONG
from session_domain.domain.rules.tokens import tokens_in
from session_domain.domain.shown.shapes import SHAPES
from session_domain.domain.state import SessionState
from session_domain.domain.window import KnownWindow
from session_domain.model_requests.rendering import MessageSelection, choice_of
from session_domain.model_requests.request import ModelRequest, RequestParts

FILLED = 0.7
"""The part of the window that a shortened request takes: the rest is for its answer and what follows."""
_SURELY = 1.15
"""A request is not sent if by its count it takes so many times the window: the count is a rough one."""
_MOST_TOKENS_PER_BYTE = 0.7
"""A text has fewer in any script."""


class ShorteningPlan(msgspec.Struct, frozen=True):
    """What would make a request shorter: `left` is what it takes then by the own count, and `fits` whether no
    message has to be hidden."""

    cuts: list[PlannedCut]
    left: int
    fits: bool = False


def window_of(session: SessionState, model: str, said: int | None) -> KnownWindow:
    """What the session knows of its model's window, or what a person `said` of it."""
    known = session.window.of(model)
    return known if said is None else msgspec.structs.replace(known, tokens=said, told=True)


def surely_too_long(request: ModelRequest, window: KnownWindow) -> bool:
    """Whether the model can't take the request, by what is known of its window."""
    if window.tokens is None or request.size * _MOST_TOKENS_PER_BYTE * window.percent <= window.tokens * 100:
        return False
    return window.real(request.tokens) > window.tokens * _SURELY


def part_to_summarise(
    session: SessionState, choice: MessageSelection, shown: RequestParts, window: KnownWindow
) -> MessageSelection:
    """The messages for a summary: all, where there is room for them; else as many as there is room for of
    those that it will hide, but one in any case."""
    if window.tokens is None:
        return choice
    around = tokens_in(shown.system) + sum(map(tokens_in, shown.definitions.parts))
    if window.real(around + sum(map(tokens_in, choice.parts))) <= window.tokens:
        return choice
    room = window.counted(int(window.tokens * FILLED)) - around
    last = hidden_next(session)[-1].sequence
    chosen: list[int] = []
    for index in choice.chosen:
        if index >= 0 and session.history[index].sequence > last:
            break
        room -= sum(map(tokens_in, choice_of(session, [index], None, SHAPES, shown.timezone).parts))
        if room < 0 and chosen and chosen[-1] >= 0:
            break
        chosen.append(index)
    return choice_of(session, chosen, choice.added, SHAPES, shown.timezone)


def last_of(session: SessionState, chosen: Sequence[int]) -> int:
    """The sequence of the last message that is shown."""
    return session.history[chosen[-1]].sequence


def shortened(
    session: SessionState, chosen: Sequence[int], counted: int, window: KnownWindow
) -> ShorteningPlan:
    """How a request that takes so much is made shorter, which shows these messages (see `ShownMessages`)."""
    messages = [session.history[index] for index in chosen if index >= 0]
    assert window.tokens is not None
    whole = window.counted(window.tokens)
    excess = counted - int(whole * FILLED)
    if session.model_call is not None and session.model_call.purpose == "summary":
        if len(messages) > 1:
            return ShorteningPlan([], counted - max(1, excess))
        cuts = planned(messages, excess, whole)
        return ShorteningPlan(cuts, counted - _won(cuts))
    deep = session.refusals > 0 or not hidden_next(session, KEPT_WHEN_TOO_LONG)
    cuts = planned(messages, excess, whole, deep=deep)
    return ShorteningPlan(cuts, counted - _won(cuts), fits=_won(cuts) >= excess)


def _won(cuts: list[PlannedCut]) -> int:
    return sum(cut.won for cut in cuts)
