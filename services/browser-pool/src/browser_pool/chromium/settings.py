"""What an operator says about Chromium."""

from typing import Annotated

from pydantic import Field

from agent_platform.settings.settings import BaseSettings, OptionalFile
from agent_platform.settings.sources import AllowedValues
from egress.settings import EgressSettings

_MIB = 1024 * 1024


class ChromiumPathSettings(BaseSettings):
    """Where Chromium is."""

    chromium_path: OptionalFile = Field(default=None, description="the browser's program, if it is not found")


class ChromiumSettings(EgressSettings, ChromiumPathSettings):
    """Where Chromium is, how much it may use, and where it may go."""

    chromium_memory: Annotated[
        int, Field(ge=256 * _MIB), AllowedValues("bytes, 268435456 (256 MiB) or more")
    ] = Field(
        default=2048 * _MIB,
        description="bytes of memory for one of Chromium's processes, such as a page's",
    )
    chromium_disk: Annotated[int, Field(ge=64 * _MIB), AllowedValues("bytes, 67108864 (64 MiB) or more")] = (
        Field(
            default=1024 * _MIB, description="bytes of all files that Chromium writes; more, and it is ended"
        )
    )
