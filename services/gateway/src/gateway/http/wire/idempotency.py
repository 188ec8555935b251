"""The header `Idempotency-Key`."""

from typing import Annotated

import msgspec
from fastapi import Header

from agent_contracts.ids import SessionId
from gateway.operations.idempotency import MAX_KEY, IdempotentRequest
from gateway.operations.idempotency import asked as asked_for

KeyHeader = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        max_length=MAX_KEY,
        description="The same key and body: the first answer again. Another body: refused.",
    ),
]


def asked(
    key: str | None, body: msgspec.Struct | None = None, session_id: SessionId | None = None
) -> IdempotentRequest:
    """What a request asks for, of a session or (None) of all."""
    content = None if body is None else msgspec.to_builtins(body)
    return asked_for(key, content, session_id)
