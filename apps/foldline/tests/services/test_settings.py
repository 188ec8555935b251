"""The settings of the whole product: one file and one list, of which each service gets its part."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from agent_contracts import service_names
from agent_platform.services.discovery import discover
from agent_platform.settings.loading import FILLED_IN
from agent_platform.settings.rows import setting_rows
from agent_platform.settings.sources import SettingsError, variable
from foldline.settings import UpSettings, load
from foldline.supervisor.servers import Addresses
from foldline.supervisor.service_settings import environment_for, hosts_of, told, told_alone
from foldline.unused_settings import mistyped
from model_caller.choosing.model_choice import choose_model

ADDRESSES = Addresses(
    "nats://127.0.0.1:1",
    {one.nats_user: f"pw-{one.nats_user}" for one in discover()},
    "postgresql://u:dsn-secret@127.0.0.1:2/x",
    "the-gateways-token",
)
SECRETS = {
    "FOLDLINE_SECRETS_KEY": "secrets-key",
    "FOLDLINE_MODEL": "openai/x",
    "FOLDLINE_MODEL_API_KEY": "model-key",
}
KNOWN_TO = {
    "the-gateways-token": {service_names.GATEWAY},
    "dsn-secret": {service_names.GATEWAY, service_names.PROJECTOR},
    "model-key": {service_names.MODEL_CALLER},
    "secrets-key": {
        service_names.BROWSER_POOL,
        service_names.GATEWAY,
        service_names.MCP_HOST,
        service_names.MODEL_CALLER,
        service_names.NOTIFIER,
        service_names.RUNNER,
    },
}


def shown(settings: object) -> str:
    values = dict(settings)  # type: ignore[call-overload]
    return " ".join(
        value.get_secret_value() if isinstance(value, SecretStr) else str(value) for value in values.values()
    )


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FOLDLINE_DATA_DIR", str(tmp_path))
    return monkeypatch


def test_a_service_is_told_the_secrets_that_it_declares_and_no_other(environment: pytest.MonkeyPatch) -> None:
    for name, value in SECRETS.items():
        environment.setenv(name, value)
    everything = load()
    model = choose_model(everything.of(UpSettings), {})
    each = {one.name: shown(told(one, everything, ADDRESSES, model, 7)) for one in discover()}
    assert {
        secret: {name for name, text in each.items() if secret in text} for secret in KNOWN_TO
    } == KNOWN_TO
    for one in discover():
        assert {name for name, text in each.items() if f"pw-{one.nats_user}" in text} == {one.name}


def test_the_gateways_process_knows_which_proxies_to_believe(environment: pytest.MonkeyPatch) -> None:
    """Of the variables without Foldline's prefix, a process has only those that it declares."""
    environment.setenv("FORWARDED_ALLOW_IPS", "10.0.0.7")
    environment.setenv("FOLDLINE_MODEL", "demo")
    everything = load()
    model = choose_model(everything.of(UpSettings), {})
    for one in discover():
        given = environment_for(one, told(one, everything, ADDRESSES, model, 7))
        believes_all = one.name in (service_names.GATEWAY, service_names.MODEL_CALLER)
        assert given.get("FORWARDED_ALLOW_IPS") == ("10.0.0.7" if believes_all else None), one.name


def test_tools_are_kept_from_the_database_without_being_told_its_password(
    environment: pytest.MonkeyPatch,
) -> None:
    environment.setenv("FOLDLINE_POSTGRES_DSN", "postgresql://u:dsn-secret@db:2/x")
    environment.setenv("FOLDLINE_EGRESS_REFUSED_HOSTS", "other:3")
    runner = next(one for one in discover() if one.name == service_names.RUNNER)
    settings = told_alone(runner, load())
    assert settings.egress_refused_hosts == "other:3,db:2"  # type: ignore[attr-defined]
    assert "dsn-secret" not in shown(settings)


def test_an_address_of_postgres_may_name_several_servers() -> None:
    assert hosts_of("postgresql://u:p%40@127.0.0.1:5/x") == ["127.0.0.1:5"]
    assert hosts_of("postgresql://u:p@one:1/x?host=two") == ["two:1"]
    assert hosts_of("postgresql://u:p@one:1,two:2/x") == ["one:1", "two:2"]
    assert hosts_of("host=one,two port=3") == ["one:3", "two:3"]
    assert hosts_of("dbname=x") == ["localhost:5432"]


def test_there_is_one_list_of_all_settings(environment: pytest.MonkeyPatch) -> None:
    names = {row.name for row in setting_rows(load())}
    for one in discover():
        assert {variable(name) for name in set(one.settings.model_fields) - FILLED_IN} <= names


def test_a_key_that_nobody_knows_stops_nothing_and_is_told(
    environment: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "foldline.toml"
    file.write_text("sandbox_worker = 1\npigeon_url = 'x'\nnats_sync = '1s'\nmodel_retries = 2\n")
    everything = load()
    assert everything.of(UpSettings).nats_sync == "1s"
    pigeon, sandbox = mistyped(everything, {})
    assert pigeon.endswith(
        "pigeon_url, so it changes nothing. It may be of an extension that isn't installed."
    )
    assert sandbox.endswith("sandbox_worker, so it changes nothing. Did you mean sandbox_workers?")


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("FOLDLINE_NATS_SYNC", "never", "`always`, or a duration"),
        ("FOLDLINE_TIMEZONE", "Mars/Olympus", "an IANA name"),
        ("FOLDLINE_TIMEZONE", "../../etc/passwd", "an IANA name"),
        ("FOLDLINE_MODEL_BASE_URL", "ftp://model.lan", "an http://"),
    ],
)
def test_wrong_values_of_any_service_are_told_by_all_commands(
    environment: pytest.MonkeyPatch, name: str, value: str, allowed: str
) -> None:
    environment.setenv(name, value)
    with pytest.raises(SettingsError) as refused:
        load()
    assert any(f"{value!r} is not valid; allowed: {allowed}" in problem for problem in refused.value.problems)


def test_a_server_without_a_model_is_refused(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("FOLDLINE_MODEL_BASE_URL", "http://127.0.0.1:9/v1")
    with pytest.raises(SettingsError, match="FOLDLINE_MODEL is not"):
        load()
