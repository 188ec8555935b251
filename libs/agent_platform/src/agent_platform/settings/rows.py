"""The settings as a person may see them: `foldline config`."""

from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from pydantic import SecretStr

from agent_platform.secrecy.known_secrets import MASK
from agent_platform.settings.loading import FILLED_IN, AllSettings
from agent_platform.settings.sources import in_json, variable


@dataclass(frozen=True)
class SettingRow:
    """One line of `foldline config`. `value` never holds a secret; it is empty if nothing is set."""

    name: str
    value: str
    source: str
    meaning: str


def setting_rows(loaded: AllSettings) -> list[SettingRow]:
    """All settings in their documented order."""
    return [
        SettingRow(
            name=variable(name),
            value=_shown(loaded.values[name]),
            source=str(loaded.sources[name]),
            meaning=field.description or "",
        )
        for name, field in loaded.fields.items()
        if name not in FILLED_IN
    ]


def _shown(value: object) -> str:
    match value:
        case None:
            return ""
        case SecretStr():
            return MASK
        case str() if "://" in value and "@" in value:
            return _without_password(value)
        case dict():
            return in_json(value) if value else ""
        case _:
            return str(value)


def _without_password(url: str) -> str:
    """A URL (or a list of them, as NATS takes) with its user information masked."""
    shown = []
    for one in url.split(","):
        parts = urlsplit(one)
        host = parts.netloc.rpartition("@")[2]
        masked = f"{MASK}@{host}" if "@" in parts.netloc else host
        shown.append(urlunsplit(parts._replace(netloc=masked)))
    return ",".join(shown)
