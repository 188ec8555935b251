"""The one way out: every request that a tool makes on somebody's behalf goes through here."""
