"""What is said of searching the web."""

from agent_domain.personal.declared import SearchKeySettings, SearchSettings


class WebSearchSettings(SearchSettings, SearchKeySettings):
    """Where `web_search` asks, and with which keys."""
