"""What a session knows of its model's window: as it was told, and as refusals taught it. Pure."""

import msgspec

from agent_contracts.session_events.results import ModelCallCompleted, Overflow

_UNDER = 110
"""Percent of the window that a refused request is taken to need at least, where nobody says how much."""
_FEWEST_PERCENT, _MOST_PERCENT = 10, 2_000
"""Bounds on how far the own count may be off: a server that says nonsense must not make it useless."""
_SMALLEST = 16
"""Tokens: no model has a smaller window."""


class KnownWindow(msgspec.Struct, frozen=True, omit_defaults=True):
    """The window of `model`, in tokens: as `told`, or as large as it can be by what was refused.

    `percent` of the own count is what the model takes for a text; `accepted` is the most that it took.
    """

    model: str | None = None
    tokens: int | None = None
    told: bool = False
    percent: int = 100
    accepted: int = 0

    def real(self, counted: int) -> int:
        """What this model takes for that many tokens of the own count."""
        return counted * self.percent // 100

    def counted(self, tokens: int) -> int:
        """The own count of what takes that many tokens of this model."""
        return tokens * 100 // self.percent

    def of(self, model: str) -> "KnownWindow":
        """What is known of this model: nothing, if it is another one."""
        return self if self.model == model else KnownWindow(model)


def answered(known: KnownWindow, answer: ModelCallCompleted) -> KnownWindow:
    """After a model took a request: it has a window that is told, or one that is as large at least. What the
    own count was off by is known better now, if it was off. A model that stood in for another changes nothing
    of what is known of that one, which is asked first again."""
    if known.model not in (None, answer.model) and known.model in {one.model for one in answer.tried}:
        return known
    before = known.of(answer.model)
    took = before.real(answer.usage.input) if answer.usage.counted else answer.usage.input
    accepted = max(before.accepted, took + answer.usage.output)
    told = answer.context_window is not None or before.told
    tokens = answer.context_window or before.tokens
    if tokens is not None and not told:
        tokens = max(tokens, accepted)
    percent = before.percent
    if answer.counted:
        most = tokens if answer.usage.counted else took
        percent = percent if most is None else _bounded(min(percent, -(-100 * most // answer.counted)))
    return msgspec.structs.replace(before, tokens=tokens, told=told, percent=percent, accepted=accepted)


def refused(known: KnownWindow, model: str, overflow: Overflow) -> KnownWindow:
    """After a request was too long for it. The figures of its server count; without them, either its window
    is smaller than nobody knew, or the own count was too low."""
    before = known.of(model)
    needed = overflow.needed or before.real(overflow.counted)
    told = overflow.window is not None or before.told
    tokens = overflow.window or (before.tokens if before.told else None)
    if tokens is None:
        smaller = min(max(needed // 2, before.accepted), needed * 8 // 10)
        tokens = min(smaller, before.tokens or smaller)
    tokens = max(tokens, _SMALLEST)
    percent = before.percent
    if overflow.needed is not None:
        percent = -(-100 * overflow.needed // max(1, overflow.counted))
    elif told and needed <= tokens:
        percent = -(-_UNDER * tokens // max(1, overflow.counted))
    return msgspec.structs.replace(before, tokens=tokens, told=told, percent=_bounded(percent))


def _bounded(percent: int) -> int:
    return min(max(percent, _FEWEST_PERCENT), _MOST_PERCENT)
