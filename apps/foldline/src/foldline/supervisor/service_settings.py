"""What each service is told: the person's settings, plus where the servers are and as whom to connect."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from pydantic import SecretStr
from pydantic_core import to_json

from agent_contracts.errors import Rejected
from agent_platform.process.stop_points import STOP_DIR
from agent_platform.services.declaration import ServiceDeclaration
from agent_platform.settings.loading import AllSettings
from agent_platform.settings.rows import setting_rows
from agent_platform.settings.settings import BaseSettings
from agent_platform.settings.shared import ServiceSettings
from agent_platform.settings.sources import PREFIX, in_json, variable
from foldline.supervisor.servers import Addresses
from model_caller.choosing.model_choice import ModelChoice

GATEWAY = "gateway"
"""The service that is ready when Foldline is."""

GENERAL = (
    *("PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "LC_*", "TZ", "TMPDIR", "TERM", "XDG_*"),
    *("LD_LIBRARY_PATH", "DYLD_*", "MALLOC_*", "PYTHON*", "VIRTUAL_ENV", "NO_COLOR", "COLUMNS"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "OTEL_*", "COVERAGE_*"),
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
    *("http_proxy", "https_proxy", "all_proxy", "no_proxy"),
)
"""Variables that are not about Foldline and that every process may have, where `*` stands for anything."""

_FOR_TESTS = (STOP_DIR,)
_PLAIN_DSN = re.compile(r"postgresql://[^@/?#]*@(?P<host>[\w.-]+:\d+)/\w+")
"""An address of one host and a port, as that of the embedded Postgres is."""


def told(  # noqa: PLR0913 — each is known by somebody else
    service: ServiceDeclaration,
    everything: AllSettings,
    addresses: Addresses,
    model: ModelChoice,
    port: int,
    expected: Iterable[str] = (),
    own_token: str | None = None,
) -> ServiceSettings:
    """The settings of one service, of which it gets those that it declares and no other. An external NATS
    keeps the credentials that the person gave. `expected` are those that run from the start. The person's
    token is for Foldline's own services; another gets its `own_token`, or none."""
    token = addresses.gateway_token if service.is_ours else own_token
    changes: dict[str, Any] = {
        "nats_url": addresses.nats_url,
        "nats_monitor_url": addresses.nats_monitor_url,
        "postgres_dsn": SecretStr(addresses.postgres_dsn),
        "token": SecretStr(token) if token else None,
        "port": port,
        # One address can't serve several services: the gateway answers for `up`.
        "health_port": everything.values["health_port"] if service.name == GATEWAY else None,
        "egress_refused_hosts": ",".join(
            filter(
                None,
                (
                    everything.values.get("egress_refused_hosts"),
                    *addresses.unprotected,
                    *hosts_of(addresses.postgres_dsn),
                    *_health_page(everything),
                ),
            )
        ),
        "declared": declared(everything),
        "expected_services": ",".join(expected),
        "model": model.model,
        "model_base_url": model.base_url,
        "model_api_key": SecretStr(model.api_key) if model.api_key else None,
    }
    if service.nats_user in addresses.nats_passwords:
        password = addresses.nats_passwords[service.nats_user]
        changes["nats_credentials"] = SecretStr(f"{service.nats_user}:{password}")
    return everything.of(service.settings, **changes)


def told_alone(service: ServiceDeclaration, everything: AllSettings) -> ServiceSettings:
    """The settings of a service that runs by itself, against servers that the person named. One that isn't
    given the address of Postgres is told to keep away from it."""
    dsn = everything.values["postgres_dsn"]
    refused = [everything.values.get("egress_refused_hosts")]
    if dsn is not None:
        refused += hosts_of(dsn.get_secret_value())
    return everything.of(
        service.settings,
        egress_refused_hosts=",".join(filter(None, refused)),
        declared=declared(everything),
    )


def _health_page(everything: AllSettings) -> Sequence[str]:
    """`host:port` of what answers without a password, if there is one."""
    port, host = everything.values["health_port"], everything.values["host"]
    return [f"{one}:{port}" for one in dict.fromkeys(("127.0.0.1", host))] if port else []


def declared(everything: AllSettings) -> str:
    """All settings as people may see them, for the service that shows them."""
    return to_json(setting_rows(everything)).decode()


def hosts_of(dsn: str) -> list[str]:
    """`host:port` of each server that an address of Postgres names. `Rejected` if it can't be read."""
    plain = _PLAIN_DSN.fullmatch(dsn)
    if plain is not None:
        return [plain["host"]]
    # Heavy: it reads all ways to write an address, for those that people write.
    from psycopg.conninfo import conninfo_to_dict
    from psycopg.errors import ProgrammingError

    try:
        info = conninfo_to_dict(dsn)
    except ProgrammingError as error:
        raise Rejected("FOLDLINE_POSTGRES_DSN can't be read") from error
    hosts = str(info.get("host") or "localhost").split(",")
    ports = str(info.get("port") or 5432).split(",")
    return [f"{host}:{ports[min(at, len(ports) - 1)] or 5432}" for at, host in enumerate(hosts)]


def environment_for(service: ServiceDeclaration, settings: BaseSettings) -> Mapping[str, str]:
    """The whole environment of a service's process: its settings, general variables, and those that it says
    it needs. Holds secrets: never on a command line."""
    wanted = (*GENERAL, *service.environment)
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name in _FOR_TESTS
        or (not name.startswith(PREFIX) and any(fnmatchcase(name, pattern) for pattern in wanted))
    }
    return {**inherited, **_variables(settings)}


def _variables(settings: BaseSettings) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for name in type(settings).model_fields:
        value = getattr(settings, name)
        if value is not None:
            found[variable(name)] = _in_variable(value)
    return found


def _in_variable(value: Any) -> str:
    match value:
        case SecretStr():
            return value.get_secret_value()
        case dict():
            return in_json(value)
        case _:
            return str(value)
