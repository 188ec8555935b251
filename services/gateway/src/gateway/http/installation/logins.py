"""Browser sessions: listed, and ended."""

from typing import Annotated

from fastapi import Path

from agent_contracts.api.logins import Login, RevokedLogins
from agent_contracts.api.wire import Page
from gateway.http.wire.one_of import one_of
from gateway.http.wire.parameters import Using
from gateway.http.wire.resource import resource

router = resource("operators", "/logins")

LoginPath = Annotated[str, Path(pattern="^[0-9a-f]{32}$", description="Id of the login.")]


@router.get("", operation_id="listLogins")
async def list_logins(operations: Using) -> Page[Login]:
    """The browsers that are logged in."""
    return await operations.logins.list()


@router.delete("", operation_id="revokeLogins")
async def revoke_all(operations: Using) -> RevokedLogins:
    """Log every browser out, within 5 s."""
    return await operations.logins.revoke_all()


@router.get("/{login_id}", operation_id="getLogin")
async def get_login(operations: Using, login_id: LoginPath) -> Login:
    """A browser that is logged in."""
    return one_of(await operations.logins.list(), lambda one: one.id == login_id, f"login {login_id}")


@router.delete("/{login_id}", operation_id="revokeLogin")
async def revoke(operations: Using, login_id: LoginPath) -> RevokedLogins:
    """Log one browser out, within 5 s."""
    return await operations.logins.revoke(login_id)
