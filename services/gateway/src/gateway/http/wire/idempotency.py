"""The header `Idempotency-Key`."""

from typing import Annotated

from fastapi import Header
from pydantic import BaseModel

from agent_contracts.ids import SessionId
from gateway.operations.asked import MAX_KEY, Asked
from gateway.operations.asked import asked as asked_for

KeyHeader = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        max_length=MAX_KEY,
        description="The same key and body: the first answer again. Another body: refused.",
    ),
]


def asked(key: str | None, body: BaseModel | None = None, session_id: SessionId | None = None) -> Asked:
    """What a request asks for, of a session or (None) of all."""
    content = None if body is None else body.model_dump(mode="json", exclude_unset=True)
    return asked_for(key, content, session_id)
