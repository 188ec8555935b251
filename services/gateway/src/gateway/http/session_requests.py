"""What the API takes about sessions."""

from typing import Annotated, Any

from pydantic import Field

from gateway.http.request import Id, Request, Text, Title
from gateway.operations.sessions.rules import MAX_FILES, MAX_MODEL, MAX_TOKENS

Tokens = Annotated[int, Field(ge=1, le=MAX_TOKENS, description="input + output tokens of the whole session")]


class CreateSession(Request):
    """Everything may be left out. `message` is said at once; `model` is a litellm model string."""

    agent_id: Id | None = None
    message: Text | None = None
    model: Annotated[str, Field(min_length=1, max_length=MAX_MODEL)] | None = None
    token_limit: Tokens | None = None
    title: Title | None = None


class PostMessage(Request):
    """Something a person says; `files` are ids of uploaded files."""

    text: Text
    files: Annotated[list[Id], Field(max_length=MAX_FILES)] = Field(default=[])


class PostToolResponse(Request):
    """An answer to a pending call. To an `ask_user` call: `{"answer": str}`."""

    call_id: Id
    response: Any


class Continue(Request):
    """The new limit, for a session that reached its old one."""

    token_limit: Tokens


class Rename(Request):
    """Another title."""

    title: Title
