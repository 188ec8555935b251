"""The user's secrets: encrypted at rest, and the key that only this installation has."""
