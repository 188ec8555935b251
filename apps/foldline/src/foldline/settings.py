"""What the command line and the supervisor are told, and everything that can be told at all."""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from agent_platform.services.declaration import ServiceDeclaration
from agent_platform.services.discovery import discover
from agent_platform.settings.loading import AllSettings, load_all, looked_over
from agent_platform.settings.shared import StreamsSettings
from agent_platform.settings.sources import AllowedValues
from browser_pool.chromium.settings import ChromiumSettings
from gateway.settings import GatewaySettings
from model_caller.settings import ModelChoiceSettings
from workspace_host.settings import HostModeSettings


class UpSettings(GatewaySettings, StreamsSettings, ModelChoiceSettings, ChromiumSettings, HostModeSettings):
    """What `foldline up` decides before any service starts: where everything is, and which model answers."""

    nats_sync: Annotated[
        str,
        Field(pattern=r"^(always|\d+(ms|s|m))$"),
        AllowedValues("`always`, or a duration such as 500ms, 1s or 2m"),
    ] = Field(
        default="always",
        description="when the embedded log is flushed; anything but `always` can lose the last moments",
    )
    log_read_at_start: int = Field(
        default=8_388_608,
        ge=0,
        description="up to how many bytes the embedded log is read before a start; a larger one after it",
    )


def load(services: Sequence[ServiceDeclaration] | None = None, **given: Any) -> AllSettings:
    """All settings of all services that are installed, and of the command line. Raises SettingsError."""
    declared = discover() if services is None else services
    return load_all([UpSettings, *(one.settings for one in declared)], **given)


def look_over() -> tuple[AllSettings, list[str]]:
    """The same, to be shown: with what is wrong, in sentences, in place of an error."""
    return looked_over([UpSettings, *(one.settings for one in discover())])


def up_settings(**given: Any) -> UpSettings:
    """The command line's own, after all were checked."""
    return load(**given).of(UpSettings)
