"""What the entity of an agent itself says."""

from datetime import datetime
from typing import Annotated

import msgspec


class AgentProfile(msgspec.Struct, frozen=True):
    """What people call the agent, and when it was made."""

    name: str
    created_at: Annotated[datetime, msgspec.Meta(tz=True)]
