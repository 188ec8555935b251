"""Browsers that are logged in."""

from agent_contracts.api.wire import ResponseBody
from agent_contracts.timestamp import Timestamp


class Login(ResponseBody, frozen=True, kw_only=True):
    """A browser that logged in. `seen_at` is exact to an hour. `browser` is what it says of itself."""

    id: str
    created_at: Timestamp
    seen_at: Timestamp
    ends_at: Timestamp
    address: str
    browser: str


class RevokedLogins(ResponseBody, frozen=True, kw_only=True):
    """How many logins ended."""

    revoked: int
