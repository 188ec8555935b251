"""Which settings are a person's: they can be written while Foldline runs, and hold from the next call on.

All others are an operator's: they say how processes start, so the environment and `foldline.toml` alone have
them.
"""

from typing import Annotated, Literal

from pydantic import Field, SecretStr

from agent_domain.budgets.caps import OF_ALL_AGENTS, BudgetSettings
from agent_domain.models import KeySettings, ModelSettings
from agent_domain.sessions.new_session_settings import NewSessionSettings
from agent_domain.settings import TimezoneSettings
from agent_platform.settings.settings import BaseSettings, OptionalAddress
from agent_platform.settings.sources import AllowedValues


class SearchSettings(BaseSettings):
    """Where `web_search` asks."""

    search_provider: Annotated[
        Literal["auto", "searxng", "brave", "tavily", "duckduckgo"],
        AllowedValues("auto, searxng, brave, tavily or duckduckgo"),
    ] = Field(
        default="auto",
        description="who is asked when the agent searches the web; auto: the one that you give a key or an "
        "address, else DuckDuckGo",
    )
    searxng_url: OptionalAddress = Field(
        default=None,
        max_length=2000,
        description="the address of a SearXNG of your own, also in your own network",
    )


class SearchKeySettings(BaseSettings):
    """The keys of search engines."""

    brave_api_key: SecretStr | None = Field(
        default=None, description="a key for Brave Search, which you get from Brave"
    )
    tavily_api_key: SecretStr | None = Field(
        default=None, description="a key for Tavily, which you get from Tavily"
    )


class NotificationSettings(BaseSettings):
    """How often a person is told something."""

    notifications_limit: Annotated[int, Field(ge=1, le=1000), AllowedValues("a whole number, 1 to 1000")] = (
        Field(default=5, description="so many at most; what is more comes as one summary")
    )


class CommandSettings(BaseSettings):
    """What commands in the workspace have."""

    command_network: Annotated[Literal["none", "policy"], AllowedValues("none or policy")] = Field(
        default="none",
        description="the network of an agent's commands: none, or web requests alone, each by the policy",
    )


class OpenSettings(
    ModelSettings,
    SearchSettings,
    NewSessionSettings,
    BudgetSettings,
    TimezoneSettings,
    NotificationSettings,
    CommandSettings,
):
    """A person's settings that anybody may see."""


class PersonSettings(OpenSettings, KeySettings, SearchKeySettings):
    """All of a person's settings."""


INSTALLATION_ONLY = frozenset({"prices", "notifications_limit"}) | OF_ALL_AGENTS
"""Settings that no agent has for itself."""
