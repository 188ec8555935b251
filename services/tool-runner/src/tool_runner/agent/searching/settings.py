"""What is said of searching the web."""

from agent_domain.personal.declarations import SearchKeySettings, SearchSettings


class WebSearchSettings(SearchSettings, SearchKeySettings):
    """Where `web_search` asks, and with which keys."""
