"""`foldline rate`: what a person thinks of an answer."""

import uuid
from enum import StrEnum
from typing import Annotated, Any

import typer

from agent_contracts.errors import Rejected
from agent_contracts.log.address import Address
from foldline.cli.client import Gateway, gateway
from foldline.cli.naming import SessionName, event_option, session_id
from foldline.cli.output import JsonOption, done, failures_shown

_PAGE = 200


class GivenRating(StrEnum):
    """How an answer is rated."""

    UP = "up"
    DOWN = "down"


class NewRating(StrEnum):
    """How to rate an answer."""

    UP = "up"
    DOWN = "down"
    NONE = "none"


def rate(
    session: SessionName,
    rating: Annotated[NewRating, typer.Argument(help="The rating; `none` removes it.")],
    answer: Annotated[Address | None, event_option("The answer to rate; default: the newest")] = None,
    text: Annotated[str | None, typer.Option(help="The reason for the rating.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Rate an answer, or change or remove a rating. Models never see ratings.

    Find what you rated with `foldline sessions --rating down`, or search for its text.
    """
    with failures_shown(), gateway() as door:
        session = session_id(door, session)
        owner, address = (session, str(answer)) if answer is not None else _newest(door, session)
        body: dict[str, Any] = {"answer": address, "rating": None if rating == "none" else rating}
        if text is not None:
            body["text"] = text
        accepted = door.post(f"/sessions/{owner}:rate", body, uuid.uuid4().hex)
        said = (
            f"You took back your rating of {address}" if rating == "none" else f"You rated {address} {rating}"
        )
        done(accepted, said, as_json)


def _newest(door: Gateway, session: str) -> tuple[str, str]:
    """The session and the address of the newest answer of the conversation."""
    page = door.get(f"/sessions/{session}/messages", limit=_PAGE)
    for message in reversed(page["items"]):
        if message["role"] == "assistant" and message["text"].strip() and message["hidden_by"] is None:
            return message["session_id"], message["address"]
    raise Rejected(f"Session {session} has no answer yet that you could rate", kind="not_found")
