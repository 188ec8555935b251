"""What this installation is set to, as far as a client needs to know. No secrets."""

from pydantic import BaseModel, Field

from gateway.http.parameters import Around
from gateway.http.resource import resource

router = resource("settings")


class PublicSettings(BaseModel):
    """Settings that clients show."""

    model: str | None = Field(description="who answers, unless a session names another; null: not known here")
    token_limit: int = Field(description="model tokens per session")


@router.get("/settings", operation_id="readSettings", response_model=PublicSettings)
async def read_settings(around: Around) -> PublicSettings:
    """Which model answers, and how many tokens a session may use."""
    return PublicSettings(model=around.configured.model, token_limit=around.configured.defaults.token_limit)
