"""Whether anything can be stored now: seen by storing something."""

import time

from agent_contracts.log.record.records import NewMessage
from agent_contracts.log.subjects import PROBE_STREAM, probe_subject
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import NatsConnection

_BYTES = 16 * 1024
"""More than the rest of a page: a full disk still takes a few bytes where a file ends."""
_GOOD_FOR_S = 5.0


class StorageProbe:
    """Stores a message in place of the last one, so that nothing grows; every 5 s as long as it works."""

    def __init__(self, connection: NatsConnection, service: str) -> None:
        """`service` names whose probe it is."""
        self._connection = connection
        self._subject = probe_subject(service)
        self._log = JetStreamLog(connection, stream=PROBE_STREAM, timeout_s=1.5)
        self._worked_at: float | None = None

    async def check(self) -> None:
        """`Transient` if nothing can be stored: by the server's own word, where that can be asked, or because
        it didn't store this."""
        await self._connection.check_storage()
        if self._worked_at is not None and time.monotonic() - self._worked_at < _GOOD_FOR_S:
            return
        self._worked_at = None
        await self._log.append(NewMessage(self._subject, bytes(_BYTES), {}))
        self._worked_at = time.monotonic()
