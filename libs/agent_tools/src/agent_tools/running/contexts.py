"""The context of a call, from its request."""

import asyncio
from typing import Any

import structlog

from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.outside import Sources
from agent_contracts.policies import Grant
from agent_contracts.questions.code_calls import CodeCall
from agent_contracts.tool_spec import ToolSpec
from agent_tools.context import CallContext, CallSources
from agent_tools.running.call import RequestedCall
from agent_tools.running.call_writers import writers_of, writers_of_code, writers_of_page


def context_of(
    call: RequestedCall, attempt: int, cancelled: asyncio.Event, tool: ToolSpec | None = None
) -> CallContext:
    """One attempt at a session's call; `tool` is what runs."""
    key = call.key
    outside = CallSources(call.outside, str(call.sequence), key.session.session_id, unswayed=call.unswayed)
    return CallContext(
        agent_id=key.session.agent_id,
        session=key.session.session_id,
        call_id=key.call_id,
        sequence=call.sequence,
        attempt=attempt,
        writers=writers_of(call, outside),
        cancelled=cancelled,
        log=_log(key.session.session_id, key.call_id, call.tool),
        code_at=call.code_at,
        grants=call.grants,
        tool=call.tool,
        outside=outside,
        family=tool.family if tool else "",
        alias_of=tool.alias_of if tool else None,
        fixed_host=tool.fixed_host if tool else None,
        urls=call.urls,
        requested_at=call.requested_at,
        approved=call.approved is not None,
        resumed=call.resumed,
        open_tasks=call.open_tasks,
        may_pause=True,
    )


def context_of_code(asked: CodeCall, cancelled: asyncio.Event) -> CallContext:
    """What a call's code asks for, of another runner."""
    session, call = asked.session_id, asked.call_id
    outside = CallSources(asked.outside, str(asked.sequence), session)
    return CallContext(
        agent_id=asked.agent_id,
        session=session,
        call_id=call,
        sequence=asked.sequence,
        attempt=asked.attempt,
        writers=writers_of_code(asked, outside),
        cancelled=cancelled,
        log=_log(session, call, asked.tool),
        code_at=asked.sequence,
        grants=asked.grants,
        tool=asked.caller,
        family=asked.family,
        outside=outside,
    )


def context_of_page(  # noqa: PLR0913 — what a page's call is, each named
    agent_id: AgentId,
    call_id: CallId,
    sequence: int,
    tool: str,
    given: Sources = (),
    grants: tuple[Grant, ...] = (),
) -> CallContext:
    """A call that a page or a person makes, after event `sequence`; it is made once."""
    outside = CallSources(given, str(sequence))
    return CallContext(
        agent_id=agent_id,
        session=None,
        call_id=call_id,
        sequence=sequence,
        attempt=1,
        writers=writers_of_page(call_id, sequence, outside),
        cancelled=asyncio.Event(),
        log=_log(None, call_id, tool),
        code_at=sequence,
        grants=grants,
        tool=tool,
        outside=outside,
    )


def _log(session: SessionId | None, call_id: CallId, tool: str) -> Any:
    return structlog.get_logger().bind(session_id=session, call_id=call_id, tool=tool)
