"""What the API takes. Unknown members are refused: a misspelt one would be lost in silence."""

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from agent_contracts.ids import check_id
from gateway.http.problems import Kind, ProblemError

MAX_TEXT = 1_000_000
"""Characters of one message."""

MAX_TITLE = 300
MAX_FILES = 100
MAX_TOKENS = 10**12


def _text(value: str) -> str:
    if len(value) > MAX_TEXT:
        raise ProblemError(Kind.TOO_LARGE, f"a message may have at most {MAX_TEXT:,} characters")
    if not value.strip():
        raise ValueError("a message must have text")
    return value


def _id(value: str) -> str:
    return check_id(value)


Id = Annotated[str, AfterValidator(_id), Field(description="1 to 64 letters, digits, `_` or `-`")]
Text = Annotated[str, AfterValidator(_text), Field(description=f"at most {MAX_TEXT:,} characters, not blank")]
Title = Annotated[str, Field(min_length=1, max_length=MAX_TITLE, pattern=r"\S")]
Tokens = Annotated[int, Field(ge=1, le=MAX_TOKENS, description="input + output tokens of the whole session")]


class Request(BaseModel):
    """A request's body."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class CreateSession(Request):
    """Everything may be left out. `message` is said at once; `model` is a litellm model string."""

    agent_id: Id | None = None
    message: Text | None = None
    model: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    token_limit: Tokens | None = None
    title: Title | None = None


class PostMessage(Request):
    """Something a person says; `files` are ids of uploaded files."""

    text: Text
    files: Annotated[list[Id], Field(max_length=MAX_FILES)] = []


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
