"""Messages of ACP as they are read and written. Heavy, as `client`."""

import json
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec
from acp.schema import (
    AllowedOutcome,
    DeniedOutcome,
    PermissionOption,
    RequestPermissionResponse,
    ToolCallUpdate,
)
from pydantic import BaseModel, ValidationError

_SAID = 300

M = TypeVar("M", bound=BaseModel)


class AcpViolation(Exception):
    """The agent doesn't keep to the protocol; the message says how."""


class AcpFailure(Exception):
    """The agent says, by the protocol, that it can't; the message has its words."""


class Wish(msgspec.Struct, frozen=True):
    """What the agent asks leave for: its `kind` by ACP (`execute`, `edit` …), in words, and its input."""

    kind: str
    title: str
    given: Any


def option_of(options: list[PermissionOption], *, allowed: bool) -> str | None:
    """The answer to choose. A yes is for this once: with one for longer, later wishes would not be asked."""
    kinds = ("allow_once",) if allowed else ("reject_once", "reject_always")
    return next((one.option_id for kind in kinds for one in options if one.kind == kind), None)


def permitted(option: str | None) -> RequestPermissionResponse:
    """The answer that chooses this option, or (None) none."""
    if option is None:
        return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
    return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=option))


def wish_of(call: ToolCallUpdate) -> Wish:
    """What a request for leave is for."""
    return Wish(call.kind or "other", call.title or "", call.raw_input)


def message_in(line: str) -> Mapping[str, Any]:
    """A line as a message. Raises `AcpViolation`."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise AcpViolation(f"it wrote something that is not JSON: {line[:80]!r}") from error
    if not isinstance(message, dict):
        raise AcpViolation("it wrote JSON that is not a message")
    return message


def answer_in(method: str, message: Mapping[str, Any], shape: type[M]) -> M:
    """The result in an answer. Raises `AcpFailure` for an error, `AcpViolation` for anything else."""
    match message:
        case {"error": {"message": str(said)}}:
            raise AcpFailure(" ".join(said.split())[:_SAID])
        case {"result": result}:
            try:
                return shape.model_validate(result)
            except ValidationError as error:
                raise AcpViolation(f"its answer to {method} is not what ACP says") from error
    raise AcpViolation(f"its answer to {method} has neither a result nor an error")


def plain(model: BaseModel) -> Any:
    """As JSON."""
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)
