"""The type of any JSON value."""

from typing import Any

Json = Any
"""A JSON value: null, bool, int, float, str, list of Json or dict of str to Json.

`Any`, since a recursive type would cost every reader a cast.
"""
