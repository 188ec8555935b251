"""Where the gateway stands in the addresses of others: below the path that a reverse proxy has put it."""

from starlette.types import Scope

BELOW = "below"
"""What of a request's state is that path: set by `gateway.door.public_path`."""


def prefix_of(scope: Scope) -> str:
    """The path that a proxy has put before the gateway's own, without a `/` at its end; empty if unknown."""
    return str(scope.get("state", {}).get(BELOW, ""))


def root_from(scope: Scope) -> str:
    """The way from the request's address to the gateway's root, as a relative reference."""
    return "../" * (scope["path"].count("/") - 1) or "./"
