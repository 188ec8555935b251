"""A moment of the clock, as the API says it."""

from typing import Annotated

import msgspec

Timestamp = Annotated[str, msgspec.Meta(extra_json_schema={"format": "date-time"})]
"""RFC 3339 in UTC, such as `2026-11-28T12:00:00.000Z`. A field that has one ends in `_at`."""
