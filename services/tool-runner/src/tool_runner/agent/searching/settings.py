"""What the operator says of searching the web."""

from typing import Annotated, Literal

from pydantic import Field, SecretStr

from agent_platform.settings.settings import OptionalAddress, Settings
from agent_platform.settings.sources import Allowed


class SearchSettings(Settings):
    """Where `web_search` asks."""

    search_provider: Annotated[
        Literal["auto", "searxng", "brave", "tavily", "duckduckgo"],
        Allowed("auto, searxng, brave, tavily or duckduckgo"),
    ] = Field(
        default="auto",
        description="where the web is searched; auto: what is configured below, else duckduckgo",
    )
    searxng_url: OptionalAddress = Field(default=None, description="a SearXNG of yours, which may be private")
    brave_api_key: SecretStr | None = Field(default=None, description="a key for Brave Search")
    tavily_api_key: SecretStr | None = Field(default=None, description="a key for Tavily")
