"""Where the web is searched: one port, and an adapter for each service."""
