"""Requests that wait for their answers, all on one subscription."""

import asyncio
import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from nats.aio.msg import Msg

from agent_contracts.errors import Failure, Transient
from agent_platform.nats.errors import PermissionDenied

Reply = Msg | Failure
"""An answer, or why there will be none."""

Waiter = Callable[[Reply], None]

_NO_RESPONDERS = "503"
MEANWHILE = "What is stored is safe. Try again in a moment; if it stays so, `foldline doctor` says why."


class PendingRequests:
    """Who waits for which answer. Each request has a subject of its own below one inbox."""

    def __init__(self) -> None:
        self._waiters: dict[str, tuple[str, Waiter]] = {}
        self._tokens = itertools.count()
        self._inbox = ""

    def answered_on(self, inbox: str) -> str:
        """Use this inbox; returns the subject to subscribe to."""
        self._inbox = inbox
        return f"{inbox}.*"

    def begin(self, subject: str, waiter: Waiter) -> str:
        """Until `end`, `waiter` gets every answer to a request on `subject`; where to send them."""
        token = str(next(self._tokens))
        self._waiters[token] = (subject, waiter)
        return f"{self._inbox}.{token}"

    def end(self, inbox: str) -> None:
        """Nobody waits for answers there any more."""
        del self._waiters[inbox[len(self._inbox) + 1 :]]

    @contextmanager
    def waiting(self, subject: str, waiter: Waiter) -> Iterator[str]:
        """As between `begin` and `end`, in the block."""
        inbox = self.begin(subject, waiter)
        try:
            yield inbox
        finally:
            self.end(inbox)

    def on_reply(self, message: Msg) -> None:
        """Hand an answer to whom it is for; late ones are dropped."""
        entry = self._waiters.get(message.subject[len(self._inbox) + 1 :])
        if entry is not None:
            entry[1](message)

    def fail(self, failure: Failure) -> None:
        """Nobody will get an answer any more."""
        for _, waiter in list(self._waiters.values()):
            waiter(failure)

    def deny(self, user: str, subject: str) -> None:
        """The server refused a publish to `subject`, given in lower case: that is how nats-py tells it."""
        for wanted, waiter in list(self._waiters.values()):
            if wanted.lower() == subject:
                waiter(PermissionDenied(user, "publish to", wanted))


def checked(subject: str, reply: Reply) -> Msg:
    """The answer; raises the failure in its place, or `Transient` if nobody serves the subject."""
    if isinstance(reply, Failure):
        raise reply
    if not reply.data and reply.headers and reply.headers.get("Status") == _NO_RESPONDERS:
        raise Transient(f"nobody serves {subject} now", kind="no_responders")
    return reply


def silent(subject: str, timeout: float) -> Transient:
    """Why a request ends without an answer, in words for who waits for it."""
    return Transient(f"NATS doesn't answer (in {timeout:g} s, of {subject}). {MEANWHILE}", kind="timeout")


def unanswered(future: asyncio.Future[Reply], subject: str, timeout: float) -> None:
    """End a wait whose time is over."""
    answered(future, silent(subject, timeout))


def answered(future: asyncio.Future[Reply], reply: Reply) -> None:
    """End a wait, unless it has ended already."""
    if not future.done():
        future.set_result(reply)
