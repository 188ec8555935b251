"""Settings: where each comes from, and what is said about a wrong one."""

from pathlib import Path
from typing import Annotated

import pytest
from pydantic import Field, SecretStr

from agent_contracts.errors import Rejected
from agent_platform.secrecy.known_secrets import MASK
from agent_platform.settings.loading import load_all, load_settings, looked_over
from agent_platform.settings.rows import setting_rows
from agent_platform.settings.settings import Count, OptionalFolder, Port
from agent_platform.settings.shared import PostgresSettings, ServiceSettings, WorkSettings
from agent_platform.settings.sources import AllowedValues, SettingsError


class Cook(ServiceSettings, WorkSettings):
    """What one service is told."""

    port: Port = Field(default=8420, description="where it listens")
    token: SecretStr | None = Field(default=None, description="who may come in")
    token_limit: Count = Field(default=100_000, description="how much it says")
    pantry: OptionalFolder = Field(default=None, description="where things are")


class Waiter(ServiceSettings, PostgresSettings):
    """What another is told."""

    manner: Annotated[str, Field(pattern="^(kind|brisk)$"), AllowedValues("kind or brisk")] = Field(
        default="kind", description="how it speaks"
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty current folder; the data directory beside it is empty too."""
    (tmp_path / "here").mkdir()
    (tmp_path / "data").mkdir()
    return tmp_path / "here"


def test_with_nothing_set_everything_has_its_default(folder: Path) -> None:
    loaded = load_settings(Cook, {"FOLDLINE_DATA_DIR": str(folder.parent / "data")}, folder=folder)
    assert loaded.settings.host == "127.0.0.1"
    assert loaded.settings.port == 8420
    assert loaded.settings.token_limit == 100_000
    assert loaded.settings.pantry is None
    assert loaded.sources["port"].kind == "default"


def test_the_data_directory_is_an_absolute_path_below_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")
    assert Cook().data_dir == Path("/home/somebody/.local/share/foldline")


def test_settings_made_in_code_do_not_look_at_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOLDLINE_PORT", "1234")
    assert Cook().port == 8420


def test_given_beats_environment_beats_file_beats_default(folder: Path) -> None:
    (folder / "foldline.toml").write_text("port = 3\nhost = '3'\ntoken_limit = 3\n")
    environ = {"FOLDLINE_PORT": "2", "FOLDLINE_HOST": "2", "FOLDLINE_DATA_DIR": str(folder)}
    loaded = load_settings(Cook, environ, folder=folder, port=1, host=None)
    settings, sources = loaded.settings, loaded.sources
    assert (settings.port, settings.host, settings.token_limit) == (1, "2", 3)
    assert [str(sources[name]) for name in ("port", "host", "token_limit", "ack_wait")] == [
        "given port",
        "env FOLDLINE_HOST",
        f"toml {folder / 'foldline.toml'}",
        "default",
    ]


def test_a_secret_can_be_in_a_file_of_its_own(folder: Path) -> None:
    secret = folder / "token"
    secret.write_text("s3cret\n")
    loaded = load_settings(Cook, {"FOLDLINE_TOKEN_FILE": str(secret)}, folder=folder)
    assert loaded.settings.token is not None
    assert loaded.settings.token.get_secret_value() == "s3cret"
    assert str(loaded.sources["token"]) == f"file {secret}"


def test_every_setting_can_be_in_a_file_of_its_own(folder: Path) -> None:
    (folder / "port").write_text("9000\r\n")
    assert (
        load_settings(Cook, {"FOLDLINE_PORT_FILE": str(folder / "port")}, folder=folder).settings.port == 9000
    )


def test_a_byte_order_mark_is_not_part_of_what_a_person_wrote(folder: Path) -> None:
    (folder / "token").write_bytes(b"\xef\xbb\xbf0123456789abcdef\r\n")
    (folder / "foldline.toml").write_bytes(b"\xef\xbb\xbfport = 9000\n")
    loaded = load_settings(Cook, {"FOLDLINE_TOKEN_FILE": str(folder / "token")}, folder=folder)
    assert loaded.settings.token is not None
    assert (loaded.settings.token.get_secret_value(), loaded.settings.port) == ("0123456789abcdef", 9000)


def test_both_the_value_and_its_file_is_an_error(folder: Path) -> None:
    with pytest.raises(SettingsError, match="FOLDLINE_TOKEN and FOLDLINE_TOKEN_FILE are both set"):
        load_settings(Cook, {"FOLDLINE_TOKEN": "a", "FOLDLINE_TOKEN_FILE": "b"}, folder=folder)


def test_a_file_that_cannot_be_read_is_named(folder: Path) -> None:
    with pytest.raises(SettingsError, match="FOLDLINE_TOKEN_FILE names /nowhere/token"):
        load_settings(Cook, {"FOLDLINE_TOKEN_FILE": "/nowhere/token"}, folder=folder)


def test_an_empty_variable_is_not_set(folder: Path) -> None:
    loaded = load_settings(Cook, {"FOLDLINE_PORT": "", "FOLDLINE_DATA_DIR": str(folder)}, folder=folder)
    assert loaded.settings.port == 8420


def test_the_toml_of_the_data_directory_counts_if_there_is_none_here(folder: Path) -> None:
    data = folder.parent / "data"
    (data / "foldline.toml").write_text("port = 7\n")
    environ = {"FOLDLINE_DATA_DIR": str(data)}
    assert load_settings(Cook, environ, folder=folder).settings.port == 7
    (folder / "foldline.toml").write_text("host = 'h'\n")
    assert load_settings(Cook, environ, folder=folder).settings.port == 8420


def test_a_key_that_no_service_knows_stops_nothing_and_is_told(folder: Path) -> None:
    (folder / "foldline.toml").write_text("tokenlimit = 7\nmanner = 'brisk'\n")
    everything = load_all([Cook, Waiter], {}, folder=folder)
    assert (everything.toml, everything.unknown) == (folder / "foldline.toml", ["tokenlimit"])
    assert everything.of(Waiter).manner == "brisk"


def test_a_service_alone_takes_its_own_keys_and_tells_which_it_left(folder: Path) -> None:
    (folder / "foldline.toml").write_text("token_limit = 7\nmanner = 'brisk'\n")
    loaded = load_settings(Cook, {}, folder=folder)
    assert (loaded.settings.token_limit, loaded.ignored) == (7, ("manner",))


def test_of_all_settings_a_class_gets_its_own_and_no_other(folder: Path) -> None:
    environ = {"FOLDLINE_TOKEN": "t", "FOLDLINE_MANNER": "brisk", "FOLDLINE_HOST": "h"}
    everything = load_all([Cook, Waiter], environ, folder=folder)
    waiter = everything.of(Waiter, token="other", manner="kind")
    assert (waiter.manner, waiter.host, hasattr(waiter, "token")) == ("kind", "h", False)
    assert everything.of(Cook).port == 8420
    assert everything.but(port=7).of(Cook).port == 7


def test_a_wrong_value_of_a_shared_setting_is_told_once(folder: Path) -> None:
    with pytest.raises(SettingsError) as refused:
        load_all([Cook, Waiter], {"FOLDLINE_LOG_LEVEL": "loud", "FOLDLINE_MANNER": "rude"}, folder=folder)
    assert len(refused.value.problems) == 2


def test_two_services_may_not_mean_different_things_by_one_name(folder: Path) -> None:
    class Thief(ServiceSettings):
        token: str = Field(default="", description="something else")

    with pytest.raises(Rejected, match="Cook and Thief disagree about the setting 'token'"):
        load_all([Cook, Thief], {}, folder=folder)


def test_a_toml_that_is_none_is_named(folder: Path) -> None:
    (folder / "foldline.toml").write_text("port: 7\n")
    with pytest.raises(SettingsError, match=r"foldline\.toml can't be read"):
        load_settings(Cook, {}, folder=folder)


@pytest.mark.parametrize(
    ("variable", "value", "allowed"),
    [
        ("FOLDLINE_PORT", "70000", "a port, 0 to 65535"),
        ("FOLDLINE_PORT", "http", "a port"),
        ("FOLDLINE_HEALTH_PORT", "x", "a port"),
        ("FOLDLINE_LOG_LEVEL", "loud", "debug, info, warning or error"),
        ("FOLDLINE_LOG_FORMAT", "xml", "console or json"),
        ("FOLDLINE_TOKEN_LIMIT", "0", "1 or more"),
        ("FOLDLINE_ACK_WAIT", "-1", "seconds, more than 0"),
        ("FOLDLINE_WORK_PARALLEL", "many", "a whole number"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318", "http://"),
    ],
)
def test_a_wrong_value_names_setting_source_and_what_is_allowed(
    folder: Path, variable: str, value: str, allowed: str
) -> None:
    with pytest.raises(SettingsError) as refused:
        load_settings(Cook, {variable: value, "FOLDLINE_DATA_DIR": str(folder)}, folder=folder)
    (problem,) = refused.value.problems
    assert problem.startswith(f"{variable} (from env {variable}): {value!r} is not valid; allowed: ")
    assert allowed in problem


def test_all_wrong_values_are_named_at_once(folder: Path) -> None:
    with pytest.raises(SettingsError) as refused:
        load_settings(Cook, {"FOLDLINE_PORT": "x", "FOLDLINE_ACK_WAIT": "x"}, folder=folder)
    assert len(refused.value.problems) == 2
    assert isinstance(refused.value, Rejected)


def test_no_secret_is_shown(folder: Path) -> None:
    environ = {
        "FOLDLINE_TOKEN": "secret-1",
        "FOLDLINE_POSTGRES_DSN": "postgresql://u:secret-3@db/x",
        "FOLDLINE_NATS_CREDENTIALS": "u:secret-4",
        "FOLDLINE_NATS_URL": "nats://u:secret-5@one:4222,nats://two:4222",
    }
    everything = load_all([Cook, Waiter], environ, folder=folder)
    rows = {row.name: row for row in setting_rows(everything)}
    assert "secret-" not in repr(rows.values())
    for kind in (Cook, Waiter):
        assert "secret-" not in repr(everything.of(kind)).replace(environ["FOLDLINE_NATS_URL"], "")
    assert rows["FOLDLINE_TOKEN"].value == MASK
    assert rows["FOLDLINE_TOKEN"].source == "env FOLDLINE_TOKEN"
    assert rows["FOLDLINE_NATS_URL"].value == f"nats://{MASK}@one:4222,nats://two:4222"
    assert rows["FOLDLINE_PANTRY"].value == ""


def test_every_setting_is_shown_with_its_meaning(folder: Path) -> None:
    rows = setting_rows(load_all([Cook, Waiter], {}, folder=folder))
    assert [row.name for row in rows if not row.meaning] == []
    names = [row.name for row in rows]
    assert len(names) == len(set(names)) == len(Cook.model_fields.keys() | Waiter.model_fields.keys())
    assert "OTEL_EXPORTER_OTLP_ENDPOINT" in names


def test_a_user_without_a_home_folder_is_told_what_to_set(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def homeless(path: Path) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "expanduser", homeless)
    with pytest.raises(SettingsError, match="this user has none: set HOME, or FOLDLINE_DATA_DIR"):
        load_all([Cook], {}, folder=folder)


@pytest.mark.parametrize("how", ["environment", "file", "toml", "given"])
@pytest.mark.parametrize(
    ("name", "value", "flaw"),
    [
        ("token", "“abcdefghijklmnopqrstuv”", "character 1 of 24 is U+201C (LEFT DOUBLE QUOTATION MARK)"),
        ("token", "abcdefghijk\nlmnopqrstuv", "character 12 of 23 is U+000A"),
        ("token", "abcdefghijk\u202elmnopqrstuv", "character 12 of 23 is U+202E (RIGHT-TO-LEFT OVERRIDE)"),
        ("token", "abcdefghij\u00a0klmnopqrstuv", "character 11 of 23 is U+00A0 (NO-BREAK SPACE)"),
        ("token", "abcdefghij klmnopqrstuv", "character 11 of 23 is U+0020 (SPACE)"),
        ("token", "abcdefghijklmnopqrstuvé", "character 23 of 23 is U+00E9"),
        ("nats_url", "nats://ho\u00adst", "character 10 of 12 is U+00AD (SOFT HYPHEN)"),
        ("nats_monitor_url", "http://ho st", "character 10 of 12 is U+0020 (SPACE)"),
        ("nats_credentials", "user:pass\u0007word", "character 10 of 14 is U+0007"),
    ],
)
def test_a_character_that_cannot_be_in_a_value_is_named_with_its_place(
    folder: Path, how: str, name: str, value: str, flaw: str
) -> None:
    variable = f"FOLDLINE_{name.upper()}"
    environ: dict[str, str] = {}
    given: dict[str, str] = {}
    match how:
        case "environment":
            environ[variable] = value
        case "file":
            (folder / "value").write_text(value + "\n", encoding="utf-8")
            environ[f"{variable}_FILE"] = str(folder / "value")
        case "toml":
            (folder / "foldline.toml").write_text(f'{name} = "{_in_toml(value)}"\n', encoding="utf-8")
        case _:
            given[name] = value
    with pytest.raises(SettingsError) as refused:
        load_settings(Cook, environ, folder=folder, **given)
    (problem,) = refused.value.problems
    assert variable in problem
    assert flaw in problem
    assert value not in problem
    assert "klmno" not in problem


def test_blanks_around_a_key_are_no_part_of_it(folder: Path) -> None:
    loaded = load_settings(Cook, {"FOLDLINE_TOKEN": " abcdefghijklmnopqrstuv\t\n"}, folder=folder)
    assert loaded.settings.token == SecretStr("abcdefghijklmnopqrstuv")


def _in_toml(value: str) -> str:
    return "".join(sign if sign.isprintable() else f"\\u{ord(sign):04x}" for sign in value)


class Baker(ServiceSettings):
    """What a pack is told."""

    oven: str = Field(description="the oven's address")
    oven_key: SecretStr | None = Field(default=None, description="who may bake", min_length=12)


def test_a_required_setting_that_is_missing_is_one_sentence_and_hides_no_other(folder: Path) -> None:
    given = {"FOLDLINE_PORT": "9000", "FOLDLINE_OVEN_KEY": "sesame", "FOLDLINE_TOKEN": "a-secret-token"}
    loaded, problems = looked_over([Cook, Baker], given, folder=folder)
    assert problems[0] == "FOLDLINE_OVEN is not set, and has no default: the oven's address"
    assert "FOLDLINE_OVEN_KEY" in problems[1]
    rows = {row.name: row.value for row in setting_rows(loaded)}
    assert (rows["FOLDLINE_OVEN"], rows["FOLDLINE_OVEN_KEY"], rows["FOLDLINE_PORT"]) == ("", MASK, "9000")
    told = " ".join([*problems, *rows.values()])
    assert "sesame" not in told
    assert "a-secret-token" not in told
    with pytest.raises(SettingsError) as refused:
        load_all([Cook, Baker], given, folder=folder)
    assert refused.value.problems == problems
