"""Questions of code to other runners: to its session's browser, asked of the browser pools over NATS, and to
foreign servers, asked of their hosts."""

import asyncio
from typing import Protocol

import msgspec

from agent_contracts.entities.tool_answers import ToolAnswer
from agent_contracts.errors import ErrorKind, Permanent, Rejected, ToolError, Transient
from agent_contracts.json_value import Json
from agent_contracts.log.subjects import query_subject
from agent_contracts.outside import Sources
from agent_contracts.questions.code_calls import (
    BROWSER_WANTED,
    CALL_BROWSER,
    CALL_MCP,
    STOP_BROWSER_CALL,
    STOP_MCP_CALL,
    CodeCall,
    StopCodeCall,
)
from agent_contracts.questions.mcp_states import MCP_WANTED
from agent_platform.nats.connection import NatsConnection
from agent_platform.nats.long_answers import ask_at_need
from agent_tools.context import CallContext

NOBODY = "no browser pool is running; `foldline up` and `foldline serve browser-pool` start one"
NO_HOST = "no MCP host is running; `foldline up` and `foldline serve mcp-host` start one"


class OtherRunnerResult(msgspec.Struct, frozen=True):
    """The result of another runner's tool, and where material in it came from."""

    value: Json
    outside: Sources = ()


class RunnerSubjects(msgspec.Struct, frozen=True):
    """How runners of one kind are asked. `silent`: what is said where one falls silent."""

    call: str
    stop: str
    wanted: str
    nobody: str
    silent: str


BROWSER = RunnerSubjects(
    CALL_BROWSER, STOP_BROWSER_CALL, BROWSER_WANTED, NOBODY, "the browser pool fell silent"
)
MCP = RunnerSubjects(CALL_MCP, STOP_MCP_CALL, MCP_WANTED, NO_HOST, "the MCP host fell silent")


class OtherRunners(Protocol):
    """Where the browsers of sessions are, and the connections with foreign servers."""

    async def call(self, asking: RunnerSubjects, asked: CodeCall, call: CallContext) -> OtherRunnerResult:
        """What a tool there gave; what left meanwhile, or wants a person's yes, is noted in the call whose
        code asks.

        Raises `Rejected` for what the tool refused, with kind `not_available` where there is no such runner;
        `Permanent` for what failed otherwise.
        """
        ...


class NatsOtherRunners:
    """Asks them; whoever is asked knows which of them has the session's pages, or the connection."""

    def __init__(self, connection: NatsConnection) -> None:
        self._connection = connection

    async def call(self, asking: RunnerSubjects, asked: CodeCall, call: CallContext) -> OtherRunnerResult:
        """See `OtherRunners`. A task that is cancelled meanwhile stops the call."""
        try:
            told = await self._told(asking, msgspec.json.encode(asked))
        except asyncio.CancelledError:
            stop = StopCodeCall(asked.session_id, asked.call_id, asked.number)
            await self._connection.publish(query_subject(asking.stop), msgspec.json.encode(stop))
            raise
        except Transient as error:
            if error.kind == "no_responders":
                raise Rejected(asking.nobody, kind=ErrorKind.NOT_AVAILABLE) from error
            lost = f"{asking.silent}: whether it was done is not known"
            raise Permanent(lost, kind=ErrorKind.OUTCOME_UNKNOWN) from error
        answer = msgspec.json.decode(told, type=ToolAnswer)
        call.outgoing.join(answer.sent)
        if answer.wanted is not None:
            call.wanted.needs(answer.wanted)
        if answer.error is not None:
            raise _failure(answer.error)
        return OtherRunnerResult(answer.result, answer.outside)

    async def _told(self, asking: RunnerSubjects, question: bytes) -> bytes:
        return await ask_at_need(
            self._connection, query_subject(asking.call), question, query_subject(asking.wanted)
        )


def _failure(error: ToolError) -> Rejected | Permanent:
    refused = error.kind in (
        ErrorKind.INVALID_ARGUMENTS,
        ErrorKind.REJECTED,
        ErrorKind.NOT_FOUND,
        ErrorKind.NOT_AVAILABLE,
        ErrorKind.DISABLED_TOOL,
        ErrorKind.UPSTREAM,
        ErrorKind.BLOCKED,
        ErrorKind.REFUSED,
        ErrorKind.APPROVAL_NEEDED,
        ErrorKind.TOO_LARGE,
    )
    failure = Rejected if refused else Permanent
    return failure(error.message, kind=error.kind, details=error.details)
