"""Which long texts a model is shown cut, so that a request fits: the largest first. Pure.

Only what the model is shown is cut. The log keeps the whole, and so does a file that the model can read.
"""

from collections.abc import Iterator, Sequence

import msgspec

from agent_contracts.blob_ref import Excerpt
from agent_contracts.ids import CallId
from agent_contracts.json_value import Json
from agent_contracts.outside import Sources
from agent_contracts.session_events.results import CutText
from session_domain.domain.messages import SessionMessage, SessionToolCall
from session_domain.domain.rules.tokens import tokens_in

_PART_OF_WINDOW = 8
"""A text is first cut to this part of the window at most."""
_LEAST, _LESS, _LITTLE = 2_000, 500, 120
"""Tokens that are left of a text: at first at least, then where that isn't enough."""
_WORTH_A_CUT = 1.5
"""A text is cut only if it is so many times as long as what is left of it."""
_HEAD = 0.75
"""The part of what is left that is the text's beginning."""


class LongText(msgspec.Struct, frozen=True):
    """A text of message `sequence`, or the result of its call `call_id`, as JSON; `path` is for its file.

    `excerpt` stands in its place already, if it is cut: then `text` is what is left of it.
    """

    sequence: int
    text: str
    path: str
    tokens: int
    call_id: CallId | None = None
    excerpt: Excerpt | None = None
    outside: Sources = ()


class PlannedCut(msgspec.Struct, frozen=True):
    """A text, and how many characters of its beginning and its end are left."""

    long: LongText
    head: int
    tail: int
    won: int


def planned(
    messages: Sequence[SessionMessage], excess: int, window: int, *, deep: bool = True
) -> list[PlannedCut]:
    """The cuts that take `excess` tokens from these messages, or as many as there are to win. `window` is in
    the same count. Unless they may be `deep`, much is left of each text."""
    texts = sorted(_texts(messages), key=lambda one: (-one.tokens, one.sequence))
    left = [one.tokens for one in texts]
    cuts: dict[int, PlannedCut] = {}
    levels = (max(_LEAST, window // _PART_OF_WINDOW), _LESS, _LITTLE)
    for most in levels if deep else levels[:1]:
        for number in sorted(range(len(texts)), key=lambda one: -left[one]):
            if excess <= 0:
                return list(cuts.values())
            if left[number] <= most * _WORTH_A_CUT:
                break
            excess -= left[number] - most
            left[number] = most
            cuts[number] = _cut(texts[number], most)
    return list(cuts.values())


def applied(message: SessionMessage, cuts: Sequence[CutText]) -> SessionMessage:
    """The message as it is shown from now on."""
    for cut in cuts:
        if cut.sequence != message.sequence:
            continue
        if cut.call_id is None:
            excerpt = _excerpt(message.text, message.excerpt, cut)
            message = msgspec.structs.replace(message, excerpt=excerpt)
        else:
            message = msgspec.structs.replace(message, tool_calls=applied_to_calls(message.tool_calls, cuts))
    return message


def applied_to_calls(
    calls: Sequence[SessionToolCall], cuts: Sequence[CutText]
) -> tuple[SessionToolCall, ...]:
    """The calls of the message that the cuts are for."""
    by_call = {cut.call_id: cut for cut in cuts}
    return tuple(
        msgspec.structs.replace(
            call, excerpt=_excerpt(json_of(call.result), call.excerpt, by_call[call.call_id])
        )
        if call.call_id in by_call
        else call
        for call in calls
    )


def json_of(value: Json) -> str:
    """A result as the model is shown it."""
    return msgspec.json.encode(value).decode()


def _texts(messages: Sequence[SessionMessage]) -> Iterator[LongText]:
    for message in messages:
        if message.text:
            excerpt = message.excerpt
            text = message.text if excerpt is None else excerpt.head + excerpt.tail
            path = f"messages/{message.role}-{message.sequence}.txt"
            outside = message.outside
            yield LongText(message.sequence, text, path, tokens_in(text), None, excerpt, outside)
        for number, call in enumerate(message.tool_calls):
            if call.result is None and call.excerpt is None:
                continue
            excerpt = call.excerpt
            text = json_of(call.result) if excerpt is None else excerpt.head + excerpt.tail
            path = f"results/{call.tool}-{message.sequence}-{number}.json"
            yield LongText(message.sequence, text, path, tokens_in(text), call.call_id, excerpt, call.outside)


def _cut(long: LongText, tokens: int) -> PlannedCut:
    kept = max(2, len(long.text) * tokens // long.tokens)
    head = int(kept * _HEAD)
    return PlannedCut(long, head, kept - head, long.tokens - tokens)


def _excerpt(whole: str, before: Excerpt | None, cut: CutText) -> Excerpt:
    head, tail = (whole, whole) if before is None else (before.head, before.tail)
    return Excerpt(head[: cut.head], tail[max(0, len(tail) - cut.tail) :], cut.blob, cut.file_id)
