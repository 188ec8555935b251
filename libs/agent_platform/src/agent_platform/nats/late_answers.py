"""Answers that a process gives to requests which came before its NATS server was restarted."""

import math
import time

from agent_platform.nats.user import ANSWERED_WITHIN_S


class LateAnswers:
    """Tells them apart. The server that was asked allowed the answer; the new one knows of no request and
    refuses it. Who asked was told that the connection broke."""

    def __init__(self) -> None:
        self._reconnected_at = -math.inf

    def reconnected(self) -> None:
        """The connection is back; its server may be a new one."""
        self._reconnected_at = time.monotonic()

    def has(self, subject: str) -> bool:
        """Whether a message on this subject, which the server refused, may be such an answer."""
        since = time.monotonic() - self._reconnected_at
        return subject.upper().startswith("_INBOX.") and since < ANSWERED_WITHIN_S
