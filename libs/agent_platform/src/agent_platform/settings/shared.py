"""Settings that several services have. A service's own class is composed of these, and of its own."""

from typing import Annotated, Any, Literal

import msgspec
from pydantic import Field, SecretStr, field_validator

from agent_contracts.errors import Rejected
from agent_platform.nats.consumer_spec import ConsumerSpec
from agent_platform.settings.settings import BaseSettings, Count, OptionalAddress, OptionalFile, Seconds
from agent_platform.settings.sources import AllowedValues


class LogSettings(BaseSettings):
    """What is logged, and how."""

    log_level: Annotated[
        Literal["debug", "info", "warning", "error"], AllowedValues("debug, info, warning or error")
    ] = Field(default="info", description="what is logged")
    log_file: OptionalFile = Field(
        default=None, description="a file that gets info as JSON; up writes logs/ in the data directory"
    )
    log_file_size: Count = Field(
        default=50_000_000, description="bytes of that log that are kept, in five files"
    )
    slow_after: Annotated[float, Field(ge=0, le=86_400), AllowedValues("seconds, 0 or more")] = Field(
        default=30,
        description="seconds after which a request, a first token or a tool is logged as slow; 0: none is",
    )
    log_format: Annotated[Literal["console", "json"], AllowedValues("console or json")] = Field(
        default="console", description="how it is logged"
    )

    @field_validator("log_level", "log_format", mode="before")
    @classmethod
    def _lower(cls, value: Any) -> Any:
        return value.lower() if isinstance(value, str) else value


class NatsSettings(BaseSettings):
    """Where NATS is, and as whom to connect."""

    nats_url: str | None = Field(default=None, description="NATS to use instead of the embedded one")
    nats_credentials: SecretStr | None = Field(default=None, description="user:password for that server")
    nats_monitor_url: OptionalAddress = Field(
        default=None, description="that server's monitoring port, which is asked whether it can store"
    )


class PostgresSettings(BaseSettings):
    """Where the database is, and how to get in."""

    postgres_dsn: SecretStr | None = Field(default=None, description="Postgres instead of the embedded one")

    def required_dsn(self) -> str:
        """The address of Postgres; `Rejected` if none is named."""
        if self.postgres_dsn is None:
            raise Rejected(
                "FOLDLINE_POSTGRES_DSN is not set: name the database, or start everything by `foldline up`",
                kind="no_url",
            )
        return self.postgres_dsn.get_secret_value()


class WorkSettings(BaseSettings):
    """How a service takes work that others may take too."""

    ack_wait: Seconds = Field(
        default=30, description="seconds until unacknowledged work is given to another process"
    )
    work_parallel: Count = Field(default=64, description="calls worked on at a time, per consumer")

    def paced(self, spec: ConsumerSpec) -> ConsumerSpec:
        """The consumer as these settings want it."""
        return msgspec.structs.replace(spec, ack_wait_s=self.ack_wait, parallel=self.work_parallel)


class QuotaSettings(BaseSettings):
    """How much one agent may have the log grow, and keep."""

    agent_log_limit: Annotated[
        int, Field(ge=0, le=2**53), AllowedValues("a whole number of bytes, 0 or more")
    ] = Field(
        default=1024**3, description="bytes that one agent may add to the log in a day (UTC); 0: no limit"
    )
    agent_kept_limit: Annotated[
        int, Field(ge=0, le=2**53), AllowedValues("a whole number of bytes, 0 or more")
    ] = Field(
        default=1024**3,
        description="bytes that one agent may keep: files, database, texts, code, state; 0: no limit",
    )


class StreamsSettings(NatsSettings, WorkSettings, LogSettings):
    """What whoever makes the streams is told."""


class ServiceSettings(NatsSettings, LogSettings):
    """What every service is told."""

    host: str = Field(default="127.0.0.1", description="address that pages and health checks are served on")
    health_port: Annotated[int | None, Field(ge=0, le=65535), AllowedValues("a port, 0 to 65535")] = Field(
        default=None, description="serves /healthz, /readyz, /metrics on HOST; none if not given"
    )
    otel_exporter_otlp_endpoint: OptionalAddress = Field(
        default=None, description="where traces go; the standard name, without the prefix"
    )
