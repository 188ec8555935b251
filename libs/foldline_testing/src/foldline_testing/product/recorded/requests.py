"""The model requests of a recorded session: as today's prompt code builds them, and as they are shown."""

import hashlib
from collections.abc import AsyncIterator
from typing import Any

import msgspec

from agent_contracts.json_value import Json
from agent_contracts.log.record.records import decode
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.model_context import ModelContext
from agent_contracts.questions.queries import ModelCallQuery
from agent_contracts.session_events.results import ModelCallCompleted, ModelCallFailed
from agent_platform.log.port import Log
from foldline_testing.agent_platform.memory_blobs import MemoryBlobs
from foldline_testing.product.recorded.canonical import canonical, fingerprint
from foldline_testing.product.recorded.differences import timeless
from session_domain.domain.shown.prompt import PromptPart
from session_domain.domain.shown.shapes import SHAPES
from session_domain.domain.shown.showing import asked_besides, shown_now
from session_domain.model_requests.contexts import ModelContexts
from session_domain.model_requests.rendering import choice_of
from session_domain.model_requests.request import ModelRequest, RequestParts, build_request
from session_domain.model_requests.showing import RecordedModelCalls
from session_domain.model_requests.shown_before import ShownBefore
from session_domain.sessions import FoldedSessions

_Result = ModelCallCompleted | ModelCallFailed


async def requests_of(log: Log, blobs: MemoryBlobs, session: SessionKey) -> list[dict[str, Any]]:
    """The requests that were sent for the session, as today's code builds them of what was recorded."""
    found = []
    async for sequence, result in _results(log, session):
        request = await _as_built_today(log, blobs, session, sequence, result)
        found.append(
            {
                "call_id": result.call_id,
                "requested": sequence,
                "sha256": hash_of(request.as_sent()),
                "context": await _context_of(log, session, sequence, result),
                "messages": [
                    fingerprint(timeless(canonical(one)))
                    for one in request.messages
                    if one["role"] != "system"
                ],
            }
        )
    return found


async def requests_shown(log: Log, blobs: MemoryBlobs, session: SessionKey) -> dict[str, str]:
    """The SHA-256 of each request as `show --call` shows it, by the call's id."""
    calls = RecordedModelCalls(log, FoldedSessions(log), ModelContexts(blobs), blobs)
    found: dict[str, str] = {}
    async for _, result in _results(log, session):
        shown: Any = await calls.show(session, ModelCallQuery(session.session_id, call_id=result.call_id))
        if shown["request"] is not None:  # none was sent
            found[result.call_id] = hash_of(shown["request"])
    return found


def hash_of(request: dict[str, Json]) -> str:
    """The SHA-256 of a request's bytes: model, messages and tools as JSON, in the order in which they are."""
    return hashlib.sha256(msgspec.json.encode(request)).hexdigest()


async def _results(log: Log, session: SessionKey) -> AsyncIterator[tuple[int, _Result]]:
    """The results of calls that were sent, each with the sequence of its request."""
    asked: dict[str, int] = {}
    async for message in log.read(session.everything):
        event = decode(message).event
        if message.subject.split(".")[5:6] == ["model_call_requested"]:
            asked[event.call_id] = message.sequence
        failed_unsent = isinstance(event, ModelCallFailed) and event.context is None
        if isinstance(event, _Result) and not failed_unsent:
            yield asked[event.call_id], event


async def _as_built_today(
    log: Log, blobs: MemoryBlobs, session: SessionKey, sequence: int, result: _Result
) -> ModelRequest:
    state = await FoldedSessions(log).at(session, sequence)
    shown = await _shown_today(blobs, await _context_of(log, session, sequence, result))
    choice = choice_of(state, shown_now(state), asked_besides(state), SHAPES, shown.timezone)
    return build_request(choice, shown, result.model)


async def _context_of(log: Log, session: SessionKey, sequence: int, result: _Result) -> str:
    """The one that the result names, or that of the answered call before it."""
    found = result.context
    if found is None:
        found = await ShownBefore(log).context(await FoldedSessions(log).at(session, sequence))
    assert found is not None
    return found


async def _shown_today(blobs: MemoryBlobs, address: str) -> RequestParts:
    """The recorded parts and definitions; the messages in today's shapes."""
    context = msgspec.json.decode(await blobs.get(address), type=ModelContext)
    parts = [PromptPart(part.name, (await blobs.get(part.sha256)).decode()) for part in context.system]
    tools = [msgspec.json.decode(await blobs.get(sha256)) for sha256 in context.tools]
    return RequestParts(tuple(parts), tuple(tools), context.timezone, SHAPES)
