"""Saying something to the agent, and waiting for what comes of it."""

from typing import Annotated, Any

import mcp_types as types
import msgspec
from pydantic import Field

from agent_contracts.api.sessions import MAX_TEXT
from agent_contracts.errors import Rejected
from agent_contracts.ids import SessionId
from agent_contracts.policies import APPROVAL
from agent_contracts.sessions.open_questions import ANSWERED_BY_WORDS, kind_of
from agent_contracts.sessions.session_view import FoldedCall, SessionView
from agent_domain.shown import options_of, shown_text
from gateway.mcp.elicitations import form_of, response_of
from gateway.mcp.pieces import result
from gateway.mcp.progress_lines import until_it_rests, waiting
from gateway.mcp.tool import Answer, McpArguments, McpCall
from gateway.operations.idempotency import asked
from gateway.operations.sessions.answers import AnsweringProgram
from gateway.operations.sessions.creation import NewSession
from gateway.operations.sessions.steering import SpeakingProgram

LONGESTANSWER = 40_000
"""Characters of an answer; `read_event` has all of it."""
LONGEST_WAIT_S = 600
_WAIT_S = 300
_ANSWER = "answer"
_SENDS = "send_message"
_CHOICES = ("accept", "decline", "cancel")


class AskAgent(McpArguments):
    """What to say, and where."""

    message: Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]
    session: Annotated[
        str | None, Field(max_length=64, description="a session to say it in; else a new one is begun")
    ] = None
    wait_seconds: Annotated[
        int, Field(ge=0, le=LONGEST_WAIT_S, description="after these the result says how far it is")
    ] = _WAIT_S
    key: Annotated[
        str | None,
        Field(max_length=200, description="any text of your own: the same key says the message only once"),
    ] = None


class _ResumePoint(msgspec.Struct, frozen=True):
    """Where a client's call stands: it waits in this session for what follows event `after`. It comes back
    from the client, so each part is checked like any argument. `call` was asked there."""

    session: str
    after: int
    call: str | None = None


async def ask_agent(call: McpCall, args: AskAgent) -> Answer:
    """Say something to the agent and wait until it has answered or asks something. A message in a session
    that waits for an answer to a question is that answer. Leaving the call, or a wait that is over, stops
    nothing: the agent goes on, and read_session shows how far it is."""
    place = await (_went_on(call) if call.state is not None else _said(call, args))
    if isinstance(place, types.CallToolResult):
        return place
    session_id = SessionId(place.session)
    await call.tell(f"Session {session_id}: event {place.after}. It goes on if you leave this call")
    state = await until_it_rests(call.operations, session_id, place.after, args.wait_seconds, call.tell)
    asking = next((one for one in waiting(state) if form_of(one.show or {}) is not None), None)
    if state.status == "waiting_for_input" and asking is not None and call.can_elicit:
        form = form_of(asking.show or {})
        assert form is not None
        kept = _ResumePoint(session_id, state.last_sequence, asking.call_id)
        return types.InputRequiredResult(
            input_requests={_ANSWER: form}, request_state=msgspec.json.encode(kept).decode()
        )
    return _outcome(state, place.after)


async def _said(call: McpCall, args: AskAgent) -> _ResumePoint:
    """The message is in the log."""
    content = {"message": args.message, "agent_id": call.client.agent_id}
    if args.session is None:
        name = call.client.name
        new = NewSession(agent_id=call.client.agent_id, message=args.message, client=name)
        made = await call.operations.creation.create(new, asked(args.key, content))
        return _ResumePoint(made.id, made.last_sequence)
    session_id = await call.session(args.session)
    request = asked(args.key, content, session_id)
    by = SpeakingProgram(call.client.name)
    accepted = await call.operations.steering.say(session_id, args.message, request, by=by)
    return _ResumePoint(session_id, accepted.sequence)


async def _went_on(call: McpCall) -> _ResumePoint | types.CallToolResult:
    """The call comes again, with what its client brings of a question. The message was said before."""
    try:
        place = msgspec.json.decode(call.state or "", type=_ResumePoint)
    except msgspec.DecodeError as error:
        raise Rejected("This request_state is none of ours", kind="invalid_request") from error
    session_id = await call.session(place.session)
    state = await call.operations.folds.state(session_id, messages=0)
    if not 0 < place.after <= state.last_sequence:
        raise Rejected("This request_state is none of ours", kind="invalid_request")
    open_call = next((one for one in waiting(state) if one.call_id == place.call), None)
    brought = call.answers.get(_ANSWER)
    if open_call is None or brought is None:
        return place  # answered elsewhere meanwhile; or the client brings nothing, and is asked again
    if not isinstance(brought, types.ElicitResult) or brought.action not in _CHOICES:
        raise Rejected("The answer to a question must be an elicitation's result", kind="invalid_request")
    if brought.action != "accept":
        return _outcome(msgspec.structs.replace(state, messages=()), place.after)
    if form_of(open_call.show or {}) is None:
        raise Rejected("Only a person answers this call, in Foldline", kind="not_permitted")
    response = response_of(open_call.show or {}, brought.content or {})
    by = AnsweringProgram(call.client.name)
    steering = call.operations.steering
    accepted = await steering.answer(session_id, open_call.call_id, response, asked(), by)
    return _ResumePoint(session_id, accepted.sequence)


def _outcome(state: SessionView, after: int) -> types.CallToolResult:
    """How it stands, in words and as data."""
    said = _said_after(state, after)
    told: dict[str, Any] = {"session": state.session_id, "status": state.status, "answer": said}
    told |= {"last_sequence": state.last_sequence}
    words = [said] if said else []
    questions = [_question(one, state.session_id) for one in waiting(state)]
    if state.status == "waiting_for_input" and questions:
        told["questions"] = questions
        words += [f"{one['asked']}\n{one['how']}" for one in questions]
    if state.failed_turn is not None and state.failed_turn.failed_sequence > after:
        told["failed"] = state.failed_turn.message
        words.append(
            f"The turn failed: {state.failed_turn.message}. Nothing is lost; say something to go on."
        )
    if state.error is not None:
        told["failed"] = state.error.message
        words.append(f"The session ended with an error: {state.error.message}")
    match state.status:
        case "running":
            how = f"read_session(session={state.session_id!r}) shows how far it is"
            words.append(f"The agent is still at work. {how}.")
        case "token_limit_reached":
            words.append("The session's token limit is reached. A person can raise it in Foldline.")
        case "completed":
            words.append("The session is closed.")
    words.append(f"(session {state.session_id})")
    return result("\n\n".join(words), told)


def _said_after(state: SessionView, after: int) -> str:
    """The last that the agent said since, cut where it is long."""
    texts = []
    for one in state.messages:
        if one.role == "assistant" and one.sequence > after:
            sent = [str(made.arguments.get("text", "")) for made in one.tool_calls if made.tool == _SENDS]
            texts += [(one.sequence, text) for text in (one.text, *sent) if text.strip()]
    if not texts:
        return ""
    sequence, text = texts[-1]
    if len(text) <= LONGESTANSWER:
        return text
    where = f"read_event(address={sequence}) has all {len(text):,} characters"
    return f"{text[:LONGESTANSWER]}…\n({where})"


def _question(asking: FoldedCall, session_id: str) -> dict[str, Any]:
    """What waits, and how it can be answered."""
    show = asking.show or {}
    told: dict[str, Any] = {"call_id": asking.call_id, "kind": show.get("kind")}
    if show.get("kind") == APPROVAL:
        told["asked"] = f"A call of {show.get('tool')} waits for a person's yes: {show.get('rule')}"
        told["how"] = "Only a person can allow it, in Foldline itself; an MCP client can't."
    elif kind_of(asking.show) in ANSWERED_BY_WORDS:
        told["asked"] = shown_text(show)[:LONGESTANSWER]
        told["options"] = options_of(show)
        told["how"] = f"Answer it: ask_agent(session={session_id!r}, message=<the answer>)."
    else:
        told["asked"] = shown_text(show)[:LONGESTANSWER]
        told["how"] = "A person answers it in Foldline itself, or by a client that draws forms (2026-07-28)."
    return told
