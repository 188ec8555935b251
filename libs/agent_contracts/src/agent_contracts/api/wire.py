"""What the bodies of requests and answers are made of. The gateway, the CLI and every client share them."""

from typing import Annotated, Generic, TypeVar

import msgspec

from agent_contracts.ids import ID_PATTERN, check_id


class ResponseBody(msgspec.Struct, frozen=True, kw_only=True):
    """An answer, or a part of one. It is sent with every member, those at their default too."""


T = TypeVar("T")


class Page(ResponseBody, Generic[T], frozen=True, kw_only=True):
    """A page of a list."""

    items: list[T]
    """The entries of this page."""
    next_cursor: str | None = None
    """Send it back as `cursor` for the next page. Null: this is the last page."""


class RequestBody(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A request's body, or a part of one. Unknown members are refused: a misspelt one would be lost in
    silence."""


class SecretBody(RequestBody, frozen=True, kw_only=True):
    """A body that holds what nobody may read in a log: shown, it is its name alone."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}(…)"


MAX_SEQUENCE = 2**63 - 1
Number = Annotated[int, msgspec.Meta(ge=1, le=MAX_SEQUENCE)]
"""Of an event, or a version."""
Current = (
    Annotated[
        int,
        msgspec.Meta(
            ge=0,
            le=MAX_SEQUENCE,
            description="Refuse the change unless this is its version now (0: none yet).",
        ),
    ]
    | None
)
Id = Annotated[str, msgspec.Meta(extra_json_schema={"pattern": ID_PATTERN})]
"""Its struct checks it (`check_ids`): what isn't one is a problem of its own."""


def check_ids(*ids: str | None) -> None:
    """`Rejected(kind="invalid_id")` for the first that can't be one."""
    for one in ids:
        if one is not None:
            check_id(one)
