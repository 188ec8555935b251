"""The course of a session, as people look at it: what happened, a row each."""

from typing import Literal

Group = Literal["messages", "model", "tools", "changes", "rewind", "attention"]
"""`changes`: calls that changed something of the agent. `attention`: what is open or failed."""
