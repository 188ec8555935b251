"""How a session begins that nobody's session made: its limits, by the settings."""

from typing import Annotated

import msgspec
from pydantic import Field

from agent_contracts.ids import AgentId
from agent_contracts.session_events.inputs import BegunBy, Created
from agent_platform.settings.settings import BaseSettings
from agent_platform.settings.sources import AllowedValues


class Defaults(msgspec.Struct, frozen=True):
    """What a new session gets: its limit of tokens unless it names another, and the limits of its
    sub-sessions (seconds of running time, levels, live ones at a time), and after how many seconds each a
    failed turn goes on by itself."""

    token_limit: int = 1_000_000
    child_timeout_s: float = 120.0
    child_depth: int = 3
    child_count: int = 10
    retry_delays_s: tuple[float, ...] = (30.0, 120.0, 600.0, 1800.0)

    def created(
        self,
        agent_id: AgentId,
        *,
        token_limit: int | None = None,
        title: str | None = None,
        model: str | None = None,
        begun_by: BegunBy | None = None,
    ) -> Created:
        """The first event of a session at the top."""
        return Created(
            agent_id=agent_id,
            token_limit=token_limit or self.token_limit,
            title=title,
            model=model,
            child_timeout_s=self.child_timeout_s,
            child_depth=self.child_depth,
            child_count=self.child_count,
            retry_delays_s=self.retry_delays_s,
            begun_by=begun_by,
        )


class NewSessionSettings(BaseSettings):
    """What new sessions get."""

    token_limit: Annotated[int, Field(ge=1, le=10**12), AllowedValues("tokens, 1 to 1000000000000")] = Field(
        default=1_000_000,
        description="so many tokens a chat may use, read and written, before it stops and asks you",
    )
    child_timeout: Annotated[
        float, Field(gt=0, le=31_536_000), AllowedValues("seconds, more than 0, at most 31536000")
    ] = Field(default=120, description="so long a sub-session may work before it is ended")
    retry_delays: Annotated[
        str,
        Field(pattern=r"^(never|[0-9]{1,7}(\.[0-9]+)?(,[0-9]{1,7}(\.[0-9]+)?){0,19})$", max_length=300),
        AllowedValues("up to 20 numbers of seconds, separated by commas, or `never`"),
    ] = Field(
        default="30,120,600,1800",
        description="how long a turn that failed waits before it goes on by itself, try after try; never: it "
        "waits for you",
    )
    child_depth: Annotated[int, Field(ge=1, le=100), AllowedValues("a whole number, 1 to 100")] = Field(
        default=3,
        description="1: a sub-session begins no others; 2: its own sub-sessions begin no others; and so on",
    )
    child_count: Annotated[int, Field(ge=1, le=10_000), AllowedValues("a whole number, 1 to 10000")] = Field(
        default=10, description="so many sub-sessions one chat may have at work at a time"
    )

    def new_session(self) -> Defaults:
        """These settings, for what begins sessions."""
        delays = () if self.retry_delays == "never" else self.retry_delays.split(",")
        return Defaults(
            token_limit=self.token_limit,
            child_timeout_s=self.child_timeout,
            child_depth=self.child_depth,
            child_count=self.child_count,
            retry_delays_s=tuple(float(delay) for delay in delays),
        )
