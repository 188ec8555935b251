"""Browsers that are logged in."""

from agent_contracts.api.wire import ResponseBody
from agent_contracts.timestamp import Timestamp


class Login(ResponseBody, frozen=True, kw_only=True):
    """A browser that logged in to Foldline."""

    id: str
    """Id of the login, to end it."""
    created_at: Timestamp
    seen_at: Timestamp
    """When it was last used, exact to an hour."""
    ends_at: Timestamp
    """When it ends unless it is used."""
    address: str
    """IP address that it came from."""
    browser: str
    """What the browser says of itself (`User-Agent`)."""


class RevokedLogins(ResponseBody, frozen=True, kw_only=True):
    """What revoking did."""

    revoked: int
    """Number of logins that ended."""
