"""Reading settings: of one service, or of everything that is installed."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import SecretStr, ValidationError
from pydantic.fields import FieldInfo

from agent_contracts.errors import Rejected
from agent_platform.secrecy.known_secrets import KNOWN
from agent_platform.settings.settings import BaseSettings
from agent_platform.settings.sources import (
    DEFAULT,
    SettingsError,
    SettingSource,
    at_home,
    is_secret_field,
    problems_of,
    read_environment,
    read_toml,
)

S = TypeVar("S", bound=BaseSettings)


LOCKED = "locked"
_SECRET_VARIABLES = ("_API_KEY", "_TOKEN", "_SECRET", "_SECRET_ACCESS_KEY", "_PASSWORD")
"""How the variables end that hold secrets of libraries, such as the keys that litellm reads itself."""
FILLED_IN = frozenset({LOCKED, "declared", "expected_services"})
"""Settings that nobody sets: whoever starts a process fills them in."""


def locked(sources: Mapping[str, SettingSource]) -> str:
    """The names of all settings that came from the environment or a command line; `-` for none."""
    names = (name for name, source in sources.items() if source.kind in ("env", "file", "given"))
    return ",".join(sorted(names)) or "-"


@dataclass(frozen=True)
class LoadedSettings(Generic[S]):
    """The settings, and for each by its name the place its value came from. `ignored` are keys of the TOML
    file that are no settings of this class: another service's, or mistakes."""

    settings: S
    sources: Mapping[str, SettingSource]
    ignored: Sequence[str] = ()


@dataclass(frozen=True)
class AllSettings:
    """The settings of several classes, read at once. `fields` are all that there are, in their order;
    `unknown` are keys of the file `toml` that name none of them: mistakes, or of an extension that isn't
    installed."""

    fields: Mapping[str, FieldInfo]
    values: Mapping[str, Any]
    sources: Mapping[str, SettingSource]
    given: Mapping[str, Any]
    toml: Path
    unknown: Sequence[str]

    def of(self, kind: type[S], **changes: Any) -> S:
        """One class's part. `changes` replace values, where this class has such settings."""
        values = {LOCKED: locked(self.sources), **self.given, **changes}
        return kind(**{name: value for name, value in values.items() if name in kind.model_fields})

    def but(self, **changes: Any) -> "AllSettings":
        """The same with some values replaced."""
        return replace(self, values={**self.values, **changes}, given={**self.given, **changes})


def load_settings(
    kind: type[S], environ: Mapping[str, str] | None = None, *, folder: Path | None = None, **given: Any
) -> LoadedSettings[S]:
    """Read everything that sets a setting of this class. The first of these wins: `given` (a command line's
    options that are not None), the environment, `FOLDLINE_X_FILE`, `foldline.toml` in `folder` (default: the
    current one) or else in the data directory, the default.

    Raises SettingsError (a Rejected) that lists every wrong value with its source and what is allowed.
    """
    read = _read(kind.model_fields, environ, folder, given)
    if LOCKED in kind.model_fields:
        read = replace(read, values={LOCKED: locked(read.sources), **read.values})
    settings, problems = _made(kind, read)
    if settings is None:
        raise SettingsError(problems)
    sources = {name: read.sources.get(name, DEFAULT) for name in kind.model_fields}
    return LoadedSettings(settings, sources, tuple(sorted(read.unknown)))


def load_all(
    kinds: Iterable[type[BaseSettings]],
    environ: Mapping[str, str] | None = None,
    *,
    folder: Path | None = None,
    **given: Any,
) -> AllSettings:
    """As `load_settings`, for all of these classes at once. Raises SettingsError, and Rejected for two
    classes that disagree about a setting.
    """
    loaded, problems = looked_over(kinds, environ, folder=folder, **given)
    if problems:
        raise SettingsError(problems)
    return loaded


def looked_over(
    kinds: Iterable[type[BaseSettings]],
    environ: Mapping[str, str] | None = None,
    *,
    folder: Path | None = None,
    **given: Any,
) -> tuple[AllSettings, list[str]]:
    """As `load_all`, with what is wrong in place of an error: a wrong value is as it was written, and None
    where a required one is missing."""
    kinds = list(dict.fromkeys(kinds))
    fields = _union(kinds)
    read = _read(fields, environ, folder, given)
    found: list[str] = []
    values: dict[str, Any] = {name: _as_written(name, field, read) for name, field in fields.items()}
    for kind in kinds:
        settings, problems = _made(kind, read)
        found += [problem for problem in problems if problem not in found]
        if settings is not None:
            values |= {name: getattr(settings, name) for name in kind.model_fields}
    sources = {name: read.sources.get(name, DEFAULT) for name in fields}
    return AllSettings(fields, values, sources, read.values, read.toml, sorted(read.unknown)), found


def _as_written(name: str, field: FieldInfo, read: "_ReadSettings") -> Any:
    if name not in read.values:
        return None if field.is_required() else field.get_default(call_default_factory=True)
    value = read.values[name]
    return SecretStr(str(value)) if is_secret_field(field) else value


@dataclass(frozen=True)
class _ReadSettings:
    values: Mapping[str, Any]
    sources: Mapping[str, SettingSource]
    toml: Path
    unknown: frozenset[str]


def _read(
    fields: Mapping[str, FieldInfo],
    environ: Mapping[str, str] | None,
    folder: Path | None,
    given: Mapping[str, Any],
) -> _ReadSettings:
    values: dict[str, Any] = {}
    sources: dict[str, SettingSource] = {}

    def take(found: Mapping[str, tuple[Any, SettingSource]]) -> None:
        for name, (value, source) in found.items():
            if name not in values:
                values[name], sources[name] = value, source

    take({name: (value, SettingSource("given", name)) for name, value in given.items() if value is not None})
    variables = os.environ if environ is None else environ
    KNOWN.learn(*(value for name, value in variables.items() if name.endswith(_SECRET_VARIABLES)))
    take(read_environment(fields, variables))
    toml = (folder or Path.cwd()) / "foldline.toml"
    if not toml.is_file():
        data_dir = values.get("data_dir", fields["data_dir"].default)
        toml = at_home(Path(data_dir)) / "foldline.toml"
    in_file = read_toml(toml) if toml.is_file() else {}
    take({name: found for name, found in in_file.items() if name in fields})
    return _ReadSettings(values, sources, toml, frozenset(in_file.keys() - fields.keys()))


def _made(kind: type[S], read: _ReadSettings) -> tuple[S | None, list[str]]:
    try:
        own = {name: value for name, value in read.values.items() if name in kind.model_fields}
        return kind(**own), []
    except ValidationError as error:
        return None, problems_of(error, kind, read.sources)


def _union(kinds: Sequence[type[BaseSettings]]) -> Mapping[str, FieldInfo]:
    found: dict[str, FieldInfo] = {}
    owners: dict[str, type[BaseSettings]] = {}
    for kind in kinds:
        for name, field in kind.model_fields.items():
            if repr(found.setdefault(name, field)) != repr(field):
                raise Rejected(
                    f"{owners[name].__name__} and {kind.__name__} disagree about the setting {name!r}: "
                    "let both take it from one class",
                    kind="invalid_settings",
                )
            owners.setdefault(name, kind)
    return found
