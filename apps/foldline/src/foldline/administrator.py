"""Foldline's servers, reached as who may do everything there."""

from typing import NamedTuple

from agent_contracts.errors import Rejected
from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.services.embedded.passwords import ensure_passwords
from foldline.settings import UpSettings
from foldline.supervisor.announcement import read_announcement

_PATIENCE_S = 5.0


class ServerAddresses(NamedTuple):
    """Where NATS and Postgres are."""

    nats_url: str
    postgres_dsn: str


def servers(settings: UpSettings) -> ServerAddresses:
    """Those of the running Foldline, else those that the settings name. `Rejected` if there are neither."""
    said = read_announcement(settings.data_dir)
    if said is not None:
        return ServerAddresses(said.nats_url, said.postgres_dsn)
    if settings.nats_url is None or settings.postgres_dsn is None:
        raise Rejected(
            f"No Foldline is running on {settings.data_dir}. Try: foldline up "
            "(or set FOLDLINE_NATS_URL and FOLDLINE_POSTGRES_DSN to reach servers of your own)",
            kind="not_running",
        )
    return ServerAddresses(settings.nats_url, settings.postgres_dsn.get_secret_value())


def nats_address(settings: UpSettings) -> str:
    """NATS of the running Foldline, else the one that the settings name. `Rejected` if there is neither."""
    said = read_announcement(settings.data_dir)
    if said is not None:
        return said.nats_url
    if settings.nats_url is None:
        raise Rejected(
            f"No Foldline is running on {settings.data_dir}. Try: foldline up "
            "(or set FOLDLINE_NATS_URL to reach a server of your own)",
            kind="not_running",
        )
    return settings.nats_url


async def connect_as_admin(settings: UpSettings, nats_url: str, name: str) -> NatsConnection:
    """Connect to NATS: to ours as its user `admin`, to one of the person's own with the given credentials.

    `name` shows in the server's monitoring. Raises `Rejected` for a wrong password, `Transient` if no server
    answers within 5 s.
    """
    if settings.nats_url is None:
        user, password = "admin", ensure_passwords(settings.data_dir / "passwords.json", ()).nats.get("admin")
        return await connect(nats_url, name=name, user=user, password=password, timeout=_PATIENCE_S)
    given = settings.nats_credentials.get_secret_value() if settings.nats_credentials else ""
    user, _, own = given.partition(":")
    return await connect(nats_url, name=name, user=user or None, password=own or None, timeout=_PATIENCE_S)
