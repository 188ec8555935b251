"""What every class of settings is made of.

A class of settings reads nothing: a test or a supervisor passes values and gets the defaults for the rest.
`agent_platform.settings.loading` is the one place that looks at the environment and at files.
"""

import os
from pathlib import Path
from typing import Annotated, Any, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from agent_platform.secrecy.known_secrets import KNOWN, passwords_in
from agent_platform.settings.characters import cleaned, cleaned_list, flaw_in_key, flaw_in_name, flaw_in_text
from agent_platform.settings.sources import NAMED_FLAW, AllowedValues, at_home


def _absolute(value: Path | None) -> Path | None:
    return None if value is None else Path(os.path.abspath(at_home(value)))


Port = Annotated[int, Field(ge=0, le=65535), AllowedValues("a port, 0 to 65535 (0: any free one)")]
Seconds = Annotated[float, Field(gt=0), AllowedValues("seconds, more than 0")]
Count = Annotated[int, Field(ge=1), AllowedValues("a whole number, 1 or more")]
Amount = Annotated[int, Field(ge=0), AllowedValues("a whole number, 0 or more")]
Days = Annotated[float, Field(ge=0), AllowedValues("days, 0 or more")]
Folder = Annotated[Path, AfterValidator(_absolute), AllowedValues("a folder")]
OptionalFolder = Annotated[Path | None, AfterValidator(_absolute), AllowedValues("a folder")]
OptionalFile = Annotated[Path | None, AfterValidator(_absolute), AllowedValues("a file")]
OptionalAddress = Annotated[
    str | None, Field(pattern=r"^https?://"), AllowedValues("an http:// or https:// address")
]


_NAMES = ("_url", "model", "model_low", "model_medium", "model_high", "_model", "_endpoint")
"""How the settings end that hold an address or the name of a model."""
_KEYS = ("_key", "token")
"""How the secret settings end that are sent in headers."""
_LISTS = ("model", "model_low", "model_medium", "model_high", "_api_key")
"""How the settings end that hold several names or keys, separated by commas."""


class BaseSettings(BaseModel):
    """What a person can decide. The environment name of each is `FOLDLINE_` and its name in capitals.

    A text with a character that it can't have is refused, whoever sets it: by environment, file, command line
    or Studio. Secret settings are kept out of all texts that this process stores or shows from then on.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    data_dir: Folder = Field(
        default=Path("~/.local/share/foldline"),
        validate_default=True,
        description="log, database, blobs; foldline.toml may lie there",
    )

    @field_validator("*", mode="before")
    @classmethod
    def _readable(cls, value: Any, info: ValidationInfo) -> Any:
        name = info.field_name or ""
        annotation = cls.model_fields[name].annotation
        text = value.get_secret_value() if isinstance(value, SecretStr) else value
        if not isinstance(text, str):
            return value
        is_secret = SecretStr in (annotation, *get_args(annotation))
        if is_secret and name.endswith(_KEYS):
            value = text = cleaned_list(text) if name.endswith(_LISTS) else cleaned(text)
            flaw = flaw_in_key(text)
        elif name.endswith(_NAMES):
            value = text = cleaned_list(text) if name.endswith(_LISTS) else cleaned(text)
            flaw = flaw_in_name(text)
        else:
            flaw = (
                flaw_in_text(text) if str in get_args(annotation) or annotation is str or is_secret else None
            )
        if flaw is not None:
            raise PydanticCustomError(NAMED_FLAW, "{flaw}", {"flaw": flaw})
        return value

    def model_post_init(self, context: Any, /) -> None:
        """What is secret of them stays out of texts."""
        for name in type(self).model_fields:
            match getattr(self, name):
                case SecretStr() as secret:
                    KNOWN.learn(secret.get_secret_value())
                case str() as text if "://" in text and "@" in text:
                    KNOWN.learn(*passwords_in(text))
                case _:
                    pass


class SourcedSettings(BaseSettings):
    """Settings of which some may also be written elsewhere. Those that the environment says stay as it says;
    `locked` tells which they are, and is filled in by whoever reads them."""

    locked: str | None = Field(
        default=None, description="settings that were given at the start; filled in by Foldline"
    )

    @property
    def locks(self) -> frozenset[str]:
        """The settings that nothing but the environment changes."""
        return frozenset((self.locked or "").split(","))
