"""Whose browser a sub-session uses."""

from typing import Literal

WhoseBrowser = Literal["own", "parent"]
"""A browser of its own, or pages of its own in that of its parent: with the same cookies and logins."""
