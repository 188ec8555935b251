"""What is set holds, or a person is told that it doesn't."""

from pathlib import Path

import pytest

from agent_contracts import service_names
from agent_platform.process.stop_points import STOP_DIR
from agent_platform.process.stopping import PARENT_PID
from agent_platform.services.discovery import discover
from agent_platform.settings.loading import AllSettings, load_all
from foldline.cli.operating.up import quiet_unless_told
from foldline.settings import UpSettings
from foldline.supervisor.servers import Addresses
from foldline.supervisor.service_settings import told
from foldline.unused_settings import unused_settings
from model_caller.choosing.model_choice import choose_model

ADDRESSES = Addresses("nats://127.0.0.1:1", {}, "postgresql://u:p@127.0.0.1:2/x", "the-gateways-token")


def settings(tmp_path: Path, **environ: str) -> AllSettings:
    return load_all([UpSettings, *(one.settings for one in discover())], environ, folder=tmp_path)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("FOLDLINE_PRT", "Did you mean FOLDLINE_PORT?"),
        ("FOLDLINE_DATADIR", "Did you mean FOLDLINE_DATA_DIR?"),
        ("FOLDLINE_ULR", "Did you mean FOLDLINE_URL?"),
        ("FOLDLINE_PIGEON_KEY", "It may be of an extension that isn't installed."),
    ],
)
def test_a_name_that_is_no_settings_is_named_with_the_one_that_may_be_meant(
    tmp_path: Path, name: str, meant: str
) -> None:
    said = unused_settings(settings(tmp_path), {name: "1"})
    assert len(said) == 1
    assert f"No setting is named {name}" in said[0]
    assert said[0].endswith(meant)


def test_settings_files_that_name_them_and_what_is_others_are_not_warned_about(tmp_path: Path) -> None:
    named = (
        "FOLDLINE_PORT",
        "FOLDLINE_TOKEN_FILE",
        "FOLDLINE_URL",
        "FOLDLINE_NATS_PASSWORD_X",
        PARENT_PID,
        STOP_DIR,
    )
    assert unused_settings(settings(tmp_path), dict.fromkeys(named, "")) == []


@pytest.mark.parametrize(
    ("environ", "name"),
    [
        ({"FOLDLINE_NATS_CREDENTIALS": "a:b"}, "FOLDLINE_NATS_CREDENTIALS"),
        ({"FOLDLINE_NATS_URL": "nats://a", "FOLDLINE_NATS_SYNC": "1s"}, "FOLDLINE_NATS_SYNC"),
    ],
)
def test_a_setting_without_effect_is_said_with_the_reason(
    tmp_path: Path, environ: dict[str, str], name: str
) -> None:
    (line,) = unused_settings(settings(tmp_path, **environ), environ)
    assert line.startswith(f"{name} changes nothing, since FOLDLINE_NATS_URL ")


@pytest.mark.parametrize(("environ", "level"), [({}, "warning"), ({"FOLDLINE_LOG_LEVEL": "info"}, "info")])
def test_up_is_quieter_than_a_service_alone_unless_somebody_said_how_much_is_logged(
    tmp_path: Path, environ: dict[str, str], level: str
) -> None:
    everything = quiet_unless_told(settings(tmp_path, **environ))
    model = choose_model(everything.of(UpSettings), {})
    assert everything.values["log_level"] == level
    assert {told(one, everything, ADDRESSES, model, 7).log_level for one in discover()} == {level}


def test_the_gateway_answers_at_the_health_port_under_up_and_no_tool_reaches_it(tmp_path: Path) -> None:
    everything = settings(tmp_path, FOLDLINE_HEALTH_PORT="8481")
    model = choose_model(everything.of(UpSettings), {})
    each = {one.name: told(one, everything, ADDRESSES, model, 7) for one in discover()}
    assert {name: one.health_port for name, one in each.items() if one.health_port} == {
        service_names.GATEWAY: 8481
    }
    assert "127.0.0.1:8481" in vars(each[service_names.RUNNER])["egress_refused_hosts"]
