"""`foldline config`."""

import dataclasses
import json
import os
import sys
from enum import StrEnum
from typing import Annotated, Any

import msgspec
import typer
from rich.markup import escape
from rich.table import Table

from agent_contracts.api.settings import Setting, Settings
from agent_contracts.errors import Rejected
from agent_contracts.extensions import BROKEN
from agent_domain.personal.values import is_secret
from agent_platform.settings.rows import setting_rows
from agent_platform.settings.sources import PREFIX
from foldline.cli.client import Gateway, gateway
from foldline.cli.naming import agent_id
from foldline.cli.output import JsonOption, clean, console, done, fail, failures_shown, print_json, warn
from foldline.settings import UpSettings, look_over
from foldline.unused_settings import unused_settings
from model_caller.choosing.model_choice import choose_model

_COLUMNS = ("setting", "value", "from", "meaning")


class ConfigAction(StrEnum):
    """The action to take."""

    SHOW = "show"
    LIST = "list"
    GET = "get"
    SET = "set"
    UNSET = "unset"


def config(
    action: Annotated[ConfigAction, typer.Argument(help="The action to take.")] = ConfigAction.SHOW,
    name: Annotated[str | None, typer.Argument(help="A setting, such as token_limit.")] = None,
    value: Annotated[
        str | None,
        typer.Argument(help="set: the new value. Keys are prompted for, or read from standard input."),
    ] = None,
    agent: Annotated[str | None, typer.Option(help="Only this agent (default: all agents).")] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the effective configuration, or list, read and change settings.

    Changes apply from the next call. Environment variables win over settings.
    """
    with failures_shown():
        if action is ConfigAction.SHOW:
            _show(as_json)
            return
        with gateway() as door:
            path = "/settings" if agent is None else f"/agents/{agent_id(door, agent)}/settings"
            match action:
                case ConfigAction.LIST:
                    _list(door.read(path, Settings).items, as_json)
                case ConfigAction.GET:
                    _get(_found(door, path, _named(name)), as_json)
                case ConfigAction.SET:
                    _put(door, path, _named(name), _typed(_named(name), value), as_json)
                case ConfigAction.UNSET:
                    _put(door, path, _named(name), None, as_json)


def _show(as_json: bool) -> None:
    loaded, problems = look_over()
    rows = setting_rows(loaded)
    if not as_json:
        for line in (
            *(f"{one}. It is left out; the rest runs" for one in BROKEN.values()),
            *unused_settings(loaded, os.environ),
        ):
            warn(line)
    if problems:
        if as_json:
            print_json({"settings": [dataclasses.asdict(row) for row in rows], "problems": problems})
        else:
            _table(_COLUMNS, [(row.name, row.value, row.source, row.meaning) for row in rows])
        fail("\n".join(problems))
    model = choose_model(loaded.of(UpSettings), os.environ)
    if as_json:
        print_json(
            {
                "settings": [dataclasses.asdict(row) for row in rows],
                "model": model.model,
                "why": model.source,
            }
        )
        return
    _table(
        _COLUMNS,
        [(row.name, row.value, row.source, row.meaning) for row in rows],
    )
    console.print(f"\nThe model at the start: [bold]{model.model}[/] ({model.source})", highlight=False)


def _list(settings: list[Setting], as_json: bool) -> None:
    if as_json:
        print_json([msgspec.to_builtins(one) for one in settings])
        return
    _table(
        _COLUMNS,
        [(one.name, _shown(one), _source(one), one.meaning) for one in settings],
    )


def _get(one: Setting, as_json: bool) -> None:
    if as_json:
        print_json(msgspec.to_builtins(one))
        return
    console.print(f"{_shown(one) or 'not set'}  ({_source(one)})", markup=False, highlight=False)


def _put(door: Gateway, path: str, name: str, value: Any, as_json: bool) -> None:
    found = msgspec.convert(door.patch(path, {"values": {name: value}}), Settings)
    one = _of(found, name)
    what = "is set" if value is not None else "is no longer set here"
    now = f"; now {_shown(one)}" if value is None and _shown(one) else ""
    done(msgspec.to_builtins(one), f"{name} {what}{now} ({_source(one)})", as_json)


def _named(name: str | None) -> str:
    if not name:
        raise Rejected("Name a setting; `foldline config list` shows them", kind="invalid_request")
    return name.lower().removeprefix(PREFIX.lower())


def _typed(name: str, value: str | None) -> Any:
    """What stands on the command line, as JSON where it is. A key stands on none."""
    try:
        secret = is_secret(name)
    except KeyError:
        secret = False
    if secret:
        if value is not None:
            raise Rejected(
                f"{name} is a key: leave it out here, and type it when asked, or send it to standard input",
                kind="invalid_request",
            )
        if sys.stdin.isatty():
            return str(typer.prompt(f"value of {name}", hide_input=True))
        return sys.stdin.read()
    if value is None:
        raise Rejected(f"Say what {name} is to be", kind="invalid_request")
    try:
        return json.loads(value)
    except ValueError:
        return value


def _found(door: Gateway, path: str, name: str) -> Setting:
    return _of(door.read(path, Settings), name)


def _of(found: Settings, name: str) -> Setting:
    one = next((one for one in found.items if one.name == name), None)
    if one is None:
        raise Rejected(
            f"A person sets nothing named {name!r}; `foldline config list` shows what, `foldline config` "
            "the rest",
            kind="not_found",
        )
    return one


def _shown(one: Setting) -> str:
    if one.form == "secret":
        return "••••••" if one.is_set else ""
    if one.value is None or one.value == {}:
        return ""
    return one.value if isinstance(one.value, str) else json.dumps(one.value)


def _source(one: Setting) -> str:
    return f"{one.source.value} {one.origin}" if one.origin else one.source.value


def _table(columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    table = Table(box=None, pad_edge=False)
    for column in columns:
        table.add_column(column, no_wrap=column == "setting")
    for row in rows:
        table.add_row(*(escape(clean(cell)) for cell in row))
    console.print(table)
