"""What events do to rows of `messages`."""

import msgspec

from agent_contracts.entities.model_adaptations import TOLD_IN_CHATS
from agent_contracts.errors import Rejected
from agent_contracts.files import SentFile
from agent_contracts.json_value import Json
from agent_contracts.log.address import parse_address
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs, results
from agent_contracts.sessions.session_view import TokensUsed
from projections.json_text import json_text
from projections.project.batch_rows import PutRow
from projections.project.event_place import EventPlace
from projections.project.unprojectable import Unprojectable
from projections.session_tables import MESSAGES, MessageRow


def said(  # noqa: PLR0913 — who it can be
    at: EventPlace,
    text: str,
    files: tuple[SentFile, ...] = (),
    source: str | None = None,
    wake: inputs.Woken | None = None,
    by: inputs.UserMessage | None = None,
) -> list[PutRow]:
    """Someone said something to the session: a person, the `source` that is named, another service, an MCP
    client or a server's prompt (`by`)."""
    body: dict[str, Json] = {"files": msgspec.to_builtins(list(files))}
    if source is not None:
        body["source"] = source
    if wake is not None:
        body |= {"woken_by": wake.source, "wake_type": wake.wake_type}
    if by is not None and by.client is not None:
        body["client"] = by.client
        if by.speaker is not None:
            body["speaker"] = by.speaker
    if by is not None and by.prompt is not None:
        body["prompt"] = msgspec.to_builtins(by.prompt)
    return [_message(at, "user", text, body)]


def answered(at: EventPlace, answer: results.ModelCallCompleted) -> list[PutRow]:
    """The model said something, or asked for tools, or both."""
    body: dict[str, Json] = {
        "model": answer.model,
        "usage": msgspec.to_builtins(TokensUsed.of(answer.usage)),
        "tool_calls": [asked.call_id for asked in answer.tool_calls],
    }
    if answer.incomplete is not None:
        body["incomplete"] = answer.incomplete
    if answer.cut_words:
        body["cut_words"] = answer.cut_words
    if answer.thinking is not None:
        body["thinking"] = msgspec.to_builtins(answer.thinking)
    if told := [one for one in TOLD_IN_CHATS if one in answer.adapted]:
        body["adapted"] = [*told]
    if answer.tried:
        body["tried"] = msgspec.to_builtins(answer.tried)
    return [_message(at, "assistant", answer.text, body, answer.call_id)]


def failed(at: EventPlace, kind: str, message: str) -> list[PutRow]:
    """A turn failed, or the session ended in error."""
    return [_message(at, "error", message, {"kind": kind})]


def summarised(at: EventPlace, event: ev.MessagesShadowed) -> list[PutRow]:
    """A summary stands before the model in place of older messages."""
    body: dict[str, Json] = {"first": event.first, "last": event.last, "reason": event.reason}
    return [_message(at, "summary", event.summary, body)]


def refused(message: MessageRow, reason: str) -> list[PutRow]:
    """The session took no input any more when this message came."""
    body = {**msgspec.json.decode(message.body), "refused": reason}
    return [PutRow(MESSAGES, msgspec.structs.replace(message, body=json_text(body)))]


def rated_place(event: inputs.Feedback) -> int:
    """Where the answer stands. Raises `Unprojectable` if it isn't an address."""
    try:
        return parse_address(event.answer).place
    except Rejected as error:
        raise Unprojectable(error.message, kind="bad_address") from error


def rated(message: MessageRow, event: inputs.Feedback) -> list[PutRow]:
    """The user rated it, in other words or not any more. Only answers have ratings."""
    if message.role != "assistant":
        return []
    told = event.text if event.rating is not None else None
    return [PutRow(MESSAGES, msgspec.structs.replace(message, rating=event.rating, rating_text=told))]


def _message(
    at: EventPlace, role: str, text: str, body: dict[str, Json], model_call_id: str | None = None
) -> PutRow:
    row = MessageRow(
        session_id=at.session_id,
        place=at.place,
        role=role,
        text=text,
        time=at.time,
        model_call_id=model_call_id,
        body=json_text(body),
    )
    return PutRow(MESSAGES, row)
