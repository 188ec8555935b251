"""Settings of an agent: entities of the kind `setting`, by these names."""

TIMEZONE_SETTING = "timezone"
"""The zone of the times that people and the agent write: an IANA name. Without it, the server's."""
