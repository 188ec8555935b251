"""Browser sessions: listed, and ended."""

from typing import Annotated

from fastapi import Path

from agent_contracts.api.logins import Login, RevokedLogins
from agent_contracts.api.wire import Page
from gateway.http.wire.parameters import Using
from gateway.http.wire.resource import resource

router = resource("operators", "/logins")


@router.get("", operation_id="listLogins")
async def list_logins(operations: Using) -> Page[Login]:
    """The browsers that are logged in."""
    return await operations.logins.list()


@router.delete("", operation_id="revokeLogins")
async def revoke_all(operations: Using) -> RevokedLogins:
    """Log every browser out, within 5 s."""
    return await operations.logins.revoke_all()


@router.delete("/{login_id}", operation_id="revokeLogin")
async def revoke(
    operations: Using,
    login_id: Annotated[str, Path(pattern="^[0-9a-f]{32}$", description="Id of the login.")],
) -> RevokedLogins:
    """Log one browser out, within 5 s."""
    return await operations.logins.revoke(login_id)
