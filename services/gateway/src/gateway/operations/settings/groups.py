"""What belongs together, as people look for it."""

from agent_contracts.api.settings import Group
from agent_domain.budgets.caps import CAPS

_BY_NAME: dict[str, Group] = {
    **dict.fromkeys((*CAPS, "external_calls_limit"), "budgets"),
    "prices": "prices",
    "token_limit": "limits",
    "child_timeout": "limits",
    "child_depth": "limits",
    "child_count": "limits",
    "retry_delays": "limits",
    "search_provider": "search",
    "searxng_url": "search",
    "brave_api_key": "search",
    "tavily_api_key": "search",
    "command_network": "commands",
    "timezone": "people",
    "notifications_limit": "people",
}


def group_of(name: str) -> Group:
    """The group of a setting; those that aren't listed are about models."""
    return _BY_NAME.get(name, "keys" if name.endswith("_api_key") else "models")
