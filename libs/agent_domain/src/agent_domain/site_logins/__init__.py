"""Logins on sites that a person kept for an agent."""
