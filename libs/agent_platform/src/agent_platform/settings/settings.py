"""Every setting of Foldline, what it means, and where its value came from.

`Settings(...)` itself reads nothing: a test or a supervisor passes values and gets the defaults for the rest.
`load_settings()` is the one place that looks at the environment, at files and at `foldline.toml`.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from agent_platform.settings.sources import (
    DEFAULT,
    PREFIX,
    Allowed,
    SettingsError,
    Source,
    problems_of,
    read_environment,
    read_toml,
)

Port = Annotated[int, Field(ge=0, le=65535), Allowed("a port, 0 to 65535 (0: any free one)")]
Seconds = Annotated[float, Field(gt=0), Allowed("seconds, more than 0")]
Count = Annotated[int, Field(ge=1), Allowed("a whole number, 1 or more")]


def system_timezone() -> str:
    """This machine's IANA time zone: `TZ`, else where /etc/localtime points, else UTC."""
    candidates = [os.environ.get("TZ", "").lstrip(":")]
    localtime = Path("/etc/localtime")
    if localtime.is_symlink():
        candidates.append(str(localtime.resolve()).partition("zoneinfo/")[2])
    return next((name for name in candidates if _is_timezone(name)), "UTC")


def _is_timezone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


class Settings(BaseSettings):
    """What a person can decide. The environment name of each is `FOLDLINE_` and its name in capitals."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="forbid")

    data_dir: Annotated[Path, Allowed("a folder")] = Field(
        default=Path("~/.local/share/foldline"),
        validate_default=True,
        description="log, database, blobs",
    )
    host: str = Field(default="127.0.0.1", description="address that the gateway and health pages listen on")
    port: Port = Field(default=8420, description="the gateway's port; the next free one if it is taken")
    token: SecretStr | None = Field(
        default=None, description="gateway's token; made at the first start. `off`: none, on 127.0.0.1 only"
    )
    allowed_hosts: str = Field(
        default="", description="host names, separated by commas, that the gateway serves besides localhost"
    )
    body_limit: Count = Field(default=4 * 1024 * 1024, description="bytes that a request's body may have")
    ui_dir: Annotated[Path | None, Allowed("a folder")] = Field(
        default=None, description="the built web UI, if it is not found"
    )

    nats_url: str | None = Field(default=None, description="NATS to use instead of the embedded one")
    nats_credentials: SecretStr | None = Field(default=None, description="user:password for that server")
    nats_sync: Annotated[
        str,
        Field(pattern=r"^(always|\d+(ms|s|m))$"),
        Allowed("`always`, or a duration such as 500ms, 1s or 2m"),
    ] = Field(
        default="always",
        description="when the embedded log is flushed; anything but `always` can lose the last moments",
    )
    postgres_dsn: SecretStr | None = Field(default=None, description="Postgres instead of the embedded one")

    model: str | None = Field(
        default=None, description="a litellm model string; else a provider's key, a local Ollama, the demo"
    )
    model_base_url: Annotated[
        str | None, Field(pattern=r"^https?://"), Allowed("an http:// or https:// address")
    ] = Field(default=None, description="any OpenAI-compatible server")
    model_api_key: SecretStr | None = Field(default=None, description="key for that server")
    model_low: str | None = Field(default=None, description="the cheap model; MODEL if not given")
    model_medium: str | None = Field(default=None, description="the middle model; MODEL if not given")
    model_high: str | None = Field(default=None, description="the strong model; MODEL if not given")

    token_limit: Count = Field(default=100_000, description="model tokens per session")
    child_timeout: Seconds = Field(default=120, description="seconds that a sub-session may take")
    child_depth: Count = Field(default=3, description="how deep sub-sessions may nest")
    child_count: Count = Field(default=10, description="sub-sessions of one session at a time")
    timezone: Annotated[str, Allowed("an IANA name such as Europe/Oslo, or UTC")] = Field(
        default_factory=system_timezone, description="for dates that people read or write"
    )
    search_provider: str = Field(default="ddgs", description="who answers web searches")
    chromium_path: Path | None = Field(default=None, description="the browser's program, if it is not found")

    secrets_key: SecretStr | None = Field(
        default=None, description="key that encrypts the user's secrets; made in the data directory"
    )
    egress_private_hosts: str = Field(
        default="",
        description="private hosts that tools may reach, separated by commas: host, host:port or a.b.c.d/n",
    )
    egress_refused_hosts: str = Field(
        default="",
        description="host:port, separated by commas, that tools never reach, besides our own servers",
    )

    sandbox_workers: Annotated[int, Field(ge=0), Allowed("a whole number, 0 or more")] = Field(
        default=0, description="processes for agents' code, per tool runner; 0: one for each core"
    )
    ack_wait: Seconds = Field(default=30, description="seconds until unacknowledged work is given again")
    work_parallel: Count = Field(default=64, description="work in hand at a time, per consumer")
    health_port: Annotated[int | None, Field(ge=0, le=65535), Allowed("a port, 0 to 65535")] = Field(
        default=None, description="serves /healthz, /readyz, /metrics on HOST; none if not given"
    )
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"], Allowed("debug, info, warning or error")
    ] = Field(default="info", description="what is logged")
    log_format: Annotated[Literal["console", "json"], Allowed("console or json")] = Field(
        default="console", description="how it is logged"
    )
    otel_exporter_otlp_endpoint: Annotated[
        str | None, Field(pattern=r"^https?://"), Allowed("an http:// or https:// address")
    ] = Field(default=None, description="where traces go; the standard name, without the prefix")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Only what is passed: an instance made in a test does not depend on the developer's shell."""
        return (init_settings,)

    @field_validator("data_dir", "chromium_path", "ui_dir")
    @classmethod
    def _expand(cls, value: Path | None) -> Path | None:
        return None if value is None else Path(os.path.abspath(value.expanduser()))

    @field_validator("log_level", "log_format", mode="before")
    @classmethod
    def _lower(cls, value: Any) -> Any:
        return value.lower() if isinstance(value, str) else value

    @field_validator("timezone")
    @classmethod
    def _known_timezone(cls, value: str) -> str:
        if value != "UTC" and not _is_timezone(value):
            raise ValueError("no such time zone on this machine")
        return value

    @model_validator(mode="after")
    def _base_url_needs_a_model(self) -> Self:
        if self.model_base_url and not self.model:
            raise ValueError(
                f"{PREFIX}MODEL_BASE_URL is set but {PREFIX}MODEL is not; "
                f"name the model that this server offers, for example {PREFIX}MODEL=openai/my-model"
            )
        return self


@dataclass(frozen=True)
class LoadedSettings:
    """The settings, and for each by its field name the place its value came from."""

    settings: Settings
    sources: Mapping[str, Source]


def load_settings(
    environ: Mapping[str, str] | None = None, *, folder: Path | None = None, **given: Any
) -> LoadedSettings:
    """Read everything that sets a setting. The first of these wins: `given` (a command line's options that
    are not None), the environment, `FOLDLINE_X_FILE`, `foldline.toml` in `folder` (default: the current one)
    or else in the data directory, the default.

    Raises SettingsError (a Rejected) that lists every wrong value with its source and what is allowed.
    """
    environ = os.environ if environ is None else environ
    values: dict[str, Any] = {}
    sources: dict[str, Source] = dict.fromkeys(Settings.model_fields, DEFAULT)

    def take(found: Mapping[str, tuple[Any, Source]]) -> None:
        for name, (value, source) in found.items():
            if name not in values:
                values[name], sources[name] = value, source

    take({name: (value, Source("given", name)) for name, value in given.items() if value is not None})
    take(read_environment(Settings, environ))
    here = (folder or Path.cwd()) / "foldline.toml"
    if here.is_file():
        take(read_toml(Settings, here))
    else:
        data_dir = values.get("data_dir", Settings.model_fields["data_dir"].default)
        beside_the_data = Path(data_dir).expanduser() / "foldline.toml"
        if beside_the_data.is_file():
            take(read_toml(Settings, beside_the_data))
    try:
        return LoadedSettings(Settings(**values), sources)
    except ValidationError as error:
        raise SettingsError(problems_of(error, Settings, sources)) from error
