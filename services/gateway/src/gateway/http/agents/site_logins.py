"""The logins on sites that a person kept for an agent."""

from typing import Annotated

from fastapi import Path

from agent_contracts.api.browser import ForgottenLogin, KeptLogin
from agent_contracts.api.wire import Page
from agent_domain.site_logins.site_logins import LONGEST_SITE
from gateway.http.wire.one_of import one_of
from gateway.http.wire.parameters import AgentPath, Using
from gateway.http.wire.resource import resource

router = resource("agents", "/agents/{agent_id}/site-logins")

SitePath = Annotated[
    str, Path(min_length=1, max_length=LONGEST_SITE, description="The host name, as the list has it.")
]


@router.get("", operation_id="listSiteLogins")
async def list_site_logins(operations: Using, agent_id: AgentPath) -> Page[KeptLogin]:
    """The sites on which the agent's browsers are logged in from the start."""
    return await operations.site_logins.list(agent_id)


@router.get("/{site}", operation_id="getSiteLogin")
async def get_site_login(operations: Using, agent_id: AgentPath, site: SitePath) -> KeptLogin:
    """One site on which the agent's browsers are logged in from the start."""
    kept = await operations.site_logins.list(agent_id)
    return one_of(kept, lambda one: one.site == site, f"kept login at {site!r}")


@router.delete("/{site}", operation_id="forgetSiteLogin")
async def forget_site_login(operations: Using, agent_id: AgentPath, site: SitePath) -> ForgottenLogin:
    """Forget one: new browsers of the agent don't have it any more. No rewind brings it back."""
    return await operations.site_logins.forget(agent_id, site)
