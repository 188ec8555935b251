"""What requests' bodies are made of. Unknown members are refused: a misspelt one would be lost in silence."""

from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from agent_contracts.ids import check_id
from gateway.http.wire.parameters import MAX_SEQUENCE
from gateway.operations.agents.edits import Target
from gateway.operations.sessions.rules import MAX_TEXT, MAX_TITLE, check_length


def of_a_length(value: str) -> str:
    """The text, if it isn't too long for a message."""
    check_length(value)
    return value


def _text(value: str) -> str:
    of_a_length(value)
    if not value.strip():
        raise ValueError("A message must have text")
    return value


def _id(value: str) -> str:
    return check_id(value)


Id = Annotated[str, AfterValidator(_id), Field(description="1 to 64 letters, digits, `_` or `-`")]
Text = Annotated[str, AfterValidator(_text), Field(description=f"at most {MAX_TEXT:,} characters, not blank")]
Title = Annotated[str, Field(min_length=1, max_length=MAX_TITLE, pattern=r"\S")]
Number = Annotated[int, Field(ge=1, le=MAX_SEQUENCE)]
Current = Annotated[
    int | None,
    Field(ge=0, le=MAX_SEQUENCE, description="change it only if this is its version now (0: none yet)"),
]


class Request(BaseModel):
    """A request's body."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Revert(Request):
    """Which version to go back to: one of the two. `sequence` names the event that made it."""

    version: Number | None = None
    sequence: Number | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.version is None) == (self.sequence is None):
            raise ValueError("Name either a version or a sequence")
        return self

    @property
    def target(self) -> Target:
        """The version that is meant."""
        return Target(self.version, self.sequence)
