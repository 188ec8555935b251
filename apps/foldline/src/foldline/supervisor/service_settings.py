"""What each service is told: the person's settings, plus where the servers are and as whom to connect."""

from collections.abc import Mapping

from pydantic import SecretStr

from agent_platform.settings.settings import Settings
from foldline.supervisor.catalogue import Service
from foldline.supervisor.servers import Addresses
from model_caller.model_choice import ModelChoice


def settings_for(
    service: Service, settings: Settings, addresses: Addresses, model: ModelChoice, port: int
) -> Settings:
    """The settings of one service. An external NATS keeps the credentials that the person gave."""
    changes: dict[str, object] = {
        "nats_url": addresses.nats_url,
        "postgres_dsn": SecretStr(addresses.postgres_dsn),
        "token": SecretStr(addresses.gateway_token),
        "port": port,
        "health_port": None,  # one address can't serve several services; the gateway answers for `up`
        "egress_refused_hosts": ",".join(
            filter(None, (settings.egress_refused_hosts, *addresses.unprotected))
        ),
        "model": model.model,
        "model_low": model.low,
        "model_medium": model.medium,
        "model_high": model.high,
        "model_base_url": model.base_url,
        "model_api_key": SecretStr(model.api_key) if model.api_key else None,
    }
    if service.nats_user in addresses.nats_passwords:
        password = addresses.nats_passwords[service.nats_user]
        changes["nats_credentials"] = SecretStr(f"{service.nats_user}:{password}")
    return settings.model_copy(update=changes)


def environment_of(settings: Settings) -> Mapping[str, str]:
    """The settings as environment variables, for a child process. Holds secrets: never on a command line."""
    found: dict[str, str] = {}
    for name in type(settings).model_fields:
        value = getattr(settings, name)
        if value is None:
            continue
        text = value.get_secret_value() if isinstance(value, SecretStr) else str(value)
        found["OTEL_EXPORTER_OTLP_ENDPOINT" if name.startswith("otel_") else f"FOLDLINE_{name.upper()}"] = (
            text
        )
    return found
