"""What a person set and Foldline doesn't use: a mistyped name, or a setting without the one that it needs."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from agent_contracts.nearest import nearest
from agent_platform.process.stop_points import STOP_DIR
from agent_platform.process.stopping import PARENT_PID
from agent_platform.settings.loading import AllSettings
from agent_platform.settings.sources import DEFAULT, PREFIX, variable

_OF_COMMANDS = ("FOLDLINE_URL", "FOLDLINE_MCP_TOKEN")
"""Of the command line, which reaches a Foldline by them."""
_NO_SETTINGS = (
    *_OF_COMMANDS,
    *("FOLDLINE_PUBLISH", "FOLDLINE_NATS_PASSWORD_*", "FOLDLINE_POSTGRES_*PASSWORD"),  # of docker-compose.yml
    *(PARENT_PID, STOP_DIR),
)
"""Variables that are Foldline's, where `*` stands for anything, and that are not settings."""

_ONLY_WITH_ITS_OWN_NATS = ("nats_sync", "log_read_at_start")
_ONLY_WITH_ANOTHERS_NATS = ("nats_credentials", "nats_monitor_url")


def unused_settings(everything: AllSettings, environ: Mapping[str, str]) -> Sequence[str]:
    """A sentence for each, in the order of their names; for `foldline up` and those who start a service."""
    return [*mistyped(everything, environ), *_without_effect(everything)]


def mistyped(everything: AllSettings, environ: Mapping[str, str]) -> list[str]:
    """A sentence for each variable, and each key of `foldline.toml`, that names no setting, with the one that
    was probably meant."""
    known = {variable(name) for name in everything.fields}
    names = {*known, *(f"{name}_FILE" for name in known)}
    said = []
    for name in sorted(environ):
        if name.startswith(PREFIX) and name not in names and not _is_anothers(name):
            may_be = [one.removeprefix(PREFIX) for one in (*known, *_OF_COMMANDS) if one.startswith(PREFIX)]
            near = nearest(name.removeprefix(PREFIX), may_be)
            said.append(_changes_nothing(name, PREFIX + near if near else None))
    for key in everything.unknown:
        said.append(f"{everything.toml}: {_changes_nothing(key, nearest(key.lower(), everything.fields))}")
    return said


def _changes_nothing(name: str, near: str | None) -> str:
    meant = f"Did you mean {near}?" if near else "It may be of an extension that isn't installed."
    return f"No setting is named {name}, so it changes nothing. {meant}"


def _without_effect(everything: AllSettings) -> list[str]:
    embedded = everything.values["nats_url"] is None
    names = _ONLY_WITH_ANOTHERS_NATS if embedded else _ONLY_WITH_ITS_OWN_NATS
    reason = "FOLDLINE_NATS_URL is not set" if embedded else "FOLDLINE_NATS_URL names a NATS of your own"
    return [
        f"{variable(name)} changes nothing, since {reason}."
        for name in names
        if everything.sources[name] != DEFAULT
    ]


def _is_anothers(name: str) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in _NO_SETTINGS)
