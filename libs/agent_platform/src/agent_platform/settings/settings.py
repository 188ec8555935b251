"""What every class of settings is made of.

A class of settings reads nothing: a test or a supervisor passes values and gets the defaults for the rest.
`agent_platform.settings.loading` is the one place that looks at the environment and at files.
"""

import os
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from agent_platform.settings.sources import Allowed, at_home


def _absolute(value: Path | None) -> Path | None:
    return None if value is None else Path(os.path.abspath(at_home(value)))


Port = Annotated[int, Field(ge=0, le=65535), Allowed("a port, 0 to 65535 (0: any free one)")]
Seconds = Annotated[float, Field(gt=0), Allowed("seconds, more than 0")]
Count = Annotated[int, Field(ge=1), Allowed("a whole number, 1 or more")]
Folder = Annotated[Path, AfterValidator(_absolute), Allowed("a folder")]
OptionalFolder = Annotated[Path | None, AfterValidator(_absolute), Allowed("a folder")]
OptionalFile = Annotated[Path | None, AfterValidator(_absolute), Allowed("a file")]
OptionalAddress = Annotated[
    str | None, Field(pattern=r"^https?://"), Allowed("an http:// or https:// address")
]


class Settings(BaseModel):
    """What a person can decide. The environment name of each is `FOLDLINE_` and its name in capitals."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    data_dir: Folder = Field(
        default=Path("~/.local/share/foldline"),
        validate_default=True,
        description="log, database, blobs; foldline.toml may lie there",
    )


class SourcedSettings(Settings):
    """Settings of which some may also be written elsewhere. Those that the environment says stay as it says;
    `locked` tells which they are, and is filled in by whoever reads them."""

    locked: str | None = Field(
        default=None, description="settings that were given at the start; filled in by Foldline"
    )

    @property
    def locks(self) -> frozenset[str]:
        """The settings that nothing but the environment changes."""
        return frozenset((self.locked or "").split(","))
