"""Questions of code to its session's browser: asked of the browser pools over NATS."""

import asyncio
from typing import Protocol

import msgspec

from agent_contracts.browser_calls import (
    BROWSER_WANTED,
    CALL_BROWSER,
    STOP_BROWSER_CALL,
    BrowserCall,
    StopBrowserCall,
)
from agent_contracts.errors import ErrorKind, Permanent, Rejected, ToolError, Transient
from agent_contracts.json_value import Json
from agent_contracts.outside import Sources
from agent_contracts.subjects import query_subject
from agent_contracts.user_questions import ToolAnswer
from agent_platform.nats.connection import Connection
from agent_platform.nats.long_answers import ask_patiently
from agent_tools.context import CallContext

NOBODY = "no browser pool is running; `foldline up` and `foldline serve browser-pool` start one"

_WANTED_S = 2.0
_STARTS_S = 20.0
"""Seconds in which a pool that is started at first need answers."""


class Browsed(msgspec.Struct, frozen=True):
    """The result of one of the browser's tools, and where material in it came from."""

    value: Json
    outside: Sources = ()


class Browsers(Protocol):
    """Where the browsers of sessions are."""

    async def call(self, asked: BrowserCall, call: CallContext) -> Browsed:
        """What one of the browser's tools gave; what left meanwhile, or wants a person's yes, is
        noted in the call whose code asks.

        Raises `Rejected` for what the tool refused, with kind `not_available` where there is no browser;
        `Permanent` for what failed otherwise.
        """
        ...


class NatsBrowsers:
    """Asks the pools; whoever is asked knows which of them has the session's pages."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def call(self, asked: BrowserCall, call: CallContext) -> Browsed:
        """See `Browsers`. A task that is cancelled meanwhile stops the call."""
        try:
            told = await self._told(msgspec.json.encode(asked))
        except asyncio.CancelledError:
            stop = StopBrowserCall(asked.session_id, asked.call_id, asked.number)
            await self._connection.publish(query_subject(STOP_BROWSER_CALL), msgspec.json.encode(stop))
            raise
        except Transient as error:
            if error.kind == "no_responders":
                raise Rejected(NOBODY, kind=ErrorKind.NOT_AVAILABLE) from error
            lost = "the browser pool fell silent: whether it was done is not known"
            raise Permanent(lost, kind=ErrorKind.OUTCOME_UNKNOWN) from error
        answer = msgspec.json.decode(told, type=ToolAnswer)
        call.outgoing.join(answer.sent)
        if answer.wanted is not None:
            call.wanted.needs(answer.wanted)
        if answer.error is not None:
            raise _failure(answer.error)
        return Browsed(answer.result, answer.outside)

    async def _told(self, question: bytes) -> bytes:
        subject = query_subject(CALL_BROWSER)
        try:
            return await ask_patiently(self._connection, subject, question)
        except Transient as error:
            if error.kind != "no_responders":
                raise
            await self._connection.request(query_subject(BROWSER_WANTED), timeout=_WANTED_S)
            return await ask_patiently(self._connection, subject, question, starts_within_s=_STARTS_S)


def _failure(error: ToolError) -> Rejected | Permanent:
    refused = error.kind in (
        ErrorKind.INVALID_ARGUMENTS,
        ErrorKind.REJECTED,
        ErrorKind.NOT_FOUND,
        ErrorKind.NOT_AVAILABLE,
        ErrorKind.BLOCKED,
        ErrorKind.REFUSED,
        ErrorKind.APPROVAL_NEEDED,
        ErrorKind.TOO_LARGE,
    )
    failure = Rejected if refused else Permanent
    return failure(error.message, kind=error.kind, details=error.details)
