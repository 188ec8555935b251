"""Exactly what a model saw and said, long after: from the log and the blobs."""

from collections.abc import Iterator

import msgspec

from agent_contracts.errors import Rejected
from agent_contracts.ids import check_id
from agent_contracts.json_value import Json
from agent_contracts.log.record.codec import RecordedEvent, type_of
from agent_contracts.log.record.session_subjects import MODEL, SessionKey
from agent_contracts.questions.queries import ModelCallQuery
from agent_contracts.session_events.decisions import ModelCallRequested
from agent_contracts.session_events.results import ModelCallCompleted, ModelCallFailed
from agent_platform.log.blobs.port import Blobs
from agent_platform.log.events import events
from agent_platform.log.port import Log
from agent_platform.log.result_offers import result_of
from session_domain.domain.shown.prompt import PromptPart
from session_domain.domain.shown.shapes import looks
from session_domain.domain.shown.showing import rendered_message, rendered_shadow
from session_domain.model_requests.contexts import ModelContexts
from session_domain.model_requests.pictures import PictureReader
from session_domain.model_requests.rendering import MessageSelection, choice_of
from session_domain.model_requests.request import ModelRequest, RequestParts, build_request, returning
from session_domain.model_requests.shown_before import ShownBefore
from session_domain.model_requests.times import clock_in
from session_domain.sessions import SessionReader


class RecordedModelCalls:
    """Answers the query `session.model_call`."""

    def __init__(self, events: Log, sessions: SessionReader, contexts: ModelContexts, blobs: Blobs) -> None:
        self._events = events
        self._sessions = sessions
        self._contexts = contexts
        self._pictures = PictureReader(blobs, keep=False)
        self._before = ShownBefore(events)

    async def show(self, session: SessionKey, query: ModelCallQuery) -> dict[str, Json]:
        """The call as JSON: its place, `request` as it was sent, and `answer` or `error` as recorded.

        `request` is null for a call that hasn't ended or was never sent. `parts` says what its messages are:
        the parts of the system prompt with their texts, then for so many (`count`) messages each that follow
        which message of the session they are (its event), which summary of hidden ones, or what else was
        asked for. `Rejected` if there is no such call.
        """
        asked, number = await self._find(session, query)
        result = await result_of(self._events, session, asked.event.call_id, after=asked.sequence)
        found = await self._request(session, asked, result)
        request, parts = found or (None, [])
        event = result.event if result else None
        return {
            "session_id": query.session_id,
            "call_id": asked.event.call_id,
            "number": number,
            "requested_sequence": asked.sequence,
            "requested_at": asked.envelope.time,
            "result_sequence": result.sequence if result else None,
            "finished_at": result.envelope.time if result else None,
            "request": request.as_sent() if request else None,
            "parts": parts,
            "answer": _fields(event) if isinstance(event, ModelCallCompleted) else None,
            "error": _fields(event) if isinstance(event, ModelCallFailed) else None,
        }

    async def _request(
        self,
        session: SessionKey,
        asked: RecordedEvent[ModelCallRequested],
        result: RecordedEvent[ModelCallCompleted | ModelCallFailed] | None,
    ) -> tuple[ModelRequest, list[Json]] | None:
        event = result.event if result is not None else None
        if event is None or event.shown is None:
            return None
        state = await self._sessions.at(session, asked.sequence)
        context = event.context
        if context is None and isinstance(event, ModelCallCompleted):
            context = await self._before.context(state)
        if context is None:
            return None
        shown = await self._contexts.load(context)
        chosen = await self._before.messages(state, event.shown)
        choice = choice_of(state, chosen, event.shown.added, shown.shapes, shown.timezone)
        seen = await self._pictures.seen(choice, shown.pictures, shown.shapes)
        adapted = event.adapted if isinstance(event, ModelCallCompleted) else ()
        request = returning(build_request(seen.choice, shown, event.model), adapted)
        return request, [*map(_system, shown.parts), *_messages(seen.choice, shown)]

    async def _find(
        self, session: SessionKey, query: ModelCallQuery
    ) -> tuple[RecordedEvent[ModelCallRequested], int]:
        """The request and its number in the session, from 1."""
        if query.call_id is None and query.number is None:
            raise Rejected("Name the model call by its id or its number", kind="invalid_request")
        if query.call_id is not None:
            check_id(query.call_id, "call id")
        kind = session.decision(type_of(ModelCallRequested), MODEL)
        number = 0
        async for asked in events(self._events.read(kind)):
            number += 1
            if query.call_id == asked.event.call_id or (query.call_id is None and query.number == number):
                return asked, number
        wanted = query.call_id or f"number {query.number}"
        raise Rejected(f"The session has no model call {wanted}; it made {number}", kind="not_found")


def _system(part: PromptPart) -> Json:
    return {"kind": "system", "name": part.name, "text": part.text}


def _messages(choice: MessageSelection, shown: RequestParts) -> Iterator[Json]:
    """What stands behind each part of a choice. Messages that aren't shown at all have none."""
    messages, look, clock = choice.session.messages(), looks(shown.shapes), clock_in(shown.timezone)
    of_session = (
        index
        for index in choice.chosen
        if (
            rendered_message(messages[index], look, clock)
            if index >= 0
            else rendered_shadow(choice.session.shadows[-1 - index], messages, look, clock)
        )
    )
    for part in choice.parts:
        index, count = next(of_session, None), len(msgspec.json.decode(b"[" + part + b"]"))
        if index is None:
            yield {"kind": "added", "name": choice.added, "count": count}
        elif index >= 0:
            yield {"kind": "message", "sequence": messages[index].sequence, "count": count}
        else:
            shadow = choice.session.shadows[-1 - index]
            hidden = [one.sequence for one in messages if shadow.first <= one.sequence <= shadow.last]
            yield {"kind": "summary", "hides": list[Json](hidden), "count": count}


def _fields(event: msgspec.Struct) -> dict[str, Json]:
    fields: dict[str, Json] = msgspec.to_builtins(event)
    del fields["type"]
    return fields
