"""Where settings come from: environment, files named by the environment, and `foldline.toml`."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import to_json

from agent_contracts.errors import Rejected

PREFIX = "FOLDLINE_"
WRITTEN = "utf-8-sig"
"""The encoding of files that people write: some editors begin them with a byte order mark."""
NAMED_FLAW = "named_flaw"
"""The type of a validation error whose message says what is wrong with a text, such as a character that it
can't have."""

UNPREFIXED = frozenset(
    {
        "otel_exporter_otlp_endpoint",
        *(
            f"{provider}_api_key"
            for provider in (
                *("openai", "anthropic", "gemini", "mistral", "deepseek"),
                *("xai", "groq", "cerebras", "together_ai"),
            )
        ),
    }
)
"""Settings that keep the name which a standard, or everybody, gave them."""


@dataclass(frozen=True)
class AllowedValues:
    """What a setting accepts, in words for its error message."""

    words: str


@dataclass(frozen=True)
class SettingSource:
    """Where one value came from: the kind, and the variable, file or option."""

    kind: Literal["default", "given", "env", "file", "toml"]
    where: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.where}".strip()


DEFAULT = SettingSource("default")


class SettingsError(Rejected):
    """Settings that can't be used. The message has one line for each problem."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems), kind="invalid_settings")
        self.problems = problems


def variable(name: str) -> str:
    """The environment variable of the setting `name`."""
    return name.upper() if name in UNPREFIXED else PREFIX + name.upper()


def in_json(value: Any) -> str:
    """A value that is more than a text or a number, as an environment variable holds it."""
    return to_json(value).decode()


def at_home(path: Path) -> Path:
    """The path with `~` as the user's folder. Raises SettingsError where there is no such folder."""
    try:
        return path.expanduser()
    except RuntimeError:
        raise SettingsError(
            [f"{path} is in the home folder, and this user has none: set HOME, or FOLDLINE_DATA_DIR"]
        ) from None


def read_environment(
    names: Iterable[str], environ: Mapping[str, str]
) -> dict[str, tuple[str, SettingSource]]:
    """What the environment sets, directly or as `X_FILE`: the path of a file whose content, without the line
    end, is the value. An empty variable is one that is not set. Raises SettingsError.
    """
    found: dict[str, tuple[str, SettingSource]] = {}
    problems = []
    for name in names:
        direct, indirect = variable(name), variable(name) + "_FILE"
        if environ.get(direct) and environ.get(indirect):
            problems.append(f"{direct} and {indirect} are both set; unset one of them")
        elif environ.get(direct):
            found[name] = environ[direct], SettingSource("env", direct)
        elif environ.get(indirect):
            path = at_home(Path(environ[indirect]))
            try:
                text = path.read_text(encoding=WRITTEN).rstrip("\r\n")
                found[name] = text, SettingSource("file", str(path))
            except (OSError, UnicodeDecodeError) as error:
                problems.append(f"{indirect} names {path}, which can't be read: {error}")
    if problems:
        raise SettingsError(problems)
    return found


def read_toml(path: Path) -> dict[str, tuple[Any, SettingSource]]:
    """What `path` sets; its keys are the settings' names in lower case. SettingsError if it can't be read."""
    try:
        data = tomllib.loads(path.read_text(encoding=WRITTEN))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError([f"{path} can't be read: {error}"]) from error
    return {key: (value, SettingSource("toml", str(path))) for key, value in data.items()}


def is_secret_field(field: FieldInfo) -> bool:
    """Whether nobody may see the setting's value."""
    return SecretStr in getattr(field.annotation, "__args__", (field.annotation,))


def problems_of(
    error: ValidationError, settings_type: type[BaseModel], sources: Mapping[str, SettingSource]
) -> list[str]:
    """One line for each wrong value: the setting, its source, the value (no secret), what is allowed."""
    problems = []
    for detail in error.errors(include_url=False):
        if not detail["loc"]:
            problems.append(detail["msg"].removeprefix("Value error, "))
            continue
        name = str(detail["loc"][0])
        field = settings_type.model_fields.get(name)
        if field is None:
            problems.append(f"no setting is named {name!r}")
            continue
        if detail["type"] == NAMED_FLAW:
            problems.append(f"{variable(name)} (from {sources.get(name, DEFAULT)}): {detail['msg']}")
            continue
        # The input of a setting that is missing is all that was set, secrets included.
        if detail["type"] == "missing" and len(detail["loc"]) == 1:
            meaning = f": {field.description}" if field.description else ""
            problems.append(f"{variable(name)} is not set, and has no default{meaning}")
            continue
        value = "its value" if is_secret_field(field) else repr(detail["input"])
        allowed = next((item.words for item in field.metadata if isinstance(item, AllowedValues)), None)
        reason = f"allowed: {allowed}" if allowed else detail["msg"]
        problems.append(
            f"{variable(name)} (from {sources.get(name, DEFAULT)}): {value} is not valid; {reason}"
        )
    return problems
