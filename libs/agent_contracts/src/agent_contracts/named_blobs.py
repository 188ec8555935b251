"""Which blobs an event names: one answer for exports, checks and whoever must find them all."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from agent_contracts.entities.entity import EntityKind, EntityWritten
from agent_contracts.entities.tool_answers import KeyedCall
from agent_contracts.files import FileValue
from agent_contracts.model_context import ModelContext
from agent_contracts.session_events.inputs import UserMessage
from agent_contracts.session_events.results import ModelCallCompleted, ModelCallFailed, ToolCallCompleted


def context_named_by(event: object) -> str | None:
    """The description of what a model saw, which names more (`parts_of_context`)."""
    match event:
        case ModelCallCompleted(context=context) | ModelCallFailed(context=context):
            return context
    return None


def parts_of_context(data: bytes) -> Iterator[str]:
    """The SHA-256 of each blob that a model context consists of. `msgspec.MsgspecError` if it is none."""
    seen = msgspec.json.decode(data, type=ModelContext)
    yield from (part.sha256 for part in seen.system)
    yield from seen.tools
    yield seen.shapes


def result_named_by(event: object) -> str | None:
    """The whole of a result of which the model got both ends."""
    match event:
        case ToolCallCompleted(excerpt=excerpt) if excerpt is not None:
            return excerpt.blob.sha256
    return None


def thinking_named_by(event: object) -> str | None:
    """The whole of a long thinking, of which the event has both ends."""
    match event:
        case ModelCallCompleted(thinking=thinking) if thinking is not None and thinking.whole is not None:
            return thinking.whole.sha256
    return None


def files_named_by(event: object) -> Mapping[str, int]:
    """Files that came with a message, pictures of a result, a file's version: their sizes by SHA-256."""
    match event:
        case UserMessage(files=files):
            return {one.blob: one.size for one in files}
        case ToolCallCompleted(pictures=pictures):
            return {one.blob: one.size for one in pictures}
        case EntityWritten(kind=EntityKind.FILE, value=value):
            file = msgspec.convert(value, FileValue)
            return {file.blob: file.size}
    return {}


def blobs_named_by(event: Any) -> Iterator[str]:
    """All that an event names itself: without the parts of a model context."""
    for one in (
        context_named_by(event),
        result_named_by(event),
        thinking_named_by(event),
        _answer_named_by(event),
    ):
        if one is not None:
            yield one
    yield from files_named_by(event)


def _answer_named_by(event: object) -> str | None:
    match event:
        case EntityWritten(kind=EntityKind.CALL, value=value):
            answer = msgspec.convert(value, KeyedCall).answer
            return answer.blob.sha256 if answer is not None and answer.blob is not None else None
    return None
