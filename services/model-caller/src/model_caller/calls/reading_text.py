"""An answer that is a call written as text: the model is told so once in a turn, or the call is read."""

import re
from collections.abc import Iterator

import msgspec

from agent_contracts.errors import ErrorKind, ToolError
from agent_contracts.ids import CallId
from agent_contracts.json_value import Json
from agent_contracts.session_events.decisions import ModelCallRequested
from agent_contracts.session_events.results import ResolvedCall
from model_caller.answers.answer import AskedCall, ProviderAnswer
from model_caller.answers.gate import PolicyGate
from model_caller.answers.resolve import FORMS, ToolOffer, resolve
from model_caller.answers.written_calls import written_calls
from model_caller.calls.preparation import PreparedCall
from session_domain.domain.state import SessionState

TOLD = ToolError(
    ErrorKind.WRITTEN_AS_TEXT,
    "You wrote the call as text, so nothing was done. If you meant it, make it as a tool call; if not, "
    "answer in words.",
)
_FENCE = re.compile(r"```[\w-]*")
_SIGNS = re.compile(r"[^\w.-]+")


def calls_of(
    asked: ModelCallRequested, prepared: PreparedCall, answer: ProviderAnswer
) -> tuple[tuple[ResolvedCall, ...], str, str]:
    """The calls of an answer, what it says besides, and the text from which its calls were read."""
    offer, gate, session = prepared.offer, prepared.gate, prepared.gate.session
    if asked.purpose == "turn" and session is not None:
        written = _calls_in_text(answer, offer, session)
        if written and prepared.reads_text_calls:
            return resolve(asked.call_id, written, offer, gate), "", answer.text
        if written and not _was_told(session):
            return _not_made(asked.call_id, written, offer), answer.text, ""
    return resolve(asked.call_id, answer.calls, offer, gate), answer.text, ""


def _calls_in_text(answer: ProviderAnswer, offer: ToolOffer, session: SessionState) -> tuple[AskedCall, ...]:
    """The calls that the answer's text consists of, if the model wrote them itself: what stands in a message
    or a result of this chat was only repeated."""
    if answer.calls or answer.ending.cut is not None or answer.ending.finish_reason != "stop":
        return ()
    tools = {name: tool.parameters for name, tool in offer.tools.items()} | FORMS
    found = written_calls(answer.text, tools)
    return () if found and _is_quoted(answer.text, found, session) else found


def _was_told(session: SessionState) -> bool:
    """Whether the model was told in this turn."""
    for message in reversed(session.history):
        if message.role == "user":
            return False
        if any(call.error and call.error.kind is ErrorKind.WRITTEN_AS_TEXT for call in message.tool_calls):
            return True
    return False


def _not_made(model_call: CallId, calls: tuple[AskedCall, ...], offer: ToolOffer) -> tuple[ResolvedCall, ...]:
    """The calls as they stand in the history, which never run, and tell the model why."""
    return tuple(
        msgspec.structs.replace(call, error=TOLD, result=None)
        for call in resolve(model_call, calls, offer, PolicyGate())
    )


def _is_quoted(text: str, calls: tuple[AskedCall, ...], session: SessionState) -> bool:
    """Whether the answer, or one of its calls, stands in what the model read."""
    said = {_plain(_FENCE.sub(" ", text))}
    said |= {_plain(f"name {call.name} arguments {call.arguments}") for call in calls}
    return any(one in read for read in map(_plain, _read_by(session)) for one in said)


def _read_by(session: SessionState) -> Iterator[str]:
    """Every text that the model read: of people, of pages, of tools."""
    for message in session.history:
        if message.role == "user":
            yield message.text
            yield from _texts(message.data)
        for call in message.tool_calls:
            yield from _texts(call.result)


def _texts(value: Json) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            yield str(value)
            for one in value.values():
                yield from _texts(one)
        case list():
            for one in value:
                yield from _texts(one)


def _plain(text: str) -> str:
    """Only its words: however it was quoted."""
    return _SIGNS.sub(" ", text).strip()
