"""Logins of people at servers (OAuth 2.1): begun, finished, kept in the vault, refreshed, ended."""
